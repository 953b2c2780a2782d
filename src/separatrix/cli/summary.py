"""``separatrix summary TABLE FORMULA``."""

import click

from separatrix.cli.options import as_json, command, query


@command(
    'separatrix summary heart.csv "chd ~ tobacco + ldl + famhist + age" --family binomial',
    'separatrix summary ames.csv "log(SalePrice) ~ GrLivArea + C(OverallQual)" --robust HC3',
    'separatrix summary heart.csv "chd ~ poly(age, 2) + famhist" -f binomial --terms',
    short_help="Fit a formula, and print a table of coefficients as R does.",
)
@click.argument("table")
@click.argument("formula")
@click.option(
    "--family",
    "-f",
    type=click.Choice(["gaussian", "binomial"]),
    default="gaussian",
    show_default=True,
    help="Least squares, or logistic regression of a response of two values.",
)
@click.option(
    "--robust",
    type=click.Choice(["HC0", "HC1", "HC2", "HC3"], case_sensitive=False),
    default=None,
    help="Standard errors that allow each row a variance of its own; a binomial fit has HC0.",
)
@click.option(
    "--level",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.95,
    show_default=True,
    help="Of the confidence intervals.",
)
@click.option("--profile", is_flag=True, help="Profile-likelihood intervals instead of Wald's (binomial).")
@click.option("--terms", is_flag=True, help="Also test each term as a whole, as R's drop1 does (binomial).")
@query
@as_json
def summary(table, formula, family, robust, level, profile, terms, query, as_json):
    """Fit a formula without a penalty, and print estimates, standard errors, tests and intervals, as R does.

    TABLE is a file (CSV, TSV, Parquet, Arrow), or - for stdin. FORMULA is response ~ term + term, in R's language.
    Rows with a missing value are left out, and counted. Formulas need `pip install 'separatrix[formula]'`.
    """
    from separatrix.cli import screen
    from separatrix.workflow.summary import fit_formula
    from separatrix.inference import anova
    from separatrix.tables import read

    read_in = read(table, query=query)
    fit = fit_formula(read_in, formula, family)
    options = {"covariance": robust or "classical", "level": level, **({"intervals": "profile"} if profile else {})}
    found = fit.model.summary(fit.X, fit.y, **options)
    tests = anova(fit.model, fit.X, fit.y, terms=fit.terms) if terms else None
    facts = {"table": read_in.source, "formula": formula, "family": family, "rows": len(fit.y), "dropped": fit.dropped}
    if as_json:
        listing = {"terms": tests.to_dict() if tests is not None else None}
        screen.write_json("summary", {**facts, "summary": found.to_dict(), **listing})
        return
    out = screen.console()
    left_out = f"; {fit.dropped} with a missing value left out" if fit.dropped else ""
    screen.say(out, f"{formula}   {family}, {len(fit.y)} rows{left_out}", gap=False)
    out.print()
    out.print(found)
    if tests is not None:
        out.print(tests)
