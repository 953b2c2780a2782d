"""Samples with equally many rows of every class, and posteriors corrected for it."""

from dataclasses import dataclass

import narwhals as nw
import numpy as np

from separatrix.core.errors import cannot
from separatrix.core.protocol import is_sparse, row_count
from separatrix.decision.priors import shift_priors
from separatrix.estimators.probabilities import same_length
from separatrix.tables.table import Table

STRATEGIES = ("over", "under")


@dataclass(frozen=True, repr=False)
class BalancedSample:
    """A sample with equally many rows of every class.

    Attributes
    ----------
    X, y : the rows, of the type they were given as.
    indices : int array.  Which rows of the original they are, in random order.
    classes : array of shape (k,), sorted.
    original_priors : array of shape (k,).  Fraction of each class in the data.
    sampled_priors : array of shape (k,).  Fraction of each class in the sample: 1/k each.
    fractions : array of shape (k,).  How many sampled rows there are for each original one of the class.
    """

    X: object
    y: object
    indices: np.ndarray
    classes: np.ndarray
    original_priors: np.ndarray
    sampled_priors: np.ndarray
    fractions: np.ndarray

    def compensate(self, posteriors):
        """Posteriors for the original class frequencies, from those of a model that was fitted to the sample."""
        return shift_priors(posteriors, self.sampled_priors, self.original_priors)

    def __repr__(self):
        return f"BalancedSample(n={len(self.indices)}, fractions={dict(zip(self.classes.tolist(), self.fractions))})"


def balanced_sample(X, y, *, strategy="over", random_state=None):
    """Sample the rows so that every class has equally many.

    A rare class is then learnt as carefully as a frequent one, but the model believes all classes equally frequent:
    :meth:`BalancedSample.compensate` corrects its posteriors for the original frequencies.

    Parameters
    ----------
    X : array, sparse array or frame with n rows.
    y : array or series of shape (n,).  Class labels.
    strategy : {"over", "under"}, default "over".  "over" repeats the rows of each class up to the size of the largest:
        every row equally often, and as many as are still missing once more, drawn without replacement. "under" draws
        as many of each class, without replacement, as the smallest has.
    random_state : int, Generator or None.  Seed of the draws and of the order of the rows.

    Returns
    -------
    sample : BalancedSample.

    References: Bishop (2006), Pattern Recognition and Machine Learning, section 1.5.4.

    Examples
    --------
    >>> sample = balanced_sample(np.arange(10.0).reshape(5, 2), ["ill", "well", "well", "well", "well"], random_state=0)
    >>> sorted(sample.y.tolist())
    ['ill', 'ill', 'ill', 'ill', 'well', 'well', 'well', 'well']
    >>> sample.fractions, sample.original_priors
    (array([4., 1.]), array([0.2, 0.8]))
    """
    if strategy not in STRATEGIES:
        raise cannot(
            f"sample with strategy={strategy!r}",
            because="it is not one of 'over', 'under'",
            instead="strategy='over' (default)",
        )
    labels = np.asarray(y)
    if labels.ndim != 1:
        raise cannot(
            f"balance y of shape {labels.shape}", because="each row has one class", instead="labels of shape (n,)"
        )
    same_length(row_count(X), labels)
    classes, codes, counts = np.unique(labels, return_inverse=True, return_counts=True)
    if len(classes) < 2:
        raise cannot(
            "balance the classes of y",
            because=f"there are {len(classes)} classes: {classes.tolist()}",
            instead="data with at least two classes",
        )
    rng = np.random.default_rng(random_state)
    size = int(counts.max() if strategy == "over" else counts.min())
    drawn = [_draw(np.flatnonzero(codes == c), size, rng) for c in range(len(classes))]
    indices = rng.permutation(np.concatenate(drawn))
    k = len(classes)
    return BalancedSample(
        take_rows(X, indices),
        take_rows(y, indices),
        indices,
        classes,
        counts / counts.sum(),
        np.full(k, 1.0 / k),
        size / counts,
    )


def _draw(own, size, rng):
    """`size` of the rows: each equally often, and some of them, chosen at random, once more."""
    whole, rest = divmod(size, len(own))
    return np.concatenate([np.repeat(own, whole), rng.choice(own, rest, replace=False)])


def take_rows(data, indices):
    """Rows of an array, a sparse array, a table, a frame or a series, of the type they were given as."""
    if isinstance(data, Table):
        return data.take(indices)
    if is_sparse(data):
        return data.tocsr()[indices]
    held = nw.from_native(data, allow_series=True, eager_only=True, pass_through=True)
    if isinstance(held, nw.DataFrame | nw.Series):
        return held[indices].to_native()
    return np.asarray(data)[indices]
