"""Classes as numbers: plus and minus one, zero and one, 1-of-K; and back again."""

import numpy as np
from numpy.typing import ArrayLike

from separatrix.core.errors import cannot
from separatrix.core.types import Array

CODINGS = ("plus_minus", "zero_one", "one_of_k")


def one_of_k(y: ArrayLike, classes: ArrayLike | None = None) -> tuple[Array, Array]:
    r"""Code labels as rows of the identity: :math:`t_{ic} = 1` where row i is of class c, else 0.

    Parameters
    ----------
    y : (n,) array of labels of any one kind: integers, words, booleans.
    classes : (k,) array or None, default None.  The classes in the order of the columns; None: those of y, sorted.

    Returns
    -------
    T : (n, k) array of zeros and ones, one 1 in each row.     classes : (k,) array.

    >>> T, classes = one_of_k(["pear", "fig", "pear"])
    >>> T
    array([[0., 1.],
           [1., 0.],
           [0., 1.]])
    >>> from_one_of_k(T, classes).tolist()
    ['pear', 'fig', 'pear']
    """
    y = np.asarray(y)
    if y.ndim != 1:
        raise cannot(f"code labels of shape {y.shape}", because="a row has one label", instead="y of shape (n,)")
    classes = np.unique(y) if classes is None else np.asarray(classes)
    place = {label: c for c, label in enumerate(classes.tolist())}
    labels = y.tolist()
    strangers = [label for label in labels if label not in place]
    if strangers or len(place) < len(classes):
        raise cannot(
            f"code the label {strangers[0]!r}" if strangers else f"use the classes {classes.tolist()}",
            because=f"it is not one of the classes {classes.tolist()}" if strangers else "one of them is there twice",
            instead="labels among the classes, each class once",
        )
    return coded(np.array([place[label] for label in labels], dtype=int), len(classes), "one_of_k"), classes


def from_one_of_k(T: ArrayLike, classes: ArrayLike) -> Array:
    """The label of each row of T: the class of its largest entry, the first of equals.

    T may hold scores or probabilities as well as zeros and ones.

    >>> from_one_of_k([[0.2, 0.7, 0.1], [0.4, 0.2, 0.4]], ["a", "b", "c"]).tolist()
    ['b', 'a']
    """
    T, classes = np.asarray(T, dtype=np.float64), np.asarray(classes)
    if T.ndim != 2 or T.shape[1] != len(classes) or not np.all(np.isfinite(T)):
        raise cannot(
            f"decode an array of shape {T.shape}",
            because=f"each of the {len(classes)} classes needs a column of finite numbers",
            instead=f"T of shape (n, {len(classes)})",
        )
    return classes[T.argmax(axis=1)]


def coded(codes, k, coding):
    """Targets of a regression on classes: (n,) for two classes, (n, k) for more and for 1-of-K."""
    if k == 2 and coding != "one_of_k":
        return codes.astype(np.float64) if coding == "zero_one" else 2.0 * codes - 1.0
    T = np.zeros((len(codes), k))
    T[np.arange(len(codes)), codes] = 1.0
    return 2.0 * T - 1.0 if coding == "plus_minus" else T
