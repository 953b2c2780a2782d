"""A logistic or multinomial likelihood along a path of strengths, from strong to weak.

Solves   the problem of `choose.solve_likelihood` for each of several penalties, each started from the last solution.
Given    a Problem (its penalty aside) and penalties in any order: all with an L1 part, or none.
Returns  coefficients (L, p) or (L, p, k), intercepts (L,) or (L, k), relative gaps (L,) and iterations (L,), in the
         order of the penalties given.
From     Friedman, Hastie and Tibshirani (2010), J. Statist. Software 33(1); Tibshirani et al. (2012), strong rules.
Cost     with an L1 part about a read of X for each strength, and one set of columns in play for the whole path.
"""

from dataclasses import replace

import numpy as np

from separatrix.penalties import L1, ElasticNet
from separatrix.solvers.choose import solve_likelihood
from separatrix.solvers.proximal_newton import Likelihood, solve_at


def likelihood_path(problem, penalties, *, tol=1e-8, max_iter=100):
    """Solve for each penalty; see the head of this file."""
    order = sorted(range(len(penalties)), key=lambda place: -sum(_strengths(penalties[place])))
    sparse = [_strengths(penalty)[0] > 0.0 for penalty in penalties]
    solve = _on_working_sets if all(sparse) else _one_by_one
    found = dict(zip(order, solve(problem, [penalties[place] for place in order], tol, max_iter)))
    return tuple(np.array([found[place][part] for place in range(len(penalties))]) for part in range(4))


def _strengths(penalty):
    """(l1, l2) of any of our penalties."""
    if isinstance(penalty, ElasticNet):
        return penalty.l1, penalty.l2
    return (penalty.lam, 0.0) if isinstance(penalty, L1) else (0.0, penalty.lam)


def _on_working_sets(problem, penalties, tol, max_iter):
    state, before = None, None
    for penalty in penalties:
        if state is None:
            state = Likelihood(replace(problem, penalty=penalty))
        else:
            state.weaken(penalty)
        used = solve_at(state, tol, max_iter, before)
        yield state.coefficients(), state.intercept(), state.whole_gap(), max(used, 1)
        before = state.penalty.l1


def _one_by_one(problem, penalties, tol, max_iter):
    start = None
    for penalty in penalties:
        solution = solve_likelihood(replace(problem, penalty=penalty), tol=tol, max_iter=max_iter, start=start)
        start = solution.beta, solution.intercept
        yield *start, solution.certificate.value, max(solution.certificate.iterations, 1)
