"""The perceptron: correct what is wrong, until nothing is.

Finds    beta, intercept with y_i (x_i'beta + intercept) > 0 for every row, if there are any; y in {-1, +1}.
Given    a Problem of the loss max(0, -y eta) on a design that offers rows, the step and the order of presentation.
Returns  beta, intercept, the mistakes of each pass and of each row.
Cost     one pass = O(stored numbers of X); at most b² |w*|² / a² mistakes in all (:func:`mistake_bound`).
From     Rosenblatt (1958); Novikoff (1962), On Convergence Proofs for Perceptrons. Loop: compiled/perceptron.py.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.optimize import nnls

from separatrix.core.errors import cannot
from separatrix.core.problem import Problem
from separatrix.core.registry import register
from separatrix.core.solution import Solution
from separatrix.core.verbs import value
from separatrix.solvers.compiled.perceptron import correct_all, correct_each
from separatrix.solvers.stochastic import Walker, as_walker, generator

_NOTHING = np.empty(0)
_NO_PATH, _NO_HITS = np.empty((0, 0)), np.empty(0, dtype=np.intp)


@register("record")
@dataclass
class Corrections:
    """Weights and intercepts after every correction (the first are those of the start), and what was corrected.

    ``passes`` numbers the pass of each correction from 1; ``rows`` names the row, or is -1 where a pass corrected all
    its mistakes together.
    """

    weights: list[np.ndarray] = field(default_factory=list)
    intercepts: list[float] = field(default_factory=list)
    passes: list[int] = field(default_factory=list)
    rows: list[int] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.passes)

    def note(self, walker: Walker) -> None:
        """Where a walker stands."""
        self.weights.append(walker.beta.copy())
        self.intercepts.append(walker.intercept)


@dataclass
class PerceptronRun:
    """What a perceptron did: mistakes of each pass, mistakes and summed steps of each row, and why it ended."""

    errors: list[int]
    counts: np.ndarray
    steps: np.ndarray
    settled: bool = False

    @property
    def clean(self) -> bool:
        """Whether the last pass made no mistake."""
        return self.errors[-1] == 0


def run_perceptron(
    problem: Problem,
    *,
    tol: float | None = None,
    max_iter: int = 1000,
    start: Walker | tuple[Any, float] | None = None,
    trace: Corrections | None = None,
    rate: float = 1.0,
    decreasing: bool = False,
    batch: bool = False,
    n_iter_no_change: int = 5,
    order: Any = None,
    shuffle: bool = False,
    random_state: Any = None,
    score: Callable[[np.ndarray, float], float] | None = None,
) -> Solution:
    """Pass over the examples and correct mistakes, until a pass makes none.

    Parameters
    ----------
    problem : Problem.  Of the loss max(0, -y eta) and no penalty, y of -1.0 and +1.0; a design that offers rows.
        Weights are factors of the steps; rows of weight 0 are left out.
    tol : float or None.  A pass that lowers the best mean criterion by less (or raises the best score by less) is no
        improvement; None goes on until a pass makes no mistake.
    max_iter : int, [1, inf).  Passes at the most.
    start : Walker, (beta, intercept) or None.  Where to start; None is zero. A Walker is moved in place; its clock
        counts corrections, plus 1.
    trace : Corrections or None.  Filled with the weights after every correction.
    rate : float, (0, inf).  The step, or c of the steps c/t.
    decreasing : bool.  Whether the t-th correction takes the step rate/t, for t = 1, 2, ...
    batch : bool.  Whether the mistakes of a pass are corrected together, at its end.
    n_iter_no_change : int, [1, inf).  Passes without improvement after which to halt.
    order : (m,) array of int or None.  The rows to learn from, in their order of presentation.
    shuffle, random_state : whether every pass takes a new random order, and its seed.
    score : callable or None.  ``score(beta, intercept)``, higher is better; judged in place of the criterion.

    Returns
    -------
    Solution.  ``details`` holds "run", a PerceptronRun, and "walker".
    """
    _check(problem)
    design, y, s = problem.design, np.ascontiguousarray(problem.target.y, dtype=np.float64), problem.target.s
    atom, walker = design.rows_atom(), as_walker(start, design.p)
    order = np.arange(design.n) if order is None else np.asarray(order, dtype=np.intp)
    if s is not None:
        order = order[s[order] > 0.0]
    weights = _NOTHING if s is None else s
    rng = generator(random_state) if shuffle and not batch else None
    run = PerceptronRun([], np.zeros(design.n, dtype=np.int64), np.zeros(design.n))
    path, hits = _NO_PATH, _NO_HITS
    if trace is not None:
        trace.note(walker)
        path, hits = np.empty((len(order), design.p + 1)), np.empty(len(order), dtype=np.intp)
    work_g = np.empty(design.p if batch else 0)
    best, idle = -np.inf, 0
    for done in range(1, max_iter + 1):
        turn = order if rng is None else rng.permutation(order)
        state = np.array([walker.intercept, walker.clock])
        shared = (
            atom, y, weights, turn, rate, decreasing, problem.intercept, walker.beta, state, run.counts, run.steps,
        )  # fmt: skip
        mistakes, criterion = correct_all(*shared, work_g) if batch else correct_each(*shared, path, hits)
        walker.intercept, walker.clock = state.tolist()
        _refuse_if_overflown(walker)
        run.errors.append(int(mistakes))
        if trace is not None and mistakes:
            _note(trace, done, walker, batch, path[:mistakes], hits[:mistakes])
        if run.clean:
            break
        merit = -criterion if score is None else score(walker.beta, walker.intercept)
        idle = idle + 1 if tol is not None and merit < best + tol else 0
        best = max(best, merit)
        if idle >= n_iter_no_change:
            run.settled = True
            break
    details = {"run": run, "walker": walker}
    return Solution(walker.beta.copy(), walker.intercept, details=details, iterations=sum(run.errors), passes=done)


def _check(problem: Problem) -> None:
    problem.design.needs("rows", "walk over the examples")
    loss = problem.loss
    ours = (value(loss, 1.0, -2.0), value(loss, -1.0, 2.0), value(loss, 1.0, 0.0), value(loss, -1.0, -2.0))
    parts = problem.parts
    penalised = parts.kink.any() or parts.ridge.any() or np.isfinite(parts.low).any() or np.isfinite(parts.high).any()
    if ours != (2.0, 2.0, 0.0, 0.0) or penalised:
        raise cannot(
            f"correct mistakes with the loss {loss} and the penalty {problem.penalty}",
            because="a perceptron descends on max(0, -y eta), without a penalty",
            instead="Hinge(0.0) and NoPenalty(), or stochastic_descent, which takes any",
        )


def _note(trace: Corrections, done: int, walker: Walker, batch: bool, path: np.ndarray, hits: np.ndarray) -> None:
    """Add a pass to a trace; rows of `path` hold the intercept first."""
    if batch:
        trace.note(walker)
    else:
        trace.weights += list(path[:, 1:].copy())
        trace.intercepts += path[:, 0].tolist()
    trace.rows += [-1] if batch else hits.tolist()
    trace.passes += [done] * (1 if batch else len(hits))


def _refuse_if_overflown(walker: Walker) -> None:
    if not walker.finite():
        raise cannot(
            "add up the mistakes", because="the weights overflow", instead="a smaller eta0, or other units for X"
        )


def mistake_bound(X: np.ndarray, y: np.ndarray, separator: np.ndarray) -> float:
    r"""Novikoff's bound on the mistakes of a perceptron that starts at zero, from any vector that separates.

    .. math:: k \le b^2 \|w^*\|^2 / a^2, \qquad a = \min_i y_i\, w^* \cdot x_i > 0, \quad b = \max_i \|x_i\|

    The step cancels. A vector that does not separate the rows gives no bound: infinity.

    >>> mistake_bound(np.array([[1.0, 2, 1], [-1, 2, 1], [-1, -2, 1]]), np.array([-1, -1, 1]), np.array([0, -0.5, 0]))
    1.5
    """
    a = (y * (X @ separator)).min()
    squares = np.einsum("ij,ij->i", X, X)
    return float(squares.max() * (separator @ separator) / a**2) if a > 0.0 else np.inf


def widest_separator(X: np.ndarray, y: np.ndarray) -> np.ndarray | None:
    """The shortest vector w with ``y_i w·x_i >= 1`` for every row; None where none is found.

    Least distance programming by non-negative least squares (Lawson and Hanson, 1974, chapter 23): with the columns
    (y_i x_i, 1) in E and f = (0, ..., 0, 1), the residual r = E u - f of the best u >= 0 gives w = -r_x / r_1, and
    r = 0 proves that no such vector exists.
    """
    scale = np.sqrt(np.einsum("ij,ij->i", X, X).max())
    if scale == 0.0:
        return None
    E = np.vstack([(y[:, None] * X).T / scale, np.ones(len(y))])
    f = np.zeros(len(E))
    f[-1] = 1.0
    try:
        u, _ = nnls(E, f)
    except RuntimeError:  # it gave up
        return None
    r = E @ u - f
    if not r[-1] < 0.0:
        return None
    w = -r[:-1] / (r[-1] * scale)
    return w if (y * (X @ w)).min() > 0.0 else None
