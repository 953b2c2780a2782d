"""The lasso and elastic net along a whole path of strengths, from strong to weak.

Solves   the problem of coordinate.py for each of a decreasing sequence of strengths, each started from the last.
Given    a design, a target with one output, the l1 and l2 parts of each strength.
Returns  coefficients (p, L), intercepts (L,), relative gaps (L,) and sweeps (L,).
From     Friedman, Hastie and Tibshirani (2010); Tibshirani et al. (2012), J. R. Statist. Soc. B 74(2), strong rules.
Cost     tall designs: one Gram matrix, n p², then nothing of size n; wide ones: about a read of X for each strength.
"""

import numpy as np

from separatrix.designs import moments
from separatrix.penalties import ElasticNet
from separatrix.solvers.coordinate import WorkingSet, solve_at
from separatrix.solvers.gram_coordinate import GramProblem

# A Gram matrix of all columns takes n p² operations, a read of X for each of L strengths 8 n p L bytes; on the machines
# we know a byte takes as long as two operations, so that the matrix is cheaper up to p = 16 L.
COLUMNS_PER_STRENGTH = 16


def strength_grid(design, target, *, intercept=True, l1_ratio=1.0, eps=1e-3, count=100, positive=False):
    """Strengths from the smallest that makes every coefficient zero, down to `eps` times that, evenly in logarithm."""
    y = target.y - target.mean() if intercept else target.y
    v = design.rmatvec(y if target.s is None else target.s * y) / target.total
    design.refuse_if_not_finite(v)  # rows of a fold may hide what would make every strength NaN
    largest = float((v if positive else np.abs(v)).max(initial=0.0)) / l1_ratio
    if largest <= np.finfo(np.float64).resolution:
        return np.full(count, np.finfo(np.float64).resolution)
    return np.geomspace(largest, eps * largest, count)


def elastic_net_path(design, target, strengths, l1_ratio, *, intercept=True, positive=False, tol=1e-8, max_iter=100):
    """Solve along the path; see the head of this file."""
    penalties = [ElasticNet(a * l1_ratio, a * (1.0 - l1_ratio), positive) for a in strengths]
    tall = design.p <= min(design.n, COLUMNS_PER_STRENGTH * len(penalties)) and "gram" in design.offers
    solve = _on_gram_matrix if tall else _on_working_sets
    return solve(design, target, penalties, intercept, tol, max_iter)


def _on_gram_matrix(design, target, penalties, intercept, tol, max_iter):
    found = moments(design, target, about_mean=intercept)
    problem = GramProblem.whole(found.xx / found.total, found.xy[:, 0] / found.total)
    null = float(found.yy[0]) / found.total
    coefficients = np.zeros((design.p, len(penalties)), order="F")
    gaps, sweeps = np.zeros(len(penalties)), np.zeros(len(penalties), dtype=int)
    for column, penalty in enumerate(penalties):
        sweeps[column] = problem.solve(penalty, null, tol, max_iter * 100)
        gaps[column] = problem.gap(penalty, null)
        coefficients[:, column] = problem.beta
    return coefficients, float(found.y_mean[0]) - found.x_mean @ coefficients, gaps, sweeps


def _on_working_sets(design, target, penalties, intercept, tol, max_iter):
    state = WorkingSet(design, target, intercept)
    coefficients = np.zeros((design.p, len(penalties)), order="F")
    offsets, gaps = np.zeros(len(penalties)), np.zeros(len(penalties))
    sweeps = np.zeros(len(penalties), dtype=int)
    before = None
    for column, penalty in enumerate(penalties):
        start = state.gram.sweeps
        gaps[column], _ = solve_at(state, penalty, tol, max_iter, before)
        coefficients[state.index, column] = state.gram.beta[: state.gram.size]
        offsets[column] = state.offset()
        sweeps[column] = max(1, state.gram.sweeps - start)
        before = penalty.l1
    return coefficients, offsets, gaps, sweeps
