"""The reject option: DEC-07."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from separatrix.decision import chow, coverage_curve, decide, reject_below


@pytest.fixture(scope="module")
def drawn():
    rng = np.random.default_rng(7)
    P = rng.dirichlet([1.0, 2.0, 1.5], 400).round(2)
    P[:, 2] = 1.0 - P[:, :2].sum(axis=1)
    P = np.abs(P)
    y = np.array([rng.choice(3, p=row / row.sum()) for row in P])
    return y, P


@pytest.mark.mission("DEC-07")
def test_a_posterior_of_a_third_each_is_rejected():
    """G062."""
    found = reject_below([[0.33, 0.33, 0.34]], 0.5)
    assert found.decisions.tolist() == [-1]
    assert found.coverage == 0.0
    assert found.error([2]) is None
    assert reject_below([[0.33, 0.33, 0.34]], 0.34).decisions.tolist() == [2]


@pytest.mark.mission("DEC-07")
def test_coverage_and_error_are_those_counted_by_hand(drawn):
    y, P = drawn
    found = reject_below(P, 0.6)
    sure = [i for i in range(len(P)) if max(P[i]) >= 0.6]
    assert found.coverage == len(sure) / len(P)
    assert found.error(y) == pytest.approx(sum(P[i].argmax() != y[i] for i in sure) / len(sure), rel=1e-14)
    s = np.arange(len(y)) % 3
    repeated = reject_below(P.repeat(s, axis=0), 0.6)
    assert found.error(y, sample_weight=s) == pytest.approx(repeated.error(y.repeat(s)), rel=1e-14)


@pytest.mark.mission("DEC-07")
@settings(deadline=None)
@given(st.lists(st.lists(st.integers(1, 8), min_size=3, max_size=3), min_size=1, max_size=6), st.integers(0, 16))
def test_chows_rule_with_the_zero_one_loss_is_a_threshold_on_the_largest_posterior(counts, sixteenths):
    """Sixteenths and their complements are exact, so that the two rules may be compared on the border, too."""
    P = np.array([[c, d, 16 - c - d] for c, d, _ in counts]) / 16.0
    cost = sixteenths / 16.0
    if cost < 1.0:
        assert_array_equal(chow(P, cost).decisions, reject_below(P, 1.0 - cost).decisions)
    else:
        assert chow(P, cost).coverage == 1.0


@pytest.mark.mission("DEC-07")
def test_a_rejection_is_one_more_action_and_nothing_is_cheaper(drawn):
    _, P = drawn
    costs = np.array([[0.0, 3.0, 1.0], [5.0, 0.0, 2.0], [4.0, 1.0, 0.5]])
    found = chow(P, 0.8, costs, label=9)
    prices = np.column_stack([P @ costs, np.full(len(P), 0.8)])
    paid = prices[np.arange(len(P)), np.where(found.decisions == 9, 3, found.decisions)]
    assert_allclose(paid, prices.min(axis=1), atol=1e-12)
    assert 0.0 < found.coverage < 1.0
    with_action = decide(P, np.column_stack([costs, np.full(3, 0.8)]), actions=[0, 1, 2, 9])
    assert_array_equal(with_action, found.decisions)


@pytest.mark.mission("DEC-07")
def test_the_curve_has_a_row_for_every_threshold_that_matters(drawn):
    y, P = drawn
    curve = coverage_curve(y, P)
    assert len(curve) == len(np.unique(P.max(axis=1)))
    for theta, coverage, error in zip(curve.theta, curve.coverage, curve.error):
        found = reject_below(P, theta)
        assert coverage == pytest.approx(found.coverage, rel=1e-13)
        assert error == pytest.approx(found.error(y), rel=1e-13, abs=1e-15)
    assert curve.coverage[-1] == 1.0
    assert (np.diff(curve.coverage) > 0.0).all()
    frame = pd.DataFrame(curve.to_dict())
    assert list(frame) == ["theta", "coverage", "error", "accepted"]


@pytest.mark.mission("DEC-07")
def test_the_curve_names_the_threshold_of_an_error_that_can_be_borne(drawn):
    y, P = drawn
    curve = coverage_curve(y, P)
    theta = curve.theta_for(0.25)
    assert reject_below(P, theta).error(y) <= 0.25
    larger = [t for t in curve.theta if t < theta]
    assert all(reject_below(P, t).error(y) > 0.25 for t in larger)
    assert curve.theta_for(-1.0) is None


def test_weights_of_the_curve_are_repetitions(drawn):
    y, P = drawn
    s = np.arange(len(y)) % 3
    weighted, repeated = coverage_curve(y, P, sample_weight=s), coverage_curve(y.repeat(s), P.repeat(s, axis=0))
    for name, column in weighted.to_dict().items():
        assert_allclose(column, repeated.to_dict()[name], rtol=1e-13, err_msg=name)


@pytest.mark.parametrize(
    "classes, label, decisions",
    [
        (["a", "b"], None, ["reject", "b"]),
        (["a", "b"], "?", ["?", "b"]),
        (["a", "b"], -1, [-1, "b"]),
        ([3, 7], None, [-1, 7]),
        ([3, 7], "unsure", ["unsure", 7]),
        ([3.5, 7.5], -1, [-1.0, 7.5]),
        ([False, True], None, ["reject", True]),
    ],
)
def test_a_rejection_is_marked_by_a_label_of_its_own_whatever_the_classes(classes, label, decisions):
    assert reject_below([[0.5, 0.5], [0.1, 0.9]], 0.8, classes=classes, label=label).decisions.tolist() == decisions


def test_a_label_that_is_a_class_is_refused():
    with pytest.raises(ValueError, match="one of the classes"):
        reject_below([[0.5, 0.5]], 0.8, classes=[-1, 1])


@pytest.mark.parametrize("theta", [0.0, -0.1, 1.5, np.nan, "0.5", [0.5], None])
def test_a_threshold_outside_its_range_is_refused(theta):
    with pytest.raises(ValueError, match=r"Use theta in \(0, 1\]"):
        reject_below([[0.5, 0.5]], theta)


@pytest.mark.parametrize("cost", [-0.1, np.nan, np.inf, "1", None])
def test_a_price_outside_its_range_is_refused(cost):
    with pytest.raises(ValueError, match=r"reject_cost in \[0, inf\)"):
        chow([[0.5, 0.5]], cost)


def test_chows_rule_refuses_a_matrix_that_is_not_square():
    with pytest.raises(ValueError, match="square loss matrix"):
        chow([[0.5, 0.5]], 0.1, np.ones((2, 3)))


def test_a_curve_of_nothing_is_refused():
    with pytest.raises(ValueError, match="no rows"):
        coverage_curve(np.empty(0, dtype=int), np.empty((0, 2)))
