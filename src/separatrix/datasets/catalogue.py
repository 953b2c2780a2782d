"""Catalogue of data sets: what a Dataset is, and how one is declared.

Each file of this package declares its data set with ``@data_set("name", "one line about it")``.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from separatrix.core.refusal import cannot
from separatrix.tables.table import Table

_LOADERS: dict = {}


@dataclass(frozen=True)
class Truth:
    """The known distribution that a data set was drawn from.

    Attributes
    ----------
    words : str.  A description in one sentence.
    rule : callable.  From X (n, p) to the best possible predictions: the Bayes rule, or f(x).
    error : float or None.  Of the best rule: its error rate, or the standard deviation of the noise. None
        where no formula gives it.
    problem : KnownProblem or None.  Priors and densities, where they are known: posteriors, the Bayes rate
        (``bayes_risk``) and the expected error of any other rule (``risk``).
    """

    words: str
    rule: Callable
    error: float | None = None
    problem: Any = None


@dataclass(frozen=True)
class Dataset:
    """Rows and a target, with names.

    Attributes
    ----------
    X : (n, p) array of float64.
    y : (n,) array.  Labels, or numbers.
    feature_names : list of p str.
    target_name : str.
    task : {"classification", "regression"}.
    words : str.  A description in one line.
    name : str.  What :func:`load` knows it by.
    truth : Truth or None.  None for measured data.
    """

    X: np.ndarray
    y: np.ndarray
    feature_names: list
    target_name: str
    task: str
    words: str = ""
    name: str = ""
    truth: Truth | None = field(default=None, repr=False)

    def __len__(self):
        return len(self.y)

    def __repr__(self):
        kind = f"{len(self.classes)} classes" if self.classes else "regression"
        return f"Dataset({self.name!r}, {len(self)} rows, {len(self.feature_names)} columns, {kind})"

    @property
    def classes(self):
        """The labels, sorted; empty for a regression."""
        return tuple(np.unique(self.y).tolist()) if self.task == "classification" else ()

    def table(self):
        """The data as a Table, the target in the last column.

        >>> load("iris").table().names
        ('sepal length (cm)', 'sepal width (cm)', 'petal length (cm)', 'petal width (cm)', 'species')
        """
        is_text = self.y.dtype.kind in "OUS"
        target = np.array(self.y.tolist(), dtype=object) if is_text else self.y.astype(np.float64)
        return Table((*self.feature_names, self.target_name), (*self.X.T.copy(), target), self.name)


def data_set(name, words):
    """Register a function that makes a Dataset; `words` describes it in one line."""

    def register(make):
        _LOADERS[name] = (make, words)
        return make

    return register


def available():
    """One line about each data set, by name.

    >>> available()["xor"]
    'Four clouds at the corners of a square, opposite ones of one class; no line separates them.'
    """
    return {name: words for name, (_, words) in sorted(_LOADERS.items())}


def load(name, **options):
    """A data set by name.

    Parameters
    ----------
    name : str.  One of :func:`available`.
    **options : of generators: `n` rows, `seed`, and their other parameters.

    Returns
    -------
    data : Dataset.

    >>> load("breast_cancer")
    Dataset('breast_cancer', 569 rows, 30 columns, 2 classes)
    >>> load("sine", n=5, seed=1).X.ravel()
    array([0.  , 0.25, 0.5 , 0.75, 1.  ])
    """
    if name not in _LOADERS:
        raise cannot(
            f"load the data set {name!r}",
            because="there is none of that name",
            instead=f"one of {', '.join(available())}",
        )
    make, _ = _LOADERS[name]
    return make(**options)


def classification(name, X, y, feature_names, target_name="class", truth=None):
    """A Dataset of labels, with its line from the catalogue."""
    return Dataset(X, y, list(feature_names), target_name, "classification", _LOADERS[name][1], name, truth)


def regression(name, X, y, feature_names, target_name="y", truth=None):
    """A Dataset of numbers, with its line from the catalogue."""
    return Dataset(X, y, list(feature_names), target_name, "regression", _LOADERS[name][1], name, truth)


def checked_rows(n, least):
    """Validate a number of rows."""
    if not isinstance(n, int | np.integer) or isinstance(n, bool) or n < least:
        raise cannot(f"draw n={n!r} rows", because="rows are counted", instead=f"a whole number n >= {least}")
    return int(n)


def checked_spread(value, name):
    """Validate a standard deviation."""
    if not np.isfinite(value) or value < 0.0:
        raise cannot(f"draw with {name}={value!r}", because="it is a standard deviation", instead=f"{name} >= 0")
    return float(value)
