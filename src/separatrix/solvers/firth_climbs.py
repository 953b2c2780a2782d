r"""Firth's penalised likelihood maximised from many starting points at once: it may have several local maxima.

Solves   max  l*(u) = Σ s_i log p(y_i | u) + ½ log det I(u)      over the first coordinates of u, the others fixed
Given    a JeffreysLikelihood and starting points (S, q), all climbed together.
Returns  the points reached, their l* and their relative modified scores.
Cost     O(S n q²) a step; one QR of the weighted columns for each point, which keeps every digit of the determinant.
From     the steps of solvers/firth.py: Newton's at fixed leverages, halved until l* rises.
"""

from typing import Any, NamedTuple

import numpy as np
from scipy.special import expit

from separatrix.core.problem import Problem
from separatrix.solvers.firth import HALVINGS, JeffreysLikelihood

# No step moves the score of a row by more than this: beyond, curvatures say nothing. Rows of a score beyond SATURATED
# have none, and an outlying one among them must not hold up the others.
LONGEST_STEP, SATURATED = 5.0, 10.0
# Maxima closer than this, in units of the scores, are one.
SAME = 1e-4
# Points of so many numbers in all, rows times columns, are climbed at once.
MOST_NUMBERS = 1 << 21


# Problems of so many numbers, rows times columns, are climbed from several points: with more rows the likelihood rules.
SMALL = 1 << 12
# Random points of either kind, from which the highest maximum is looked for.
STARTS = 40
# By how much l* must be higher elsewhere for a climb from there to be preferred to one from zero.
HIGHER = 1e-6


def highest_start(problem: Problem) -> np.ndarray | None:
    """Where a climb to the highest maximum may begin, if one from zero ends in a lower one; else None, which is zero.

    An outlying row may leave a local maximum near zero. Large problems are not looked at.
    """
    if problem.design.n * problem.design.p > SMALL:
        return None
    climbs = Climbs(JeffreysLikelihood(problem))
    starts = climbs.starts(STARTS, seed=0)
    from_zero, reached = climbs(starts[:1]), climbs(starts[1:])
    if not len(from_zero.u) or not len(reached.u) or reached.value[0] <= from_zero.value[0] + HIGHER:
        return None
    highest: np.ndarray = reached.u[0]
    return highest


class Reached(NamedTuple):
    """Points (S, q), best first, their l* and their scores in standard errors."""

    u: np.ndarray
    value: np.ndarray
    relative: np.ndarray


class Climbs:
    """Climbs of one likelihood from many points.

    Parameters
    ----------
    likelihood : JeffreysLikelihood.  Its rows are held as one array (n, q) of orthonormal columns.
    """

    def __init__(self, likelihood: JeffreysLikelihood) -> None:
        design, target = likelihood.design, likelihood.target
        block: Any = design  # in memory
        seen = target.weights > 0.0
        rows = likelihood._rows(block.block(slice(None)))[seen][:, likelihood.kept]
        self.M = rows @ likelihood.T
        self.y, self.s = np.asarray(target.y, dtype=np.float64)[seen], target.weights[seen]
        self.q = self.M.shape[1]
        # a point of this length gives a typical row a score of 1, however far the outlying rows are
        lengths = np.linalg.norm(self.M, axis=1)
        self.reach = float(np.sqrt(max(self.q, 1)) / max(np.median(lengths), np.finfo(np.float64).tiny))
        self.typical = _typical_rows(rows, likelihood.T)

    def starts(self, count: int, seed: int, scales: tuple[float, ...] = (1.0, 3.0, 9.0, 27.0)) -> np.ndarray:
        """Zero, and random points at which typical rows have scores of the order of each of the scales.

        `count` points are spread evenly over the coordinates, and as many over slopes per quartile distance, with the
        median row near a score of 0: an outlying row makes the two differ, and with it the maxima they lead to.
        """
        count = max(1, min(count, MOST_NUMBERS // max(self.M.size, 1)))
        draws = np.random.default_rng(seed).standard_normal((2, count, self.q)) / np.sqrt(max(self.q, 1))
        sizes = np.resize(scales, count)[:, None]
        return np.vstack([np.zeros(self.q), draws[0] * self.reach * sizes, (draws[1] * sizes) @ self.typical])

    def __call__(self, u: np.ndarray, *, free: int | None = None, steps: int = 25, tol: float = 1e-7) -> Reached:
        """Climb from points u (S, q); coordinates after the first `free` stay.

        The relative score is ``sqrt(U*' I^-1 U* / q)`` of the free coordinates, as in ``JeffreysLikelihood.maximise``;
        climbs end where it is at most `tol`, and l* is then right to its square.
        """
        free = self.q if free is None else free
        u = np.array(u, dtype=np.float64)
        value, R = self._values(u)
        relative = np.full(len(u), np.inf)
        going = np.flatnonzero(np.isfinite(value))
        for step in range(steps + 1):
            if not len(going):
                break
            move, relative[going] = self._moves(u[going], R[going], free)
            keep = (relative[going] > tol) & (step < steps)
            going = going[keep]
            moved = self._rising(u[going], value[going], R[going], move[keep])
            u[going], value[going], R[going] = moved[:3]
            going = going[moved[3]]
        best = np.argsort(-value, kind="stable")
        return self._distinct(Reached(u[best], value[best], relative[best]))

    def _values(self, u: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """l* and the triangle R with ``R'R = I`` at each point; -inf where I is singular."""
        eta = u @ self.M.T
        tail = np.exp(-np.abs(eta))
        loss = (1.0 - self.y) * np.maximum(eta, 0.0) + self.y * np.maximum(-eta, 0.0) + np.log1p(tail)
        root = np.sqrt(self.s) * np.exp(-0.5 * np.abs(eta)) / (1.0 + tail)
        R: Any = np.linalg.qr(root[:, :, None] * self.M, mode="r")
        diagonal = np.abs(np.diagonal(R, axis1=1, axis2=2))
        with np.errstate(divide="ignore"):
            value = -(loss @ self.s) + np.log(diagonal).sum(axis=1)
        regular = diagonal.min(axis=1, initial=np.inf) > 1e-13 * diagonal.max(axis=1, initial=0.0)
        return np.where(regular, value, -np.inf), R

    def _moves(self, u: np.ndarray, R: np.ndarray, free: int) -> tuple[np.ndarray, np.ndarray]:
        """A step for each point, and how far it still has to go, in standard errors."""
        M, s = self.M, self.s
        eta = u @ M.T
        mu, tail = expit(eta), np.exp(-np.abs(eta))
        bend = tail / (1.0 + tail) ** 2
        half = np.linalg.solve(np.swapaxes(R, 1, 2), np.broadcast_to(M.T, (len(u), *M.T.shape)))
        h = s * bend * (half**2).sum(axis=1)
        U = (s * (self.y - mu) + h * (0.5 - mu)) @ M
        slope = np.swapaxes(M * ((s + h) * bend)[:, :, None], 1, 2) @ M
        move = np.zeros_like(u)
        if not free:
            return move, np.zeros(len(u))
        part, U = slope[:, :free, :free], U[:, :free, None]
        size = np.sqrt(np.diagonal(part, axis1=1, axis2=2)).clip(min=np.finfo(np.float64).tiny)
        scaled = part / size[:, :, None] / size[:, None, :] + 1e-14 * np.eye(free)
        move[:, :free] = np.linalg.solve(scaled, U / size[:, :, None])[:, :, 0] / size
        longest = np.where(np.abs(eta) <= SATURATED, np.abs(move @ M.T), 0.0).max(axis=1)
        whitened = np.linalg.solve(np.swapaxes(R[:, :free, :free], 1, 2), U)[:, :, 0]
        relative = np.sqrt((whitened**2).mean(axis=1))
        return move * (LONGEST_STEP / np.maximum(longest, LONGEST_STEP))[:, None], relative

    def _rising(
        self, u: np.ndarray, value: np.ndarray, R: np.ndarray, move: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Points after a step, halved until l* does not fall, with l* and R; and which of them moved at all."""
        lifted = np.zeros(len(u), dtype=bool)
        rounding = 64.0 * np.finfo(np.float64).eps * (np.abs(value) + len(self.y))
        for _ in range(HALVINGS):
            waiting = np.flatnonzero(~lifted)
            if not len(waiting):
                break
            tried = u[waiting] + move[waiting]
            there, R_there = self._values(tried)
            up = there >= value[waiting] - rounding[waiting]
            chosen = waiting[up]
            u[chosen], value[chosen], R[chosen], lifted[chosen] = tried[up], there[up], R_there[up], True
            move[waiting[~up]] *= 0.5
        return u, value, R, lifted

    def _distinct(self, reached: Reached) -> Reached:
        """Each maximum once."""
        kept: list[int] = []
        for i in np.flatnonzero(np.isfinite(reached.value)):
            if all(np.abs((reached.u[i] - reached.u[k]) @ self.M.T).max() > SAME for k in kept):
                kept.append(int(i))
        return Reached(reached.u[kept], reached.value[kept], reached.relative[kept])


def _typical_rows(rows: np.ndarray, T: np.ndarray) -> np.ndarray:
    """A (q, q) with which ``z @ A`` are coordinates of slopes z per quartile distance, about the columns' medians.

    Quartiles of a column that hardly varies may agree: its largest distance from the median is taken then. The
    constant column, where there is one, takes up the scores of the median row.
    """
    centre = np.median(rows, axis=0)
    spread = np.subtract(*np.quantile(rows, [0.75, 0.25], axis=0))
    spread = np.where(spread > 0.0, spread, np.abs(rows - centre).max(axis=0))
    constant = np.flatnonzero(spread == 0.0)
    slopes = np.diag(1.0 / np.where(spread > 0.0, spread, 1.0))
    if len(constant):
        first = int(constant[0])
        moved = -slopes @ centre
        moved[first] = 1.0
        slopes[:, first] = moved / centre[first]
    solved: np.ndarray = np.linalg.solve(T, slopes.T).T
    return solved
