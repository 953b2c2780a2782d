"""What is not a probability is refused at the door, with its place."""

import subprocess
import sys

import numpy as np
import pytest

from separatrix.decision import chow, coverage_curve, decide, estimate_priors, reject_below, shift_priors
from separatrix.inference import class_log_likelihood

USERS = {
    "decide": decide,
    "reject_below": lambda P: reject_below(P, 0.5),
    "chow": lambda P: chow(P, 0.5),
    "coverage_curve": lambda P: coverage_curve([0, 1], P),
    "shift_priors": lambda P: shift_priors(P, [0.5, 0.5], [0.5, 0.5]),
    "estimate_priors": lambda P: estimate_priors(P, [0.5, 0.5]),
    "class_log_likelihood": lambda P: class_log_likelihood([0, 1], P),
}


@pytest.mark.parametrize("use", USERS.values(), ids=USERS.keys())
@pytest.mark.parametrize(
    "posteriors, said",
    [
        ([[0.5, 0.5], [1.2, -0.2]], r"value 1.2 in row 1, column 0: a probability lies in \[0, 1\]"),
        ([[0.5, 0.5], [0.5, np.nan]], "value nan in row 1, column 1"),
        ([[0.5, 0.5], [0.5, np.inf]], "value inf in row 1, column 1"),
        ([[0.5, 0.5], [0.5, 0.4]], "row 1 sums to 0.9"),
        ([0.5, 0.5], r"shape \(2,\): .* np.column_stack"),
        (np.empty((2, 0)), r"shape \(2, 0\)"),
    ],
)
def test_wrong_posteriors_are_refused_by_everyone(use, posteriors, said):
    with pytest.raises(ValueError, match=said):
        use(posteriors)


@pytest.mark.parametrize("use", USERS.values(), ids=USERS.keys())
def test_words_are_no_posteriors(use):
    with pytest.raises(TypeError, match="not all numbers"):
        use([["a", "b"]])


def test_what_float32_rounds_is_let_in():
    P = np.random.default_rng(0).dirichlet(np.ones(200), 50).astype(np.float32)
    assert decide(P).shape == (50,)


@pytest.mark.parametrize("classes", [["a"], ["a", "a"], [["a", "b"]]])
def test_labels_that_do_not_fit_the_columns_are_refused(classes):
    with pytest.raises(ValueError, match="2 columns need 2 different labels"):
        reject_below([[0.5, 0.5]], 0.5, classes=classes)


def test_classes_need_not_be_sorted():
    assert class_log_likelihood(["b", "a"], [[0.5, 0.5], [0.75, 0.25]], classes=["b", "a"], base=2) == -3.0


@pytest.mark.parametrize(
    "y, said",
    [(["a", "z"], "label 'z'"), (["a"], "y of 1 entries"), ([["a"], ["b"]], r"y of shape \(2, 1\)")],
)
def test_labels_that_do_not_fit_the_rows_are_refused(y, said):
    with pytest.raises(ValueError, match=said):
        class_log_likelihood(y, [[0.5, 0.5], [0.5, 0.5]], classes=["a", "b"])


def test_no_rows_are_no_decisions():
    nothing = np.empty((0, 3))
    assert decide(nothing).shape == decide(nothing, np.ones((3, 2))).shape == (0,)
    assert shift_priors(nothing, np.full(3, 1 / 3), np.full(3, 1 / 3)).shape == (0, 3)
    assert reject_below(nothing, 0.5).coverage is None
    assert class_log_likelihood(np.empty(0, dtype=int), nothing) == 0.0


def test_the_room_opens_without_importing_anything():
    code = (
        "import separatrix.decision, sys; print(sorted({'numpy', 'scipy', 'sklearn', 'narwhals'} & set(sys.modules)))"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout.strip() == "[]"
