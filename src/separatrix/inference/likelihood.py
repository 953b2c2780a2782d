r"""Likelihood: how probable a model makes what was seen, :math:`\ell = \sum_i \log P(y_i \mid x_i)`."""

import math
from collections import Counter
from dataclasses import dataclass

import numpy as np
from scipy.special import xlog1py, xlogy

from separatrix.core.errors import cannot
from separatrix.estimators.probabilities import (
    class_codes,
    same_length,
    validate_labels,
    validate_posteriors,
    validate_priors,
)
from separatrix.estimators.validation import validate_weights


def sequence_log_likelihood(sequence, probabilities, base=math.e):
    r"""Log-likelihood of independent draws from one distribution.

    .. math:: \ell = \log \prod_i P(z_i) = \sum_z n_z \log P(z)

    Parameters
    ----------
    sequence : sequence of outcomes.
    probabilities : dict from outcome to probability, summing to 1.
    base : float, (1, inf), default e.  Of the logarithm; 2 gives bits.

    Returns
    -------
    log_likelihood : float.  -inf if something happened that has probability 0; 0 for an empty sequence.

    Examples
    --------
    >>> draws = ["red", "blue", "blue", "red", "red"]
    >>> sequence_log_likelihood(draws, {"red": 0.5, "blue": 0.5}, base=2)
    -5.0
    """
    outcomes = list(probabilities)
    p = validate_priors([probabilities[z] for z in outcomes], len(outcomes), name="probabilities")
    counts = Counter(np.asarray(sequence).tolist())
    strangers = [z for z in counts if z not in probabilities]
    if strangers:
        raise cannot(
            f"find the probability of {strangers[0]!r}",
            because=f"only {outcomes} have one",
            instead="probabilities={outcome: probability, ...} for all that can happen",
        )
    return _sum_of_logs(np.array([counts[z] for z in outcomes], dtype=np.float64), p, base)


@dataclass(frozen=True)
class Proportion:
    """A proportion estimated by maximum likelihood.

    Attributes
    ----------
    estimate : float.  successes / n.
    error : float or None.  Standard error; None at 0 and 1, where the curvature of the likelihood gives none.
    log_likelihood : float.  The largest log-likelihood, in nats, of the sequence of outcomes.
    n : float.  The number of draws.
    """

    estimate: float
    error: float | None
    log_likelihood: float
    n: float


def proportion(successes, n):
    r"""Maximum-likelihood estimate of a proportion, with its standard error.

    .. math:: \hat\theta = \frac{m}{n}, \qquad \operatorname{se} = \sqrt{\hat\theta (1 - \hat\theta) / n}

    Parameters
    ----------
    successes : float, [0, n].  How often it happened.
    n : float, (0, inf).  How often it could have.

    Examples
    --------
    >>> share = proportion(3, 5)
    >>> share.estimate, round(share.error, 6)
    (0.6, 0.219089)
    """
    if not 0.0 <= successes <= n or not 0.0 < n < math.inf:
        raise cannot(
            f"estimate the proportion of {successes!r} in {n!r}",
            because="there must be draws, and no more successes than draws",
            instead="0 <= successes <= n and n > 0",
        )
    theta = successes / n
    inside = 0 < successes < n
    error = math.sqrt(theta * (1.0 - theta) / n) if inside else None
    best = float(xlogy(successes, theta) + xlog1py(n - successes, -theta))
    return Proportion(theta, error, best, n)


def class_log_likelihood(y, posteriors, *, classes=None, sample_weight=None, base=math.e):
    r"""Log-likelihood of predicted class probabilities, once the classes are known.

    .. math:: \ell = \sum_i s_i \log P(y_i \mid x_i)

    Parameters
    ----------
    y : array of shape (n,).  True classes.
    posteriors : array or frame of shape (n, k).  P(k | x), rows summing to 1.
    classes : sequence of k labels or None.  Those of the columns; None stands for 0, ..., k - 1.
    sample_weight : array of shape (n,) or None.
    base : float, (1, inf), default e.  Of the logarithm; 2 gives bits.

    Returns
    -------
    log_likelihood : float.  -inf if something happened that was given probability 0; nothing is clipped.

    Examples
    --------
    >>> class_log_likelihood([0, 1], [[0.5, 0.5], [0.75, 0.25]], base=2)
    -3.0
    """
    P = validate_posteriors(posteriors)
    codes = class_codes(y, validate_labels(classes, P.shape[1]))
    same_length(len(P), codes)
    s = validate_weights(sample_weight, len(P))
    return _sum_of_logs(s, P[np.arange(len(P)), codes], base)


def gaussian_log_likelihood(residuals, precision=None, *, sample_weight=None):
    r"""Log-likelihood of residuals that are normal with mean 0 and the given precision (one over the variance).

    .. math:: \ell = \frac n2 \log\beta - \frac n2 \log 2\pi - \frac\beta2 \sum_i r_i^2

    Whatever the precision, the residuals of least squares maximise it, and its gradient by the coefficients is
    :math:`\beta X^\top r`.

    Parameters
    ----------
    residuals : array of shape (n,).
    precision : float, (0, inf), or None.  None takes the most likely one, :func:`gaussian_precision`.
    sample_weight : array of shape (n,) or None.  Repetitions.

    References: Bishop (2006), Pattern Recognition and Machine Learning, section 3.1.1.

    Examples
    --------
    >>> round(gaussian_log_likelihood([0.2, 0.3, -0.6, 0.5], 2.5), 9)
    -2.768172669
    """
    r, s = _residuals(residuals, sample_weight)
    beta = gaussian_precision(r, sample_weight=s) if precision is None else float(precision)
    if not 0.0 < beta < math.inf:
        raise cannot(
            f"find the likelihood of residuals with precision={beta!r}",
            because="the density is that of a normal variable only for a finite, positive precision",
            instead="precision in (0, inf); None needs residuals that are not all 0",
        )
    return float(0.5 * s.sum() * math.log(beta / (2.0 * math.pi)) - 0.5 * beta * (s @ r**2))


def gaussian_precision(residuals, *, sample_weight=None):
    r"""The most likely precision of normal residuals.

    .. math:: \beta_{ML} = \frac{1}{\frac1n \sum_i r_i^2}

    Infinite where all residuals are 0.

    >>> gaussian_precision([0.5, -0.5])
    4.0
    """
    r, s = _residuals(residuals, sample_weight)
    mean = float(s @ r**2 / s.sum())
    return 1.0 / mean if mean > 0.0 else math.inf


def _residuals(residuals, sample_weight):
    r = np.asarray(residuals, dtype=np.float64)
    if r.ndim != 1 or not len(r) or not np.isfinite(r).all():
        raise cannot(
            f"find the likelihood of residuals of shape {r.shape}",
            because="they must be the finite residuals of one output",
            instead="an array of shape (n,) with n >= 1",
        )
    return r, validate_weights(sample_weight, len(r))


def _sum_of_logs(s, p, base):
    """Σ s log p, where what did not happen may have had probability 0."""
    if not 1.0 < base < math.inf:
        raise cannot(f"take logarithms to the base {base!r}", because="a base is above 1", instead="base=2 or base=e")
    used = s > 0.0
    with np.errstate(divide="ignore"):  # log 0 = -inf is the answer
        logs = np.log2(p[used]) if base == 2 else np.log(p[used])  # powers of two have exact bits
    return float(s[used] @ logs) / (1.0 if base in (2, math.e) else math.log(base))
