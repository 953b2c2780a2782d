"""The perceptron: correct what is wrong, until nothing is.

Finds    beta, intercept with y_i (x_i'beta + intercept) > 0 for every row, if there are any; y in {-1, +1}.
Given    a design that offers rows, y, a Walker that says where to start, the step and the order of presentation.
Returns  the mistakes of each pass and of each row; the walker has moved.
Cost     one pass = O(stored numbers of X); at most b² |w*|² / a² mistakes in all (:func:`mistake_bound`).
From     Rosenblatt (1958); Novikoff (1962), On Convergence Proofs for Perceptrons. The loop is in compiled/mistakes.py.
"""

from dataclasses import dataclass, field

import numpy as np
from scipy.optimize import nnls

from separatrix.core.errors import cannot
from separatrix.solvers.compiled.perceptron import correct_all, correct_each
from separatrix.solvers.stochastic import generator

_NOTHING = np.empty(0)
_NO_PATH, _NO_HITS = np.empty((0, 0)), np.empty(0, dtype=np.intp)


@dataclass
class Corrections:
    """The weights after every correction, intercept first (``weights[0]`` is the start), and what was corrected.

    ``passes`` numbers the pass of each correction from 1; ``rows`` names the row, or is -1 where a pass corrected all
    its mistakes together.
    """

    weights: list = field(default_factory=list)
    passes: list = field(default_factory=list)
    rows: list = field(default_factory=list)

    def __len__(self):
        return len(self.passes)


@dataclass
class PerceptronRun:
    """What a perceptron did: mistakes of each pass, mistakes and summed steps of each row, and why it ended."""

    errors: list
    counts: np.ndarray
    steps: np.ndarray
    settled: bool = False
    corrections: Corrections | None = None

    @property
    def clean(self):
        """Whether the last pass made no mistake."""
        return self.errors[-1] == 0


def run_perceptron(
    design,
    y,
    walker,
    *,
    rate=1.0,
    decreasing=False,
    batch=False,
    s=None,
    fit_intercept=True,
    max_iter=1000,
    tol=None,
    n_iter_no_change=5,
    order=None,
    shuffle=False,
    random_state=None,
    score=None,
    trace=False,
):
    """Pass over the examples and correct mistakes, until a pass makes none.

    Parameters
    ----------
    design : Design that offers rows.  y : (n,) array of -1.0 and +1.0.
    walker : Walker.  Where to start; moved in place. Its clock counts corrections, plus 1.
    rate : float, (0, inf).  The step, or c of the steps c/t.
    decreasing : bool.  Whether the t-th correction takes the step rate/t, for t = 1, 2, ...
    batch : bool.  Whether the mistakes of a pass are corrected together, at its end.
    s : (n,) array or None.  Factors of the steps; rows of weight 0 are left out.
    max_iter : int, [1, inf).  Passes at the most.
    tol : float or None.  A pass that lowers the best mean criterion by less (or raises the best score by less) is no
        improvement; None goes on until a pass makes no mistake.
    n_iter_no_change : int, [1, inf).  Passes without improvement after which to halt.
    order : (m,) array of int or None.  The rows to learn from, in their order of presentation.
    shuffle, random_state : whether every pass takes a new random order, and its seed.
    score : callable or None.  ``score(beta, intercept)``, higher is better; judged in place of the criterion.
    trace : bool.  Whether to keep the weights after every correction.

    Returns
    -------
    PerceptronRun.
    """
    design.needs("rows", "walk over the examples")
    atom, y = design.rows_atom(), np.ascontiguousarray(y, dtype=np.float64)
    order = np.arange(design.n) if order is None else np.asarray(order, dtype=np.intp)
    if s is not None:
        order = order[s[order] > 0.0]
    weights = _NOTHING if s is None else s
    rng = generator(random_state) if shuffle and not batch else None
    lesson = PerceptronRun([], np.zeros(design.n, dtype=np.int64), np.zeros(design.n))
    if trace:
        lesson.corrections = Corrections([np.append(walker.intercept, walker.beta)])
    # the weights after each mistake of one pass
    path, hits = (
        (np.empty((len(order), design.p + 1)), np.empty(len(order), dtype=np.intp)) if trace else (_NO_PATH, _NO_HITS)
    )
    work_g = np.empty(design.p if batch else 0)
    best, idle = -np.inf, 0
    for done in range(1, max_iter + 1):
        turn = order if rng is None else rng.permutation(order)
        state = np.array([walker.intercept, walker.clock])
        shared = (
            atom,
            y,
            weights,
            turn,
            rate,
            decreasing,
            fit_intercept,
            walker.beta,
            state,
            lesson.counts,
            lesson.steps,
        )
        mistakes, criterion = correct_all(*shared, work_g) if batch else correct_each(*shared, path, hits)
        walker.intercept, walker.clock = state.tolist()
        _refuse_if_overflown(walker)
        lesson.errors.append(int(mistakes))
        if trace and mistakes:
            _note(lesson.corrections, done, walker, batch, path[:mistakes], hits[:mistakes])
        if lesson.clean:
            break
        merit = -criterion if score is None else score(walker.beta, walker.intercept)
        idle = idle + 1 if tol is not None and merit < best + tol else 0
        best = max(best, merit)
        if idle >= n_iter_no_change:
            lesson.settled = True
            break
    return lesson


def _note(corrections, done, walker, batch, path, hits):
    corrections.weights += [np.append(walker.intercept, walker.beta)] if batch else list(path.copy())
    corrections.rows += [-1] if batch else hits.tolist()
    corrections.passes += [done] * (1 if batch else len(hits))


def _refuse_if_overflown(walker):
    if not walker.finite():
        raise cannot(
            "add up the mistakes", because="the weights overflow", instead="a smaller eta0, or other units for X"
        )


def mistake_bound(X, y, separator):
    r"""Novikoff's bound on the mistakes of a perceptron that starts at zero, from any vector that separates.

    .. math:: k \le b^2 \|w^*\|^2 / a^2, \qquad a = \min_i y_i\, w^* \cdot x_i > 0, \quad b = \max_i \|x_i\|

    The step cancels. A vector that does not separate the rows gives no bound: infinity.

    >>> mistake_bound(np.array([[1.0, 2, 1], [-1, 2, 1], [-1, -2, 1]]), np.array([-1, -1, 1]), np.array([0, -0.5, 0]))
    1.5
    """
    a = (y * (X @ separator)).min()
    squares = np.einsum("ij,ij->i", X, X)
    return float(squares.max() * (separator @ separator) / a**2) if a > 0.0 else np.inf


def widest_separator(X, y):
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
