r"""Iterative proportional fitting: the table nearest to a given one, of the tables that have given margins.

.. math:: \min_Q D(Q \| T) \quad \text{subject to} \quad \sum_{x \notin A_m} Q(x) = M_m(x_{A_m}), \qquad
          Q \leftarrow Q \, \frac{M_m}{\sum_{x \notin A_m} Q} \quad \text{for } m = 1, 2, \ldots, 1, 2, \ldots
"""

import time
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike
from scipy.optimize import linprog

from separatrix.core.certificate import closed_form, warn_if_not_certified
from separatrix.core.errors import cannot
from separatrix.core.solution import Certificate
from separatrix.core.types import Array
from separatrix.estimators.graphical.tables import checked_table, places

# Two margins say the same where they share axes, but for rounding of numbers that were typed in.
SAME = 1e-6
# Margins that have not been met are held to a linear program, where it has at most so many cells.
MOST_CELLS_OF_PROGRAM = 1 << 16


class FittedTable(NamedTuple):
    """A table with the margins that were asked for.

    ``certificate`` has the largest difference of a cell of a margin, relative to the sum of the table.
    """

    table: Array
    certificate: Certificate


class Contradiction(ValueError):
    """Margins that no table has together."""


def iterative_proportional_fitting(
    table: ArrayLike,
    margins: Mapping[Any, ArrayLike],
    *,
    tol: float = 1e-12,
    max_iter: int = 1000,
) -> FittedTable:
    """Scale a table to margins, in turn until all of them are met; zeros and odds ratios that no margin says stay.

    Parameters
    ----------
    table : array.  Where to start, numbers >= 0: ones for the largest entropy.
    margins : mapping.  From an axis, or a tuple of axes, to the sums over all other axes, an array with an axis for
        each of them in that order.
    tol : float, [0, inf), default 1e-12.  The largest difference of a margin, relative to the sum of the table.
    max_iter : int, [1, inf), default 1000.  Rounds over all margins.

    Returns
    -------
    FittedTable.  :class:`Contradiction` is raised where margins contradict each other, or zeros of the table.

    References: Deming and Stephan (1940), Ann. Math. Statist. 11(4); Csiszár (1975), Ann. Probab. 3(1).

    >>> fitted = iterative_proportional_fitting([[10, 20], [30, 40]], {0: [40, 60], 1: [55, 45]})
    >>> fitted.table.round(4)
    array([[19.5912, 20.4088],
           [35.4088, 24.5912]])
    >>> fitted.certificate.converged
    True
    """
    started = time.perf_counter()
    if not (isinstance(max_iter, int | np.integer) and max_iter >= 1 and tol >= 0.0):
        raise cannot(
            f"fit a table with tol={tol!r}, max_iter={max_iter!r}",
            because="they are out of range",
            instead="tol >= 0 and max_iter = 1, 2, ...",
        )
    start = _of_size_one(checked_table(table, "table", total=None))
    wanted, Q = _checked(start, margins), start.copy()
    total = float(next(iter(wanted.values())).sum())
    errors, iterations = np.inf, 0
    while iterations < max_iter:
        iterations += 1
        for axes, margin in wanted.items():
            now = _sums(Q, axes)
            Q *= _spread(np.divide(margin, now, out=np.zeros_like(now), where=now > 0.0), axes, Q.ndim)
        before, errors = errors, _largest_error(Q, wanted) / total
        if errors <= tol or errors == before:
            break
    if errors > max(tol, SAME):
        _refuse_contradiction(Q, start, wanted)
    message = "the largest difference of a cell of a margin, relative to the sum of the table"
    certificate = closed_form(errors, tol, started=started, iterations=iterations, passes=iterations, message=message)
    warn_if_not_certified(certificate, "Raise max_iter or tol.", stacklevel=2)
    return FittedTable(Q, certificate)


def _of_size_one(table: Array) -> Array:
    """A table times the power of two that leaves its largest cell near 1, so that no sum overflows."""
    return np.ldexp(table, -int(np.frexp(table.max())[1]))


def _checked(Q: Array, margins: Mapping[Any, ArrayLike]) -> dict[tuple[int, ...], Array]:
    """Margins by axes in ascending order, each of the right shape, and of one sum."""
    if not isinstance(margins, Mapping) or not margins:
        raise cannot(
            f"fit a table to margins={margins!r}",
            because="it is no mapping with at least one margin",
            instead="margins={0: sums of rows, 1: sums of columns}, say",
        )
    wanted = {}
    for given, margin in margins.items():
        axes, name = places(given, Q.ndim, "margins"), f"the margin of {given}"
        M = checked_table(margin, name, total=None)
        if M.shape != tuple(Q.shape[axis] for axis in axes):
            raise cannot(
                f"use {name} of shape {M.shape}",
                because=f"the table has the shape {Q.shape}",
                instead=f"the shape {tuple(Q.shape[axis] for axis in axes)}",
            )
        M, axes = M.transpose(np.argsort(axes)), tuple(sorted(axes))
        empty = (M > 0.0) & (_sums(Q, axes) == 0.0)
        if empty.any():
            cell = tuple(int(i) for i in np.argwhere(empty)[0])
            raise cannot(
                f"meet {name}",
                because=f"it is {M[cell]:g} in the cell {cell}, where all cells of the table are 0 and stay so",
                instead="a table that is positive there",
                kind=Contradiction,
            )
        if axes in wanted:
            raise cannot(
                f"fit a table to two margins of the axes {axes}",
                because="they would say the same twice, or contradict each other",
                instead="each margin once",
            )
        wanted[axes] = M
    _refuse_disagreement(wanted)
    return wanted


def _refuse_disagreement(wanted: dict[tuple[int, ...], Array]) -> None:
    """Raise where two margins have other sums over the axes that they share."""
    axes, scale = list(wanted), max(float(M.sum()) for M in wanted.values())
    if scale == 0.0:
        raise cannot("meet margins", because="all of them are 0", instead="margins with a positive sum")
    for i, first in enumerate(axes):
        for second in axes[:i]:
            shared = [axis for axis in first if axis in second]
            one, other = (_sums(wanted[a], [a.index(axis) for axis in shared]) for a in (first, second))
            gap = np.abs(one - other)
            if gap.max() > SAME * scale:
                cell = tuple(int(i) for i in np.unravel_index(int(np.argmax(gap)), gap.shape))
                where = f" at {cell} of the axes {tuple(shared)}, which they share" if shared else " in all"
                raise cannot(
                    f"meet the margins of {second} and {first} together",
                    because=f"they contradict each other: {other[cell]:g} and {one[cell]:g}{where}",
                    instead="margins that agree where they overlap",
                    kind=Contradiction,
                )


def _sums(Q: Array, axes: Any) -> Array:
    """Sums over all axes but some."""
    return np.asarray(Q.sum(axis=tuple(axis for axis in range(Q.ndim) if axis not in axes)))


def _spread(M: Array, axes: tuple[int, ...], n_axes: int) -> Array:
    """A margin with an axis of length 1 for each that it lacks."""
    return np.expand_dims(M, tuple(axis for axis in range(n_axes) if axis not in axes))


def _largest_error(Q: Array, wanted: dict[tuple[int, ...], Array]) -> float:
    return max(float(np.abs(_sums(Q, axes) - M).max()) for axes, M in wanted.items())


def _refuse_contradiction(Q: Array, start: Array, wanted: dict[tuple[int, ...], Array]) -> None:
    """Raise where a linear program proves that no table >= 0 with the zeros of `start` has these margins."""
    if Q.size > MOST_CELLS_OF_PROGRAM:
        return
    free = np.flatnonzero(start.ravel() > 0.0)
    cells = np.unravel_index(free, start.shape)
    blocks = []
    for axes, M in wanted.items():
        rows = np.ravel_multi_index([cells[axis] for axis in axes], M.shape)
        blocks.append(sp.csr_array((np.ones(len(free)), (rows, np.arange(len(free)))), shape=(M.size, len(free))))
    sums = np.concatenate([M.ravel() for M in wanted.values()])
    answer = linprog(np.zeros(len(free)), A_eq=sp.vstack(blocks), b_eq=sums / sums.max(), method="highs")
    if answer.status == 2:
        raise cannot(
            f"meet the margins of {', '.join(map(str, wanted))} together",
            because="they contradict each other: no table >= 0 with the zeros of this one has them all, as a linear "
            "program proves",
            instead="margins of one table, or a start that is positive in more cells",
            kind=Contradiction,
        )
