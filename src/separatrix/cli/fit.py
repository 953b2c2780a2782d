"""``separatrix fit TABLE --target COLUMN --family NAME``."""

import click

from separatrix.cli.options import as_json, command, query, seed, target


@command(
    "separatrix fit heart.csv --target chd --family logistic",
    "separatrix fit heart.csv --target chd --family LogisticRegression --set C=0.1 -o heart.sepx",
    "separatrix fit prostate.csv --target lpsa --family lasso --exclude train",
    short_help="Fit one model to a table, print its certificate, write it to a file.",
)
@click.argument("table", required=False)
@target
@click.option("--family", "-f", metavar="NAME", required=True, help="A name from the leaderboard, or a class.")
@click.option("--set", "settings", metavar="NAME=VALUE", multiple=True, help="A parameter of the model; repeatable.")
@click.option(
    "--task", type=click.Choice(["classification", "regression"]), help="What the target is; guessed if not said."
)
@click.option("--exclude", metavar="COLUMN", multiple=True, help="A column to leave out; repeatable.")
@click.option(
    "--output",
    "-o",
    "path",
    default="model.sepx",
    show_default=True,
    type=click.Path(dir_okay=False),
    help="The model file to write.",
)
@query
@seed
@as_json
def fit(table, target, family, settings, task, exclude, path, query, seed, as_json):
    """Fit one model to all rows of a table, with its preparation; print its certificate and write a model file.

    TABLE is a file (CSV, TSV, Parquet, Arrow), or - for stdin.
    """
    from separatrix.cli import models, provenance, screen
    from separatrix.cli.verify import stating
    from separatrix.inference.original_columns import Reference
    from separatrix.persist import save
    from separatrix.tables import read, target_values, understand

    whole = read(table, query=query)
    understanding = understand(whole, target, task=task, exclude=exclude)
    y, there = target_values(whole, understanding)
    rows = whole.take(there)
    out = screen.console()
    if not as_json:
        screen.show_understanding(out, understanding)
    model, name = models.fitted(understanding, rows, y, family, settings, seed)
    reference = Reference.of(model, rows).as_dict()
    command = click.get_current_context().find_root().meta["command line"]
    about = provenance.remembered(whole, understanding, family=name, command=command, reference=reference)
    save(model, path, about=about)
    certificate = getattr(stating(model[-1]) or model[-1], "certificate_", None)
    if as_json:
        screen.write_json(
            "fit",
            {
                "table": whole.source,
                "understanding": understanding.as_dict(),
                "family": name,
                "class": type(model[-1]).__name__,
                "parameters": _parameters(model[-1]),
                "rows": len(rows),
                "certificate": certificate_document(certificate),
                "model": path,
            },
        )
        return
    screen.say(
        out, f"{name}: {type(model[-1]).__name__} of {model[-1].n_features_in_:,} prepared columns, {len(rows):,} rows."
    )
    screen.say(
        out, str(certificate) if certificate is not None else "A closed form or a count: no certificate.", gap=False
    )
    screen.say(out, f"Written: {path}")
    screen.say(out, f"Next: separatrix predict {path} {table}", "dim", gap=False)


def certificate_document(certificate):
    """A certificate for JSON; None where there is none."""
    if certificate is None:
        return None
    return {
        "kind": certificate.kind,
        "value": certificate.value,
        "tolerance": certificate.tolerance,
        "certified": certificate.converged,
        "message": certificate.message,
    }


def _parameters(model):
    """The parameters that plain data can show."""
    plain = (bool, int, float, str, type(None))
    return {
        key: value if isinstance(value, plain) else str(value) for key, value in model.get_params(deep=False).items()
    }
