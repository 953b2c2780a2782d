"""``separatrix summary TABLE FORMULA``."""

import click

from separatrix.cli.options import as_json, command, query


@command(
    'separatrix summary heart.csv "chd ~ tobacco + ldl + famhist + age" --family binomial',
    'separatrix summary ames.csv "log(SalePrice) ~ GrLivArea + factor(OverallQual)" --robust HC3',
    'separatrix summary heart.csv "chd ~ poly(age, 2) + famhist" -f binomial --terms',
    'separatrix summary doses.csv "cbind(dead, alive) ~ log2(dose)*sex" -f binomial',
    'separatrix summary claims.csv "claims ~ region + age + offset(log(holders))" -f poisson',
    short_help="Fit a formula, and print a table of coefficients as R does.",
)
@click.argument("table")
@click.argument("formula")
@click.option(
    "--family",
    "-f",
    type=click.Choice(["gaussian", "binomial", "poisson", "quasipoisson", "gamma", "inverse_gaussian"]),
    default="gaussian",
    show_default=True,
    help="Least squares; two values or cbind(successes, failures); or numbers whose mean has a linear logarithm.",
)
@click.option(
    "--link",
    type=click.Choice(["logit", "probit", "cloglog"]),
    default=None,
    help="Of a binomial fit; logit if it is not given.",
)
@click.option("--weights", metavar="COL", default=None, help="A column of weights.")
@click.option(
    "--weights-are",
    type=click.Choice(["precision", "frequency"]),
    default=None,
    help="Inverse variances up to a factor (R's lm; default of gaussian), or repetitions of a row (of binomial).",
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
@click.option("--terms", is_flag=True, help="Also test each term as a whole, as R's drop1 does.")
@query
@as_json
def summary(table, formula, family, link, weights, weights_are, robust, level, profile, terms, query, as_json):
    """Fit a formula without a penalty, and print estimates, standard errors, tests and intervals, as R does.

    TABLE is a file (CSV, TSV, Parquet, Arrow), or - for stdin. FORMULA is response ~ term + term, in R's language:
    a:b, a*b, (a + b)^2, b %in% a, ., -1, offset(x), I(x^2), log(x), poly(x, 2), scale(x), bs(x, 5), ns(x, 4),
    cut(x, 3), factor(x), relevel(x, "b"), C(x, contr.sum). Rows with a missing value are left out, and counted.
    Formulas need `pip install 'separatrix[formula]'`.
    """
    from separatrix.cli import output
    from separatrix.workflow.summary import summarise_table

    summarised = summarise_table(
        table,
        formula,
        family,
        weights=weights,
        meaning=weights_are,
        link=link,
        robust=robust,
        level=level,
        profile=profile,
        terms=terms,
        query=query,
    )
    if as_json:
        output.write_json("summary", summarised.as_dict())
        return
    out, fit = output.console(), summarised.fit
    left_out = f"; {fit.dropped} with a missing value left out" if fit.dropped else ""
    weighted = f", weighted by {weights}" if weights else ""
    output.paragraph(out, f"{formula}   {family}{weighted}, {summarised.rows} rows{left_out}", gap=False)
    out.print()
    out.print(summarised.summary)
    if summarised.tests is not None:
        out.print(summarised.tests)
