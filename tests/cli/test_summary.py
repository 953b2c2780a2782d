"""`separatrix summary` gives R's numbers; numbers and script in tests/oracles/summary_command.*."""

import json
import sys
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from numpy.testing import assert_allclose

from separatrix.cli import main

ORACLE = json.loads((Path(__file__).parents[1] / "oracles" / "summary_command.json").read_text())
HEART = Path(__file__).parents[3] / "shared" / "data" / "esl" / "SAheart.csv"
needs_heart = pytest.mark.skipif(not HEART.is_file(), reason="the South African heart data are not here")


def run(*arguments, **options):
    return CliRunner().invoke(main.main, ["summary", *map(str, arguments)], **options)


def rows(*arguments):
    found = run(*arguments, "--json")
    assert found.exit_code == 0, found.output
    document = json.loads(found.stdout)
    return document, document["summary"]["tables"][0]


@needs_heart
@pytest.mark.mission("SI-01")
@pytest.mark.parametrize("expected", ORACLE["binomial"], ids=lambda each: each["formula"])
def test_a_binomial_formula_gives_the_numbers_of_glm(expected):
    _, table = rows(HEART, expected["formula"], "--family", "binomial")
    assert_allclose([row["estimate"] for row in table["rows"]], expected["estimate"], rtol=1e-7)
    assert_allclose([row["error"] for row in table["rows"]], expected["error"], rtol=1e-7)
    assert_allclose([row["z"] for row in table["rows"]], expected["statistic"], rtol=1e-7)
    assert_allclose([row["p"] for row in table["rows"]], expected["p"], rtol=1e-6)
    found = [table["statistics"][key] for key in ("deviance", "null_deviance", "aic")]
    assert_allclose(found, expected["extra"], rtol=1e-9)
    assert [row["name"].replace("intercept", "(Intercept)") for row in table["rows"]] == expected["terms"]


@needs_heart
@pytest.mark.parametrize("expected", ORACLE["gaussian"], ids=lambda each: each["formula"])
def test_a_gaussian_formula_gives_the_numbers_of_lm(expected):
    document, table = rows(HEART, expected["formula"])
    assert document["rows"] == expected["rows"]
    assert_allclose([row["estimate"] for row in table["rows"]], expected["estimate"], rtol=1e-9)
    assert_allclose([row["error"] for row in table["rows"]], expected["error"], rtol=1e-9)
    assert_allclose([row["t"] for row in table["rows"]], expected["statistic"], rtol=1e-9)
    found = [table["statistics"][key] for key in ("sigma", "r_squared")]
    assert_allclose(found, expected["extra"][:2], rtol=1e-9)


@needs_heart
def test_rows_with_a_missing_value_are_left_out_and_counted(tmp_path):
    lines = HEART.read_text().splitlines()
    header = lines[0].split(",")
    for row, column in ((3, "tobacco"), (10, "tobacco"), (7, "famhist")):
        cells = lines[row].split(",")
        cells[header.index(column)] = "NA"
        lines[row] = ",".join(cells)
    path = tmp_path / "gaps.csv"
    path.write_text("\n".join(lines))
    document, table = rows(path, ORACLE["missing"]["formula"], "-f", "binomial")
    assert (document["rows"], document["dropped"]) == (ORACLE["missing"]["rows"], 3)
    assert_allclose([row["estimate"] for row in table["rows"]], ORACLE["missing"]["estimate"], rtol=1e-7)
    assert "3 with a missing value left out" in run(path, ORACLE["missing"]["formula"], "-f", "binomial").output


@pytest.fixture
def points(tmp_path):
    rng = np.random.default_rng(0)
    x, c = rng.standard_normal(60), rng.integers(0, 3, 60)
    y = x + (c == 2) + rng.standard_normal(60)
    path = tmp_path / "points.csv"
    table = zip(x, c, y, np.where(y > 0, "yes", "no"))
    path.write_text("x,c,y,label\n" + "\n".join(f"{a},{b},{d},{e}" for a, b, d, e in table))
    return path


def test_the_table_reads_like_the_one_of_r(points):
    output = run(points, "y ~ x + C(c)").output
    assert "C(c)2" in output
    for words in ("estimate", "std. error", "R²", "certified", "gaussian, 60 rows"):
        assert words in output


def test_robust_errors_and_profiles_and_terms_are_asked_for_by_options(points):
    classical, robust = rows(points, "y ~ x")[1], rows(points, "y ~ x", "--robust", "hc3")[1]
    assert classical["rows"][1]["error"] != robust["rows"][1]["error"]
    wald, profile = (
        rows(points, "label ~ x", "-f", "binomial")[1],
        rows(points, "label ~ x", "-f", "binomial", "--profile")[1],
    )
    assert wald["rows"][1]["low"] != profile["rows"][1]["low"]
    document, _ = rows(points, "label ~ x + C(c)", "-f", "binomial", "--terms")
    assert "C(c)" in json.dumps(document["terms"])
    document, _ = rows(points, "y ~ x * C(c)", "--terms")
    assert document["terms"]["columns"]["term"] == ["(none)", "x:C(c)"] and document["terms"]["columns"]["f"][1] > 0


R_FORMULAS = json.loads((Path(__file__).parents[1] / "oracles" / "formulas.json").read_text())


def expected(name, formula, weights=None):
    return next(
        case
        for case in R_FORMULAS["fits"]
        if (case["set"], case["formula"], case["weights"]) == (name, formula, weights)
    )


@pytest.fixture
def file_of(tmp_path):
    def write(name):
        columns = R_FORMULAS["sets"][name]
        lines = [",".join("NA" if cell is None else str(cell) for cell in row) for row in zip(*columns.values())]
        path = tmp_path / f"{name}.csv"
        path.write_text("\n".join([",".join(columns), *lines]))
        return path

    return write


@pytest.mark.parametrize(
    "name, formula, options",
    [
        ("women", "weight ~ height + I(height^2)", ()),
        ("women", "weight/height ~ height", ()),
        ("swiss", "Fertility ~ Infant.Mortality + poly(Catholic, 3)", ()),
        ("airquality", "Ozone ~ Wind", ("--weights", "Solar.R")),
        ("odd", "`C` ~ `my col` + Treatment", ()),
        ("cars", "dist ~ 1", ()),
        ("menarche", "cbind(Menarche, Total - Menarche) ~ Age", ("-f", "binomial")),
        ("menarche", "Menarche/Total ~ Age", ("-f", "binomial", "--weights", "Total")),
    ],
)
def test_a_formula_typed_as_in_r_gives_the_numbers_of_r(file_of, name, formula, options):
    weights = options[options.index("--weights") + 1] if "--weights" in options else None
    case = expected(name, formula, weights)
    document, table = rows(file_of(name), formula, *options)
    assert document["rows"] == case["n"]
    assert_allclose([row["estimate"] for row in table["rows"]], case["estimates"], rtol=1e-8)
    assert_allclose([row["error"] for row in table["rows"]], case["errors"], rtol=1e-6)


def test_weights_are_variances_unless_repetitions_are_asked_for(file_of):
    path = file_of("women")
    precision, frequency = (
        rows(path, "weight ~ height", "--weights", "height", *more)[1]["statistics"]["residual_df"]
        for more in ((), ("--weights-are", "frequency"))
    )
    assert (precision, frequency) == (13, sum(R_FORMULAS["sets"]["women"]["height"]) - 2)
    assert "weighted by height" in run(path, "weight ~ height", "--weights", "height").output


@pytest.mark.parametrize(
    "formula, options, words",
    [
        ("y ~ nothing", (), "'nothing'"),
        ("y x", (), "read the formula"),
        ("label ~ x", (), "--family binomial"),
        ("y ~ x", ("-f", "binomial"), "60 different values"),
        ("~ x", (), "no response"),
        ("y ~ 0", (), "neither a term nor a constant"),
        ("y ~ log(x)", (), "Cannot compute 'log(x)'"),
        ("y ~ x", ("--weights", "nothing"), "'nothing'"),
        ("y ~ x", ("--weights", "x"), "not negative"),
    ],
)
def test_what_cannot_be_fitted_is_refused_in_a_sentence(points, formula, options, words):
    found = run(points, formula, *options)
    assert found.exit_code == 1
    assert words in found.stderr
    assert found.stdout == ""


def test_without_formulaic_the_extra_is_named(points, monkeypatch):
    monkeypatch.setitem(sys.modules, "formulaic", None)
    found = run(points, "y ~ x")
    assert found.exit_code == 1
    assert "separatrix[formula]" in found.stderr


GLM = json.loads((Path(__file__).parents[1] / "oracles" / "glm_inference.json").read_text(encoding="utf-8"))


@pytest.fixture
def table_of(tmp_path):
    def write(case):
        columns = GLM["sets"][case["set"]]
        lines = [",".join(columns), *(",".join(map(str, row)) for row in zip(*columns.values()))]
        path = tmp_path / f"{case['set']}.csv"
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        return path

    return write


@pytest.mark.parametrize(
    "name, family", [("2 epil quasipoisson log", "quasipoisson"), ("21 chicks gaussian identity", "gaussian")]
)
def test_errors_by_clusters_are_asked_for_by_the_name_of_a_column(table_of, name, family):
    pytest.importorskip("formulaic")
    case = GLM["cases"][name]
    arguments = (table_of(case), case["formula"], "-f", family, "--cluster", case["cluster"])
    usual = "CL1" if family == "gaussian" else "CL0"
    for options, kind in (((), usual), (("--robust", "HC0"), "CL0"), (("--robust", "HC1"), "CL1")):
        _, table = rows(*arguments, *options)
        assert_allclose([row["error"] for row in table["rows"]], case["robust"][kind], rtol=1e-5)
    refused = run(*arguments[:-1], "nobody")
    assert refused.exit_code == 1
    assert "'nobody'" in refused.output
    assert run(*arguments, "--robust", "HC3").exit_code == 1


@pytest.mark.parametrize(
    "name, family",
    [
        ("10 snails binomial logit", "binomial"),
        ("14 menarche binomial logit", "binomial"),
        ("28 stackloss Gamma inverse", "gamma"),
        ("5 sprays poisson sqrt", "poisson"),
    ],
)
def test_links_offsets_profiles_and_orders_of_terms_are_asked_for_by_options(table_of, name, family):
    pytest.importorskip("formulaic")
    case = GLM["cases"][name]
    options = ("-f", family, "--link", case["link"], "--profile", "--terms", "--order", "sequential")
    document, table = rows(table_of(case), case["formula"], *options)
    assert_allclose([row["estimate"] for row in table["rows"]], case["estimate"], rtol=2e-6)
    assert_allclose([row["low"] for row in table["rows"]], case["profile"]["low"], rtol=1e-6)
    p = next(case["anova"][word] for word in ("Pr(>Chi)", "Pr(>F)") if word in case["anova"])
    assert_allclose(document["terms"]["columns"]["p"][1:], p[1:], rtol=1e-3, atol=1e-14)


def test_families_and_links_of_the_command_are_those_of_formulas():
    from separatrix.cli import summary
    from separatrix.losses.distributions import DISTRIBUTIONS
    from separatrix.prediction.links import LINKS
    from separatrix.workflow import formula

    assert (formula.FAMILIES, tuple(LINKS)) == (summary.FAMILIES, summary.LINKS)
    assert set(formula.FAMILIES) == set(DISTRIBUTIONS)
    assert set(LINKS) == {link for family in DISTRIBUTIONS.values() for link in family.losses}
