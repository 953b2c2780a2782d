r"""Links of generalised linear models by name: from raw scores :math:`\eta` to means :math:`\mu(\eta)`, and its slope.

References: McCullagh and Nelder (1989), Generalized Linear Models, section 2.2.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np


class Link(NamedTuple):
    """What is asked about a link.

    Parameters
    ----------
    mean : callable.  From raw scores to means; infinite or negative where a score is outside the range of the link.
    slope : callable.  The derivative of `mean`.
    positive : bool.  Whether only positive scores are means.
    falls : bool.  Whether the mean falls as the score rises.
    """

    mean: Callable[[Any], Any]
    slope: Callable[[Any], Any]
    positive: bool = False
    falls: bool = False


def inverse_link(name, scores):
    """Means of raw scores under a link.

    >>> inverse_link("log", np.array([0.0])), inverse_link("inverse", np.array([4.0]))
    (array([1.]), array([0.25]))
    """
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        return LINKS[name].mean(scores)


def mean_slope(name, scores):
    """The derivative of the mean in the raw score, under a link.

    >>> mean_slope("inverse", np.array([2.0]))
    array([-0.25])
    """
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        return LINKS[name].slope(scores)


def _expit(eta):
    from scipy.special import expit

    return expit(eta)


def _ndtr(eta):
    from scipy.special import ndtr

    return ndtr(eta)


LINKS = {
    "identity": Link(lambda eta: eta, np.ones_like),
    "log": Link(np.exp, np.exp),
    "sqrt": Link(np.square, lambda eta: 2.0 * eta, positive=True),
    "inverse": Link(lambda eta: 1.0 / eta, lambda eta: -1.0 / eta**2, positive=True, falls=True),
    "1/mu^2": Link(lambda eta: 1.0 / np.sqrt(eta), lambda eta: -0.5 / np.sqrt(eta) ** 3, positive=True, falls=True),
    "logit": Link(_expit, lambda eta: _expit(eta) * _expit(-eta)),
    "probit": Link(_ndtr, lambda eta: np.exp(-0.5 * eta**2) / np.sqrt(2.0 * np.pi)),
    "cloglog": Link(lambda eta: -np.expm1(-np.exp(eta)), lambda eta: np.exp(eta - np.exp(eta))),
    "cauchit": Link(lambda eta: np.arctan2(1.0, -eta) / np.pi, lambda eta: 1.0 / (np.pi * (1.0 + eta**2))),
}
