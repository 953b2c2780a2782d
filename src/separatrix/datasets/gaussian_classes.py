"""Normal classes with known means, covariances and priors, and their Bayes rule."""

import numpy as np

from separatrix.core.refusal import cannot
from separatrix.datasets.catalogue import Truth, checked_rows, classification, data_set

MEANS = np.array([[-1.5, -0.5], [1.2, -1.0], [0.4, 1.8]])
COVARIANCE = np.array([[1.0, 0.5], [0.5, 1.2]])


@data_set(
    "gaussian_classes", "Three normal classes of one covariance in a plane, with their Bayes rule; or any others."
)
def gaussian_classes(n=300, seed=0, *, means=MEANS, covariances=COVARIANCE, priors=None):
    r"""Draws from :math:`\sum_k \pi_k N(\mu_k, \Sigma_k)`, with the class of each.

    The Bayes rule picks the class of the largest :math:`\pi_k N(x; \mu_k, \Sigma_k)`: linear in x if the covariances
    are the same, else quadratic. ``data.truth.problem`` knows the posteriors, the Bayes rate and the risk of any rule.

    Parameters
    ----------
    n : int, [1, inf), default 300.
    seed : int or Generator, default 0.
    means : (k, p) array.  Default: three points of the plane.
    covariances : (p, p) array for all classes, or (k, p, p).  Default [[1, 0.5], [0.5, 1.2]] for all.
    priors : (k,) array or None, default None.  None gives all classes the same.

    >>> data = gaussian_classes(means=[[0.0], [2.0]], covariances=[[1.0]])
    >>> round(data.truth.error, 6), data.truth.rule([[0.9], [1.1]])
    (0.158655, array([0, 1]))
    """
    problem = gaussian_problem(means, covariances, priors)
    X, y = problem.sample(checked_rows(n, 1), seed)
    truth = Truth(
        "The class of the largest prior times normal density.",
        problem.predict,
        _two_class_rate(means, covariances, problem),
        problem,
    )
    return classification("gaussian_classes", X, y, [f"x{j + 1}" for j in range(X.shape[1])], truth=truth)


def gaussian_problem(means, covariances, priors=None):
    """The :class:`~separatrix.decision.KnownProblem` of normal classes; parameters as in :func:`gaussian_classes`.

    >>> round(gaussian_problem([[0.0], [2.0]], [[1.0]]).bayes_risk().value, 6)
    0.158655
    """
    from scipy.stats import multivariate_normal  # slow to import, not needed to list names

    from separatrix.decision import KnownProblem

    means, covariances = np.asarray(means, dtype=np.float64), np.asarray(covariances, dtype=np.float64)
    k, p = means.shape if means.ndim == 2 else (0, 0)
    if k < 2 or covariances.shape not in ((p, p), (k, p, p)):
        raise cannot(
            f"draw classes of means of shape {means.shape} and covariances of shape {covariances.shape}",
            because="each of two or more classes has a mean (p,), and a covariance (p, p) or the common one",
            instead="means of shape (k, p) and covariances of shape (p, p) or (k, p, p)",
        )
    each = np.broadcast_to(covariances, (k, p, p))
    priors = np.full(k, 1.0 / k) if priors is None else priors
    return KnownProblem(priors, [multivariate_normal(mean, sigma) for mean, sigma in zip(means, each)])


def _two_class_rate(means, covariances, problem):
    """The Bayes rate, where a formula gives it: two classes of one covariance."""
    from separatrix.decision import gaussian_bayes_rate

    if len(means) != 2 or np.ndim(covariances) != 2:
        return None
    return float(gaussian_bayes_rate(*means, covariances, problem.priors))
