"""The geometry of a fitted classifier, against minimisers and sums that know nothing of hyperplanes."""

import warnings
from itertools import permutations

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize
from sklearn.exceptions import NotFittedError

from separatrix.estimators.geometry import region_distances
from separatrix.linear_model import BasicLinearClassifier, LeastSquaresClassifier, LogisticRegression, RidgeClassifier

BINARY = [LeastSquaresClassifier(), BasicLinearClassifier(), RidgeClassifier(), LogisticRegression()]
over_binary = pytest.mark.parametrize("model", BINARY, ids=lambda model: type(model).__name__)


def clouds(k=2, p=2, n=30, seed=0):
    rng = np.random.default_rng(seed)
    y = np.repeat(np.arange(k), n)
    return 2.5 * rng.standard_normal((k, p))[y] + rng.standard_normal((k * n, p)), np.array(list("cab"[:k]))[y]


CIRCLE = np.exp(2j * np.pi * np.arange(4096) / 4096.0)
CIRCLE = np.column_stack([CIRCLE.real, CIRCLE.imag])


def reach(model, x):
    """The smallest circle around x on which another class is predicted, by bisection: all it asks is `predict`.

    Between directions that are 2π/4096 apart the radius is at most 3e-7 of itself too large.
    """
    own, low, high = model.predict([x])[0], 0.0, 1.0
    while np.all(model.predict(x + high * CIRCLE) == own):
        high *= 2.0
    for _ in range(45):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if np.all(model.predict(x + middle * CIRCLE) == own) else (low, middle)
    return high


# ------------------------------------------------------------------ two classes


@over_binary
@pytest.mark.mission("CA-01")
def test_distances_do_not_change_when_weights_and_threshold_are_rescaled(model):
    X, y = clouds()
    d = model.fit(X, y).signed_distance(X)
    w, t = np.ravel(model.coef_), -model.intercept_[0]
    unit = w / np.sqrt(np.sum(w**2))
    assert_allclose(d, X @ unit - t / np.sqrt(np.sum(w**2)), atol=1e-12)
    for factor in (1e-8, 0.5, 1e12):
        model.coef_, model.intercept_ = factor * w[None], np.array([-factor * t])
        assert_allclose(model.signed_distance(X), d, rtol=1e-12, atol=1e-13)
        assert_allclose(model.decision_function(X), factor * np.linalg.norm(w) * d, rtol=1e-9, atol=1e-12 * factor)


@pytest.mark.mission("CA-02")
def test_the_length_of_a_projection_is_that_of_the_vector_times_the_cosine():
    X, y = clouds(p=3)
    model = BasicLinearClassifier().fit(X, y)
    w = model.coef_[0]
    cosine = X @ w / (np.linalg.norm(X, axis=1) * np.linalg.norm(w))
    offset = model.intercept_[0] / np.linalg.norm(w)
    assert_allclose(model.signed_distance(X) - offset, np.linalg.norm(X, axis=1) * cosine, rtol=1e-12, atol=1e-12)


@over_binary
def test_the_foot_of_a_point_is_the_nearest_point_of_zero_score(model):
    X, y = clouds(p=3)
    model.fit(X, y)
    feet = model.project(X[:6])
    for x, foot in zip(X[:6], feet):
        done = minimize(
            lambda z, x=x: np.sum((z - x) ** 2),
            x,
            constraints=[{"type": "eq", "fun": lambda z: np.ravel(model.coef_) @ z + model.intercept_[0]}],
            options={"ftol": 1e-14},
        )
        assert_allclose(foot, done.x, atol=1e-5)
    assert_allclose(model.decision_function(feet), 0.0, atol=1e-12)
    assert_allclose(np.linalg.norm(X[:6] - feet, axis=1), np.abs(model.signed_distance(X[:6])), rtol=1e-12)


@over_binary
def test_a_boundary_looked_at_from_the_other_side_is_the_same_boundary(model):
    X, y = clouds()
    model.fit(X, y)
    there, back = model.boundary("a", "c"), model.boundary("c", "a")
    assert_allclose(there.signed_distance(X), model.signed_distance(X), rtol=1e-13)
    assert_array_equal(back.signed_distance(X), -there.signed_distance(X))
    assert list(model.boundaries_) == [("a", "c")]
    assert_array_equal(model.boundary().normal, there.normal)
    assert_array_equal(model.predict(X) == "c", there.side(X) == 1)


@over_binary
def test_margins_are_negative_exactly_where_the_prediction_is_wrong(model):
    X, y = clouds(seed=3)
    y[[0, -1]] = y[[-1, 0]]  # one row of each class lies among the other
    model.fit(X, y)
    margins = model.margins(X, y)
    assert margins[0] < 0.0 and margins[-1] < 0.0
    assert_array_equal(margins < 0.0, model.predict(X) != y)
    assert_allclose(np.abs(margins), np.abs(model.signed_distance(X)))
    assert model.margin_ == pytest.approx(1.0 / np.sqrt(np.sum(model.coef_**2)), rel=1e-14)
    assert model.margin_width_ == 2.0 * model.margin_
    assert model.distance_from_origin_ == pytest.approx(abs(model.intercept_[0]) * model.margin_, rel=1e-13)
    at_one = model.boundary().points(5, random_state=0) + model.margin_ * model.boundary().unit_normal
    assert_allclose(model.decision_function(at_one), 1.0, rtol=1e-10)


@over_binary
def test_nearest_rows_are_those_of_least_distance_on_each_side(model):
    X, y = clouds()
    model.fit(X, y)
    found = model.nearest(X, 3)
    assert sorted(found) == ["a", "c"]
    for label, rows in found.items():
        own = np.flatnonzero(model.predict(X) == label)
        distance = np.abs(model.decision_function(X[own]))
        assert sorted(rows) == sorted(own[np.argsort(distance)[:3]])
        assert_array_equal(np.argsort(np.abs(model.signed_distance(X[rows])), kind="stable"), [0, 1, 2])


# ------------------------------------------------------------------ three classes


@pytest.fixture(params=[LeastSquaresClassifier(), BasicLinearClassifier(), RidgeClassifier()], ids=lambda m: str(m)[:5])
def three(request):
    X, y = clouds(k=3)
    return request.param.fit(X, y), X, y


def test_distance_and_foot_in_a_region_are_where_the_prediction_first_changes(three):
    model, X, _ = three
    rows = np.random.default_rng(0).choice(len(X), 12, replace=False)
    own = model.decision_function(X[rows]).argmax(axis=1)
    distances, feet = model.signed_distance(X[rows]), model.project(X[rows])
    for i, x in enumerate(X[rows]):
        assert distances[i, own[i]] == pytest.approx(reach(model, x), rel=1e-6)
        assert np.linalg.norm(feet[i] - x) == pytest.approx(distances[i, own[i]], rel=1e-10)
        inside, outside = model.predict([x + 0.999999 * (feet[i] - x), x + 1.000001 * (feet[i] - x)])
        assert inside == model.predict([x])[0] != outside
    assert_array_equal(distances.argmax(axis=1), own)
    assert_array_equal((distances >= 0.0).sum(axis=1), 1)


def test_distances_are_the_least_of_the_formula(three):
    model, X, _ = three
    f, W = model.decision_function(X), model.coef_
    for c in range(3):
        others = [(f[:, c] - f[:, d]) / np.linalg.norm(W[c] - W[d]) for d in range(3) if d != c]
        assert_allclose(model.signed_distance(X)[:, c], np.min(others, axis=0), rtol=1e-12, atol=1e-13)


def test_a_foot_is_on_the_boundary_of_the_predicted_class_and_no_third_class_wins_there(three):
    model, X, _ = three
    scores = np.sort(model.decision_function(model.project(X)), axis=1)
    assert_allclose(scores[:, 2], scores[:, 1], atol=1e-10)
    own = model.decision_function(X).argmax(axis=1)
    at_feet = model.decision_function(model.project(X))
    assert_allclose(at_feet[np.arange(len(X)), own], scores[:, 2], atol=1e-10)


@pytest.mark.mission("MC-09")
def test_points_of_a_pairwise_boundary_tie_between_its_two_classes(three):
    model, *_ = three
    for (first, second), plane in model.boundaries_.items():
        a, b = (model.classes_.tolist().index(label) for label in (first, second))
        assert_allclose(plane.normal, model.coef_[b] - model.coef_[a])
        scores = model.decision_function(plane.points(40, spread=3.0, random_state=0))
        assert_allclose(scores[:, a], scores[:, b], atol=1e-12)
    assert list(model.boundaries_) == [("a", "b"), ("a", "c"), ("b", "c")]
    for pair in permutations(["a", "b", "c"], 2):
        assert_allclose(model.boundary(*pair).normal, -model.boundary(*pair[::-1]).normal)


def test_margins_and_nearest_rows_of_three_classes(three):
    model, X, y = three
    margins = model.margins(X, y)
    assert_array_equal(margins < 0.0, model.predict(X) != y)
    for label, (row,) in model.nearest(X).items():
        own = model.predict(X) == label
        assert margins[row] == pytest.approx(margins[own & (y == label)].min()) or y[row] != label
        assert row in np.flatnonzero(own)


def test_one_boundary_is_not_asked_of_three_classes(three):
    model, *_ = three
    for name in ("margin_", "margin_width_", "distance_from_origin_"):
        with pytest.raises(AttributeError, match=r"3 classes.*Use boundary\('a', 'b'\)"):
            getattr(model, name)
        assert not hasattr(model, name)
    with pytest.raises(ValueError, match=r"two of the 3 classes"):
        model.boundary()


# ------------------------------------------------------------------ storage, names, kinds of labels


@pytest.mark.parametrize("k", [2, 3])
def test_sparse_rows_have_the_distances_and_feet_of_dense_ones(k):
    X, y = clouds(k=k, p=4)
    X = np.where(np.abs(X) < 1.0, 0.0, X)
    model = LeastSquaresClassifier().fit(X, y)
    for S in (sp.csr_array(X), sp.csc_array(X)):
        assert_allclose(model.signed_distance(S), model.signed_distance(X), atol=1e-13)
        assert_allclose(model.project(S), model.project(X), atol=1e-12)
        assert_allclose(model.margins(S, y), model.margins(X, y), atol=1e-13)
        assert {label: list(rows) for label, rows in model.nearest(S, 2).items()} == {
            label: list(rows) for label, rows in model.nearest(X, 2).items()
        }


@pytest.mark.parametrize("k", [2, 3])
def test_frames_keep_their_names_and_are_not_warned_about(k):
    X, y = clouds(k=k)
    frame = pd.DataFrame(X, columns=["length", "width"])
    model = LeastSquaresClassifier().fit(frame, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert_allclose(model.project(frame), LeastSquaresClassifier().fit(X, y).project(X), atol=1e-12)
        model.margins(frame, y), model.nearest(frame)
    with pytest.raises(ValueError, match="feature names"):
        model.signed_distance(frame.rename(columns={"width": "height"}))


@pytest.mark.parametrize("labels", [[0, 1, 2], [-5, 3, 40], ["x", "y", "z"], [1.0, 2.0, 3.0]], ids=str)
def test_labels_of_any_kind_name_a_boundary(labels):
    X, y = clouds(k=3)
    codes = np.unique(y, return_inverse=True)[1]
    model = LeastSquaresClassifier().fit(X, np.array(labels)[codes])
    plain = LeastSquaresClassifier().fit(X, codes)
    assert_array_equal(model.boundary(labels[0], labels[2]).normal, plain.boundary(0, 2).normal)
    assert list(model.boundaries_) == [(labels[0], labels[1]), (labels[0], labels[2]), (labels[1], labels[2])]
    bools = LeastSquaresClassifier().fit(X, codes > 0)
    assert_array_equal(bools.boundary(False, True).normal, bools.coef_[0])


def test_coefficients_in_single_precision_give_distances_in_double():
    X, y = clouds(k=3)
    model = LeastSquaresClassifier().fit(X.astype(np.float32), y)
    assert model.coef_.dtype == np.float32
    W, b = model.coef_.astype(float), model.intercept_.astype(float)
    plane = model.boundary("a", "b")
    assert_array_equal(plane.normal, W[1] - W[0])
    assert plane.offset == b[1] - b[0]
    assert_allclose(model.signed_distance(X), region_distances(X @ W.T + b, W), atol=1e-12)


# ------------------------------------------------------------------ where there is no boundary


def test_equal_means_leave_no_boundary_and_say_so():
    model = BasicLinearClassifier().fit([[0.0], [1.0], [0.0], [1.0]], ["a", "a", "b", "b"])
    assert_array_equal(model.coef_, [[0.0]])
    ask = [
        model.boundary,
        lambda: model.signed_distance([[0.5]]),
        lambda: model.project([[0.5]]),
        lambda: model.margins([[0.5]], ["a"]),
        lambda: model.nearest([[0.5]]),
        lambda: model.margin_,
        lambda: model.distance_from_origin_,
        lambda: model.boundaries_,
    ]
    for question in ask:
        with pytest.raises(ValueError, match=r"Cannot take the boundary between 'a' and 'b': .*no coefficient.*Use"):
            question()
    assert model.predict([[0.5]])[0] == "b"


def test_two_of_three_classes_without_a_boundary_between_them_leave_the_others_theirs():
    model = BasicLinearClassifier().fit([[0.0], [2.0], [0.0], [2.0], [9.0]], ["a", "a", "b", "b", "c"])
    distances = model.signed_distance([[0.0], [8.0]])
    assert_allclose(distances[:, 0], [5.0, -3.0])
    assert_array_equal(distances[:, 1], [-np.inf, -np.inf])
    assert_allclose(distances[:, 2], [-5.0, 3.0])
    assert_allclose(model.project([[0.0], [8.0]]), [[5.0], [5.0]])
    assert_array_equal(model.predict([[0.0], [8.0]]), ["a", "c"])
    with pytest.raises(ValueError, match="no coefficient tells them apart"):
        model.boundary("a", "b")


def test_one_class_everywhere_has_no_boundary_to_project_onto():
    model = BasicLinearClassifier().fit([[0.0], [2.0]] * 3, ["a", "a", "b", "b", "c", "c"])
    assert_array_equal(model.signed_distance([[1.0]]), [[np.inf, -np.inf, -np.inf]])
    with pytest.raises(ValueError, match=r"Cannot project onto the boundary: the class a is predicted everywhere"):
        model.project([[1.0]])


# ------------------------------------------------------------------ wrong questions


@pytest.mark.parametrize("first, second", [("a", "a"), ("a", None), (None, "c")])
def test_a_boundary_needs_two_different_classes(first, second):
    model = LeastSquaresClassifier().fit(*clouds())
    with pytest.raises(ValueError, match=r"Cannot take the boundary.*Use boundary\('a', 'c'\)"):
        model.boundary(first, second)


@pytest.mark.parametrize("labels, stranger", [(["a", "c"], "z"), (["a", "c"], 3), ([0, 1], 7), ([0, 1], "a")], ids=str)
def test_a_label_never_seen_is_refused_by_name(labels, stranger):
    X, y = clouds()
    model = LeastSquaresClassifier().fit(X, np.array(labels)[(y == "c").astype(int)])
    with pytest.raises(ValueError, match=r"Cannot use the label .*was fitted to the classes.*Use"):
        model.boundary(labels[0], stranger)
    with pytest.raises(ValueError, match=r"Cannot use the label"):
        model.margins(X[:2], [labels[0], stranger])


def test_lengths_and_shapes_that_do_not_match_are_refused():
    X, y = clouds()
    model = LeastSquaresClassifier().fit(X, y)
    with pytest.raises(ValueError, match=r"margins of 60 rows with 59 labels.*Use"):
        model.margins(X, y[:-1])
    with pytest.raises(ValueError, match="features"):
        model.signed_distance(X[:, :1])
    with pytest.raises(ValueError, match="NaN"):
        model.project(np.full((1, 2), np.nan))


def test_a_model_that_is_not_fitted_has_no_geometry():
    model = LeastSquaresClassifier()
    for ask in (model.boundary, lambda: model.project([[1.0]]), lambda: model.margin_, lambda: model.boundaries_):
        with pytest.raises(NotFittedError):
            ask()
