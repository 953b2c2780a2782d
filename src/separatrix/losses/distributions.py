r"""Families of distributions of generalised linear models: the loss of each link, the range of y, variance, density.

A family has a variance function :math:`V(\mu)` and a dispersion :math:`\phi`, with
:math:`\operatorname{var}(y) = \phi V(\mu)`. The quasi families have those of their namesakes, an estimated dispersion
and no likelihood.

References: McCullagh and Nelder (1989), Generalized Linear Models, chapters 2 and 9.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import inf
from typing import Any

import numpy as np

from separatrix.core.types import Array, Loss
from separatrix.losses.cauchit import Cauchit
from separatrix.losses.complementary_log_log import ComplementaryLogLog
from separatrix.losses.gamma import Gamma
from separatrix.losses.gaussian_log import GaussianLog
from separatrix.losses.log_chance import LogChance
from separatrix.losses.logistic import Logistic
from separatrix.losses.poisson import Poisson
from separatrix.losses.power_link import PowerLink
from separatrix.losses.probit import Probit
from separatrix.losses.squared import Squared
from separatrix.losses.tweedie import Tweedie


@dataclass(frozen=True)
class Distribution:
    """A family of distributions of a target, given its mean.

    Parameters
    ----------
    losses : dict.  By the name of a link, the loss that is half the deviance, or the negative log-likelihood. The first
        link is the default.
    low, high : float.  The range of y.
    open_low : bool.  Whether `low` itself is outside of it.
    power : float or None.  p of a variance proportional to mu^p; None for probabilities, mu (1 - mu).
    dispersion : float or None.  Its known value; None where it is estimated.
    density : str or None.  Whose density the likelihood is, for AIC; None where it has none, or none that is computed.
    """

    losses: dict[str, Loss]
    low: float
    high: float = inf
    open_low: bool = False
    power: float | None = None
    dispersion: float | None = None
    density: str | None = None

    def variance(self, mu: Array) -> Array:
        """V(mu)."""
        return mu * (1.0 - mu) if self.power is None else mu**self.power

    def pearson(self, y: Array, s: Array, mu: Array) -> float:
        """Pearson's chi-squared, ``Σ s (y - mu)² / V(mu)``."""
        with np.errstate(divide="ignore", invalid="ignore"):
            terms = s * (y - mu) ** 2 / self.variance(mu)
        return float(np.where(y == mu, 0.0, terms).sum())


# mu^q is the score; q = 0 stands for the log link.
EXPONENTS = {"identity": 1.0, "sqrt": 0.5, "log": 0.0, "inverse": -1.0, "1/mu^2": -2.0}


def _of_positive_means(of_log: Loss, *links: str) -> dict[str, Loss]:
    """The losses of a family of positive means, from that of its log link."""
    return {"log": of_log, **{name: PowerLink(of_log, EXPONENTS[name]) for name in links}}


_NUMBERS = {"identity": Squared(), **_of_positive_means(GaussianLog(), "inverse")}
_COUNTS = _of_positive_means(Poisson(), "sqrt", "identity")
_GAMMA = _of_positive_means(Gamma(), "inverse", "identity")
_INVERSE_GAUSSIAN = _of_positive_means(Tweedie(3.0), "1/mu^2", "inverse", "identity")
_SHARES: dict[str, Loss] = {
    "logit": Logistic(),
    "probit": Probit(),
    "cloglog": ComplementaryLogLog(),
    "cauchit": Cauchit(),
    "log": LogChance(),
}
DISTRIBUTIONS = {
    "gaussian": Distribution(_NUMBERS, -inf, power=0.0, density="gaussian"),
    "poisson": Distribution(_COUNTS, 0.0, power=1.0, dispersion=1.0, density="poisson"),
    "quasipoisson": Distribution(_COUNTS, 0.0, power=1.0),
    "gamma": Distribution(_GAMMA, 0.0, open_low=True, power=2.0, density="gamma"),
    "inverse_gaussian": Distribution(_INVERSE_GAUSSIAN, 0.0, open_low=True, power=3.0, density="inverse_gaussian"),
    "binomial": Distribution(_SHARES, 0.0, 1.0, dispersion=1.0, density="binomial"),
    "quasibinomial": Distribution(_SHARES, 0.0, 1.0),
}


def tweedie(power: float) -> Distribution | None:
    """The distribution with variance mu^power; None where there is none that is fitted here.

    >>> tweedie(1.0) is DISTRIBUTIONS["poisson"], tweedie(0.5)
    (True, None)
    """
    named = {0.0: "gaussian", 1.0: "poisson", 2.0: "gamma", 3.0: "inverse_gaussian"}
    if power in named:
        return DISTRIBUTIONS[named[power]]
    if not 1.0 < power < inf:
        return None
    losses = _of_positive_means(Tweedie(power), "identity")
    return Distribution(losses, 0.0, open_low=power > 2.0, power=power)


def log_density(family: Distribution, y: Array, s: Array, deviance: float) -> float:
    """The largest log-likelihood of a fit, for AIC as R's: with the dispersion ``deviance / Σs`` where it is estimated.

    It is the saturated log-likelihood less half the deviance. Weights count as repetitions; of a share of successes
    the weight is the number of trials, and the binomial coefficient belongs to it. NaN where the family has no density,
    and where counts are not whole.
    """
    return _DENSITIES[family.density](y, s, deviance) if family.density is not None else np.nan


def _gaussian(y: Array, s: Array, deviance: float) -> float:
    total = s.sum()
    return float(-0.5 * total * (np.log(2.0 * np.pi * deviance / total) + 1.0)) if deviance > 0.0 else np.nan


def _inverse_gaussian(y: Array, s: Array, deviance: float) -> float:
    return _gaussian(y, s, deviance) - 1.5 * float(s @ np.log(y))


def _gamma(y: Array, s: Array, deviance: float) -> float:
    from scipy.special import gammaln

    if not deviance > 0.0:
        return np.nan
    total = s.sum()
    shape = total / deviance
    return float(total * (shape * np.log(shape) - shape - gammaln(shape) - 0.5) - s @ np.log(y))


def _poisson(y: Array, s: Array, deviance: float) -> float:
    from scipy.special import gammaln, xlogy

    if (y != np.round(y)).any():
        return np.nan
    return float(s @ (xlogy(y, y) - y - gammaln(y + 1.0)) - 0.5 * deviance)


def _binomial(y: Array, s: Array, deviance: float) -> float:
    from scipy.special import gammaln, xlog1py, xlogy

    soft = (y > 0.0) & (y < 1.0) & (s > 0.0)
    yes, trials = np.round(s * y), np.round(s)
    if (np.abs(s * y - yes) > 1e-7 * trials)[soft].any() or (s != trials)[soft].any():
        return np.nan
    coefficients = (gammaln(trials + 1.0) - gammaln(yes + 1.0) - gammaln(trials - yes + 1.0))[soft]
    return float(s @ (xlogy(y, y) + xlog1py(1.0 - y, -y)) + coefficients.sum() - 0.5 * deviance)


_DENSITIES: dict[str | None, Callable[[Any, Any, float], float]] = {
    "gaussian": _gaussian,
    "inverse_gaussian": _inverse_gaussian,
    "gamma": _gamma,
    "poisson": _poisson,
    "binomial": _binomial,
}
