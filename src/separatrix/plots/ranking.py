"""Raw scores and labels, class by class, for ROC and precision-recall curves."""

import numpy as np

from separatrix.core.protocol import can
from separatrix.core.refusal import cannot

MOST_CURVES = 4


def one_against_rest(y, scores, classes=None):
    """Each class against all others: (label, whether a row is of it, its raw scores), the most frequent classes first.

    Two classes, or scores of shape (n,), give one entry: the second class, which is the positive one.

    Parameters
    ----------
    y : (n,) labels.
    scores : (n,), (n, 2) or (n, k).  Raw scores or probabilities; columns in the order of `classes`.
    classes : sequence of k labels or None.  None stands for the sorted labels of y.

    >>> [(label, positive.tolist()) for label, positive, _ in one_against_rest(["b", "a", "b"], [0.9, 0.2, 0.6])]
    [('b', [True, False, True])]
    """
    y, scores = np.asarray(y), np.asarray(scores, dtype=np.float64)
    classes = np.unique(y) if classes is None else np.asarray(classes)
    if y.ndim != 1 or scores.ndim not in (1, 2) or len(scores) != len(y):
        raise cannot(
            f"draw scores of shape {scores.shape} for labels of shape {y.shape}",
            because="each label needs its score, or a score for each class",
            instead="scores of shape (n,) or (n, k) for y of shape (n,)",
        )
    missing = ~np.isfinite(scores.reshape(len(y), -1)).all(axis=1)
    if missing.any():
        raise cannot(
            "draw these scores",
            because=f"{int(missing.sum())} of {len(y)} rows have a score that is missing or infinite",
            instead="the rows with finite scores",
        )
    columns = 2 if scores.ndim == 1 else scores.shape[1]
    if len(classes) != columns:
        raise cannot(
            f"draw scores of {columns} classes",
            because=f"there are {len(classes)} labels: {', '.join(map(repr, classes[:8].tolist()))}",
            instead="classes=[...] with a label for each column of the scores",
        )
    if columns == 2:
        return [(_plain(classes[1]), y == classes[1], scores if scores.ndim == 1 else scores[:, 1])]
    rows = np.array([(y == label).sum() for label in classes])
    order = [c for c in np.argsort(-rows, kind="stable") if 0 < rows[c] < len(y)]
    return [(_plain(classes[c]), y == classes[c], scores[:, c]) for c in order[:MOST_CURVES]]


def both_kinds(entries, what):
    """Raise if some class has all rows or none."""
    if not entries or not all(0 < positive.sum() < len(positive) for _, positive, _ in entries):
        raise cannot(f"draw {what}", because="all rows are of one class", instead="rows of two classes at least")
    return entries


def _plain(label):
    """A label as a Python value."""
    return label.item() if can(label, "item") else label
