"""Analyses of whole terms: anova, stepwise selection, bands and influence, beyond what R says of them."""

import re
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from numpy.testing import assert_allclose
from sklearn.pipeline import make_pipeline

from separatrix.inference import add1, anova, bands, compare_nested, drop1, influence, stepwise
from separatrix.inference.terms import factors
from separatrix.linear_model import Lasso, LinearRegression, LogisticRegression, Ridge
from separatrix.preprocessing import AdditiveBasis, NaturalSpline

sys.path.insert(0, str(Path(__file__).parent))
from class_data import OtherMultinomial, three


def maximum_likelihood():
    return LogisticRegression(C=np.inf, tol=1e-12)


def data(seed=0, n=150):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({"dose": rng.uniform(0, 4, n), "age": rng.normal(50, 10, n), "noise": rng.normal(size=n)})
    kind = rng.integers(0, 3, n)
    frame["kind_b"], frame["kind_c"] = 1.0 * (kind == 1), 1.0 * (kind == 2)
    eta = 1.2 * frame["dose"] - 2.4 + 0.8 * frame["kind_c"]
    return frame, (rng.random(n) < 1 / (1 + np.exp(-eta.to_numpy()))).astype(int)


KINDS = {"dose": ["dose"], "age": ["age"], "noise": ["noise"], "kind": ["kind_b", "kind_c"]}


@pytest.mark.mission("SI-08")
def test_terms_by_name_number_and_slice_are_the_same():
    X, y = data()
    model = maximum_likelihood().fit(X, y)
    named = anova(model, X, y, terms=KINDS)
    numbered = anova(model, X, y, terms={"dose": 0, "age": [1], "noise": [-3], "kind": slice(3, 5)})
    assert named.to_dict() == numbered.to_dict()
    assert named["kind"]["df"] == 2
    theirs = sm.Logit(y, sm.add_constant(X[["dose", "age", "noise"]])).fit(disp=0, tol=1e-14)
    assert_allclose(named["kind"]["deviance"], -2 * theirs.llf, rtol=1e-10)


def test_frames_of_polars_and_a_pipeline_of_one_step_say_the_same():
    pl = pytest.importorskip("polars")
    X, y = data()
    other = pl.from_pandas(X)
    expected = anova(maximum_likelihood().fit(X, y), X, y, terms=KINDS).to_dict()
    assert anova(make_pipeline(maximum_likelihood()).fit(other, y), other, y, terms=KINDS).to_dict() == expected
    band, theirs = (bands(spline_model(frame).fit(frame, y), frame, y)["age"] for frame in (other, X))
    assert_allclose(band.error, theirs.error)


def test_columns_of_no_term_are_left_out_of_all_models():
    X, y = data()
    found = anova(maximum_likelihood().fit(X, y), X, y, terms={"dose": ["dose"], "age": ["age"]})
    theirs = sm.Logit(y, sm.add_constant(X[["dose", "age"]])).fit(disp=0, tol=1e-14)
    assert_allclose(found["(none)"]["deviance"], -2 * theirs.llf, rtol=1e-10)


def test_weights_are_repetitions_in_every_analysis():
    X, y = data(1, n=80)
    s = np.random.default_rng(1).integers(1, 4, 80).astype(float)
    again = np.repeat(np.arange(80), s.astype(int))
    weighted, repeated = maximum_likelihood().fit(X, y, s), maximum_likelihood().fit(X.iloc[again], y[again])
    for order in ("drop", "sequential"):
        one = anova(weighted, X, y, sample_weight=s, order=order).to_frame("pandas")
        other = anova(repeated, X.iloc[again], y[again], order=order).to_frame("pandas")
        assert_allclose(one.drop(columns="term"), other.drop(columns="term"), rtol=1e-8)
    one = stepwise(weighted, X, y, sample_weight=s, criterion="bic")
    other = stepwise(repeated, X.iloc[again], y[again], criterion="bic")
    assert one.terms == other.terms
    assert_allclose(one.path.columns["bic"], other.path.columns["bic"], rtol=1e-10)


def test_a_term_that_others_determine_has_no_degrees_of_freedom():
    X, y = data()
    X = X.assign(twice=2 * X["dose"])
    row = anova(maximum_likelihood().fit(X, y), X, y)["twice"]
    assert row["df"] == 0 and row["p"] is None and row["lr"] == pytest.approx(0.0, abs=1e-9)


def test_a_term_of_three_classes_has_a_degree_of_freedom_for_each_but_one():
    X, y = three()
    found = anova(OtherMultinomial().fit(X, y), X, y)
    codes = np.unique(y, return_inverse=True)[1]
    full, less = (sm.MNLogit(codes, sm.add_constant(Z)).fit(disp=0, method="newton", tol=1e-14) for Z in (X, X[:, :1]))
    assert found["x1"]["df"] == 2
    assert_allclose(found["x1"]["lr"], 2 * (full.llf - less.llf), rtol=1e-8)
    assert_allclose(found["x1"]["aic"], less.aic, rtol=1e-10)
    with pytest.raises(ValueError, match="coefficient per class"):
        stepwise(OtherMultinomial().fit(X, y), X, y, criterion="wald")


@pytest.mark.mission("SI-03")
def test_selection_keeps_factors_together_and_hands_out_the_fitted_model():
    X, y = data(2, n=400)
    model = maximum_likelihood().fit(X, y)
    found = stepwise(model, X, y, terms=KINDS)
    assert "dose" in found.terms and "noise" not in found.terms
    assert ("kind_b" in found.model.feature_names_in_) == ("kind_c" in found.model.feature_names_in_)
    kept = [X.columns[j] for j in found.columns]
    theirs = sm.Logit(y, sm.add_constant(X[kept])).fit(disp=0, tol=1e-14)
    assert_allclose(found.path.columns["aic"][-1], theirs.aic, rtol=1e-9)
    assert "Kept: " in str(found) and "Stepwise" in found._repr_html_()


def test_a_selection_may_end_with_nothing():
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(60, 2)), np.tile([0, 1], 30)
    found = stepwise(maximum_likelihood().fit(X, y), X, y, criterion="wald", threshold=5.0)
    assert found.terms == () and found.model is None and "nothing but the intercept" in str(found)
    assert found.path.columns["deviance"][-1] == pytest.approx(2 * 60 * np.log(2))


def test_selection_by_z_drops_the_smallest_until_all_are_above():
    X, y = data(4, n=300)
    found = stepwise(maximum_likelihood().fit(X, y), X, y, criterion="wald")
    z = found.model.summary(X.iloc[:, list(found.columns)], y)
    assert all(abs(row.z) > 2.0 for row in z.rows[1:])
    full = sm.Logit(y, sm.add_constant(X)).fit(disp=0)
    assert found.path.columns["step"][1] == f"- {full.tvalues.iloc[1:].abs().idxmin()}"


@pytest.mark.parametrize(
    ("call", "options", "words"),
    [
        (stepwise, {"criterion": "cp"}, "criterion='cp'"),
        (stepwise, {"direction": "up"}, "direction='up'"),
        (stepwise, {"criterion": "wald", "direction": "both"}, "has no z"),
        (stepwise, {"criterion": "wald", "terms": KINDS}, "'kind' has several coefficients.*criterion='aic'"),
        (stepwise, {"start": ["weight"]}, "'weight' is not a term"),
        (stepwise, {"threshold": -1.0}, "threshold=-1.0"),
        (anova, {"order": "third"}, "order='third'"),
        (anova, {"terms": {"a": ["height"]}}, "'height'"),
        (anova, {"terms": {"a": [0], "b": [0, 1]}}, "in two terms"),
    ],
)
def test_what_cannot_be_analysed_is_refused_with_advice(call, options, words):
    X, y = data()
    with pytest.raises(ValueError, match=words):
        call(maximum_likelihood().fit(X, y), X, y, **options)


def test_penalised_and_other_models_are_refused():
    X, y = data()
    for call in (anova, stepwise):
        with pytest.raises(ValueError, match=r"without a penalty.*C=np\.inf"):
            call(LogisticRegression().fit(X, y), X, y)
        with pytest.raises(ValueError, match=r"C=np\.inf"):
            call(Ridge().fit(X, y), X, y)
        with pytest.raises(ValueError, match="one output"):
            call(LinearRegression().fit(X, np.column_stack([y, y])), X, np.column_stack([y, y]))
    with pytest.raises(ValueError, match="LinearRegression"):
        influence(Lasso(0.1).fit(X, y), X, y)
    with pytest.raises(ValueError, match="AdditiveBasis"):
        bands(maximum_likelihood().fit(X, y), X, y)
    with pytest.raises(TypeError, match="no mapping"):
        anova(maximum_likelihood().fit(X, y), X, y, terms=["dose"])


def test_listings_come_as_text_html_frame_and_dict():
    X, y = data()
    found = anova(maximum_likelihood().fit(X, y), X, y, terms=KINDS)
    assert max(map(len, str(found).splitlines())) <= 100 and "LR χ²" in str(found)
    page = re.sub(r"<style>.*?</style>", "", found._repr_html_(), flags=re.DOTALL)
    assert page.count("<tr>") == 6 and "None" not in page and "nan" not in page
    frame = found.to_frame("polars")
    assert frame["term"].to_list() == ["(none)", *KINDS] and frame["p"].to_list()[0] is None
    with pytest.raises(KeyError):
        found["height"]


# ------------------------------------------------------------------ splines


def spline_model(X):
    shapes = {name: "linear" if name.startswith("kind") else NaturalSpline(df=3) for name in X.columns}
    return make_pipeline(AdditiveBasis(shapes), maximum_likelihood())


@pytest.mark.mission("SI-05", "SI-08")
def test_blocks_of_a_spline_leave_together():
    X, y = data(5, n=200)
    model = spline_model(X).fit(X, y)
    found = anova(model, X, y)
    assert list(found.columns["term"]) == ["(none)", *X.columns]
    assert list(found.columns["df"]) == [None, 3, 3, 3, 1, 1]
    H = model[0].transform(X)
    theirs = sm.Logit(y, sm.add_constant(np.delete(H, np.s_[3:6], axis=1))).fit(disp=0, tol=1e-14, maxiter=100)
    assert_allclose(found["age"]["deviance"], -2 * theirs.llf, rtol=1e-9)
    assert "noise" not in stepwise(model, X, y, criterion="bic").terms


@pytest.mark.mission("SI-06")
def test_degrees_of_freedom_are_one_and_those_of_each_term():
    rng = np.random.default_rng(11)
    X = np.column_stack([rng.normal(size=(300, 6)), np.tile([0.0, 1.0], 150)])
    y = (rng.random(300) < 0.5).astype(int)
    for columns, df in (([0, 1, 2, 3, 4, 5, 6], 26), ([0, 1, 2, 3, 4, 6], 22)):
        model = make_pipeline(AdditiveBasis(), maximum_likelihood()).fit(X[:, columns], y)
        statistics = model[-1].summary(model[0].transform(X[:, columns]), y).statistics
        assert model[0].df_ == df and statistics["residual_df"] == 300 - df
        assert statistics["aic"] == pytest.approx(statistics["deviance"] + 2 * df)


@pytest.mark.mission("SI-07")
@pytest.mark.parametrize("as_frame", [True, False])
def test_bands_follow_the_delta_method_on_any_grid(as_frame):
    X, y = data(6, n=200)
    X = X if as_frame else X.to_numpy()
    names = list(X.columns) if as_frame else [f"x{j}" for j in range(5)]
    shapes = {n if as_frame else j: "linear" if j > 2 else NaturalSpline(df=3) for j, n in enumerate(names)}
    model = make_pipeline(AdditiveBasis(shapes), maximum_likelihood()).fit(X, y)
    found = bands(model, X, y, points=7, multiple=1.5)
    H = np.asarray(model[0].transform(X))
    fit = sm.Logit(y, sm.add_constant(H)).fit(disp=0, tol=1e-14, maxiter=100)
    band = found[names[0]]
    h = NaturalSpline(df=3).fit(np.asarray(X)[:, :1]).transform(band.x[:, None]) - H[:, :3].mean(axis=0)
    assert_allclose(band.f, h @ fit.params[1:4], rtol=1e-6)
    assert_allclose(band.error, np.sqrt(np.diag(h @ fit.cov_params()[1:4, 1:4] @ h.T)), rtol=1e-6)
    assert_allclose(band.high - band.f, 1.5 * band.error)
    assert list(found[names[3]].x) == [0.0, 1.0] and len(band.x) == 7


def test_bands_are_drawn_on_axes():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    X, y = data(7)
    figure, axes = plt.subplots(1, 2)
    found = bands(spline_model(X).fit(X, y), X, y)
    found["dose"].draw(axes[0])
    found["kind_b"].draw(axes[1])
    assert axes[0].get_xlabel() == "dose" and len(axes[0].collections) == 1
    assert [t.get_text() for t in axes[1].get_xticklabels()] == ["0", "1"]
    plt.close(figure)


@pytest.mark.mission("SI-07")
def test_bands_cover_a_linear_truth_about_95_times_in_100():
    rng = np.random.default_rng(8)
    n, runs = 400, 120
    x = np.linspace(-2.0, 2.0, n)
    truth = 0.9 * x
    model = make_pipeline(AdditiveBasis([(0, NaturalSpline(df=4))]), LogisticRegression(C=np.inf))
    inside = []
    for _ in range(runs):
        y = rng.random(n) < 1.0 / (1.0 + np.exp(-truth - 0.2))
        band = bands(model.fit(x[:, None], y), x[:, None], y, points=9, multiple=1.959963984540054)["x0"]
        inside.append((band.low <= 0.9 * band.x) & (0.9 * band.x <= band.high))
    # points of one run hang together: the spread is that of about 3 independent ones
    assert abs(np.mean(inside) - 0.95) < 3.0 * np.sqrt(0.95 * 0.05 / (3 * runs))


# ------------------------------------------------------------------ influence


@pytest.mark.parametrize("weighted", [False, True])
def test_influence_on_least_squares_is_exact(weighted):
    X, y = data(9, n=30)
    X = X.to_numpy()[:, :3]
    y = y + X[:, 0]
    s = np.random.default_rng(9).integers(1, 4, 30).astype(float) if weighted else None
    model = LinearRegression().fit(X, y, s)
    found = influence(model, X, y, s)
    full = np.concatenate([[model.intercept_], model.coef_])
    for i in (0, 7):
        kept = np.arange(30) != i
        without = LinearRegression().fit(X[kept], y[kept], None if s is None else s[kept])
        assert_allclose(
            found.dfbeta[i], full - np.concatenate([[without.intercept_], without.coef_]), rtol=1e-8, atol=1e-12
        )
    root = np.ones(30) if s is None else np.sqrt(s)
    theirs = sm.OLS(root * y, root[:, None] * sm.add_constant(X)).fit().get_influence()
    assert_allclose(found.leverage, theirs.hat_matrix_diag, rtol=1e-9)
    assert_allclose(found.cooks_distance, theirs.cooks_distance[0], rtol=1e-8)
    assert_allclose(found.standardised_pearson, theirs.resid_studentized_internal, rtol=1e-8)


def test_one_step_is_near_the_fit_without_the_row_and_leverages_sum_to_the_coefficients():
    X, y = data(10, n=300)
    model = maximum_likelihood().fit(X, y)
    found = influence(model, X, y)
    assert found.leverage.sum() == pytest.approx(6.0, rel=1e-9)
    i = int(found.cooks_distance.argmax())
    kept = np.arange(300) != i
    without = maximum_likelihood().fit(X[kept], y[kept])
    moved = np.concatenate([model.intercept_ - without.intercept_, (model.coef_ - without.coef_)[0]])
    assert_allclose(found.dfbeta[i], moved, rtol=0.15, atol=0.02 * np.abs(moved).max())
    errors = np.array([row.error for row in model.summary(X, y).rows])
    assert_allclose(found.dfbetas, found.dfbeta / errors, rtol=1e-10)


# ------------------------------------------------------------------ marginality


def interaction(seed=12, n=90):
    """Only the product of a and b matters."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({"a": rng.normal(size=n), "b": rng.normal(size=n)})
    X["a:b"] = X["a"] * X["b"]
    eta = 2.0 * X["a:b"].to_numpy()
    return X, (rng.random(n) < 1 / (1 + np.exp(-eta))).astype(int), eta + rng.normal(size=n)


@pytest.mark.mission("SI-03")
def test_main_effects_stay_beside_their_interaction():
    X, labels, numbers = interaction()
    for model, y in ((maximum_likelihood().fit(X, labels), labels), (LinearRegression().fit(X, numbers), numbers)):
        table = anova(model, X, y)
        assert table.columns["term"] == ("(none)", "a:b") and "Not tested" in str(table)
        assert anova(model, X, y, order="type II").columns["term"][:3] == ("a", "b", "a:b")
        assert stepwise(model, X, y).terms == ("a", "b", "a:b")
        assert stepwise(model, X, y, criterion="wald").terms == ("a", "b", "a:b")


def test_an_interaction_enters_only_after_its_margins():
    X, labels, _ = interaction()
    model = maximum_likelihood().fit(X, labels)
    assert add1(model, X, labels, current=[]).columns["term"] == ("(none)", "a", "b")
    assert add1(model, X, labels, current=["a", "b"]).columns["term"] == ("(none)", "a:b")
    assert drop1(model, X, labels, current=["a", "b"]).columns["term"] == ("(none)", "a", "b")


def test_colons_in_brackets_and_quotes_part_no_factors():
    assert factors("`12:30`:C(kind)[T.a:b]") == {"`12:30`", "C(kind)[T.a:b]"}
    assert factors("log(x)") == {"log(x)"}


# ------------------------------------------------------------------ least squares


def test_weights_of_least_squares_are_repetitions_or_precisions():
    X, _, y = interaction(13, 40)
    s = np.random.default_rng(13).integers(1, 4, 40).astype(float)
    again = np.repeat(np.arange(40), s.astype(int))
    weighted, repeated = LinearRegression().fit(X, y, s), LinearRegression().fit(X.iloc[again], y[again])
    for order in ("drop", "sequential", "type II"):
        one = anova(weighted, X, y, sample_weight=s, order=order).to_frame("pandas").drop(columns="term")
        other = anova(repeated, X.iloc[again], y[again], order=order).to_frame("pandas").drop(columns="term")
        assert_allclose(one, other, rtol=1e-7)
    one, ten = (
        anova(LinearRegression().fit(X, y, w), X, y, sample_weight=w, weights="precision")["a:b"] for w in (s, 10 * s)
    )
    assert one["f"] == pytest.approx(ten["f"], rel=1e-10)


def test_an_exact_fit_has_no_f_and_no_selection():
    X, _, _ = interaction()
    y = X["a"].to_numpy() + 1.0
    model = LinearRegression().fit(X, y)
    table = anova(model, X, y, order="sequential")
    assert table["a"]["f"] is None and "exact" in str(table)
    with pytest.raises(ValueError, match="exact fit"):
        stepwise(model, X, y)


def test_models_that_are_not_nested_or_of_other_data_are_not_compared():
    X, labels, y = interaction()
    small, large = LinearRegression().fit(X[["a"]], y), LinearRegression().fit(X, y)
    for models, words in (
        ((large,), "fewer than two"),
        ((large, small), "fewer coefficients"),
        ((small, LinearRegression().fit(X, 2 * y)), "different data"),
        ((small, maximum_likelihood().fit(X, labels)), "two kinds"),
        ((small, Ridge().fit(X, y)), "Ridge"),
    ):
        with pytest.raises(ValueError, match=words):
            compare_nested(*models)
    assert "model 2" in str(compare_nested(small, large))


def test_data_other_than_those_of_the_fit_are_refused():
    X, _, y = interaction()
    with pytest.raises(ValueError, match="of the fit"):
        drop1(LinearRegression().fit(X, y), X, y + X["a"].to_numpy())
