r"""How many principal components: by the share of variance they explain, or by Minka's evidence."""

import numpy as np
from scipy.special import gammaln

EPS = np.finfo(np.float64).eps


def by_share(values, share):
    """The least k whose components explain more than `share` of the variance.

    A share that is reached to within the rounding of the sums is reached and not exceeded: one component more is kept.

    >>> by_share(np.array([6.0, 3.0, 1.0]), 0.6), by_share(np.array([6.0, 3.0, 1.0]), 0.7)
    (2, 2)
    """
    total = values.sum()
    if total == 0.0:
        return 1  # nothing is explained, by however many
    reached = np.cumsum(values) / total
    rounding = len(values) * EPS
    return min(int(np.searchsorted(reached, share + rounding, side="right")) + 1, len(values))


def by_evidence(values, n):
    r"""The k from 1 to d - 1 of greatest evidence, in Laplace's approximation, given all d eigenvalues and n rows.

    .. math:: \log p(D \mid k) \approx \log p(U) - \frac n2 \sum_{i \le k} \log\lambda_i
              - \frac{n(d - k)}{2} \log \hat v + \frac{m + k}{2} \log 2\pi - \frac12 \log|A_Z| - \frac k2 \log n

    with :math:`\hat v` the mean of the eigenvalues beyond k, :math:`m = dk - k(k+1)/2`, and

    .. math:: |A_Z| = \prod_{i \le k} \prod_{i < j \le d} (\hat\lambda_j^{-1} - \hat\lambda_i^{-1})
              (\lambda_i - \lambda_j)\, n, \qquad \hat\lambda_j = \lambda_j \ (j \le k), \ \hat v \ \text{beyond}

    References: Minka (2000), Automatic choice of dimensionality for PCA, NIPS 13, pages 598 to 604.

    >>> by_evidence(np.array([9.0, 7.0, 1.05, 1.0, 0.95]), 200)
    2
    """
    if len(values) == 1 or values[0] == 0.0:
        return 1
    return int(np.argmax(evidences(values, n))) + 1


def evidences(values, n):
    """The logarithm of the evidence for each k from 1 to d - 1, up to a constant; see :func:`by_evidence`."""
    d = len(values)
    values = values / values[0]
    k = np.arange(1, d)
    logs = np.log(values.clip(min=EPS))
    beyond = np.maximum((values.sum() - np.cumsum(values)[:-1]) / (d - k), EPS)
    prior = -k * np.log(2.0) + np.cumsum(gammaln((d - k + 1) / 2.0) - (d - k + 1) / 2.0 * np.log(np.pi))
    m = d * k - k * (k + 1) / 2.0
    likelihood = -0.5 * n * (np.cumsum(logs)[:-1] + (d - k) * np.log(beyond))
    evidence = prior + likelihood + 0.5 * (m + k) * np.log(2.0 * np.pi) - 0.5 * k * np.log(n)
    evidence -= 0.5 * (_log_curvature(values, logs, beyond) + m * np.log(n))
    evidence[values[:-1] <= EPS] = -np.inf  # an axis without variance is none
    return evidence


def _log_curvature(values, logs, beyond):
    """log |A_Z| without its powers of n, for each k; from sums over pairs i < j that grow with k."""
    d = len(values)
    k = np.arange(1, d)
    # equal eigenvalues would make the curvature 0 and the evidence infinite
    gaps = np.triu(np.log(np.maximum(values[:, None] - values, EPS)), 1)
    outer = np.cumsum(gaps.sum(axis=1))[:-1]  # pairs i <= k, i < j <= d
    inner = np.cumsum(gaps.sum(axis=0))[:-1] - (k - 1) * np.cumsum(logs)[:-1]  # 1/λ_j - 1/λ_i of pairs i < j <= k
    inverse = 1.0 / values.clip(min=EPS)
    noise = np.array([np.log(np.maximum(1.0 / v - inverse[:r], EPS)).sum() for r, v in zip(k, beyond, strict=True)])
    return outer + inner + (d - k) * noise
