"""The compiled sweep against the same text run by Python, and windows against their definitions."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from separatrix.losses import Logistic, Softmax, Squared
from separatrix.solvers.compiled.local_likelihood import EMPTY, STATE, sweep
from separatrix.solvers.neighbours.local_likelihood import n_columns
from separatrix.solvers.neighbours.windows import KERNELS, Window


@pytest.mark.parametrize("loss, k1", [(Squared(), 1), (Logistic(), 1), (Softmax(), 2)], ids=["squared", "two", "three"])
@pytest.mark.parametrize("degree", [1, 2])
def test_the_compiled_sweep_does_what_its_text_says(loss, k1, degree):
    rng = np.random.default_rng(0)
    X, queries = rng.uniform(-1, 1, (2, 140)), rng.uniform(-0.5, 0.5, (2, 2))
    y = rng.integers(0, k1 + 1, 140).astype(float)
    kernel, _, _ = Window("tricube", 1.7, None).weigh(X, np.ones(0), queries)
    kernel[1] = 0.0

    def run(function):
        out = np.full((2, k1), np.nan), np.full((2, k1, 2), np.nan), np.zeros((2, 4)), np.full((2, k1, k1), np.nan)
        function(
            loss, X, y, np.ones(140), kernel, queries, n_columns(2, degree), 1.0, np.zeros(2), np.eye(k1), 0.0, *out
        )
        return out

    fast, plain = run(sweep), run(sweep.py_func)
    for a, b in zip(fast[:2] + fast[3:], plain[:2] + plain[3:]):
        assert_allclose(a, b, rtol=1e-8, atol=1e-10)
    assert fast[2][1, STATE] == EMPTY and np.isnan(fast[0][1]).all() and np.isfinite(fast[0][0]).all()


@pytest.mark.parametrize("p, degree, count", [(1, 0, 1), (1, 2, 3), (3, 1, 4), (3, 2, 10)])
def test_columns_are_counted(p, degree, count):
    assert n_columns(p, degree) == count


@pytest.mark.parametrize("kernel", KERNELS)
def test_kernels_fall_from_one_to_their_edge(kernel):
    X = np.array([[0.0, 0.5, 1.0, 1.0 + 1e-9, 3.0]])
    values, widths, _ = Window(kernel, 1.0, None).weigh(X, np.ones(0), np.zeros((1, 1)))
    at = {
        "gaussian": [1.0, np.exp(-0.125), np.exp(-0.5), np.exp(-0.5), np.exp(-4.5)],
        "epanechnikov": [1.0, 0.75, 0.0, 0.0, 0.0],
        "tricube": [1.0, 0.875**3, 0.0, 0.0, 0.0],
        "uniform": [1.0, 1.0, 1.0, 0.0, 0.0],
    }
    assert_allclose(values[0], at[kernel], rtol=1e-8, atol=1e-15)
    assert_array_equal(widths, [1.0])


def test_windows_reach_the_same_rows_for_weights_and_repetitions():
    X, s = np.array([[0.1, 0.2, 0.4, 0.8]]), np.array([2.0, 1.0, 3.0, 1.0])
    for reach in (1.0, 2.0, 3.0, 5.0, 7.0):
        _, weighted, _ = Window("tricube", None, reach).weigh(X, s, np.zeros((1, 1)))
        _, repeated, _ = Window("tricube", None, reach).weigh(
            np.repeat(X, s.astype(int), axis=1), s[:0], np.zeros((1, 1))
        )
        assert_array_equal(weighted, repeated)


def test_a_window_of_no_width_holds_the_rows_at_its_query():
    X = np.array([[0.0, 0.0, 1.0]])
    for kernel in KERNELS:
        values, widths, _ = Window(kernel, None, 2.0).weigh(X, np.ones(0), np.zeros((1, 1)))
        assert_array_equal(values, [[1.0, 1.0, 0.0]])
        assert_array_equal(widths, [0.0])


def test_far_away_a_gaussian_is_relative_to_the_nearest_row():
    values, _, factor = Window("gaussian", 1.0, None).weigh(np.array([[0.0, 1.0]]), np.ones(0), np.array([[101.0]]))
    assert_allclose(values, [[np.exp(-100.5), 1.0]], atol=1e-17)
    assert factor[0] == 0.0
