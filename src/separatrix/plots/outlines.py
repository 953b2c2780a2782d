"""SVG paths with fewer points: contours have a corner at every cell of their grid, most of them collinear."""

import re

import numpy as np

TOLERANCE = 0.12  # points of 1/72 inch that an outline may move: at most a third of a pixel
_PIECE = re.compile(r"([MLZz])([^MLZz]*)")


def thinned(data):
    """SVG path data without corners that do not show; data with curves are returned unchanged.

    >>> thinned("M 0 0 L 1 0.01 L 2 0 L 2 2 z")
    'M 0 0 L 2 0 L 2 2 z'
    """
    pieces = _PIECE.findall(data)
    if re.search(r"[^MLZzEe\d\s.,+-]", data) or len(pieces) < 4:
        return data
    runs = []
    for letter, rest in pieces:
        if letter == "M":
            runs.append(([tuple(map(float, rest.split()))], ""))
        elif letter == "L":
            runs[-1][0].append(tuple(map(float, rest.split())))
        else:
            runs[-1] = (runs[-1][0], " z")
    return " ".join(_written(simplify(np.array(points), TOLERANCE), end) for points, end in runs)


def simplify(points, tolerance):
    """The corners of a line that are needed to stay within `tolerance` of it, by the Ramer-Douglas-Peucker algorithm.

    >>> simplify(np.array([[0.0, 0.0], [1.0, 0.05], [2.0, 0.0], [2.0, 2.0]]), 0.1)
    array([[0., 0.],
           [2., 0.],
           [2., 2.]])
    """
    kept = np.zeros(len(points), dtype=bool)
    kept[[0, -1]] = True
    waiting = [(0, len(points) - 1)]
    while waiting:
        first, last = waiting.pop()
        if last - first < 2:
            continue
        inner = points[first + 1 : last] - points[first]
        along = points[last] - points[first]
        length = float(np.hypot(*along))
        # first and last point of a closed ring coincide; it is divided at the farthest corner
        away = np.abs(inner @ [-along[1], along[0]]) / length if length > tolerance else np.hypot(*inner.T)
        farthest = int(away.argmax())
        if away[farthest] > tolerance:
            kept[first + 1 + farthest] = True
            waiting += [(first, first + 1 + farthest), (first + 1 + farthest, last)]
    return points[kept]


def _written(points, end):
    first, *others = points.tolist()
    return f"M {_pair(first)}" + "".join(f" L {_pair(other)}" for other in others) + end


def _pair(point):
    return " ".join(f"{x:g}" if abs(x) < 1e5 else f"{x:.0f}" for x in point)
