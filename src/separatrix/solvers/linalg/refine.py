"""Refinement of a least-squares solution: residuals of the data as given, corrections from a triangular factor.

One step:  r = y - X beta,  (beta, intercept) += factor.solve(X'S r - lam beta).
With `extended`, beta is a pair high + low and r and X'S r are accumulated in doubled precision; the limit of the
iteration is then the solution of the stored data to the last digit, for any condition number up to about 1e12.
"""

from dataclasses import dataclass

import numpy as np

from separatrix.core.extended import Pair, pair_matvec, pair_rmatvec, pair_sum, renormalise, two_product, two_sum
from separatrix.core.registry import register
from separatrix.designs import as_dense
from separatrix.designs.base import thin_product

EPS = np.finfo(np.float64).eps


@register("record")
@dataclass
class Refined:
    """Coefficients (p, k) and intercept (k,), with residual sums of squares and gradients at the last pass."""

    beta: np.ndarray
    intercept: np.ndarray
    rss: np.ndarray
    g: np.ndarray
    g0: np.ndarray
    passes: int


def refine(design, target, factor, lam, beta, intercept, *, extended, max_steps=30, trace=None):
    """Refine from a start until the correction is below rounding or stops shrinking.

    A `trace` gets the objective, and its excess over the minimum as a share of it, before each correction.
    """
    Y = target.y.reshape(design.n, -1)
    beta = Pair(beta, np.zeros_like(beta))
    intercept = Pair(intercept, np.zeros_like(intercept))
    gradient = _extended_gradient if extended else _gradient
    smallest = np.inf
    passes = 0
    while passes < max_steps:
        passes += 1
        g, g0, rss = gradient(design, Y, target.s, beta, intercept)
        g = g - lam * beta.high
        step, step0 = factor.solve(g, g0)
        size = _relative(step, beta.high, factor)
        if trace is not None:
            value = float(rss.sum()) + lam * float((beta.high**2).sum())
            excess = abs(float((g * step).sum() + (g0 * step0).sum()))
            trace.append(0.5 * value / factor.total, excess / value if value > 0.0 else 0.0)
        if size <= (EPS * EPS if extended else EPS) or size > 0.5 * smallest:
            break
        smallest = size
        beta = beta.plus(Pair(step, np.zeros_like(step)))
        if factor.intercept:
            intercept = intercept.plus(Pair(step0, np.zeros_like(step0)))
        if not extended and size < 1e-9:
            break  # a correction this small is itself right to seven digits: the next one would be rounding
    return Refined(beta.high, intercept.high, rss, g, g0, passes)


def _relative(step, beta, factor):
    """Size of a step against the coefficients, in units where all columns have length one."""
    with np.errstate(divide="ignore", invalid="ignore"):
        unit = np.where(factor.scale > 0.0, 1.0 / factor.scale, 0.0)[:, None]
    largest = np.abs(beta * unit).max(initial=0.0)
    moved = np.abs(step * unit).max(initial=0.0)
    return moved / largest if largest > 0.0 else (np.inf if moved > 0.0 else 0.0)


def _gradient(design, Y, s, beta, intercept):
    """``X'S r``, ``Σ s r`` and ``Σ s r²`` in one read of X."""

    def task(B, Y_block, s_block):
        fitted = (B @ beta.high[:, 0])[:, None] if beta.high.shape[1] == 1 else B @ beta.high
        r = Y_block - fitted - intercept.high
        sr = r if s_block is None else s_block[:, None] * r
        return thin_product(B, sr), sr.sum(axis=0), (sr * r).sum(axis=0)

    return design.reduce(task, _add_all, Y, s)


def _add_all(a, b):
    return tuple(x + y for x, y in zip(a, b))


def _extended_gradient(design, Y, s, beta, intercept):
    """The same three sums in doubled precision, rounded at the very end."""

    def task(B, Y_block, s_block):
        B = np.ascontiguousarray(as_dense(B))
        return [
            _extended_block(B, Y_block[:, c], s_block, _column(beta, c), _column(intercept, c))
            for c in range(Y_block.shape[1])
        ]

    def merge(one, other):
        return [tuple(a.plus(b) for a, b in zip(x, y)) for x, y in zip(one, other)]

    sums = design.reduce(task, merge, Y, s)
    g, g0, rss = (np.stack([output[part].high for output in sums], axis=-1) for part in range(3))
    return g, g0, rss


def _column(pair, c):
    return Pair(pair.high[..., c], pair.low[..., c])


def _extended_block(B, y, s, beta, intercept):
    fitted = pair_matvec(B, beta)
    high, error = two_sum(y, -fitted.high)
    r = renormalise(high, error - fitted.low)
    r = r.plus(Pair(-intercept.high, -intercept.low))
    if s is None:
        sr = r
    else:
        product, error = two_product(s, r.high)
        sr = renormalise(product, error + s * r.low)
    square, error = two_product(sr.high, r.high)
    rss = pair_sum(square, error + sr.high * r.low + sr.low * r.high)
    return pair_rmatvec(B, sr), pair_sum(sr.high, sr.low), rss
