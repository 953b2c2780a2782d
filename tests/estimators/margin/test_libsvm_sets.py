"""SVC on LIBSVM's own sets against LIBSVM (by scikit-learn): objectives of both by one function, and predictions.

A dual feasible b has ``½ |w - w*|² <= D(b) - D*`` for the dual objective D that is minimised, as D is quadratic with
the curvature of the norm. So scores of two machines differ by no more than the roots of twice their excesses, and by
their intercepts; where a score is larger than that, both must predict the same.
"""

from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
import sklearn.svm
from numpy.testing import assert_array_equal
from sklearn.datasets import load_svmlight_file
from sklearn.metrics.pairwise import pairwise_kernels

from separatrix.svm import SVC

SETS = Path(__file__).resolve().parents[4] / "shared" / "data" / "libsvm"
pytestmark = pytest.mark.skipif(not SETS.exists(), reason="LIBSVM's data sets are not here")
BLOCK = 2000  # rows of a kernel at a time

GAUSSIAN, LINEAR = {}, {"kernel": "linear"}
CUBIC, HARDER = {"kernel": "poly", "coef0": 1.0}, {"C": 10.0, "gamma": 0.1}
SMALL = [(name, options) for name in ("heart_scale", "german.numer_scale") for options in (GAUSSIAN, LINEAR, CUBIC)]
SMALL += [("splice", GAUSSIAN), ("splice", HARDER)]
LARGE = [("splice", LINEAR)] + [
    (name, options)
    for name in ("mushrooms", "phishing", "letter.scale", "a9a")
    for options in (GAUSSIAN, LINEAR, HARDER)
]


def rows_of(name):
    X, y = load_svmlight_file(str(SETS / name))
    return X.toarray(), y


def dual_objective(X, model, b, rows):
    """``½ b'Kb - Σ |b|`` of coefficients b of some support vectors, by scikit-learn's kernels."""
    b, V = b[b != 0.0], X[rows[b != 0.0]]
    options = {} if model.kernel == "linear" else {"gamma": model.gamma_ if hasattr(model, "gamma_") else model._gamma}
    if model.kernel == "poly":
        options |= {"degree": model.degree, "coef0": model.coef0}
    Kb = [pairwise_kernels(V[i : i + BLOCK], V, metric=model.kernel, **options) @ b for i in range(0, len(b), BLOCK)]
    return 0.5 * float(b @ np.concatenate(Kb)) - float(np.abs(b).sum())


def machines(model):
    """Coefficients and rows of the machine of each pair of classes."""
    dual, k = np.asarray(model.dual_coef_), len(model.classes_)
    ends = np.concatenate([[0], np.cumsum(model.n_support_)])
    if k == 2:
        yield dual[0], model.support_
        return
    for i, j in combinations(range(k), 2):
        first, second = slice(ends[i], ends[i + 1]), slice(ends[j], ends[j + 1])
        b = np.concatenate([dual[j - 1, first], dual[i, second]])
        yield b, np.concatenate([model.support_[first], model.support_[second]])


def squared_lengths(X, model):
    """``k(x, x)`` of every row."""
    squares = np.einsum("ij,ij->i", X, X)
    if model.kernel == "poly":
        return (model.gamma_ * squares + model.coef0) ** model.degree
    return squares if model.kernel == "linear" else np.ones(len(X))


def held_to_libsvm(name, options):
    X, y = rows_of(name)
    ours = SVC(decision_function_shape="ovo", **options).fit(X, y)
    theirs = sklearn.svm.SVC(decision_function_shape="ovo", **options).fit(X, y)
    mine, other = ([dual_objective(X, m, *part) for part in machines(m)] for m in (ours, theirs))
    mine, other = np.array(mine), np.array(other)
    # coefficients whose sum is not quite 0 gain that much times the intercept
    off = np.abs([b.sum() for b, _ in machines(theirs)]) * np.abs(theirs.intercept_)
    assert (mine <= other + off + 1e-12 * np.abs(other)).all()
    assert ours.certificate_.converged

    lowest = np.minimum(-np.atleast_1d(ours.primal_objective_), mine)  # no objective is below minus a primal one
    distance = np.sqrt(2.0 * (mine - lowest)) + np.sqrt(2.0 * np.maximum(other + off - lowest, 0.0))
    apart = np.sqrt(squared_lengths(X, ours).max()) * distance + np.abs(ours.intercept_ - theirs.intercept_)
    scores, said = (model.decision_function(X).reshape(len(X), -1) for model in (ours, theirs))
    sure = np.abs(said) > apart
    assert_array_equal(scores[sure] > 0.0, said[sure] > 0.0)
    everywhere = sure.all(axis=1)
    assert_array_equal(ours.predict(X)[everywhere], theirs.predict(X)[everywhere])
    if ours.certificate_.value < 1e-10:  # with more than 2,500 free coefficients the gap is within tol, no more
        assert sure.mean() > 0.5


@pytest.mark.parametrize("name, options", SMALL, ids=str)
def test_no_objective_is_above_that_of_libsvm_and_sure_predictions_agree(name, options):
    held_to_libsvm(name, options)


@pytest.mark.slow
@pytest.mark.parametrize("name, options", LARGE, ids=str)
def test_no_objective_is_above_that_of_libsvm_on_large_sets(name, options):
    held_to_libsvm(name, options)
