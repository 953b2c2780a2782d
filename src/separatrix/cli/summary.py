"""``separatrix summary TABLE FORMULA``."""

import click

from separatrix.cli.options import as_json, command, query

# Said here so that help needs no other import; a test holds them to those that formulas know.
FAMILIES = ("gaussian", "binomial", "quasibinomial", "poisson", "quasipoisson", "gamma", "inverse_gaussian")
LINKS = ("identity", "log", "sqrt", "inverse", "1/mu^2", "logit", "probit", "cloglog", "cauchit")


@command(
    'separatrix summary heart.csv "chd ~ tobacco + ldl + famhist + age" --family binomial',
    'separatrix summary ames.csv "log(SalePrice) ~ GrLivArea + factor(OverallQual)" --robust HC3',
    'separatrix summary heart.csv "chd ~ poly(age, 2) + famhist" -f binomial --terms',
    'separatrix summary doses.csv "cbind(dead, alive) ~ log2(dose)*sex" -f binomial',
    'separatrix summary claims.csv "claims ~ region + age + offset(log(holders))" -f poisson',
    'separatrix summary visits.csv "seizures ~ base + treatment" -f poisson --cluster subject',
    'separatrix summary clots.csv "time ~ log(dose)*lot" -f gamma --link inverse --terms',
    short_help="Fit a formula, and print a table of coefficients as R does.",
)
@click.argument("table")
@click.argument("formula")
@click.option(
    "--family",
    "-f",
    type=click.Choice(FAMILIES),
    default="gaussian",
    show_default=True,
    help="Least squares; two values or cbind(successes, failures); counts; or positive numbers.",
)
@click.option(
    "--link",
    type=click.Choice(LINKS),
    default=None,
    help="One that the family has. If it is not given: identity of gaussian, logit of binomial, log of all others "
    "(R's default of gamma is inverse, of inverse_gaussian 1/mu^2).",
)
@click.option("--weights", metavar="COL", default=None, help="A column of weights.")
@click.option(
    "--weights-are",
    type=click.Choice(["precision", "frequency"]),
    default=None,
    help="Inverse variances up to a factor (default, as in R's lm and glm), or repetitions of a row (default of a "
    "response of two values).",
)
@click.option(
    "--robust",
    type=click.Choice(["HC0", "HC1", "HC2", "HC3"], case_sensitive=False),
    default=None,
    help="Standard errors that allow each row a variance of its own; all families but gaussian have HC0 and HC1.",
)
@click.option(
    "--cluster",
    metavar="COL",
    default=None,
    help="A column of labels: standard errors allow rows of one label to depend on each other. HC1 (default) of "
    "gaussian, HC0 (default) or HC1 of all others.",
)
@click.option(
    "--level",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.95,
    show_default=True,
    help="Of the confidence intervals.",
)
@click.option("--profile", is_flag=True, help="Profile-likelihood intervals instead of Wald's (not of least squares).")
@click.option("--terms", is_flag=True, help="Also test each term as a whole, as R's drop1 does.")
@click.option(
    "--order",
    type=click.Choice(["drop", "sequential", "type II"]),
    default="drop",
    show_default=True,
    help="With --terms: each term dropped from the whole (drop1), entered one after the other (anova), or beside those "
    "that do not contain it (car::Anova).",
)
@query
@as_json
def summary(
    table, formula, family, link, weights, weights_are, robust, cluster, level, profile, terms, order, query, as_json
):
    """Fit a formula without a penalty, and print estimates, standard errors, tests and intervals, as R does.

    TABLE is a file (CSV, TSV, Parquet, Arrow), - for stdin, or the name of a bundled data set. FORMULA is response ~
    term + term, in R's language: a:b, a*b, (a + b)^2, b %in% a, ., -1, offset(x), I(x^2), log(x), poly(x, 2),
    scale(x), bs(x, 5), ns(x, 4), cut(x, 3), factor(x), relevel(x, "b"), C(x, contr.sum). Rows with a missing value
    are left out, and counted.
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
        cluster=cluster,
        level=level,
        profile=profile,
        terms=order if terms else None,
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
    output.print_table(out, summarised.summary)
    if summarised.tests is not None:
        output.print_table(out, summarised.tests)
