r"""Covariance that is robust to dependence within clusters of rows: subjects, firms, villages.

    V = U [Σ_g u_g u_g'] U · G/(G - 1),        u_g = Σ_{i in g} s_i r_i x_i,        HC1: times (N - 1)/(N - k)

U is the inverse information ((X'SX)^-1 in least squares), r_i the residual (in a likelihood the slope y_i - μ_i), G the
number of clusters. It holds for many clusters; with few (below about 40) its tests reject too often. Where the sums of
every cluster vanish, as those of a column that is 1 in one cluster alone do, the formula gives 0 whatever the spread
is: such coefficients have no standard error.

References: Liang and Zeger (1986), Biometrika 73(1); Cameron and Miller (2015), J. Human Resources 50(2); Zeileis, Köll
and Graham (2020), J. Statist. Software 95(1), whose ``sandwich::vcovCL`` has the same factors.
"""

import operator

import numpy as np

from separatrix.core.errors import cannot
from separatrix.inference.covariance import coordinates, square_root

MANY_CLUSTERS = 40
FEW_CLUSTERS = (
    "With few clusters ({}) standard errors are too small, and tests reject too often. In contrasts, df of one less "
    "than the number of clusters helps in part."
)
# Variances below this share of those without clusters are rounding, and the end of iterations short of the optimum.
ROUNDING = 1e-14
NO_SPREAD = (
    "Without a standard error: {}. The residuals that decide them sum to 0 within every cluster, as of columns that "
    "tell clusters apart: the formula gives 0, whatever the spread between clusters is."
)


def count_clusters(cluster):
    """How many clusters there are; None where there are none."""
    return None if cluster is None else len(set(np.asarray(cluster).tolist()))


def words_of_covariance(covariance, cluster):
    """What a covariance assumes, in words: its kind, and the number of clusters where there are some."""
    return covariance if cluster is None else f"{covariance} by {count_clusters(cluster)} clusters"


def few_clusters(cluster):
    """The warning of few clusters, as notes."""
    count = count_clusters(cluster)
    return (FEW_CLUSTERS.format(count),) if count is not None and count < MANY_CLUSTERS else ()


def without_spread(cluster, rows):
    """A note on coefficients that clusters give no standard error, as notes; `rows` are those of a table."""
    names = [row.name for row in rows if row.error is None and row.estimate is not None and not row.infinite]
    if cluster is None or not names:
        return ()
    return (NO_SPREAD.format(", ".join(names[:8]) + (", …" if len(names) > 8 else "")),)


def cluster_sandwich(unscaled, intercept, design, information, pull, cluster, *, factor):
    """The cluster-robust covariance of coefficients: shape (q, q), NaN for aliased ones, 0 for those without spread.

    Parameters
    ----------
    unscaled : (q, q) array.  U, NaN for aliased coefficients.
    intercept : bool.
    design : Design.
    information : (n,) array or None.  Of each row, weight included; None is 1 for all.
    pull : (n,) array.  ``s_i r_i``.
    cluster : (n,) array of labels.
    factor : float.  What HC1 multiplies by, else 1.
    """
    codes, count = _codes(cluster, design.n, information)
    A = square_root(unscaled, intercept, design, information)

    def task(block, force, group):
        sums, pulls = np.zeros((count, A.shape[1])), coordinates(A, block.X) * force[:, None]
        np.add.at(sums, group, pulls)
        return np.vstack([sums, pulls.T @ pulls])

    sums, alone = np.split(design.reduce(task, operator.add, None, pull, codes), [count])
    covariance = A @ (sums.T @ sums) @ A.T * (count / (count - 1.0) * factor)
    vanishing = ~(np.diag(covariance) > ROUNDING * np.einsum("ja,ab,jb->j", A, alone, A))
    covariance[vanishing, :] = covariance[:, vanishing] = 0.0
    aliased = np.isnan(np.diag(unscaled))
    covariance[aliased, :] = covariance[:, aliased] = np.nan
    return covariance


def _codes(cluster, n, information):
    """Numbers of the clusters; rows without weight are put into the first, to which they add nothing."""
    labels = np.asarray(cluster)
    if labels.shape != (n,):
        raise cannot(
            f"group {n} rows by clusters of shape {labels.shape}",
            because="each row belongs to one cluster",
            instead=f"an array of shape ({n},)",
        )
    if any(label is None or label != label for label in labels.tolist()):
        raise cannot(
            "group rows by clusters",
            because="some rows have no label",
            instead="a label for each row, or the rows that have one",
        )
    seen = np.ones(n, dtype=bool) if information is None else np.asarray(information) > 0.0
    kept, codes = np.unique(labels[seen].astype(str) if labels.dtype == object else labels[seen], return_inverse=True)
    if len(kept) < 2:
        raise cannot(
            "give cluster-robust standard errors",
            because="all rows are in one cluster",
            instead="covariance='HC1' without clusters",
        )
    every = np.zeros(n, dtype=np.intp)
    every[seen] = codes
    return every, len(kept)
