r"""Entropy, mutual information and Kullback-Leibler divergence, of probability tables and of samples.

.. math:: H(P) = -\sum_x P(x) \log P(x), \qquad D(P \| Q) = \sum_x P(x) \log \frac{P(x)}{Q(x)}, \qquad
          I(X; Y) = D(P_{XY} \| P_X P_Y)

with :math:`0 \log 0 = 0`. Logarithms are natural ("nats") unless `unit="bits"`.
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import rel_entr, xlogy

from separatrix.core.errors import cannot
from separatrix.estimators.graphical.tables import checked_table, counted

UNITS = {"nats": 1.0, "bits": float(np.log(2.0))}


def entropy(
    table: ArrayLike | None = None,
    *,
    samples: Any = None,
    sample_weight: ArrayLike | None = None,
    unit: str = "nats",
) -> float:
    r"""How uncertain a distribution is: :math:`H(P) = -\sum P \log P`, 0 where one cell has everything.

    Parameters
    ----------
    table : array or None, default None.  Probabilities that sum to 1, with any number of axes: their joint entropy.
    samples : (n,) array, tuple of such arrays, or None, default None.  Instead of a table, values that were met; of
        several columns, the entropy of their rows.
    sample_weight : (n,) array or None, default None.  How often each sample was met.
    unit : {"nats", "bits"}, default "nats".

    Reference: Cover and Thomas (2006), Elements of Information Theory, 2.1.

    >>> entropy([0.5, 0.25, 0.25], unit="bits"), entropy(samples=["a", "b", "a", "b"], unit="bits")
    (1.5, 1.0)
    """
    P = _one_of(table, samples, sample_weight, "entropy")
    return max(0.0, -float(xlogy(P, P).sum())) / _nats(unit)


def kl_divergence(
    P: ArrayLike | None = None,
    Q: ArrayLike | None = None,
    *,
    samples: Any = None,
    unit: str = "nats",
) -> float:
    r"""How far Q is from P: :math:`D(P \| Q) = \sum P \log P/Q`, 0 only where they are equal.

    It is infinite where Q excludes a cell that P does not: Q = 0 < P.

    Parameters
    ----------
    P, Q : arrays of one shape, or None.  Probabilities that sum to 1.
    samples : tuple of two arrays or None, default None.  Instead of tables, values drawn from P and values drawn from
        Q, with a cell for each value that is in either.
    unit : {"nats", "bits"}, default "nats".

    Reference: Cover and Thomas (2006), Elements of Information Theory, 2.3.

    >>> round(kl_divergence([0.5, 0.5], [0.25, 0.75], unit="bits"), 6), kl_divergence([0.5, 0.5], [1.0, 0.0])
    (0.207519, inf)
    """
    if (samples is None) == (P is None and Q is None) or (samples is None and (P is None or Q is None)):
        raise cannot(
            "compare two distributions",
            because="they are given neither by P and Q nor by samples alone",
            instead="kl_divergence(P, Q) or kl_divergence(samples=(x, y))",
        )
    if samples is not None:
        x, y = (np.asarray(column) for column in samples)
        joint = counted([np.concatenate([x, y]), np.repeat([0, 1], [len(x), len(y)])])
        first, second = joint.T / joint.sum(axis=0)[:, None]
    else:
        first, second = checked_table(P, "P"), checked_table(Q, "Q")
        if first.shape != second.shape:
            raise cannot(
                f"compare tables of shapes {first.shape} and {second.shape}",
                because="they are not on the same cells",
                instead="tables of one shape",
            )
    return max(0.0, float(rel_entr(first, second).sum())) / _nats(unit)


def mutual_information(
    table: ArrayLike | None = None,
    *,
    samples: Any = None,
    sample_weight: ArrayLike | None = None,
    unit: str = "nats",
) -> float:
    r"""What one of two variables says about the other: :math:`I(X; Y) = D(P_{XY} \| P_X P_Y)`, 0 if independent.

    Parameters
    ----------
    table : (k, l) array or None, default None.  The joint probabilities of two variables, which sum to 1.
    samples : tuple of two (n,) arrays, or None, default None.  Instead of a table, pairs of values that were met.
    sample_weight : (n,) array or None, default None.  How often each pair was met.
    unit : {"nats", "bits"}, default "nats".

    Reference: Cover and Thomas (2006), Elements of Information Theory, 2.3.

    >>> mutual_information([[0.5, 0.0], [0.0, 0.5]], unit="bits"), mutual_information([[0.25, 0.25], [0.25, 0.25]])
    (1.0, 0.0)
    """
    P = _one_of(table, samples, sample_weight, "mutual_information")
    if P.ndim != 2:
        raise cannot(
            f"take the mutual information of a table of {P.ndim} axes",
            because="it is between two variables",
            instead="a table of two axes: table.sum(axis=...) leaves the others out",
        )
    independent = np.outer(P.sum(axis=1), P.sum(axis=0))
    return max(0.0, float(rel_entr(P, independent).sum())) / _nats(unit)


def _one_of(table, samples, sample_weight, name):
    """The table that is given, or that of the samples."""
    if (table is None) == (samples is None) or (sample_weight is not None and samples is None):
        raise cannot(
            f"compute {name}",
            because="it is either of a table, or of samples with or without weights",
            instead=f"{name}(table) or {name}(samples=..., sample_weight=...)",
        )
    if table is not None:
        return checked_table(table, "table")
    return counted(list(samples) if isinstance(samples, tuple) else [samples], sample_weight)


def _nats(unit):
    """How many nats a unit has."""
    if unit not in UNITS:
        raise cannot(f"use unit={unit!r}", because="it is no unit of information", instead='"nats" or "bits"')
    return UNITS[unit]
