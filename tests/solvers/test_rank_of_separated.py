"""Rank is that of the columns, whatever the weights that a separated fit has driven to zero."""

import warnings

import numpy as np
import pytest

from separatrix.core.errors import RankDeficient
from separatrix.core.problem import Problem
from separatrix.core.target import Target
from separatrix.designs import as_design
from separatrix.linear_model import LogisticRegression
from separatrix.losses import Logistic
from separatrix.penalties import NoPenalty
from separatrix.solvers.information import likelihood_evidence

LEVELS = ((8, 1.4), (16, 1.1), (7, 1.3), (14, 1.1), (6, 1.3), (5, 1.6), (2, 1.0), (42, 2.5))


def census(seed, n):
    """Numbers of unequal units, amounts that are mostly zero, and one-hot columns with rare levels of one class."""
    rng = np.random.default_rng(seed)
    age, years, hours = rng.integers(17, 90, n), rng.integers(1, 17, n), rng.integers(1, 99, n)
    top = np.where(rng.random(n) < 0.1, 99999, rng.integers(100, 30000, n))
    gain = np.where(rng.random(n) < 0.92, 0, top)
    loss = np.where(rng.random(n) < 0.95, 0, rng.integers(100, 4000, n))
    numbers = np.column_stack([age, rng.lognormal(12.0, 0.7, n).round(), years, gain, loss, hours])
    eta = -8.0 + 0.04 * age + 0.3 * years + gain / 3e3 + loss / 1500.0 + 0.03 * hours
    blocks = []
    for levels, power in LEVELS:
        share = np.arange(1.0, levels + 1.0) ** -power
        level = rng.choice(levels, n, p=share / share.sum())
        effect = np.append(rng.normal(0.0, 0.7, levels - 1), -30.0)
        blocks.append(np.eye(levels)[level])
        eta = eta + effect[level]
    y = (rng.random(n) < 1.0 / (1.0 + np.exp(-eta))).astype(int)
    return np.hstack([numbers, *blocks]), y


def rank_of(X):
    Z = X - X.mean(axis=0)
    size = np.linalg.norm(Z, axis=0)
    return int(np.linalg.matrix_rank(Z[:, size > 0.0] / size[size > 0.0]))


def test_rank_of_a_separated_table_is_that_of_its_columns():
    X, y = census(1, 8000)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        model = LogisticRegression(C=np.inf).fit(X, y)
    evidence = model.evidence_
    assert model.separation_.verdict == "quasi-complete"
    assert evidence.rank == rank_of(X)
    (deficient,) = [w.message for w in said if isinstance(w.message, RankDeficient)]
    assert deficient.rank == rank_of(X)
    # the first six columns are numbers, and no combination of others; one-hot columns are
    assert min(evidence.aliased) >= 6
    assert not [w for w in said if w.category is RuntimeWarning]
    # the fit under a faint penalty is better than guessing, and its coefficients do not run away
    assert evidence.log_likelihood > evidence.null_log_likelihood
    assert np.abs(model.coef_).max() < 100.0


@pytest.mark.filterwarnings("error")
def test_information_of_zero_does_not_make_columns_dependent():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 4))
    X[:, 3] = X[:, 0] - X[:, 1]
    problem = Problem(as_design(X), Target((X[:, 0] > 0.0).astype(float)), Logistic(), NoPenalty())
    evidence = likelihood_evidence(problem, np.array([1e6, 0.0, 0.0, 0.0]), 0.0)
    assert evidence.rank == 3
    assert evidence.covariance is None
    assert np.isinf(evidence.condition)
    assert len(evidence.aliased) == 1
