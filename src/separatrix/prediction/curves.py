"""The arithmetic of curves: cubic polynomials between knots, straight lines outside."""

import numpy as np

from separatrix.prediction.numbers import GREATEST, fill

ROWS = 1 << 15  # taken at a time, so that the coefficients of their pieces stay in the cache
FARTHEST = 1e300  # in units of the last piece: beyond, a straight line is as good as endless


def bend(state, X):
    """What Curves makes of X (n, p): the curves of each column, then the flags.

    >>> line = np.zeros((3, 4, 1))
    >>> line[:, :2, 0] = [[0.0, 1.0], [0.0, 1.0], [1.0, 1.0]]
    >>> state = {"median_": np.array([0.5]), "knots_": [np.array([0.0, 2.0])], "pieces_": [line],
    ...          "flagged_": np.array([0])}
    >>> bend(state, np.array([[-2.0], [1.0], [4.0], [np.nan]]))
    array([[-1.  , 0.  ],
           [ 0.5 , 0.  ],
           [ 2.  , 0.  ],
           [ 0.25, 1.  ]])
    """
    X = np.asarray(X, dtype=np.float64)
    missing = np.isnan(X)
    filled = np.empty_like(X)
    fill(X, missing, state["median_"], filled)
    blocks = [curve(filled[:, j], state["knots_"][j], state["pieces_"][j]) for j in range(X.shape[1])]
    return np.hstack([*blocks, missing[:, state["flagged_"]]])


def curve(x, knots, pieces):
    """Piecewise polynomials at x (n,): pieces (K + 1, 4, w) hold the coefficients of w functions left of K knots,
    between them, and to the right, in the units of :func:`starts_and_units`."""
    starts, units = starts_and_units(knots)
    out = np.empty((len(x), pieces.shape[2]))
    for first in range(0, len(x), ROWS):
        part = x[first : first + ROWS]
        place = np.searchsorted(knots, part, side="right")
        with np.errstate(over="ignore"):
            # halves: the distance of two numbers may exceed the greatest one
            t = np.clip((part / 2.0 - starts[place] / 2.0) / (units[place] / 2.0), -FARTHEST, FARTHEST)[:, None]
            c = pieces[place]
            out[first : first + ROWS] = ((c[:, 3] * t + c[:, 2]) * t + c[:, 1]) * t + c[:, 0]
    return np.clip(out, -GREATEST, GREATEST, out=out)


def starts_and_units(knots):
    """Where each piece has t = 0, and how long t = 1 is: its own length, outside that of the neighbour."""
    starts = np.concatenate([knots[:1], knots])
    if len(knots) == 1:
        return starts, np.ones(2)
    halves = np.diff(knots / 2.0)
    units = 2.0 * np.concatenate([halves[:1], halves, halves[-1:]])
    return starts, np.minimum(units, GREATEST)
