r"""The perceptron in its dual form: count the mistakes on each row, and never write the weights down.

Finds    counts α with ``y_i Σ_j α_j y_j k(x_j, x_i) > 0`` for every row, if there are any; y in {-1, +1}.
Given    the columns of a kernel matrix, y, and the order of presentation.
Returns  the counts, and the mistakes of each pass.
Cost     one column of the kernel, O(n p), for each row on which there is a mistake; O(n) for each mistake.
From     Aizerman, Braverman and Rozonoer (1964), Automation and Remote Control 25.

With the linear kernel these are the mistakes of :mod:`separatrix.solvers.perceptron` without an intercept.
"""

from typing import Any

import numpy as np

from separatrix.core.errors import cannot
from separatrix.core.types import Array
from separatrix.solvers.perceptron import PerceptronRun
from separatrix.solvers.stochastic import generator


def run_kernel_perceptron(
    columns: Any, y: Array, *, max_iter: int = 1000, shuffle: bool = False, random_state: Any = None
) -> PerceptronRun:
    """Pass over the rows and count mistakes, until a pass makes none.

    Parameters
    ----------
    columns : KernelColumns or GivenColumns (:mod:`separatrix.designs.kernel_matrix`).
    y : (n,) array of -1.0 and 1.0.
    max_iter : int, [1, inf).  Passes at the most.
    shuffle, random_state : whether every pass takes a new random order, and its seed.
    """
    run = PerceptronRun([], np.zeros(len(y), dtype=np.int64), np.zeros(len(y)))
    scores, rng = np.zeros(len(y)), generator(random_state) if shuffle else None
    for _ in range(max_iter):
        turn = np.arange(len(y)) if rng is None else rng.permutation(len(y))
        run.errors.append(_pass(columns, y, turn, scores, run.counts))
        if not np.isfinite(scores).all():
            raise cannot(
                "count the mistakes",
                because="the scores overflow",
                instead="columns of moderate size (StandardScaler), or a smaller degree",
            )
        if run.clean:
            break
    run.steps = run.counts.astype(np.float64)
    return run


def _pass(columns: Any, y: Array, turn: Array, scores: Array, counts: Array) -> int:
    """One pass in the order `turn`: correct each mistake at once, in place; returns how many there were."""
    mistakes, place = 0, 0
    while place < len(turn):
        rest = turn[place:]
        wrong = y[rest] * scores[rest] <= 0.0
        first = int(wrong.argmax())
        if not wrong[first]:
            break
        i = rest[first]
        counts[i] += 1
        scores += y[i] * columns.column(int(i))
        mistakes, place = mistakes + 1, place + first + 1
    return mistakes
