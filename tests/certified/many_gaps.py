"""Random problems of squared error whose gap is known exactly: every float is a fraction, so the optimum is one, too.

``python tests/certified/many_gaps.py 20000`` solves that many (``5000 10000``: those with these seeds), on every
branch of ``choose``, and prints the smallest and the median ratio of the claimed to the true gap, and the problems (if
any) whose claim is below the truth.
"""

import sys
import warnings
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from fractions import Fraction
from unittest import mock

import numpy as np
import scipy.sparse as sp

from separatrix.core.certificate import certify
from separatrix.core.objective import gap_unit
from separatrix.core.problem import Problem
from separatrix.core.separable import as_separable
from separatrix.core.solution import Solution
from separatrix.core.target import Target
from separatrix.designs import as_design
from separatrix.losses import Squared
from separatrix.penalties import L2, NoPenalty
from separatrix.solvers import choose

# thresholds, lowered so that small problems reach each branch of choose.solve_least_squares
BRANCHES = {
    "triangle": {},
    "gram": {"separatrix.designs.factor.SMALL": 0, "separatrix.solvers.direct.SMALL": 0},
    "dual": {"separatrix.designs.base.Design.forms_gram": False, "separatrix.solvers.choose.WIDE_TRIANGLE": 0},
    "conjugate gradients": {
        "separatrix.designs.base.Design.forms_gram": False,
        "separatrix.solvers.choose.QUICK": 0,
        "separatrix.solvers.choose.MOST_ROWS": 0,
        "separatrix.core.quadratic.AFFORDABLE": 0,
    },
    "fallback": {"separatrix.designs.base.Design.forms_gram": False, "separatrix.solvers.choose.QUICK": 0},
}
STORAGES = {"dense": np.asarray, "fortran": np.asfortranarray, "float32": np.float32, "csr": sp.csr_array}


@contextmanager
def branch(name):
    with ExitStack() as patches:
        for path, value in BRANCHES[name].items():
            patches.enter_context(mock.patch(path, value))
        yield


def exact_minimum(A, b):
    """``min over w of ½ w'A w - b'w``, exactly, for a matrix of fractions that may be singular (b in its range)."""
    q = len(b)
    rows = [[*A[i], b[i]] for i in range(q)]
    pivots = []
    for j in range(q):
        i = next((i for i in range(len(pivots), q) if rows[i][j] != 0), None)
        if i is None:
            continue
        rows[len(pivots)], rows[i] = rows[i], rows[len(pivots)]
        top = rows[len(pivots)]
        for k in range(q):
            if k != len(pivots) and rows[k][j] != 0:
                share = rows[k][j] / top[j]
                rows[k] = [x - share * y for x, y in zip(rows[k], top)]
        pivots.append(j)
    w = [Fraction(0)] * q
    for i, j in enumerate(pivots):
        w[j] = rows[i][q] / rows[i][j]
    return -sum(x * y for x, y in zip(b, w)) / 2


def exact_gap(problem, X, beta, intercept):
    """``P(beta, intercept) - min P`` as a fraction, for penalties without kinks and bounds."""
    y, s = problem.target.y, problem.target.weights
    rows = [[Fraction(float(x)) for x in row] + [Fraction(1)] * problem.intercept for row in X]
    y, s = [Fraction(float(t)) for t in y], [Fraction(float(t)) for t in s]
    ridge = [Fraction(float(t)) for t in as_separable(problem.penalty, X.shape[1]).ridge] + [
        Fraction(0)
    ] * problem.intercept
    total, q = sum(s), len(rows[0])
    A = [[sum(w * r[i] * r[j] for w, r in zip(s, rows)) / total for j in range(q)] for i in range(q)]
    for j in range(X.shape[1]):
        A[j][j] += ridge[j]
    b = [sum(w * r[i] * t for w, r, t in zip(s, rows, y)) / total for i in range(q)]
    w = [Fraction(float(t)) for t in beta] + ([Fraction(float(intercept))] if problem.intercept else [])
    Aw = [sum(a * x for a, x in zip(row, w)) for row in A]
    return sum(x * y for x, y in zip(w, Aw)) / 2 - sum(x * y for x, y in zip(b, w)) - exact_minimum(A, b)


def random_problem(rng):
    """A problem, the dense matrix of its numbers, and a name for the branch that shall solve it."""
    n, p = int(rng.integers(2, 9)), int(rng.integers(1, 5))
    X = rng.standard_normal((n, p))
    if rng.random() < 0.3:
        X = X * 10.0 ** rng.integers(-6, 7, p)
    if rng.random() < 0.4:
        X = X + 10.0 ** rng.integers(1, 11) * np.abs(X).mean(axis=0)
    if p > 1 and rng.random() < 0.2:
        X[:, 1] = X[:, 0]
    if rng.random() < 0.1:
        X[:, -1] = rng.choice([0.0, 1.0, 1e6, 0.1])
    y = X @ rng.standard_normal(p) + rng.standard_normal(n) * 10.0 ** rng.integers(-8, 2)
    y = rng.choice([1.0, 1.0, 1.0, 1e-3, 1e5]) * y + rng.choice([0.0, 0.0, 1e3, 1e8])
    if rng.random() < 0.05:
        y = np.full(n, rng.choice([0.0, 1.0 / 3.0, 7e5]))
    if rng.random() < 0.1:
        X = X / np.abs(X).max(initial=1e-9) * 10.0 ** int(rng.choice([-140, 140]))
        y = y / np.abs(y).max(initial=1e-9) * 10.0 ** int(rng.choice([-140, 140]))
    s = None
    if rng.random() < 0.4:
        s = rng.choice([0.0, 1.0, 2.0, 1e-6, 1e6, rng.random()], n)
        s[int(rng.integers(n))] += 1.0
    hold = rng.choice(list(STORAGES))
    if hold == "float32" and np.abs(X).max() > 1e30:
        hold = "dense"
    X = STORAGES[hold](X)
    scale = float(np.mean(np.square(X.toarray() if sp.issparse(X) else X.astype(float)))) or 1.0
    lam = 0.0 if rng.random() < 0.3 else scale * 10.0 ** rng.integers(-12, 7)
    penalty = L2(lam) if lam > 0.0 else NoPenalty()
    problem = Problem(as_design(X), Target(y, s), Squared(), penalty, bool(rng.random() < 0.75))
    return problem, np.asarray(X.toarray() if sp.issparse(X) else X, dtype=np.float64), str(rng.choice(list(BRANCHES)))


def claim_and_truth(problem, X, where, change=0.0):
    """(claimed, true) gap of the branch's solution, changed by a relative `change`, relative to the null model."""
    with branch(where), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        solution = choose.solve_least_squares(problem)
        moved = Solution(solution.beta * (1.0 + change), solution.intercept)
        given = replace(moved, theta=solution.theta)  # a dual point that belongs to other coefficients bounds, too
        claimed = min(certify(problem, one, 1e-14).value for one in (moved, given))
    if not np.all(np.isfinite(moved.beta)):
        return claimed, np.inf
    unit = Fraction(gap_unit(problem))
    return claimed, exact_gap(problem, X, moved.beta, moved.intercept) / unit


def main(first, last):
    ratios, wrong = [], []
    for seed in range(first, last):
        rng = np.random.default_rng(seed)
        problem, X, where = random_problem(rng)
        change = float(rng.choice([0.0, 0.0, 1e-12, 1e-6, 0.1]))
        claimed, true = claim_and_truth(problem, X, where, change)
        if true == np.inf or (np.isfinite(claimed) and Fraction(claimed) < true):
            wrong.append((seed, where, claimed, float(true)))
            print("claim below truth:", wrong[-1], flush=True)
        if 0 < true < np.inf:
            ratios.append(float(Fraction(claimed) / true) if np.isfinite(claimed) else np.inf)
    print(
        f"{last - first} problems, {len(wrong)} claims below the truth; claimed / true: least {min(ratios):.3g}, "
        f"median {np.median(ratios):.3g}, 90% {np.quantile(ratios, 0.9):.3g}"
    )


if __name__ == "__main__":
    main(*(int(word) for word in (["0", *sys.argv[1:]])[-2:]))
