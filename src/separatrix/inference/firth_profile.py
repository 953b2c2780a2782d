r"""The profile of Firth's penalised likelihood, by several climbs: it may have more than one local maximum.

Solves   F(b) = 2 (max l* - max { l*(beta) : beta_j = b }) = limit      for the two ends b next to the estimate
Given    a JeffreysLikelihood with coefficient j in the last place.
Returns  an end, infinite where F stays below the limit, None where no point could be shown to lie on the limit.
Cost     a few dozen climbs an end, all starting points of a climb together.

A climb from one point follows one local maximum, and its likelihood may lie below that of another: F would be too
large and the interval too short. Every local maximum met is therefore followed along b, new ones are looked for from
random points wherever an end is bracketed, and an end counts only if climbs from other random points than those that
found it confirm it. In large problems, in which the likelihood rules the prior, no random points are taken.
"""

import numpy as np
from scipy.optimize import brentq

from separatrix.solvers.firth import JeffreysLikelihood
from separatrix.solvers.firth_climbs import SMALL, Climbs

# How near F must be to the limit, relative: an error of a millionth in F moves a p-value by less.
NEAR = 1e-6
# The relative modified score of a constrained maximum: the likelihood is then right to its square.
STATIONARY = 1e-5
# Local maxima that are followed, and random points of either kind from which others are looked for.
FOLLOWED, STARTS = 6, 10
FARTHER = (1.0, 1.5, 2.0, 3.0, 5.0)
# Times that an end is looked for again with a maximum that its confirmation has met.
ROUNDS = 8
# An interval that has not closed after so many steps, each 1.6 times as long as the last, is open to rounding.
WIDENINGS = 60


class Profile:
    """The penalised likelihood, maximised over all coefficients but one.

    Parameters
    ----------
    problem : Problem.  Logistic loss, y in [0, 1].
    j : int.  The coefficient; 0 is the intercept, where there is one.
    w : (q,) array.  The estimate, intercept first.
    error : float, (0, inf).  The standard error of the coefficient, the first step of the search.
    """

    def __init__(self, problem, j, w, error):
        likelihood = JeffreysLikelihood(problem, last=j)
        self.climbs, self.error, self.free = Climbs(likelihood), error, len(likelihood.kept) - 1
        self.unit = likelihood.T[-1, -1]
        at_estimate = np.linalg.solve(likelihood.T, np.asarray(w)[likelihood.kept])
        reached = self.climbs(at_estimate[None], steps=200)
        self.best, self.top, self.stationary = reached.u[0], float(reached.value[0]), True
        self.estimate = float(self.unit * self.best[-1])
        self.followed = self.best[None, : self.free]

    def fall(self, b, seed=None):
        """F at b, infinite where the information vanishes; with a seed, in small problems from random points too."""
        starts = np.vstack([self.followed, np.zeros((1, self.free))])
        if seed is not None and self.climbs.M.size <= SMALL:
            # other maxima lie farther out, often in the direction of the one that is followed
            random = self.climbs.starts(STARTS, seed)[:, : self.free]
            around = random + np.resize(FARTHER, len(random))[:, None] * starts[0]
            starts = np.vstack([starts, np.multiply.outer(FARTHER[1:], starts[0]), random, around])
        u = np.column_stack([starts, np.full(len(starts), b / self.unit)])
        reached = self.climbs(u, free=self.free)
        if not len(reached.u):
            return np.inf
        reached = self.climbs(reached.u[:FOLLOWED], free=self.free, steps=200)
        self.followed = reached.u[:, : self.free]
        self.stationary = reached.relative[0] <= STATIONARY
        return 2.0 * (self.top - float(reached.value[0]))

    def end(self, side, limit):
        """Where F reaches the limit, above (side = 1) or below (-1) the estimate; None where it cannot be shown."""
        inner, self.followed = self.estimate, self.best[None, : self.free]
        for seed in range(ROUNDS):
            inner, outer = self._bracket(inner, side, limit, seed)
            if outer is None:
                return side * np.inf
            end = self._between(inner, outer, limit)
            confirmed = self.fall(end, seed=1000 + seed)
            if abs(confirmed - limit) <= NEAR * limit:
                return end if self.stationary else None
            inner = end if confirmed < limit else inner
        return None

    def _bracket(self, inner, side, limit, seed):
        """Two values of the coefficient between which F passes the limit; None for the outer where it never does."""
        width = self.error
        for _ in range(WIDENINGS):
            outer = inner + side * width
            if self.fall(outer, seed) > limit:
                return inner, outer
            inner, width = outer, 1.6 * width
        return inner, None

    def _between(self, inner, outer, limit):
        """A root of F - limit in a bracket; the inner end itself where F is no longer below the limit there."""

        def excess(b):
            return min(self.fall(b), 1e6 * limit) - limit

        if excess(inner) >= 0.0:
            return inner
        return float(brentq(excess, inner, outer, xtol=1e-9 * self.error, rtol=1e-12))
