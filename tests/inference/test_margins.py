"""The summary of a support vector machine: geometry and counts that the rows confirm, and words."""

import json

import numpy as np
import pytest
from numpy.testing import assert_allclose

from separatrix import verify
from separatrix.inference import describe
from separatrix.svm import SVC, SVR, LinearSVC, LinearSVR, NuSVC, OneClassSVM

ROUNDING = 1e-8
NEAR = 1e-6  # rows on the border of a region are put inside by more than rounding


@pytest.fixture(scope="module")
def rows():
    """Two classes that overlap, three classes, and numbers, of the same columns."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(70, 2))
    two = np.where(X @ [1.0, 0.5] + 0.6 * rng.normal(size=70) > 0.0, "up", "down")
    three = np.where(X[:, 1] > 0.7, "top", two)
    return X, two, three, X @ [1.0, -2.0] + 0.2 * rng.normal(size=70)


@pytest.mark.mission("MM-13", "MM-21")
@pytest.mark.parametrize(
    "make",
    [lambda: SVC(C=2.0, gamma=0.5), lambda: SVC(kernel="linear", C=2.0), lambda: LinearSVC(loss="hinge", C=2.0)],
    ids=["Gaussian", "linear", "LinearSVC"],
)
def test_the_three_kinds_of_rows_are_counted_by_what_their_scores_say(rows, make):
    X, y, _, _ = rows
    model = make().fit(X, y)
    facts = model.summary().statistics
    margins = np.where(y == "up", 1.0, -1.0) * model.decision_function(X)
    assert facts["on_margin"] == np.sum(np.abs(margins - 1.0) < ROUNDING)
    assert facts["margin_errors"] == np.sum(margins < 1.0 - ROUNDING)
    assert facts["support"] == facts["on_margin"] + facts["margin_errors"] < facts["n"] == len(y)
    assert facts["misclassified"] == np.sum(model.predict(X) != y) > 0
    held = np.flatnonzero(margins < 1.0 + ROUNDING)
    assert facts["support_of"] == f"{np.sum(y[held] == 'down')} of down, {np.sum(y[held] == 'up')} of up"
    assert_allclose(facts["slack"], np.maximum(0.0, 1.0 - margins).sum(), rtol=1e-9)


@pytest.mark.parametrize("make", [lambda: SVC(C=2.0, gamma=0.5), lambda: LinearSVC(loss="hinge", C=2.0)])
def test_objective_norm_slack_and_width_belong_together(rows, make):
    model = make().fit(*rows[:2])
    facts = model.summary().statistics
    assert_allclose(facts["primal"], 0.5 * facts["norm"] ** 2 + facts["C"] * facts["slack"], rtol=1e-9)
    assert_allclose([facts["margin"], facts["margin_width"]], [1.0 / facts["norm"], 2.0 / facts["norm"]], rtol=1e-12)
    assert 0.0 <= facts["gap"] <= 1e-7 * facts["primal"]
    assert facts["certificate"] == str(model.certificate_)


@pytest.mark.parametrize("name", ["SVC", "LinearSVC"])
def test_more_classes_have_a_table_for_each_machine(rows, name):
    X, _, y, _ = rows
    model = {"SVC": SVC(C=2.0), "LinearSVC": LinearSVC(loss="hinge", C=2.0)}[name].fit(X, y)
    tables = model.summary().tables
    if name == "SVC":
        assert [table.output for table in tables] == ["down against top", "down against up", "top against up"]
        part = np.isin(y, ["down", "up"])
        alone = SVC(C=2.0, gamma=model.gamma_).fit(X[part], y[part]).summary().statistics
        middle = tables[1].statistics
        below, above = alone["support_of"].split(", ")
        assert middle["support_of"] == f"{above}, {below}"  # with more classes the first of a pair is positive
    else:
        assert tables[2].output == "up against the rest"
        rest = np.where(y == "up", "up", "the rest")
        alone = LinearSVC(loss="hinge", C=2.0).fit(X, rest).summary().statistics
        middle = tables[2].statistics
    assert middle["n"] == (len(y) if name == "LinearSVC" else None)
    for key in ("support", "on_margin", "margin_errors", "misclassified"):
        assert middle[key] == alone[key]
    for key in ("margin", "slack", "primal"):
        assert_allclose(middle[key], alone[key], rtol=1e-6)
    assert model.summary(output=1).statistics == tables[1].statistics


@pytest.mark.parametrize("make", [lambda: SVR(C=2.0), lambda: LinearSVR(C=2.0, epsilon=0.1)])
def test_a_regression_counts_rows_on_its_tube_and_outside(rows, make):
    X, t = rows[0], rows[3]
    model = make().fit(X, t)
    facts, off = model.summary().statistics, np.abs(t - model.predict(X))
    assert facts["on_tube"] == np.sum(np.abs(off - 0.1) < ROUNDING)
    assert facts["outside"] == np.sum(off > 0.1 + ROUNDING)
    held = off > 0.1 - ROUNDING
    assert (
        facts["support_of"]
        == f"{np.sum((t < model.predict(X))[held])} below, {np.sum((t > model.predict(X))[held])} above"
    )
    assert_allclose(facts["primal"], 0.5 * facts["norm"] ** 2 + 2.0 * facts["slack"], rtol=1e-9)
    assert "misclassified" not in facts and "misclassified" not in str(model.summary())


def test_coefficients_are_those_of_linear_machines_and_a_kernel_has_none(rows):
    X, y, _, _ = rows
    for model in (SVC(kernel="linear").fit(X, y), LinearSVC().fit(X, y)):
        assert [row.estimate for row in model.summary().rows] == [model.intercept_[0], *model.coef_[0]]
        assert all(row.error is row.p is None for row in model.summary().rows)
    assert SVC().fit(X, y).summary().rows == ()


def test_the_text_names_kernel_and_counts_and_is_not_cut(rows):
    X, y, _, t = rows
    for model, kernel in (
        (SVC(gamma=0.5), "Gaussian, gamma 0.5"),
        (SVC(kernel="poly", degree=2, gamma=1.0, coef0=1.0), "polynomial (1 x·z + 1)^2"),
        (SVC(kernel="sigmoid", gamma=0.1, C=0.1), "sigmoid tanh(0.1 x·z + 0)"),
        (SVC(kernel=lambda A, B: A @ B.T), "a function that was given"),
        (LinearSVC(penalty="l1"), "linear, squared hinge"),
    ):
        summary = model.fit(X, y).summary()
        page = str(summary)
        assert kernel in page and "misclassified" in page and "…" not in page and "p-values" in page
        assert max(map(len, page.splitlines())) <= 100
        assert kernel.split(",")[0] in summary._repr_html_()
        json.dumps(summary.to_dict(), allow_nan=False)
    assert "outside the tube" in str(SVR().fit(X, t).summary())


def test_a_machine_between_rows_that_are_all_alike_has_an_endless_margin():
    model = SVC(kernel="linear").fit(np.zeros((4, 2)), [0, 1, 0, 1])
    assert model.summary().statistics["margin"] == np.inf and "∞" in str(model.summary())


@pytest.mark.parametrize("options", [{"covariance": "HC3"}, {"intervals": "profile"}, {"weights": "sampling"}])
def test_standard_errors_are_refused(rows, options):
    model = LinearSVC().fit(*rows[:2])
    with pytest.raises(ValueError, match="a margin has no likelihood"):
        model.summary(**options)
    with pytest.raises(ValueError, match="a margin has no likelihood"):
        model.summary(*rows[:2])
    with pytest.raises(ValueError, match="output=1: the model has 1 machine"):
        model.summary(output=1)


def test_the_words_say_what_is_kept_and_how_it_answers(rows):
    X, two, three, t = rows
    model = SVC(gamma=0.5).fit(X, two)
    found = describe(model, ["a", "b"])
    assert f"keeps {len(model.support_)} of 70 training rows" in found.words and "between down and up" in found.words
    assert dict(found.tables[0].rows)["margin errors"] == len(model.margin_errors_)
    several = describe(SVC().fit(X, three), ["a", "b"])
    assert "Each of the 3 pairs" in several.words and len(several.tables[0].rows) == 3
    number = describe(SVR(epsilon=0.25).fit(X, t), ["a", "b"])
    assert "Rows within 0.25 of the prediction are not kept" in number.words


def test_the_region_of_one_class_is_summed_up(rows):
    X, s = rows[0], np.tile([1.0, 2.0], 35)
    model = OneClassSVM(nu=0.2, gamma=0.5).fit(X, sample_weight=s)
    summary, scores = model.summary(), model.decision_function(X)
    facts = summary.statistics
    assert facts["outliers"] == np.sum(scores < -NEAR)
    assert_allclose(facts["outlier_share"], s[scores < -NEAR].sum() / s.sum(), rtol=1e-9)
    assert facts["on_border"] == np.sum(np.abs(scores) <= NEAR)
    assert facts["support"] == facts["outliers"] + facts["on_border"]
    assert_allclose(facts["offset"], model.offset_[0])
    # ½|w|² - ν ρ Σ s + Σ s ξ
    value = 0.5 * facts["norm"] ** 2 - 0.2 * facts["offset"] * s.sum() + s @ np.maximum(0.0, -scores)
    assert_allclose(facts["primal"], value, rtol=1e-9)
    assert "nu" in str(summary) and "outside the region" in str(summary) and "share nu" in str(summary)
    words = describe(model, ["a", "b"])
    assert "predicted as -1" in words.words and words.tables[0].title == "The region"


def test_the_share_outside_a_region_counts_weights_and_is_at_most_nu(rows):
    X = rows[0]
    s = np.where(np.hypot(*X.T) < 1.5, 20.0, 1.0)
    model = OneClassSVM(nu=0.1, gamma=0.2).fit(X, sample_weight=s)
    outside = model.predict(X) == -1
    share = model.summary().statistics["outlier_share"]
    assert_allclose(share, s[outside].sum() / s.sum(), rtol=1e-9)
    assert share <= 0.1 < outside.mean()


def test_a_kernel_that_makes_the_square_of_w_negative_has_no_length_no_margin_and_no_gap():
    rng = np.random.default_rng(0)
    X = rng.normal([3.0, 10.0], [0.5, 2.0], size=(80, 2))
    y = np.where(X[:, 1] + rng.normal(size=80) > 9.0, 1, 0)
    model = SVC(kernel="sigmoid", gamma=0.03).fit(X, y)
    b = model.dual_coef_[0]
    assert b @ np.tanh(0.03 * model.support_vectors_ @ model.support_vectors_.T) @ b < -1.0
    assert np.isnan(model.margin_) and np.isnan(model.margin_width_) and verify(model, X, y).converged
    forged = SVC(kernel="sigmoid", gamma=0.03).fit(X, y)
    forged.margin_ = np.inf
    assert not verify(forged, X, y).converged
    facts, text = model.summary().statistics, str(model.summary())
    assert [facts[name] for name in ("norm", "margin", "margin_width", "gap")] == [None] * 4
    assert "negative" in text and "bounds nothing" in text.replace("\n", " ").replace("  ", " ")


@pytest.mark.parametrize("model", [LinearSVC(loss="hinge"), LinearSVC(), LinearSVR(), SVR(kernel="linear")], ids=repr)
def test_rows_of_weight_zero_have_no_slack_and_are_not_counted(rows, model):
    X, two, _, numbers = rows
    y = two if isinstance(model, LinearSVC) else numbers
    s = np.arange(len(X)) % 2.0
    model.fit(X, y, s)
    assert not model.slack_[s == 0.0].any() and model.slack_[s == 1.0].any()
    of_all, of_some = model.summary().statistics, model.fit(X[s == 1.0], y[s == 1.0]).summary().statistics
    assert of_all.get("misclassified") == of_some.get("misclassified")
    assert_allclose(of_all["slack"], of_some["slack"], rtol=1e-6)


def test_without_the_other_rows_a_machine_of_nu_is_the_same_at_the_price_that_is_told(rows):
    X, y = rows[:2]
    model = NuSVC(nu=0.3, gamma=0.5).fit(X, y)
    words = describe(model, ["a", "b"]).words
    assert "with this kernel and these prices of errors the boundary would be the same" in words
    held = model.support_
    other = SVC(C=model.summary().statistics["C"], gamma=0.5).fit(X[held], y[held])
    assert_allclose(other.decision_function(X), model.decision_function(X), atol=NEAR)
