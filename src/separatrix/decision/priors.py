r"""Other class frequencies than in training: :math:`P_{new}(k \mid x) \propto P(k \mid x)\, \pi_k / \pi^{sample}_k`."""

import copy
import warnings
from dataclasses import dataclass, field

import numpy as np
from scipy.special import chdtrc
from sklearn.utils.validation import check_is_fitted

from separatrix.core.certificate import likelihood_gap, warn_if_not_certified
from separatrix.core.declaration import declaration
from separatrix.core.errors import cannot
from separatrix.core.links import logistic, softmax
from separatrix.core.protocol import can
from separatrix.core.solution import Certificate
from separatrix.estimators.probabilities import validate_posteriors, validate_priors
from separatrix.estimators.validation import validate_weights


def shift_priors(posteriors, sample_priors, true_priors):
    r"""Posteriors for a population whose class frequencies differ from those of the training sample.

    .. math:: P_{new}(k \mid x) = \frac{P(k \mid x)\, \pi_k / \pi^{sample}_k}
              {\sum_j P(j \mid x)\, \pi_j / \pi^{sample}_j}

    This is exact where the classes look the same in both (the same p(x | k)) and only their frequencies differ.

    Parameters
    ----------
    posteriors : array or frame of shape (n, k).  P(k | x) of a model that was fitted to the sample.
    sample_priors : array of shape (k,).  Class frequencies in the sample.
    true_priors : array of shape (k,).  Class frequencies where the model is used.

    Returns
    -------
    shifted : array of shape (n, k), rows summing to 1.

    References: Bishop (2006), Pattern Recognition and Machine Learning, section 1.5.4; Elkan (2001), IJCAI, theorem 2.

    Examples
    --------
    One in a thousand is ill, half of the training sample was. A posterior of 90 % is then one of 0.9 %.

    >>> shift_priors([[0.9, 0.1]], [0.5, 0.5], [0.001, 0.999])
    array([[0.00892857, 0.99107143]])
    """
    P = validate_posteriors(posteriors)
    new = validate_priors(true_priors, P.shape[1], name="true_priors")
    shifted = _ratios(P, validate_priors(sample_priors, P.shape[1], name="sample_priors")) * new
    totals = shifted.sum(axis=1, keepdims=True)
    if not totals.all():
        i = int(np.argmin(totals))
        raise cannot(
            f"shift the priors of row {i}",
            because=f"all of its posterior {P[i].tolist()} belongs to classes whose true prior is 0",
            instead="a positive true prior for every class that occurs",
        )
    return shifted / totals


@dataclass(frozen=True, repr=False)
class PriorEstimate:
    """Class frequencies of a population, estimated from rows without labels.

    Attributes
    ----------
    priors : array of shape (k,).  The maximum-likelihood estimate.
    posteriors : array of shape (n, k).  Posteriors of the rows under these priors.
    certificate : Certificate.  Its value bounds how much log-likelihood a row is missing to the maximum.
    log_likelihood : float.  Gain over the sample's priors, in nats, summed over rows.
    statistic, p_value : float.  Likelihood-ratio test that the priors have not changed (chi-squared, k - 1 degrees of
        freedom, for large n and priors away from 0).
    trace : list of float.  The gain after each round; it never falls.
    """

    priors: np.ndarray
    posteriors: np.ndarray
    certificate: Certificate
    log_likelihood: float
    statistic: float
    p_value: float
    trace: list = field(default_factory=list)

    def __repr__(self):
        shown = np.array2string(self.priors, precision=4, separator=", ")
        return f"PriorEstimate(priors={shown}, p_value={self.p_value:.3g}, {self.certificate})"


def estimate_priors(posteriors, sample_priors, *, sample_weight=None, tol=1e-10, max_iter=10_000):
    r"""Class frequencies where the model is used, by maximum likelihood from its posteriors there: EM.

    .. math:: \max_\pi \frac1{\sum s} \sum_i s_i \log \sum_k \pi_k \frac{P(k \mid x_i)}{\pi^{sample}_k}, \qquad
              \pi_k \leftarrow \frac1{\sum s} \sum_i s_i P_\pi(k \mid x_i)

    The problem is concave, and at any priors the missing likelihood is at most :math:`\max_k g_k - 1`, where
    :math:`g_k` is the derivative by :math:`\pi_k`: that is the certificate. Every second step of EM is extrapolated
    where that raises the likelihood.

    Parameters
    ----------
    posteriors : array or frame of shape (n, k).  Of rows without labels, by a model fitted to the sample.
    sample_priors : array of shape (k,).  Class frequencies in the training sample.
    sample_weight : array of shape (n,) or None.
    tol : float, [0, inf), default 1e-10.  Largest missing log-likelihood, in nats per row.
    max_iter : int, [1, inf), default 10000.  Largest number of steps of EM.

    Returns
    -------
    estimate : PriorEstimate.  A :class:`~separatrix.core.errors.NotCertified` warning tells when `tol` was not reached.

    References: Saerens, Latinne and Decaestecker (2002), Neural Computation 14(1); extrapolation: Varadhan and Roland
    (2008), Scand. J. Statist. 35(2), scheme S3.

    Examples
    --------
    >>> estimate = estimate_priors([[1.0, 0.0], [0.0, 1.0], [0.0, 1.0], [0.0, 1.0]], [0.5, 0.5])
    >>> estimate.priors, estimate.certificate.converged
    (array([0.25, 0.75]), True)
    """
    P = validate_posteriors(posteriors)
    old = validate_priors(sample_priors, P.shape[1], name="sample_priors")
    if not len(P):
        raise cannot("estimate priors", because="there are no rows", instead="posteriors of at least one row")
    if not tol >= 0.0 or not max_iter >= 1:
        raise cannot(
            f"estimate priors with tol={tol!r} and max_iter={max_iter!r}",
            because="a tolerance is not negative and at least one step is needed",
            instead="tol >= 0 and max_iter >= 1",
        )
    s = validate_weights(sample_weight, len(P))
    trace, priors, steps, gap = _maximise(_ratios(P, old), s / s.sum(), old, tol, max_iter)
    certificate = likelihood_gap(gap, float(tol), steps)
    warn_if_not_certified(certificate, "Raise max_iter or tol.", stacklevel=2)
    gain = max(trace[-1], 0.0) * float(s.sum())
    p_value = float(chdtrc(len(old) - 1, 2.0 * gain))
    return PriorEstimate(priors, shift_priors(P, old, priors), certificate, gain, 2.0 * gain, p_value, trace)


def shift_intercept(model, sample_priors, true_priors):
    r"""A logistic model for other class frequencies: only the intercept moves.

    .. math:: b' = b + \operatorname{logit} \pi_1 - \operatorname{logit} \pi^{sample}_1, \qquad
              b'_k = b_k + \log \frac{\pi_k}{\pi^{sample}_k} - \text{mean}

    for two classes and for more (where a common constant changes no probability). The probabilities of the new model
    are those of the old one after :func:`shift_priors`; the slopes estimated from a case-control sample are consistent.

    Parameters
    ----------
    model : fitted classifier with ``coef_``, ``intercept_`` and posteriors that are logistic (two classes) or softmax
        functions of its raw scores.
    sample_priors : array of shape (k,), positive.  Class frequencies in the sample, in the order of ``classes_``.
    true_priors : array of shape (k,), positive.  Class frequencies where the model is used.

    Returns
    -------
    shifted : a copy of the model with another ``intercept_``, and without a ``certificate_``: it does not minimise the
        objective that the certificate was about.

    References: Prentice and Pyke (1979), Biometrika 66(3); Hastie, Tibshirani and Friedman (2009), The Elements of
    Statistical Learning, section 4.4.2.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> model = LogisticRegression().fit([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1])
    >>> shifted = shift_intercept(model, [0.5, 0.5], [0.9, 0.1])
    >>> round(float(shifted.intercept_[0] - model.intercept_[0]), 6)  # log(1/9)
    -2.197225
    """
    check_is_fitted(model)
    _refuse_unless_logistic(model)
    k = len(model.classes_)
    old = validate_priors(sample_priors, k, name="sample_priors")
    new = validate_priors(true_priors, k, name="true_priors")
    if not (old.all() and new.all()):
        raise cannot(
            f"shift the intercept from {old.tolist()} to {new.tolist()}",
            because="the shift is infinite for a prior of 0",
            instead="positive priors, or shift_priors of the posteriors",
        )
    shift = np.log(new) - np.log(old)
    shift = shift[1:] - shift[:1] if len(model.coef_) == 1 else shift - shift.mean()
    shifted = copy.deepcopy(model)
    shifted.intercept_ = (np.asarray(model.intercept_) + shift).astype(np.asarray(model.intercept_).dtype)
    vars(shifted).pop("certificate_", None)  # of other coefficients
    return shifted


def _ratios(P, old):
    """P(k | x) / prior of k, which is p(x | k) up to a factor for each row; 0 for a class that never occurs."""
    absent = (old == 0.0) & (P > 0.0).any(axis=0)
    if absent.any():
        c = int(np.argmax(absent))
        raise cannot(
            f"divide the posteriors of class number {c} by its sample prior",
            because=f"that prior is 0, yet row {int(np.argmax(P[:, c] > 0.0))} has a positive posterior",
            instead="the class frequencies that the model was fitted with",
        )
    return np.divide(P, old, out=np.zeros_like(P), where=old > 0.0)


def _maximise(ratios, s, priors, tol, max_iter):
    """Extrapolated EM: the gain after each round, the priors, the number of steps, the bound on the missing gain."""

    def likelihood(priors):
        mixture = ratios @ priors
        with np.errstate(divide="ignore"):
            return float(s @ np.log(mixture)), (s / mixture) @ ratios  # the mean gain, and its derivatives g

    gain, g = likelihood(priors)
    trace, steps = [gain], 1
    while (gap := float(g.max() - 1.0)) > tol and steps < max_iter:
        once = priors * g
        gain_once, g = likelihood(once)
        twice = once * g
        ahead = _extrapolate(priors, once, twice)
        priors = twice if ahead is None else ahead
        gain, g = likelihood(priors)
        steps += 2
        if gain < gain_once and ahead is not None:
            priors = twice
            gain, g = likelihood(priors)
            steps += 1
        trace.append(gain)
    return trace, priors / priors.sum(), steps, max(gap, 0.0)


def _extrapolate(start, once, twice):
    """The extrapolation of two steps of EM, or None if it is not inside the simplex."""
    r, v = once - start, twice - 2.0 * once + start
    if not v.any():
        return None
    a = max(np.linalg.norm(r) / np.linalg.norm(v), 1.0)
    ahead = start + 2.0 * a * r + a * a * v
    return ahead / ahead.sum() if (ahead[start > 0.0] > 0.0).all() else None


def _refuse_unless_logistic(model):
    """Check the posteriors at x = 0, where the raw scores are the intercepts."""
    name = type(model).__name__
    if not declaration(model).is_linear or not can(model, "predict_proba"):
        raise cannot(
            f"shift the intercept of {name}",
            because="it is not a linear model of posteriors (coef_, intercept_, predict_proba)",
            instead="shift_priors(model.predict_proba(X), ...)",
            kind=TypeError,
        )
    eta = np.atleast_1d(np.asarray(model.intercept_, dtype=np.float64))
    expected = np.array([logistic(-eta[0]), logistic(eta[0])]) if len(eta) == 1 else softmax(eta)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the origin has no feature names
        posteriors = model.predict_proba(np.zeros((1, model.coef_.shape[1])))[0]
    if expected.shape != posteriors.shape or not np.allclose(posteriors, expected, rtol=1e-4, atol=1e-7):
        raise cannot(
            f"shift the intercept of {name}",
            because="its posteriors are not the logistic or softmax function of its raw scores",
            instead="shift_priors(model.predict_proba(X), ...)",
        )
