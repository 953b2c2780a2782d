"""Slopes, curvatures and values of a loss over rows."""

import numpy as np

from separatrix.core.jit import compiled, part
from separatrix.core.types import Array, Loss
from separatrix.core.verbs import curvature, information, joint_value, slope, slopes_and_curvatures, value

# How the curvature of a step is found: by the loss, by its expectation, or it is one number for all rows.
BY_LOSS, BY_INFORMATION, ALIKE = 0, 1, 2


@part
def note(g: float, h: float, i: int, out_g: Array, out_h: Array, ends: Array) -> None:
    """Keep a slope and a curvature, and the largest of the slopes and both ends of the curvatures."""
    out_g[i] = g
    out_h[i] = h
    size = abs(g)
    if not size <= ends[0]:
        ends[0] = size  # also where it is no number
    ends[1] = min(ends[1], h)
    ends[2] = max(ends[2], h)


@compiled
def fill_slopes(
    loss: Loss,
    how: int,
    same: float,
    y: Array,
    s: Array,
    eta: Array,
    start: int,
    stop: int,
    g: Array,
    h: Array,
    ends: Array,
) -> None:
    """Weighted slopes and curvatures of the rows `start` to `stop`; s of no entry is all 1."""
    weighted = s.shape[0] > 0
    for i in range(start, stop):
        weight = s[i] if weighted else 1.0
        bend = same
        if how == BY_LOSS:
            bend = curvature(loss, y[i], eta[i])
        elif how == BY_INFORMATION:
            bend = information(loss, y[i], eta[i])
        note(weight * slope(loss, y[i], eta[i]), weight * max(bend, 0.0), i, g, h, ends)


@compiled
def fill_joint_slopes(
    loss: Loss, codes: Array, s: Array, eta: Array, start: int, stop: int, g: Array, h: Array, ends: Array
) -> None:
    """The same of a joint loss and labels: eta is (n, k), g and h are (k, n), ends (k, 3)."""
    weighted = s.shape[0] > 0
    k = eta.shape[1]
    own, up, bend = np.zeros(k), np.empty(k), np.empty(k)
    for i in range(start, stop):
        weight = s[i] if weighted else 1.0
        own[codes[i]] = 1.0
        slopes_and_curvatures(loss, own, eta[i], up, bend)
        own[codes[i]] = 0.0
        for c in range(k):
            note(weight * up[c], weight * bend[c], i, g[c], h[c], ends[c])


@compiled
def sum_values(loss: Loss, y: Array, s: Array, eta: Array, start: int, stop: int) -> float:
    """The weighted sum of the losses of the rows `start` to `stop`."""
    weighted = s.shape[0] > 0
    total = 0.0
    for i in range(start, stop):
        total += (s[i] if weighted else 1.0) * value(loss, y[i], eta[i])
    return total


@compiled
def sum_joint_values(loss: Loss, codes: Array, s: Array, eta: Array, start: int, stop: int) -> float:
    """The same of a joint loss and labels."""
    weighted = s.shape[0] > 0
    own = np.zeros(eta.shape[1])
    total = 0.0
    for i in range(start, stop):
        own[codes[i]] = 1.0
        total += (s[i] if weighted else 1.0) * joint_value(loss, own, eta[i])
        own[codes[i]] = 0.0
    return total


@compiled
def summed_slope(loss: Loss, y: Array, s: Array, eta: Array, order: Array, start: int, stop: int, step: float) -> float:
    """The weighted sum of the slopes of the rows ``order[start:stop]`` at raw scores that are `step` higher."""
    weighted = s.shape[0] > 0
    total = 0.0
    for i in range(start, stop):
        row = order[i]
        total += (s[row] if weighted else 1.0) * slope(loss, y[row], eta[row] + step)
    return total
