r"""The negative log-likelihood of one of k classes whose log-probabilities are the raw scores, up to a constant."""

from math import exp, inf, log, log1p
from typing import NamedTuple

import numpy as np

from separatrix.core.dispatch import atom, implements
from separatrix.core.jit import part
from separatrix.core.registry import register
from separatrix.core.scores import ScoredRows, Scores
from separatrix.core.types import Array
from separatrix.core.verbs import (
    curvature_of_rows,
    curvature_rate,
    curvatures,
    ignores_shifts,
    is_joint,
    is_likelihood,
    joint_conjugate,
    joint_curvature,
    joint_value,
    largest_curvature,
    link,
    move_into_domain,
    separate_curvatures,
    slopes,
    slopes_and_curvatures,
)


@register("joint loss", ())
@atom
class Softmax(NamedTuple):
    r"""Deviance of a multinomial variable; y is a row of k class probabilities that sum to 1 (0 and 1 for a label).

    .. math:: \ell = \log \sum_c e^{\eta_c} - \sum_c y_c \eta_c, \qquad
              \frac{\partial \ell}{\partial \eta_c} = \frac{e^{\eta_c}}{\sum_d e^{\eta_d}} - y_c

    References: Bishop (2006), Pattern Recognition and Machine Learning, section 4.3.4.

    >>> y, eta, g = np.array([0.0, 1.0]), np.zeros(2), np.empty(2)
    >>> round(float(joint_value(Softmax(), y, eta)), 12)
    0.69314718056
    >>> slopes(Softmax(), y, eta, g)
    >>> g
    array([ 0.5, -0.5])
    """

    scale: float = 1.0  # numba cannot type an empty tuple; always 1


@implements(joint_value, Softmax)
def _(loss: Softmax, y: Array, eta: Array) -> float:
    top = 0
    for c in range(eta.shape[0]):
        if eta[c] > eta[top]:
            top = c
    others, miss = 0.0, 0.0
    for c in range(eta.shape[0]):
        others += exp(eta[c] - eta[top]) if c != top else 0.0
        miss += y[c] * (eta[top] - eta[c]) if y[c] > 0.0 else 0.0
    return log1p(others) + miss  # of a sure and right row no digits are lost beside 1


@part
def fill_probabilities(eta: Array, out: Array) -> None:
    """out_c = e^eta_c / Σ_d e^eta_d."""
    largest = -inf
    for c in range(eta.shape[0]):
        largest = max(largest, eta[c])
    total = 0.0
    for c in range(eta.shape[0]):
        out[c] = exp(eta[c] - largest)
        total += out[c]
    share = 1.0 / total
    for c in range(eta.shape[0]):
        out[c] *= share


@part
def subtract_target(y: Array, k: int, out: Array) -> None:
    """out_c -= y_c for c < k, where out holds the probabilities, and may be longer."""
    own, others = -1, 0.0
    for c in range(k):
        if y[c] == 1.0:
            own = c
        else:
            out[c] -= y[c]
            others += out[c]
    if own >= 0:
        out[own] = -others  # not mu - 1, which has no digits where mu is near 1


@implements(slopes, Softmax)
def _(loss: Softmax, y: Array, eta: Array, out: Array) -> None:
    fill_probabilities(eta, out)
    subtract_target(y, eta.shape[0], out)


@implements(curvatures, Softmax)
def _(loss: Softmax, y: Array, eta: Array, out: Array) -> None:
    fill_probabilities(eta, out)
    for c in range(eta.shape[0]):
        out[c] *= 1.0 - out[c]


@implements(slopes_and_curvatures, Softmax)
def _(loss: Softmax, y: Array, eta: Array, out_slopes: Array, out_curvatures: Array) -> None:
    fill_probabilities(eta, out_slopes)
    for c in range(eta.shape[0]):
        out_curvatures[c] = out_slopes[c] * (1.0 - out_slopes[c])
    subtract_target(y, eta.shape[0], out_slopes)


@implements(joint_curvature, Softmax)
def _(loss: Softmax, y: Array, eta: Array, out: Array) -> None:
    mu = out[0]
    fill_probabilities(eta, mu)
    for c in range(eta.shape[0] - 1, -1, -1):  # from the last: the first row holds the probabilities until then
        share = mu[c]
        for d in range(eta.shape[0]):
            out[c, d] = share * ((1.0 if c == d else 0.0) - mu[d])


@implements(joint_conjugate, Softmax)
def _(loss: Softmax, y: Array, u: Array) -> float:
    total = 0.0
    for c in range(u.shape[0]):
        mu = y[c] + u[c]
        if mu < 0.0:
            return inf
        if mu > 0.0:
            total += mu * (log1p(u[c]) if y[c] == 1.0 else log(mu))
    return total


class Covariances(NamedTuple):
    """``diag(mu_i) - mu_i mu_i'`` of rows of class probabilities mu (n, k): the curvature, in n k numbers."""

    mu: Array

    def between(self, c: int, d: int) -> Array:
        """The entries cd, (n,)."""
        return self.mu[:, c] * (1.0 - self.mu[:, c] if c == d else -self.mu[:, d])

    def total(self, s: Array) -> Array:
        """``Σ s_i (diag(mu_i) - mu_i mu_i')``, (k, k)."""
        weighted = s[:, None] * self.mu
        return np.diag(weighted.sum(axis=0)) - weighted.T @ self.mu


@implements(curvature_of_rows, Softmax)
def _(loss: Softmax, y: Array, eta: Array, u: Array) -> Covariances:
    return Covariances(u + y)


@implements(move_into_domain, Softmax)
def _(loss: Softmax, scores: Scores, intercept: bool) -> None:
    """Rows ``y + u`` are probabilities; with an intercept, each class gets the total that it has in y.

    Classes with too much give a share of each of their probabilities, the others receive what a row has given: rows
    stay probabilities.
    """

    def means(rows: ScoredRows) -> Array:
        mu = np.maximum(rows.y + rows.u, 0.0)
        return mu / mu.sum(axis=1, keepdims=True)

    def apart(u: Array, y: Array) -> Array:
        """u with rows that sum to 0; of the class of a row minus the sum of the others, to all digits."""
        others = np.where(y == 1.0, 0.0, u)
        return np.where(y == 1.0, -others.sum(axis=1, keepdims=True), u)

    scores.change(lambda rows: rows._replace(u=apart(means(rows) - rows.y, rows.y)))
    if not intercept:
        return
    have, want = scores.sums(lambda rows: np.array([rows.s @ (rows.y + rows.u), rows.s @ rows.y]))
    give = np.clip(1.0 - np.divide(want, have, out=np.ones_like(want), where=have > 0.0), 0.0, 1.0)
    lack = np.maximum(want - have, 0.0)

    def move(rows: ScoredRows) -> ScoredRows:
        given = (rows.y + rows.u) * give
        return rows._replace(u=apart(rows.u + np.outer(given.sum(axis=1), lack / lack.sum()) - given, rows.y))

    if lack.sum() > 0.0:
        scores.change(move)


@implements(is_joint, Softmax)
def _(loss: Softmax) -> bool:
    return True


@implements(ignores_shifts, Softmax)
def _(loss: Softmax) -> bool:
    return True


@implements(largest_curvature, Softmax)
def _(loss: Softmax) -> float:
    return 0.5


@implements(is_likelihood, Softmax)
def _(loss: Softmax) -> bool:
    return True


@implements(link, Softmax)
def _(loss: Softmax, mean: Array) -> Array:
    return np.log(np.maximum(mean, np.finfo(np.float64).tiny))


@implements(curvature_rate, Softmax)
def _(loss: Softmax, y: Array, eta: Array, reach: float) -> float:
    return 2.0  # of a variance under mu: the third moment is at most the range of the scores' moves times it


@implements(separate_curvatures, Softmax)
def _(loss: Softmax, y: Array, eta: Array, out: Array) -> None:
    # (Σ_c mu_c x_c)² <= (1 - mu_0) Σ_c mu_c x_c² over c > 0, by Cauchy and Schwarz
    fill_probabilities(eta, out)
    for c in range(1, eta.shape[0]):
        out[c] *= out[0]
    out[0] = 0.0
