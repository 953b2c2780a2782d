"""The public check for separation: what it says, what it proves, and what it refuses."""

import json
import pickle
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning

from separatrix.core.errors import Separated
from separatrix.core.problem import Problem
from separatrix.core.target import Target
from separatrix.core.time_limit import OutOfTime, limited_by
from separatrix.designs import as_design
from separatrix.inference import separation
from separatrix.linear_model import FirthLogisticRegression
from separatrix.losses import Logistic
from separatrix.penalties import NoPenalty
from separatrix.solvers.separation import signed_rows
from separatrix.solvers.separation.exact_signs import signs
from separatrix.solvers.separation.existence import separation_of

GOLDEN = Path(__file__).resolve().parents[3] / "shared" / "golden" / "golden.json"


def problem_of(X, y, intercept=True, s=None):
    return Problem(as_design(X), Target(np.asarray(y, dtype=np.float64), s), Logistic(), NoPenalty(), intercept)


def dummies(rng, n=400, p=4):
    """A continuous design with one dummy whose rows are all of one class."""
    X = rng.standard_normal((n, p))
    X[:, 1] = rng.random(n) < 0.2
    y = rng.integers(0, 2, n)
    y[X[:, 1] == 1.0] = 1
    return X, y


@pytest.mark.mission("LG-15")
def test_the_golden_line_is_separated_and_finite_under_firth():
    inputs = {"x": [-2, -1, 1, 2], "t": [0, 0, 1, 1]}
    if GOLDEN.exists():
        (entry,) = [e for e in json.loads(GOLDEN.read_text())["entries"] if e["id"] == "G058"]
        assert entry["inputs"] == inputs
    X, t = np.array(inputs["x"], dtype=float)[:, None], np.array(inputs["t"])
    proof = separation(X, t)
    assert proof.verdict == "complete" and proof.exists is False and proof.verify(X, t)
    assert proof.margin == pytest.approx(1.0)
    assert np.abs(FirthLogisticRegression().fit(X, t).coef_).max() < 2.0


@pytest.mark.mission("LG-21")
def test_a_separating_direction_makes_no_training_errors():
    rng = np.random.default_rng(0)
    for n, p, gap in ((30, 3, 1.0), (4000, 5, 0.1), (9000, 8, 1e-3)):
        w = rng.standard_normal(p)
        X = rng.standard_normal((n, p))
        score = X @ w + 0.3
        y = (score > 0.0).astype(int)
        X += np.outer(np.sign(score), gap * w / (w @ w))
        proof = separation(X, y)
        assert proof.verdict == "complete" and proof.verify(X, y)
        distance = (X @ proof.direction[1:] + proof.direction[0]) / np.linalg.norm(proof.direction[1:])
        assert ((distance > 0.0) == (y == 1)).all()
        assert proof.margin == pytest.approx(np.abs(distance).min(), rel=1e-9)


def test_a_dummy_that_separates_is_the_only_infinite_coefficient():
    X, y = dummies(np.random.default_rng(1))
    proof = separation(pd.DataFrame(X, columns=["age", "smokes", "dose", "year"]), y)
    assert (proof.verdict, proof.infinite) == ("quasi-complete", ("smokes",))
    assert proof.rows_on_boundary.tolist() == np.flatnonzero(X[:, 1] == 0.0).tolist()
    assert proof.verify(X, y)


def test_the_verdict_does_not_depend_on_units_shifts_storage_or_order():
    rng = np.random.default_rng(2)
    X, y = dummies(rng)
    shuffled = rng.permutation(len(y))
    changed = [
        (X * [1e-150, 1.0, 1e120, 7.0], y),
        (X * [1.0, 3.0, 1e7, 1.0] + [1e6, -0.7, 0.0, 1e4], y),
        (sp.csr_array(X), y),
        (sp.csc_array(X), y),
        (X[shuffled], y[shuffled]),
        (X.astype(np.float32), y),
        (X, np.array(["b", "a"])[y]),
    ]
    for X_now, y_now in changed:
        proof = separation(X_now, y_now)
        assert (proof.verdict, proof.infinite[-1]) == ("quasi-complete", "x1")
        assert proof.verify(X_now, y_now)


def test_standardised_dummies_still_have_an_exact_proof():
    X, y = dummies(np.random.default_rng(3))
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    proof = separation(X, y)
    assert proof.verdict == "quasi-complete" and proof.verify(X, y)
    assert proof.infinite == ("intercept", "x1")


def test_points_in_general_position_on_the_boundary_are_found_exactly():
    """Two pairs of equal points with different classes span the boundary; no float direction is zero on them."""
    rng = np.random.default_rng(4)
    pairs = rng.standard_normal((3, 3))
    normal = np.linalg.solve(pairs, np.ones(3))
    rest = rng.standard_normal((20, 3))
    y = (rest @ normal > 1.0).astype(int)
    X, y = np.vstack([pairs, pairs, rest]), np.r_[0, 0, 0, 1, 1, 1, y]
    proof = separation(X, y)
    assert proof.verdict == "quasi-complete" and proof.exact is not None
    assert proof.rows_on_boundary.tolist() == [0, 1, 2, 3, 4, 5]
    assert proof.infinite == ("intercept", "x0", "x1", "x2")
    assert proof.verify(X, y)


@pytest.mark.parametrize("gap", [1e-4, 1e-8, 1e-11])
def test_a_hair_decides(gap):
    """Classes apart by a hair are separated, classes that overlap by a hair are not."""
    x = np.r_[np.linspace(-1.0, 0.0, 10), np.linspace(gap, 1.0, 10)]
    y = np.repeat([0, 1], 10)
    apart = separation(x[:, None], y)
    assert apart.verdict == "complete" and apart.verify(x[:, None], y)
    x = np.r_[np.linspace(-1.0, gap, 10), np.linspace(0.0, 1.0, 10)]
    over = separation(x[:, None], y)
    assert over.verdict == "overlap" and over.verify(x[:, None], y)
    x = np.r_[np.linspace(-1.0, 0.0, 10), np.linspace(0.0, 1.0, 10)]
    tied = separation(x[:, None], y)
    assert tied.verdict == "quasi-complete" and tied.rows_on_boundary.tolist() == [9, 10]
    assert tied.verify(x[:, None], y)


def test_a_tie_that_is_broken_by_rounding_alone_is_left_undecided():
    """In decimals the last point lies between the first two; in binary it is beside the line by a part in 1e17."""
    X, y = np.array([[0.2, 0.1 * 3], [-0.1, -0.1 * 3], [0.0, 0.0], [0.0, -0.1]]), np.array([1, 1, 1, 0])
    proof = separation(X, y)
    assert proof.verdict == "undecided" and proof.exists is None and not proof.verify(X, y)
    assert proof.infinite == () and "rounding" in str(proof)
    tied = separation(np.rint(10.0 * X), y)
    assert tied.verdict == "quasi-complete" and tied.verify(np.rint(10.0 * X), y)


def test_dependent_columns_are_left_out_and_are_no_separation():
    rng = np.random.default_rng(5)
    X, y = rng.standard_normal((60, 2)), rng.integers(0, 2, 60)
    X = np.column_stack([np.full(60, 3.0), X[:, 0], X[:, 0], X, X @ [2.0, -1.0]])
    proof = separation(X, y)
    assert proof.verdict == "overlap" and proof.verify(X, y)
    assert proof.aliased == ("x0", "x2", "x3", "x5")


def test_rows_of_no_weight_do_not_count():
    X, y = np.array([[0.0], [1.0], [2.0], [3.0], [-5.0]]), np.array([0, 0, 1, 1, 1])
    assert separation(X, y).verdict == "overlap"
    weights = np.array([1.0, 0.1, 2.0, 1.0, 0.0])
    proof = separation(X, y, weights)
    assert proof.verdict == "complete" and proof.verify(X, y, weights) and not proof.verify(X, y)


def test_one_row_of_each_class_is_separated_unless_equal():
    assert separation([[1.0], [2.0]], ["a", "b"]).verdict == "complete"
    assert separation([[1.0], [1.0]], ["a", "b"]).verdict == "overlap"
    assert separation([[0.0], [1.0]], ["a", "b"], fit_intercept=False).verdict == "quasi-complete"


def test_a_proof_does_not_hold_for_other_data():
    X, y = dummies(np.random.default_rng(6))
    for labels in (y, np.where(X[:, 0] > 0.0, 1, 0), np.random.default_rng(7).integers(0, 2, len(y))):
        proof = separation(X, labels)
        assert proof.verify(X, labels)
        if proof.verdict == "overlap":
            assert not proof.verify(X[::-1], labels)  # its multipliers no longer balance
        else:
            flipped = labels.copy()
            flipped[np.setdiff1d(np.arange(len(y)), proof.rows_on_boundary)[0]] ^= 1
            assert not proof.verify(X, flipped)


def test_many_rows_are_decided_on_few_and_agree_with_all(monkeypatch):
    rng = np.random.default_rng(8)
    cases = []
    for shift in (0.0, 0.5, 9.0):
        X, y = dummies(rng, n=8000, p=5)
        X[:, 0] += shift * y
        cases += [(X, y), (X[:, [0, 2, 3, 4]], y)]
    few = [separation(X, y) for X, y in cases]
    monkeypatch.setattr(signed_rows, "FEW", 10**9)
    for (X, y), proof in zip(cases, few):
        whole = separation(X, y)
        assert (proof.verdict, proof.infinite) == (whole.verdict, whole.infinite)
        assert proof.rows_on_boundary.tolist() == whole.rows_on_boundary.tolist()
        assert proof.verify(X, y)
    assert {p.verdict for p in few} == {"overlap", "quasi-complete", "complete"}


def test_a_level_met_once_in_many_rows_is_found():
    rng = np.random.default_rng(9)
    X, y = rng.standard_normal((20000, 3)), rng.integers(0, 2, 20000)
    X[:, 2] = 0.0
    X[[17, 4711], 2] = 1.0
    y[[17, 4711]] = 1
    proof = separation(X, y)
    assert (proof.verdict, proof.infinite) == ("quasi-complete", ("x2",)) and proof.verify(X, y)
    y[17] = 0
    proof = separation(X, y)
    assert proof.verdict == "overlap" and proof.aliased == () and proof.verify(X, y)


def test_an_iterate_of_a_solver_is_taken_as_a_hint():
    rng = np.random.default_rng(10)
    X = rng.standard_normal((9000, 4))
    w = np.array([1.0, -2.0, 0.5, 0.0])
    separable = (X @ w > 0.2).astype(float)
    proof = separation_of(problem_of(X, separable), w, -0.2)
    assert proof.verdict == "complete"
    np.testing.assert_allclose(proof.direction / proof.direction[1], np.r_[-0.2, w], rtol=1e-15)
    noisy = (rng.random(9000) < 1.0 / (1.0 + np.exp(-(X @ w)))).astype(float)
    proof = separation_of(problem_of(X, noisy), w, 0.0)
    assert proof.verdict == "overlap" and proof.verify(X, noisy)
    assert separation_of(problem_of(X, noisy), np.full(4, np.nan), 0.0).verdict == "overlap"


def test_soft_labels_hold_a_row_from_both_sides():
    X = np.array([[-2.0], [-1.0], [1.0], [2.0]])
    assert separation_of(problem_of(X, [0.0, 0.0, 1.0, 1.0])).verdict == "complete"
    one = separation_of(problem_of(X, [0.0, 0.3, 1.0, 1.0]))
    assert one.verdict == "quasi-complete" and one.rows_on_boundary.tolist() == [1]
    assert one.multipliers.shape == (4, 2) and one.verify(X, [0.0, 0.3, 1.0, 1.0])
    two = separation_of(problem_of(X, [0.0, 0.3, 0.9, 1.0]))
    assert two.verdict == "overlap" and two.verify(X, [0.0, 0.3, 0.9, 1.0])


def test_three_classes_with_one_apart_leave_the_others_finite():
    rng = np.random.default_rng(11)
    X, y = rng.standard_normal((90, 2)), np.repeat([0, 1, 2], 30)
    X[y == 2, 0] += 20.0
    proof = separation(X, np.array(["ash", "elm", "oak"])[y])
    assert proof.verdict == "quasi-complete" and proof.direction.shape == (3, 3)
    assert {label for _, label in proof.infinite} == {"oak"}
    assert proof.verify(X, np.array(["ash", "elm", "oak"])[y])
    scores = np.column_stack([np.ones(90), X]) @ proof.direction
    own = scores[np.arange(90), y][:, None]
    assert (own - scores >= -1e-12).all() and (own[y == 2] > scores[y == 2][:, :2]).all()
    assert separation(X, y[rng.permutation(90)]).verdict == "overlap"
    X[:, 1] += 20.0 * (y == 1)
    assert separation(X, y).verdict == "complete"


def test_more_columns_than_rows_are_separated_dense_or_sparse():
    rng = np.random.default_rng(12)
    X, y = rng.standard_normal((30, 80)), rng.integers(0, 2, 30)
    assert separation(X, y).verdict == "complete"
    wide = sp.random_array((1600, 4000), density=0.01, rng=rng, format="csr")
    labels = rng.integers(0, 2, 1600)
    proof = separation(wide, labels)
    assert proof.verdict == "complete" and proof.verify(wide, labels)


def test_signs_are_exact_where_floats_are_not():
    A = np.array([[0.1, 0.2, -0.3], [1e16, 1.0, -1e16], [1e-200, 1e-200, 0.0], [3.0, -1.0, -2.0]])
    assert signs(A, [1, 1, 1]).tolist() == [1, 1, 1, 0]
    assert signs(A, np.array([1.0, -1.0, 0.0])).tolist() == [-1, 1, 0, 1]
    huge = [10**400, -(10**400) + 1, 0]
    assert signs(np.array([[1.0, 1.0, 0.0], [-1.0, -1.0, 5.0]]), huge).tolist() == [1, -1]


def test_classes_that_move_alike_need_no_exact_arithmetic(monkeypatch):
    rng = np.random.default_rng(0)
    labels = np.eye(12)[rng.integers(0, 12, 60)]
    rows = signed_rows.SignedRows(as_design(rng.normal(size=(60, 3))), labels, np.ones(60), True)
    w = np.zeros(rows.width)
    w[8:12] = rng.normal(size=4)  # one class of twelve
    looked_at = []
    monkeypatch.setattr(signed_rows, "signs", lambda A, w: looked_at.append(A.shape[0]) or signs(A, w))
    expected = signs(rows.matrix(np.arange(len(rows))), w)
    assert np.array_equal(rows.signs(w), expected) and (expected == 0).sum() > 500
    assert np.array_equal(rows.signs([int(v * 2**40) for v in w]) == 0, expected == 0)
    assert sum(looked_at) < 20


def test_a_proof_asks_for_the_time():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 40)
    with pytest.raises(OutOfTime), limited_by(lambda: True):
        signed_rows.prove(signed_rows.SignedRows(as_design(rng.normal(size=(40, 3))), np.eye(2)[y], np.ones(40), True))


def test_the_warning_says_what_where_and_what_instead():
    X, y = dummies(np.random.default_rng(13))
    proof = separation(pd.DataFrame(X, columns=["age", "smokes", "dose", "year"]), y)
    warning = Separated(proof)
    assert isinstance(warning, ConvergenceWarning) and warning.proof is proof
    for word in ("quasi-complete", "smokes", "penalty", "Firth"):
        assert word in str(warning)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warnings.warn(warning, stacklevel=1)
    assert caught[0].message.direction is proof.direction


def test_a_proof_reads_well_and_pickles():
    X, y = dummies(np.random.default_rng(14))
    proof = separation(X, y)
    text = str(proof)
    assert text.startswith("Separation: quasi-complete") and "direction: 1 x1" in text
    assert "margin" in str(separation([[0.0], [1.0]], [0, 1]))
    assert "exists" in str(separation([[0.0], [1.0], [1.0], [0.0]], [0, 1, 0, 1]))
    assert pickle.loads(pickle.dumps(proof)).verify(X, y)


@pytest.mark.parametrize(
    "X, y, options, message",
    [
        ([[1.0], [2.0]], [1, 1], {}, "one class"),
        ([[1.0], [np.nan]], [0, 1], {}, "NaN"),
        ([[1.0], [2.0]], [0, 1], {"sample_weight": [0.0, 0.0]}, "all weights are zero"),
        ([[1.0], [2.0]], [0, 1], {"sample_weight": [1.0, 0.0]}, "one class"),
        ([[1.0], [2.0]], [0, 1], {"sample_weight": [1.0, -1.0]}, "weights"),
        ([[1.0], [2.0]], [0.5, 0.1], {}, "continuous|label"),
        ([[1.0], [2.0]], [0, 1], {"fit_intercept": "no"}, "fit_intercept"),
        ([1.0, 2.0], [0, 1], {}, "2D"),
        ([[1.0], [2.0]], [0, 1, 1], {}, "inconsistent"),
    ],
)
def test_bad_input_is_refused_with_its_name(X, y, options, message):
    with pytest.raises(ValueError, match=message):
        separation(X, y, **options)
