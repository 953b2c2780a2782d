"""Standard errors, tests and statistics of least squares against statsmodels, R and NIST."""

import csv
from fractions import Fraction
from math import inf
from pathlib import Path

import numpy as np
import pytest
import statsmodels.api as sm
from numpy.testing import assert_allclose

from separatrix.inference import summary

RTOL = 1e-9
ROBUST = ("HC0", "HC1", "HC2", "HC3")
ORACLE = Path(__file__).resolve().parents[1] / "oracles" / "least_squares_summary.csv"

# stackloss (Brownlee 1965): air flow, water temperature, acid concentration, and the loss
STACKLOSS = np.array(
    [
        [80, 80, 75, 62, 62, 62, 62, 62, 58, 58, 58, 58, 58, 58, 50, 50, 50, 50, 50, 56, 70],
        [27, 27, 25, 24, 22, 23, 24, 24, 23, 18, 18, 17, 18, 19, 18, 18, 19, 19, 20, 20, 20],
        [89, 88, 90, 87, 87, 87, 93, 93, 87, 80, 89, 88, 82, 93, 89, 86, 72, 79, 80, 82, 91],
        [42, 37, 37, 28, 18, 18, 19, 20, 15, 14, 14, 13, 11, 12, 8, 7, 8, 8, 9, 15, 15],
    ],
    dtype=float,
).T


def data(seed=0, n=40, p=3):
    """Rows on a grid of 1/64, so that fractions stay short."""
    rng = np.random.default_rng(seed)
    X = np.round(64 * rng.normal(size=(n, p)) * [1.0, 3.0, 0.5][:p] + 64) / 64
    y = np.round(64 * (1.0 + X @ np.arange(1.0, p + 1) + (1 + np.abs(X[:, 0])) * rng.normal(size=n))) / 64
    s = rng.integers(1, 5, size=n).astype(float)
    return X, y, s


def column(found, field):
    return np.array([getattr(row, field) for row in found.rows])


def assert_agree(found, theirs):
    assert_allclose(column(found, "estimate"), theirs.params, rtol=RTOL)
    assert_allclose(column(found, "error"), theirs.bse, rtol=RTOL)
    assert_allclose(column(found, "t"), theirs.tvalues, rtol=RTOL)
    assert_allclose(column(found, "p"), theirs.pvalues, rtol=1e-8)
    interval = theirs.conf_int(1.0 - found.level)
    assert_allclose(column(found, "low"), interval[:, 0], rtol=RTOL)
    assert_allclose(column(found, "high"), interval[:, 1], rtol=RTOL)
    assert_allclose(found.statistics["f"], np.squeeze(theirs.fvalue), rtol=RTOL)
    assert_allclose(found.statistics["f_p"], np.squeeze(theirs.f_pvalue), rtol=1e-7)


def assert_statistics_agree(found, theirs):
    names = {
        "n": "nobs",
        "residual_df": "df_resid",
        "r_squared": "rsquared",
        "adjusted_r_squared": "rsquared_adj",
        "log_likelihood": "llf",
    }
    for ours, name in names.items():
        assert_allclose(found.statistics[ours], getattr(theirs, name), rtol=RTOL, err_msg=ours)
    # R counts the variance as a parameter, statsmodels does not
    assert_allclose(found.statistics["aic"], theirs.aic + 2.0, rtol=RTOL)
    assert_allclose(found.statistics["bic"], theirs.bic + np.log(theirs.nobs), rtol=RTOL)
    assert_allclose(found.statistics["sigma"] ** 2, theirs.scale, rtol=RTOL)


def with_constant(X, intercept):
    return sm.add_constant(X) if intercept else X


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("level", [0.95, 0.5])
def test_unweighted_summary_equals_statsmodels(exact, intercept, level):
    X, y, _ = data()
    found = exact(fit_intercept=intercept).fit(X, y).summary(level=level)
    theirs = sm.OLS(y, with_constant(X, intercept)).fit()
    assert_agree(found, theirs)
    assert_statistics_agree(found, theirs)


@pytest.mark.parametrize("kind", ROBUST)
@pytest.mark.parametrize("intercept", [True, False])
def test_robust_errors_equal_statsmodels(exact, intercept, kind):
    X, y, _ = data(1)
    found = exact(fit_intercept=intercept).fit(X, y).summary(X, y, covariance=kind)
    theirs = sm.OLS(y, with_constant(X, intercept)).fit().get_robustcov_results(kind, use_t=True)
    assert_agree(found, theirs)
    assert_statistics_agree(found, theirs)


@pytest.mark.parametrize("covariance", ["classical", *ROBUST])
@pytest.mark.parametrize("intercept", [True, False])
def test_frequency_weights_equal_repeated_rows(exact, intercept, covariance):
    X, y, s = data(2, n=25)
    s[3], X[3] = 0.0, 1e6  # far away, so that its leverage would be above 1
    found = exact(fit_intercept=intercept).fit(X, y, s).summary(X, y, sample_weight=s, covariance=covariance)
    again = s.astype(int)
    theirs = sm.OLS(np.repeat(y, again), with_constant(np.repeat(X, again, axis=0), intercept)).fit()
    assert_statistics_agree(found, theirs)
    if covariance != "classical":
        theirs = theirs.get_robustcov_results(covariance, use_t=True)
    assert_agree(found, theirs)


@pytest.mark.parametrize("covariance", ["classical", *ROBUST])
@pytest.mark.parametrize("intercept", [True, False])
def test_precision_weights_equal_statsmodels_wls(exact, intercept, covariance):
    X, y, s = data(3, n=25)
    s /= 8.0
    model = exact(fit_intercept=intercept).fit(X, y, s)
    found = model.summary(X, y, sample_weight=s, covariance=covariance, weights="precision")
    theirs = sm.WLS(y, with_constant(X, intercept), weights=s).fit()
    assert_statistics_agree(found, theirs)
    if covariance != "classical":
        theirs = theirs.get_robustcov_results(covariance, use_t=True)
    assert_agree(found, theirs)


def test_the_unit_of_precision_weights_does_not_show(exact):
    X, y, s = data(4)
    one = exact().fit(X, y, s).summary(weights="precision")
    thousand = exact().fit(X, y, 1024.0 * s).summary(weights="precision")
    for field in ("estimate", "error", "t", "p", "low", "high"):
        assert_allclose(column(one, field), column(thousand, field), rtol=1e-12)


@pytest.mark.parametrize("kind", ROBUST)
def test_sampling_weights_take_the_sandwich_of_the_rows(exact, kind):
    X, y, s = data(5)
    found = exact().fit(X, y, s).summary(X, y, sample_weight=s, covariance=kind, weights="sampling")
    theirs = sm.WLS(y, sm.add_constant(X), weights=s).fit().get_robustcov_results(kind, use_t=True)
    assert_agree(found, theirs)
    assert found.statistics["aic"] is None and any("likelihood" in note for note in found.notes)
    # the residual scale is that of a row, whatever the size of the population
    normalised = sm.WLS(y, sm.add_constant(X), weights=s * len(s) / s.sum()).fit()
    assert_allclose(found.statistics["sigma"] ** 2, normalised.scale, rtol=RTOL)


@pytest.mark.parametrize("kind", ["HC2", "HC3"])
def test_robust_errors_of_sparse_rows_equal_those_of_dense_rows(exact, kind):
    import scipy.sparse as sp

    X, y, s = data(6)
    X[X < 0.5] = 0.0
    model = exact().fit(X, y, s)
    dense = model.summary(X, y, sample_weight=s, covariance=kind)
    sparse = model.summary(sp.csr_array(X), y, sample_weight=s, covariance=kind)
    assert_allclose(column(sparse, "error"), column(dense, "error"), rtol=1e-13)


def test_blocks_of_rows_do_not_show_in_robust_errors(exact, monkeypatch):
    X, y, s = data(7)
    model = exact().fit(X, y, s)
    whole = model.summary(X, y, sample_weight=s, covariance="HC3")
    monkeypatch.setattr("separatrix.designs.base.BLOCK_NUMBERS", 21)  # 7 rows
    monkeypatch.setattr("separatrix.inference.covariance.BLOCK_NUMBERS", 8)  # 2 rows
    pieces = model.summary(X, y, sample_weight=s, covariance="HC3")
    assert_allclose(column(pieces, "error"), column(whole, "error"), rtol=1e-13)


def test_robust_errors_survive_far_means_and_unequal_units(exact):
    X, y, _ = data(8)
    near = exact().fit(X, y).summary(X, y, covariance="HC3")
    shift, scale = np.array([2.0**20, -(2.0**18), 0.0]), np.array([2.0**-20, 1.0, 2.0**24])
    moved = X * scale + shift * scale
    far = exact().fit(moved, y).summary(moved, y, covariance="HC3")
    # only the intercept means something else; the shift costs log10(2^20) = 6 of 16 digits
    assert_allclose(column(far, "error")[1:] * scale, column(near, "error")[1:], rtol=1e-9)


def test_robust_errors_of_an_ill_conditioned_design_equal_exact_arithmetic(exact):
    x = np.arange(24.0, 73.0) / 8.0
    X = np.column_stack([x**j for j in range(1, 9)])  # condition of the scaled columns 2e7: of their Gram matrix 4e14
    y = np.round(np.sin(x) * 64) / 64
    found = exact().fit(X, y).summary(X, y, covariance="HC3")
    assert_allclose(column(found, "error"), _exact_hc3(X, y), rtol=1e-7)


def test_a_robust_covariance_singular_to_rounding_gives_no_f_test_and_says_so(exact):
    x = np.arange(24.0, 73.0) / 8.0
    X = np.column_stack([x**j for j in range(1, 11)])
    y = np.round(np.sin(x) * 64) / 64
    found = exact().fit(X, y).summary(X, y, covariance="HC1")
    assert found.statistics["f"] is None and any("no F test" in note for note in found.notes)


def _exact_hc3(X, y):
    import mpmath as mp

    with mp.workdps(60):
        A = mp.matrix([[1, *map(float, row)] for row in X])
        U = (A.T * A) ** -1
        beta = U * (A.T * mp.matrix(list(map(float, y))))
        meat = mp.zeros(A.cols)
        for i in range(A.rows):
            x = A[i, :].T
            h, r = (x.T * U * x)[0], mp.mpf(float(y[i])) - (x.T * beta)[0]
            meat += x * x.T * (r / (1 - h)) ** 2
        V = U * meat * U
        return [float(mp.sqrt(V[j, j])) for j in range(A.cols)]


@pytest.mark.parametrize("fit", ["stackloss", "stackloss_origin", "stackloss_weighted"])
def test_summary_equals_r(exact, fit):
    with open(ORACLE) as file:
        expected = [row for row in csv.DictReader(file) if row["fit"] == fit]
    X, y = STACKLOSS[:, :3], STACKLOSS[:, 3]
    s = X[:, 0] / 10.0 if fit.endswith("weighted") else None
    model = exact(fit_intercept=not fit.endswith("origin")).fit(X, y, s)
    options = {"sample_weight": s, "weights": "precision", "level": 0.9}
    found = {kind: model.summary(X, y, covariance=kind, **options) for kind in ("classical", *ROBUST)}
    names = {"(Intercept)": "intercept", "Air.Flow": "x0", "Water.Temp": "x1", "Acid.Conc.": "x2"}
    assert len(expected) > 30
    for row in expected:
        kind = row["quantity"] if row["quantity"] in ROBUST else "classical"
        if row["term"]:
            field = "error" if row["quantity"] in ROBUST else row["quantity"]
            ours = getattr(found[kind][names[row["term"]]], field)
        else:
            ours = found[kind].statistics[row["quantity"]]
        assert_allclose(ours, float(row["value"]), rtol=RTOL, err_msg=str(row))


def test_t_of_precision_weights_does_not_depend_on_their_scale_as_in_r(exact):
    with open(ORACLE) as file:
        rows = [row for row in csv.DictReader(file) if row["fit"] == "stackloss_weighted" and row["quantity"] == "t"]
    X, y, s = STACKLOSS[:, :3], STACKLOSS[:, 3], 100.0 * STACKLOSS[:, 0]  # R was given a thousandth of these
    found = exact().fit(X, y, s).summary(X, y, sample_weight=s, weights="precision")
    assert_allclose(column(found, "t"), [float(row["value"]) for row in rows], rtol=RTOL)


def test_a_summary_says_how_weights_were_read(exact):
    X, y, s = STACKLOSS[:, :3], STACKLOSS[:, 3], STACKLOSS[:, 0]
    model = exact().fit(X, y, s)
    page = " ".join(str(model.summary()).split())
    assert f"read as repetitions: {s.sum():g} observations in 21 rows" in page and "weights='precision'" in page
    assert "inverse variances" in " ".join(str(model.summary(weights="precision")).split())
    assert "Weights" not in str(exact().fit(X, y).summary())


NIST = {"Norris": 1, "Pontius": 2, "NoInt1": 1, "Longley": 6, "Wampler1": 5, "Wampler2": 5}


@pytest.mark.parametrize("name", NIST)
@pytest.mark.parametrize("decimal", [True, False], ids=["as printed", "as floats"])
def test_summary_equals_the_certified_values_of_nist(exact, evidence_of, nist, name, decimal):
    with open(nist / f"{name}.csv") as file:
        rows = [list(row.values()) for row in csv.DictReader(file)]
    with open(nist / "certified.csv") as file:
        certified = {row["quantity"]: row for row in csv.DictReader(file) if row["dataset"] == name}
    if not decimal:
        rows = [[str(Fraction(float(v))) for v in row] for row in rows]
    if len(rows[0]) == 2:
        rows = [[y, *(str(Fraction(x) ** j) for j in range(1, NIST[name] + 1))] for y, x in rows]
    model = exact(fit_intercept=name != "NoInt1").fit(np.eye(len(rows[0]) - 1), np.arange(len(rows[0]) - 1.0))
    model.evidence_ = evidence_of(
        [row[1:] for row in rows], [row[:1] for row in rows], np.ones(len(rows)), name != "NoInt1"
    )
    found = model.summary()
    first = 0 if model.fit_intercept else 1
    for j, row in enumerate(found.rows, start=first):
        assert_allclose(row.estimate, float(certified[f"B{j}"]["certified"]), rtol=1e-11)
        assert_allclose(row.error, float(certified[f"B{j}"]["certified_sd"]), rtol=1e-11, atol=0.0)
    for ours, theirs in (
        ("sigma", "residual_sd"),
        ("r_squared", "r_squared"),
        ("residual_df", "residual_df"),
        ("f", "f_statistic"),
    ):
        assert_allclose(found.statistics[ours], float(certified[theirs]["certified"]), rtol=1e-11)
    if name.startswith("Wampler"):
        assert all(row.t == inf and row.p == 0.0 and row.low == row.high == row.estimate for row in found.rows)
        assert any("essentially perfect" in note for note in found.notes)


@pytest.mark.mission("LS-14")
def test_each_output_has_its_own_table(exact):
    X, y, _ = data(9)
    Y = np.column_stack([y, X[:, 0] - y, np.round(y**2)])
    model = exact().fit(X, Y)
    together = model.summary(X, Y, covariance="HC3")
    assert [table.output for table in together.tables] == ["y0", "y1", "y2"]
    for o in range(3):
        alone = exact().fit(X, Y[:, o]).summary(X, Y[:, o], covariance="HC3")
        for a, b in zip(together.tables[o].rows, alone.rows):
            assert_allclose([a.estimate, a.error, a.p], [b.estimate, b.error, b.p], rtol=1e-10)
        assert model.summary(output=o).tables[0].statistics["sigma"] == together.tables[o].statistics["sigma"]


def test_summary_is_reached_through_the_model_and_through_the_room(exact):
    X, y, _ = data(10)
    model = exact().fit(X, y)
    assert model.summary().to_dict() == summary(model).to_dict()
