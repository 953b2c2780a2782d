"""The summary of logistic fits: statsmodels as the other opinion, and words where numbers would mislead."""

import re
import sys
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from numpy.testing import assert_allclose
from scipy.optimize import minimize

from separatrix.inference import summary
from separatrix.linear_model import LinearRegression, LogisticRegression
from separatrix.solvers.information import likelihood_evidence

sys.path.insert(0, str(Path(__file__).parent))
from class_data import OtherMultinomial, three, two

RTOL = 1e-8


def maximum_likelihood(**options):
    return LogisticRegression(C=np.inf, tol=1e-12, **options)


def column(found, field):
    return np.array([getattr(row, field) for row in found.rows], dtype=float)


def looks(found):
    pages = str(found), re.sub(r"<style>.*?</style>", "", found._repr_html_(), flags=re.DOTALL)
    for page in pages:
        assert not re.search(r"\b(nan|inf|None)\b", page, flags=re.IGNORECASE)
    return pages


@pytest.mark.mission("SI-01", "SI-02", "SI-04")
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("level", [0.95, 0.8])
def test_two_classes_equal_statsmodels(intercept, level):
    X, y, _ = two()
    found = maximum_likelihood(fit_intercept=intercept).fit(X, y).summary(X, y, level=level)
    theirs = sm.Logit(y, sm.add_constant(X) if intercept else X).fit(disp=0, tol=1e-14)
    assert_allclose(column(found, "estimate"), theirs.params, rtol=RTOL)
    assert_allclose(column(found, "error"), theirs.bse, rtol=RTOL)
    assert_allclose(column(found, "z"), theirs.tvalues, rtol=RTOL)
    assert_allclose(column(found, "p"), theirs.pvalues, rtol=1e-7)
    ends = theirs.conf_int(1 - level)
    assert_allclose(np.column_stack([column(found, "low"), column(found, "high")]), ends, rtol=RTOL)
    slopes = found.rows[int(intercept) :]
    assert_allclose([[r.odds_ratio, r.odds_low, r.odds_high] for r in slopes],
                    np.exp(np.column_stack([theirs.params, ends])[int(intercept) :]), rtol=RTOL)  # fmt: skip
    statistics = found.statistics
    for ours, other in (("log_likelihood", "llf"), ("aic", "aic"), ("bic", "bic"), ("residual_df", "df_resid")):
        assert_allclose(statistics[ours], getattr(theirs, other), rtol=1e-10)
    if intercept:  # statsmodels' null model always has one
        for ours, other in (("pseudo_r_squared", "prsquared"), ("lr", "llr"), ("lr_p", "llr_pvalue")):
            assert_allclose(statistics[ours], getattr(theirs, other), rtol=1e-6)
    else:
        assert statistics["null_deviance"] == pytest.approx(2 * len(y) * np.log(2))
    looks(found)


@pytest.mark.parametrize("covariance", ["classical", "HC0"])
def test_frequency_weights_equal_repeated_rows(covariance):
    X, y, s = two(1)
    found = maximum_likelihood().fit(X, y, s).summary(X, y, sample_weight=s, covariance=covariance)
    again = s.astype(int)
    options = {} if covariance == "classical" else {"cov_type": "HC0"}
    theirs = sm.Logit(np.repeat(y, again), sm.add_constant(np.repeat(X, again, axis=0))).fit(
        disp=0, tol=1e-14, **options
    )
    assert_allclose(column(found, "error"), theirs.bse, rtol=RTOL)
    assert_allclose(found.statistics["bic"], theirs.bic, rtol=1e-10)


def test_sampling_weights_take_the_sandwich_of_the_rows():
    X, y, s = two(2)
    model = maximum_likelihood().fit(X, y, s)
    found = model.summary(X, y, sample_weight=s, covariance="HC0", weights="sampling")
    Z, w = sm.add_constant(X), np.concatenate([model.intercept_, model.coef_[0]])
    mu = 1 / (1 + np.exp(-Z @ w))
    V = np.linalg.inv((Z * (s * mu * (1 - mu))[:, None]).T @ Z)
    G = Z * (s * (y - mu))[:, None]
    assert_allclose(column(found, "error"), np.sqrt(np.diag(V @ G.T @ G @ V)), rtol=RTOL)
    assert found.statistics["aic"] is None and any("no likelihood" in note for note in found.notes)
    thousand = maximum_likelihood().fit(X, y, 1000 * s)
    same = thousand.summary(X, y, sample_weight=1000 * s, covariance="HC0", weights="sampling")
    assert_allclose(column(same, "error"), column(found, "error"), rtol=1e-7)


@pytest.mark.parametrize("covariance", ["classical", "HC0"])
@pytest.mark.parametrize("intercept", [True, False])
def test_three_classes_equal_statsmodels(intercept, covariance):
    X, y = three()
    found = OtherMultinomial(intercept).fit(X, y).summary(X, y, covariance=covariance)
    options = {} if covariance == "classical" else {"cov_type": "HC0"}
    codes, Z = np.unique(y, return_inverse=True)[1], sm.add_constant(X) if intercept else X
    theirs = sm.MNLogit(codes, Z).fit(disp=0, method="newton", tol=1e-14, **options)
    assert [table.output for table in found.tables] == ["middle against low", "top against low"]
    for c, table in enumerate(found.tables):
        assert_allclose([row.estimate for row in table.rows], np.asarray(theirs.params)[:, c], rtol=1e-7)
        assert_allclose([row.error for row in table.rows], np.asarray(theirs.bse)[:, c], rtol=1e-7)
    assert found.tables[0].statistics["aic"] == pytest.approx(theirs.aic, rel=1e-10)
    if covariance == "classical" and intercept:
        assert found.tables[0].statistics["lr_p"] == pytest.approx(theirs.llr_pvalue, rel=1e-5)
    for page in looks(found):
        assert page.count("AIC") == 1 and page.count("against low") == 2


def test_another_reference_class_changes_the_comparison_and_not_the_model():
    X, y = three()
    model = OtherMultinomial().fit(X, y)
    low, top = model.summary(X, y), model.summary(X, y, reference="top")
    assert [table.output for table in top.tables] == ["low against top", "middle against top"]
    for name in ("intercept", "x0", "x1"):
        assert top.tables[0][name].estimate == pytest.approx(-low.tables[1][name].estimate, rel=1e-9)
        assert top.tables[0][name].error == pytest.approx(low.tables[1][name].error, rel=1e-9)
        assert top.tables[0][name].odds_low == (
            None if name == "intercept" else pytest.approx(1.0 / low.tables[1][name].odds_high, rel=1e-9)
        )
    # a fit in which "top" comes first has these errors
    renamed = np.where(y == "top", "a", y)
    again = OtherMultinomial().fit(X, renamed).summary(X, renamed)
    for ours, theirs in ((top.tables[0], again.tables[0]), (top.tables[1], again.tables[1])):
        assert_allclose([r.error for r in ours.rows], [r.error for r in theirs.rows], rtol=1e-7)
    # and probabilities come out the same from either table
    scores = {"low": np.zeros(len(X)), "top": np.zeros(len(X))}
    for reference, found in (("low", low), ("top", top)):
        eta = [scores[reference]]
        eta += [t["intercept"].estimate + X @ [t["x0"].estimate, t["x1"].estimate] for t in found.tables]
        share = np.exp(eta[0]) / np.exp(eta).sum(axis=0)
        assert_allclose(share, model.predict_proba(X)[:, list(model.classes_).index(reference)], rtol=1e-9)


def test_two_classes_the_other_way_round_change_signs_only():
    X, y, _ = two(3)
    model = maximum_likelihood().fit(X, y)
    for intervals in ("wald", "profile"):
        one, other = (model.summary(X, y, reference=r, intervals=intervals) for r in (0, 1))
        assert_allclose(column(other, "estimate"), -column(one, "estimate"))
        assert_allclose(column(other, "low"), -column(one, "high"))
        assert "0 against 1" in str(other)


def test_profile_ends_are_where_the_constrained_deviance_is_up_by_the_quantile():
    X, y, s = two(4, n=30)
    model = maximum_likelihood().fit(X, y, s)
    found = model.summary(X, y, sample_weight=s, intervals="profile", level=0.9)
    Z = sm.add_constant(X)

    def lowest(j, b):
        free = [k for k in range(4) if k != j]

        def deviance(w):
            eta = Z[:, free] @ w + b * Z[:, j]
            return 2 * s @ (np.logaddexp(0, eta) - y * eta)

        return minimize(deviance, np.zeros(3), method="BFGS", tol=1e-11).fun

    best = found.statistics["deviance"]
    for j, row in enumerate(found.rows):
        for end in (row.low, row.high):
            assert lowest(j, end) - best == pytest.approx(2.705543454095404, abs=1e-6)
        assert row.low < row.estimate < row.high


def test_the_profile_of_cars_ends_where_glm_loses_its_way():
    cars = pd.read_csv(Path(__file__).parents[1] / "oracles" / "logistic" / "mtcars.csv")
    X, y = cars[["mpg", "hp"]], cars["y"].to_numpy()
    found = maximum_likelihood().fit(X, y).summary(X, y, intervals="profile")
    x, h = cars["mpg"] - cars["mpg"].mean(), (cars["hp"] - cars["hp"].mean()) / 100

    def deviance(w):
        eta = found["mpg"].high * x + w[0] + w[1] * h
        return 2 * (np.logaddexp(0, eta) - y * eta).sum()

    lowest = minimize(deviance, np.zeros(2), method="BFGS", tol=1e-11).fun
    assert lowest - found.statistics["deviance"] == pytest.approx(3.841458820694124, abs=1e-5)


def test_large_problems_read_x_by_blocks_for_their_profile(monkeypatch):
    X, y, s = two(5)
    model = maximum_likelihood().fit(X, y, s)
    whole = model.summary(X, y, sample_weight=s, intervals="profile")
    monkeypatch.setattr("separatrix.inference.profile.KEEP", 0)
    monkeypatch.setattr("separatrix.designs.base.BLOCK_NUMBERS", 30)
    pieces = model.summary(X, y, sample_weight=s, intervals="profile")
    assert_allclose(column(pieces, "low"), column(whole, "low"), rtol=1e-9)


def test_separated_classes_have_an_infinite_end_and_a_warning_note():
    X = np.array([[0.0, 1], [0, 0], [0, 1], [0, 0], [1, 0], [1, 1], [1, 1], [0, 0.5]])
    y = np.array([0, 1, 1, 0, 1, 1, 1, 1])  # x0 = 1 only where y = 1
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = LogisticRegression(C=np.inf, tol=1e-8).fit(X, y)
    found = model.summary(X, y, intervals="profile")
    row = found["x0"]
    assert row.high == np.inf and row.odds_high == np.inf

    def lowest(b):
        def deviance(w):
            eta = w[0] + b * X[:, 0] + w[1] * X[:, 1]
            return 2 * (np.logaddexp(0, eta) - y * eta).sum()

        return minimize(deviance, np.zeros(2), method="BFGS", tol=1e-10).fun

    assert lowest(row.low) - lowest(40.0) == pytest.approx(3.841458820694124, abs=1e-5)
    for page in looks(found):
        assert "quasi-complete, by proof" in " ".join(page.split()) and "∞" in page


# ------------------------------------------------------------------ evidence kept by the model


def kept(model, X, y):
    """The model as it is when its fit kept evidence."""
    from separatrix.inference.fitted_likelihood import likelihood_of

    model.evidence_ = likelihood_of(model, X, y).evidence
    return model


def test_a_model_that_kept_evidence_needs_no_data_for_wald():
    X, y, _ = two()
    model = maximum_likelihood().fit(X, y)
    given = model.summary(X, y)
    alone = kept(model, X, y).summary()
    assert alone.to_dict() == given.to_dict()


def test_without_evidence_or_data_the_fit_is_described_only():
    X, y, _ = two()
    model = maximum_likelihood().fit(X, y)
    model.__dict__.pop("evidence_", None)
    found = model.summary()
    if found.covariance is None:  # a fit that keeps evidence needs no data
        assert "summary(X, y) gives standard errors" in str(found)
    assert_allclose(column(found, "estimate"), np.concatenate([model.intercept_, model.coef_[0]]))
    looks(found)


@pytest.mark.parametrize("with_evidence", [True, False])
def test_data_other_than_those_of_the_fit_are_refused(with_evidence):
    X, y, _ = two()
    model = maximum_likelihood().fit(X, y)
    if with_evidence:
        kept(model, X, y)
    else:
        model.__dict__.pop("evidence_", None)
    for other in ((X[::-1], y), (X[:60], y[:60]), (X + 1.0, y)):
        with pytest.raises(ValueError, match="Use the X, y and sample_weight of the fit"):
            model.summary(*other)


# ------------------------------------------------------------------ penalties


def test_a_ridge_is_labelled_shrunken_and_gets_no_tests():
    X, y, _ = two()
    model = LogisticRegression(C=0.1, tol=1e-10).fit(X, y)
    found = model.summary(X, y)
    assert all(row.z is row.p is row.low is row.odds_ratio is None for row in found.rows)
    assert found.statistics["aic"] is None and found.statistics["lr"] is None
    assert 1.0 < found.statistics["edf"] < 4.0
    for page in looks(found):
        assert "shrunken mean" in page and "effective df" in page and "would not hold" in " ".join(page.split())
    assert "deviance" in str(found)
    alone = model.summary()
    assert alone.covariance is None and "penalised" in str(alone)


def test_effective_degrees_of_freedom_are_those_of_the_formula():
    X, y, s = two(6)
    model = LogisticRegression(C=0.05, tol=1e-12).fit(X, y, s)
    Z = sm.add_constant(X)
    mu = 1 / (1 + np.exp(-Z @ np.concatenate([model.intercept_, model.coef_[0]])))
    H = (Z * (s * mu * (1 - mu))[:, None]).T @ Z
    W = np.linalg.inv(H + np.diag([0.0, 20.0, 20.0, 20.0]))
    found = model.summary(X, y, sample_weight=s)
    assert found.statistics["edf"] == pytest.approx(np.trace(W @ H), rel=1e-9)
    assert_allclose(column(found, "error"), np.sqrt(np.diag(W @ H @ W)), rtol=1e-9)


def test_class_weights_are_said_to_change_the_likelihood():
    X, y, _ = two()
    model = maximum_likelihood(class_weight={0: 3.0}).fit(X, y)
    found = model.summary(X, y)
    weighted = maximum_likelihood().fit(X, y, np.where(y == 0, 3.0, 1.0))
    theirs = weighted.summary(X, y, sample_weight=np.where(y == 0, 3.0, 1.0))
    assert_allclose(column(found, "error"), column(theirs, "error"), rtol=1e-9)
    assert any("Class weights change the likelihood" in note for note in found.notes)


# ------------------------------------------------------------------ how it looks, and what is refused


def test_aliased_columns_are_named_and_given_no_number():
    X, y, _ = two()
    frame = pd.DataFrame(X, columns=["a", "b", "c"]).assign(sum=X[:, 0] + X[:, 1], one=1.0)
    model = maximum_likelihood().fit(frame, y)
    found, without = model.summary(frame, y), maximum_likelihood().fit(frame[["a", "b", "c"]], y)
    without = without.summary(frame[["a", "b", "c"]], y)
    assert sum(row.aliased for row in found.rows) == 2 and found["one"].aliased
    for name in ("aic", "residual_df", "lr", "lr_p"):
        assert_allclose(found.statistics[name], without.statistics[name], rtol=1e-9)
    for row in found.rows:
        assert row.aliased == (row.error is None)
    for page in looks(found):
        assert "Aliased, that is, a linear combination" in page


def test_frames_hold_z_and_odds_ratios():
    X, y = three()
    frame = OtherMultinomial().fit(X, y).summary(X, y).to_frame("pandas")
    assert list(frame.columns) == ["output", "term", "estimate", "std_error", "z", "p_value", "ci_low", "ci_high",
                                   "odds_ratio", "odds_low", "odds_high", "aliased", "infinite"]  # fmt: skip
    assert list(frame["output"].unique()) == ["middle against low", "top against low"]


@pytest.mark.parametrize("width", [100, 80, 60])
def test_a_narrow_terminal_gives_up_odds_before_numbers_are_cut(width):
    from separatrix.inference.render import text

    X, y, _ = two()
    page = text(maximum_likelihood().fit(X, y).summary(X, y), width)
    assert max(map(len, page.splitlines())) <= width
    assert ("OR from" in page) == (width == 100) and " z " in page


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"covariance": "HC3"}, "covariance='HC3'.*Use covariance='classical' or covariance='HC0'"),
        ({"weights": "precision"}, "weights='precision'.*fixed by its probability"),
        ({"weights": "sampling"}, "sampling weights.*covariance='HC0'"),
        ({"intervals": "bootstrap"}, "intervals='bootstrap'"),
        ({"reference": 7}, "reference=7.*not a class"),
        ({"output": 1}, "output=1"),
    ],
)
def test_what_cannot_be_summarised_is_refused_with_advice(options, words):
    X, y, _ = two()
    with pytest.raises(ValueError, match=words):
        maximum_likelihood().fit(X, y).summary(X, y, **options)


def test_what_needs_data_or_two_classes_says_so():
    X, y, _ = two()
    model = maximum_likelihood().fit(X, y)
    for options in ({"covariance": "HC0"}, {"intervals": "profile"}):
        with pytest.raises(ValueError, match=r"Use summary\(X, y"):
            model.summary(**options)
    with pytest.raises(ValueError, match="profile-likelihood intervals for 3 classes"):
        OtherMultinomial().fit(*three()).summary(*three(), intervals="profile")
    with pytest.raises(ValueError, match=r"C=np\.inf"):
        LogisticRegression().fit(X, y).summary(X, y, intervals="profile")
    with pytest.raises(ValueError, match="belong to logistic regression"):
        summary(LinearRegression().fit(X, y), intervals="profile")


def test_evidence_is_made_by_the_solver_room_from_problem_and_point():
    from separatrix.core.problem import Problem
    from separatrix.core.target import Target
    from separatrix.designs import as_design
    from separatrix.losses import Logistic
    from separatrix.penalties import NoPenalty

    X, y, _ = two()
    model = maximum_likelihood().fit(X, y)
    problem = Problem(as_design(X), Target(y.astype(float)), Logistic(), NoPenalty())
    made = likelihood_evidence(problem, model.coef_[0], model.intercept_[0], model.classes_)
    assert made.classes == (0, 1)
    assert_allclose(column(model.summary(X, y), "error"), np.sqrt(np.diag(made.covariance)), rtol=1e-12)
