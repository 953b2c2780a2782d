"""What formulas mean where R has no number for it: refusals, missing values, memory of the fit."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from separatrix.estimators.formula.algebra import parse
from separatrix.estimators.formula.design import FormulaDesign
from separatrix.estimators.formula.grammar import read
from separatrix.tables import Table
from separatrix.workflow.formula import fit_formula

TABLE = Table.of(
    {
        "y": [1.0, 2.0, 4.0, 3.0, 6.0, 5.0],
        "x": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0],
        "z": [0.5, -1.0, 2.0, 0.0, 1.0, 3.0],
        "g": ["a", "b", "c", "a", "b", "c"],
        "gap": [1.0, None, 3.0, 5.0, 2.0, 4.0],
    }
)


@pytest.mark.parametrize(
    "formula, words",
    [
        ("y ~ 2*x", "'2 * x'"),
        ("y ~ x^z", "'x^z'"),
        ("y ~ x:1", "'x:1'"),
        ("y ~ x + (1 | g)", "'|'"),
        ("y ~ x + s(z)", "s is no function of formulas"),
        ("y ~ x[1]", "'['"),
        ("y ~ x$z", "'$'"),
        ("y ~ x ~ z", "'~'"),
        ("y ~ (x", "ends too early"),
        ("y ~ x +", "ends too early"),
        ("y ~ x %o% z", "'%o%'"),
        ("y ~ log(.)", "'log(.)'"),
        (". ~ x", "'.'"),
        ("y ~ x:offset(z)", "'x:offset(z)'"),
        ("y ~ poly(x, z)", "poly"),
        ("y ~ poly(x, 6)", "degree 6"),
        ("y ~ poly(x, deg = 2, simple = TRUE)", "'simple'"),
        ("y ~ ns(x, 3, intercept = TRUE)", "intercept"),
        ("y ~ bs(x, df = 1e8)", "6 rows"),
        ("y ~ ns(x, df = 1e8)", "6 rows"),
        ("y ~ I(g^2)", "text"),
        ("y ~ I(g > 'b')", "no order"),
        ("y ~ C(g, contr.what)", "contrasts are not known"),
        ("y ~ relevel(g, 'q')", "'q' is no level"),
        ("y ~ log(z)", "no finite number in 2 rows, the first of them row 2"),
        ("y ~ I(1/z)", "row 4"),
        ("y ~ factor(I(x > 0))", "one level"),
        ("y ~ c(1, 2)", "holds no column"),
        ("y ~ 0", "neither a term nor a constant"),
        ("y + q ~ x", "'q'"),
        ("y ~ y + x", "the response stands on the right"),
        ("log(y) ~ x*log(y)", "the response stands on the right"),
    ],
)
def test_what_cannot_be_read_is_refused_by_its_name(formula, words):
    with pytest.raises(ValueError) as error:
        fit_formula(TABLE, formula, "gaussian")
    assert words in str(error.value)
    assert str(error.value).startswith("Cannot ")


def test_a_formula_of_many_terms_is_read_and_one_of_many_parentheses_is_refused():
    names = [f"x{j}" for j in range(1500)]
    assert parse("y ~ " + " + ".join(names), ["y", *names]).labels == names
    for formula in ("y ~ " + "(" * 5000 + "x" + ")" * 5000, "y ~ I(" + "x + " * 5000 + "x)", "y ~ " + "-" * 5000 + "x"):
        with pytest.raises(ValueError, match="nested too deeply"):
            fit_formula(TABLE, formula, "gaussian")


@pytest.mark.parametrize(
    "text, written",
    [
        ("y~-a^2", "y ~ -a^2"),
        ("y~I(-1*a)", "y ~ I(-1 * a)"),
        ("y ~ a %in%b/c", "y ~ a %in% b/c"),
        ("y ~ I(1e5*a)+f(b,'c',d=.5)", 'y ~ I(1e+05 * a) + f(b, "c", d = 0.5)'),
        ("`a b`~`c`", "`a b` ~ c"),
        ("y ~ a**2", "y ~ a^2"),
        ("y ~ splines::ns(a)", "y ~ splines::ns(a)"),
        ("y ~ !a & b", "y ~ !a & b"),
    ],
)
def test_a_formula_is_written_as_r_writes_it(text, written):
    assert str(read(text)) == written


@pytest.mark.parametrize(
    "text, grouped",
    [
        ("-2^2", "-(2^2)"),
        ("2^3^2", "2^(3^2)"),
        ("2^-1", "2^(-1)"),
        ("-1:2", "(-1):2"),
        ("a+b*c", "a+(b*c)"),
        ("a*b:c", "a*(b:c)"),
        ("a:b^2", "a:(b^2)"),
        ("a-b-c", "(a-b)-c"),
        ("a*b%in%c", "a*(b%in%c)"),
        ("!a==b", "!(a==b)"),
        ("a|b&c", "a|(b&c)"),
        ("a+b>c", "(a+b)>c"),
        ("a/b*c", "(a/b)*c"),
    ],
)
def test_operators_bind_as_in_r(text, grouped):
    def plain(tree):
        operands = getattr(tree, "operands", None)
        if operands is None:
            return tree
        return plain(operands[0]) if tree.operator == "(" else (tree.operator, *map(plain, operands))

    assert plain(read(text)) == plain(read(grouped))


def test_a_level_that_the_fit_did_not_see_is_refused():
    for formula in ("y ~ g", "y ~ factor(g)", "y ~ relevel(g, 'b')", "y ~ C(g, contr.sum)"):
        fit = fit_formula(TABLE, formula, "gaussian")
        with pytest.raises(ValueError, match="'new' was no level"):
            fit.predict(Table.of({"g": ["new", "a"]}))


def test_a_level_whose_rows_all_miss_a_value_is_no_level_of_the_fit():
    table = Table.of({"y": [1.0, 2, 3, 5, 4], "x": [1.0, 2, 4, 3, None], "g": ["a", "b", "a", "b", "c"]})
    fit = fit_formula(table, "y ~ x + g", "gaussian")
    assert (fit.design.names, fit.dropped) == (["x", "gb"], 1)
    with pytest.raises(ValueError, match="'c' was no level"):
        fit.predict(Table.of({"x": [1.0], "g": ["c"]}))


def test_new_rows_without_some_levels_are_coded_as_at_the_fit():
    design = FormulaDesign("y ~ C(g, contr.treatment, base = 3) + x", TABLE)
    assert design.names[:2] == ["C(g, contr.treatment, base = 3)a", "C(g, contr.treatment, base = 3)b"]
    assert design.rows_of(Table.of({"g": ["b", "b"], "x": [1, 2]})).matrix.tolist() == [[0, 1, 1], [0, 1, 2]]


@pytest.mark.parametrize(
    "formula, kept",
    [
        ("y ~ C(g, Treatment('b'))", ["a", "c"]),
        ("y ~ C(g, Treatment(reference='c'))", ["a", "b"]),
        ("y ~ C(g, contr.treatment(3, base = 2))", ["a", "c"]),
        ("y ~ C(g, contr.treatment('b'))", ["a", "c"]),
        ("y ~ C(x, Treatment(6))", ["1", "2", "3", "4", "5"]),
        ("y ~ relevel(g, ref = 3)", ["a", "b"]),
        ("y ~ relevel(factor(x), ref = '6')", ["1", "2", "3", "4", "5"]),
    ],
)
def test_the_level_that_others_are_compared_with_may_be_given_in_several_ways(formula, kept):
    names = FormulaDesign(formula, TABLE).names
    assert [name.rpartition(")")[2] for name in names] == kept


def test_functions_may_be_called_as_in_numpy():
    assert_allclose(FormulaDesign("y ~ np.log(x)", TABLE).frame.matrix[:, 0], np.log(TABLE["x"]), rtol=0.0)


def test_statistics_of_a_column_are_those_of_the_fit():
    """R computes mean(x) anew on new rows, so that I(x - mean(x)) means another column there."""
    fit = fit_formula(TABLE, "y ~ I((x - mean(x))/sd(x))", "gaussian")
    scaled = fit_formula(TABLE, "y ~ scale(x)", "gaussian")
    new = Table.of({"x": [10.0, 20.0]})
    assert_allclose(fit.predict(new), scaled.predict(new), rtol=1e-13)


@pytest.mark.parametrize("degree", [2, 8, 20])
def test_polynomials_are_orthonormal_in_any_unit(degree):
    """Milliseconds since 1970: their powers beyond the 20th overflow."""
    x = 1.7e12 + 86_400_000.0 * np.arange(100.0)
    table = Table.of({"y": np.arange(100.0), "x": x})
    P = FormulaDesign(f"y ~ poly(x, {degree})", table).frame.matrix
    rounding = np.finfo(float).eps * x.max() / np.ptp(x)  # of x less its mean, in units of its range
    assert_allclose(P.T @ P, np.eye(degree), atol=10.0 * degree**2 * rounding)


def test_a_name_is_a_column_for_new_rows_if_it_was_one_at_the_fit():
    data = {"y": [1.0, 2, 4, 3], "T": [1.0, 3, 2, 5], "x": [2.0, 1, 4, 4]}
    column = fit_formula(Table.of(data), "y ~ T", "gaussian")
    with pytest.raises(KeyError, match="'T'"):
        column.predict(Table.of({"x": [1.0]}))
    del data["T"]
    constant = fit_formula(Table.of(data), "y ~ poly(x, 2, raw = T)", "gaussian")
    new = Table.of({"x": [3.0], "T": [0.0]})
    assert_allclose(constant.predict(new), constant.predict(Table.of({"x": [3.0]})), rtol=0.0)


def test_rows_to_predict_must_not_miss_a_value():
    fit = fit_formula(TABLE, "y ~ x", "gaussian")
    with pytest.raises(ValueError, match="1 of them miss a value"):
        fit.predict(Table.of({"x": [1.0, None]}))


def test_scales_are_taken_from_all_rows_that_have_the_column():
    """As in R, where variables are evaluated before incomplete rows are left out."""
    design = FormulaDesign("gap ~ scale(x)", TABLE)
    x = np.arange(1.0, 7.0)
    assert_allclose(design.frame.matrix[:, 0], np.delete((x - x.mean()) / x.std(ddof=1), 1), rtol=1e-14)


def test_a_response_whose_levels_were_turned_round_turns_the_odds_round():
    table = Table.of({"y": ["n", "y", "n", "y", "y", "n"], "x": [1.0, 2, 3, 2.5, 5, 2]})
    as_it_is, turned = (fit_formula(table, f"{y} ~ x", "binomial") for y in ("y", "relevel(y, 'y')"))
    assert (as_it_is.reference, turned.reference) == ("n", "y")
    assert_allclose(as_it_is.predict(table), 1.0 - turned.predict(table), rtol=1e-12)


def test_counts_of_successes_and_failures_are_repeated_rows():
    counts = Table.of({"x": [1.0, 2.0, 3.0], "s": [1, 3, 4], "f": [4, 2, 1]})
    rows = Table.of({"x": [1.0] * 5 + [2.0] * 5 + [3.0] * 5, "y": [1, 0, 0, 0, 0, 1, 1, 1, 0, 0, 1, 1, 1, 1, 0]})
    grouped, single = fit_formula(counts, "cbind(s, f) ~ x", "binomial"), fit_formula(rows, "y ~ x", "binomial")
    shares = fit_formula(
        Table.of({**dict(zip(counts.names, counts.columns)), "n": [5, 5, 5]}), "s/n ~ x", "binomial", "n"
    )
    assert_allclose(grouped.model.coef_, single.model.coef_[0], rtol=1e-9)
    assert_allclose(shares.model.coef_, single.model.coef_[0], rtol=1e-9)
    assert_allclose(grouped.predict(counts), single.predict(rows)[::5], rtol=1e-9)
    empty = Table.of({"x": [1.0, 2.0, 3.0, 9.0], "s": [1, 3, 4, 0], "f": [4, 2, 1, 0]})
    assert_allclose(fit_formula(empty, "cbind(s, f) ~ x", "binomial").model.coef_, grouped.model.coef_, rtol=1e-9)


def test_a_family_that_formulas_do_not_have_is_refused_and_not_fitted_as_another():
    with pytest.raises(ValueError, match="family='negbin'"):
        fit_formula(TABLE, "x > 2 ~ z", "negbin")
    with pytest.raises(ValueError, match="link='probit'"):
        fit_formula(TABLE, "x ~ z", "poisson", link="probit")


@pytest.mark.parametrize("call", ["poly(x, z, degree = 2)", "poly(x, z)", "ns(x, z)"])
def test_a_column_where_an_option_is_read_is_refused_by_name(call):
    table = Table.of({"x": np.arange(9.0), "z": np.arange(9.0) ** 2, "y": np.sin(np.arange(9.0))})
    with pytest.raises(ValueError, match=r"z stands for (raw|degree|df), which is one value"):
        fit_formula(table, f"y ~ {call}", "gaussian")


def test_a_power_beyond_the_number_of_terms_changes_nothing():
    columns = ["y", "a", "b", "c", "d"]
    assert set(parse("y ~ (a + b + c + d)^50", columns).terms) == set(parse("y ~ a*b*c*d", columns).terms)
    many = [f"x{j}" for j in range(40)]
    with pytest.raises(ValueError, match="more than 10000 terms"):
        parse(f"y ~ ({' + '.join(many)})^40", ["y", *many])


@pytest.mark.parametrize("count", ["1e9", "0", "-3"])
def test_a_number_of_intervals_that_no_table_needs_is_refused(count):
    with pytest.raises(ValueError, match=r"cut\(\) with"):
        fit_formula(TABLE, f"y ~ cut(x, {count})", "gaussian")


def _of_many_columns(rows=30):
    rng = np.random.default_rng(0)
    columns = {f"v{k}": rng.standard_normal(rows).tolist() for k in range(24)}
    return Table.of(columns | {"y": rng.standard_normal(rows).tolist(), "f": ["a", "b", "c"] * (rows // 3)})


@pytest.mark.parametrize(
    ("formula", "words"),
    [
        ("y ~ " + "*".join(f"v{k}" for k in range(20)), "more than 10000 terms"),
        ("y ~ I(v1 %in% 1:1e9)", "less than 1,000,000 apart"),
        ("y ~ I(v1 %in% 1:Inf)", "less than 1,000,000 apart"),
        ("y ~ poly(v1, 1e9, raw = TRUE)", "from 0 to 1,000"),
        ("y ~ bs(v1, degree = 3000)", "from 1 to 100"),
        ("y ~ bs(v1, knots = 1:900000)", "900000 knots"),
        ("y ~ bs(v1, knots = 99)", "do not lie between"),
        ("y ~ ns(v1, df = Inf)", "a value that it cannot have"),
        ("y ~ cut(v1, 1:900000)", "900,000 breaks"),
    ],
)
def test_what_no_table_needs_is_refused_before_it_is_computed(formula, words):
    with pytest.raises(ValueError, match=words):
        FormulaDesign(formula, _of_many_columns())


@pytest.mark.parametrize(
    "term",
    [
        "cbind(v1, 3)",
        "C(min(v1))",
        "factor(TRUE)",
        "relevel(v1, v2)",
        "bs(Inf)",
        "bs(NULL, 0)",
        "round(v1, 1e20)",
        "factor(v1, FALSE, v2)",
        "c(v1:v2:factor(f), 1)",
        "max(v1) %in% v1 + is.na(2)",
        "cut(TRUE, x = 1)",
    ],
)
def test_a_constant_for_a_column_or_a_column_for_a_constant_is_refused_in_words(term):
    with pytest.raises(ValueError, match=r"^Cannot .* Use "):
        FormulaDesign(f"y ~ v3 + {term}", _of_many_columns())


def test_contrasts_of_more_levels_than_powers_can_tell_apart_are_refused():
    table = Table.of({"x": list(range(200)), "y": list(range(200))})
    with pytest.raises(ValueError, match="powers of so many levels"):
        FormulaDesign("y ~ ordered(x)", table)


def test_more_columns_than_memory_holds_are_refused(monkeypatch):
    monkeypatch.setattr("separatrix.estimators.formula.design.memory", lambda: 1 << 20)
    with pytest.raises(ValueError, match="do not fit into memory"):
        FormulaDesign("y ~ factor(v1):factor(v2):factor(v3)", _of_many_columns())
