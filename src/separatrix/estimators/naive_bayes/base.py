r"""What all naive Bayes models share: :math:`P(x \mid C_k) = \prod_j P(x_j \mid C_k)`, learnt by counting."""

import time
import warnings
from abc import abstractmethod
from contextlib import contextmanager
from typing import Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from separatrix.core.certificate import closed_form
from separatrix.core.errors import cannot
from separatrix.core.types import Array, MatrixLike
from separatrix.designs import as_design, product
from separatrix.estimators.generative.base import Generative
from separatrix.estimators.validation import (
    check_choice,
    check_number,
    check_numbers,
    validate_class_target,
    validate_rows,
)
from separatrix.prediction.naive_bayes import linear_log_likelihood
from separatrix.prediction.posteriors import logarithm

EPS = np.finfo(np.float64).eps
# The smoothing that force_alpha=False raises a smaller one to: scikit-learn's.
SMALLEST_ALPHA = 1e-10


@contextmanager
def unchanged_if_refused(model):
    """Give a model its attributes back where data are refused: what was learnt before goes on predicting."""
    before = dict(vars(model))
    try:
        yield
    except Exception:
        vars(model).clear()
        vars(model).update(before)
        raise


class NaiveBayes(Generative):
    """A model whose parameters are closed forms of sums over the rows of each class.

    The sums merge, so that a stream of chunks gives what all rows at once give, in whatever order they come. A subclass
    says how to count (:meth:`_count`), what follows from the counts (:meth:`_learn`) and ``log P(x | C_k)``. Rows of
    one class, as a bagging classifier may draw them, are taken: that class is then certain.
    """

    _sparse = False
    _names = None  # what the columns are called in errors, where X is a part of a larger table

    def fit(self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit to X (n, p) and labels y (n,); a weight of a row means so many rows like it."""
        started = time.perf_counter()
        self._check()
        with unchanged_if_refused(self):
            design, target = validate_class_target(self, X, y, sample_weight, sparse=self._sparse, summed=True, least=1)
            return self._publish(self._count(design, target), started)

    def partial_fit(
        self, X: MatrixLike, y: ArrayLike, classes: ArrayLike | None = None, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Learn from a chunk of a stream; chunk after chunk, in any order, gives what all rows at once give.

        Parameters
        ----------
        X : (n, p) array.  y : (n,) array of class labels.
        classes : array or None.  All classes that the stream can bring; needed at the first call. A class that never
            comes has the share 0, and so the posterior 0.
        sample_weight : (n,) array or None.
        """
        started = time.perf_counter()
        self._check()
        first = "_tally" not in vars(self)
        refuse_if_unannounced(self, first, classes)
        with unchanged_if_refused(self):
            design, target = validate_class_target(
                self, X, y, sample_weight, classes=classes, sparse=self._sparse, reset=first, summed=True, least=1
            )
            counts = self._count(design, target)
            return self._publish(counts if first else counts.merge(self._tally), started)

    def _publish(self, counts, started):
        """Set what follows from the sums, and keep them for the next chunk: not before, it may be refused."""
        self._learn(counts, started)
        self._tally = counts
        return self

    @abstractmethod
    def _check(self):
        """Check the parameters that can be checked without data."""

    @abstractmethod
    def _count(self, design, target):
        """Sums over the rows of each class, that can be merged with others."""

    @abstractmethod
    def _learn(self, counts, started):
        """Set the fitted attributes to what the sums of all rows say."""

    @abstractmethod
    def _log_likelihood(self, X):
        """``log P(x | C_k)`` (n, k) for rows that were checked."""

    def _log_joint(self, X):
        return self._log_likelihood(X) + self._log_shares()

    def _enter(self, X):
        return validate_rows(self, X, sparse=self._sparse)

    def _name(self, j):
        """What to call a column."""
        names = self._names if self._names is not None else vars(self).get("feature_names_in_")
        return repr(str(names[j])) if names is not None else f"{j}"

    def _certify(self, started, *residuals, half=0.0):
        """The largest relative residual of the equations that the published parameters solve.

        `half` is the share of each number that rounding to float32 may cost.
        """
        value = max(float(np.max(r, initial=0.0)) for r in residuals)
        message = "a closed form of counts; the likelihood equations hold to rounding"
        self.certificate_ = closed_form(value, 64.0 * EPS + 2.0 * half, started=started, message=message)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self._sparse
        return tags


def refuse_if_unannounced(estimator, first, classes):
    """Raise unless the first chunk of a stream says what classes will come."""
    if first and classes is None:
        raise cannot(
            f"begin a stream with {type(estimator).__name__} and classes=None",
            because="a chunk need not show all classes that will come",
            instead="partial_fit(X, y, classes=all_labels) at the first call",
        )


class DiscreteNB(NaiveBayes):
    """A naive Bayes model of counts, smoothed by `alpha`."""

    def _check(self):
        check_choice(self, "fit_prior", (True, False))
        check_choice(self, "force_alpha", (True, False))
        if np.ndim(self.alpha) == 0:
            check_number(self, "alpha", 0.0)

    def _smoothing(self):
        """alpha for each column, (p,)."""
        alpha = check_numbers(self, "alpha", "alpha >= 0, one or one for each column")
        p = self.n_features_in_
        if np.ndim(self.alpha) > 0 and np.shape(self.alpha) != (p,):
            raise cannot(
                f"use alpha of shape {np.shape(self.alpha)}",
                because=f"X has {p} columns",
                instead=f"one number, or one for each column, shape ({p},)",
            )
        if not (np.isfinite(alpha) & (alpha >= 0.0)).all():
            j = int(np.argmin(np.isfinite(alpha) & (alpha >= 0.0)))
            raise cannot(
                f"use alpha with the value {alpha[j]:g} for column {self._name(j)}",
                because="a number of pretended rows is finite and not negative",
                instead="alpha >= 0",
            )
        if not self.force_alpha and alpha.min() < SMALLEST_ALPHA:
            warnings.warn(
                f"alpha={alpha.min():g} is raised to {SMALLEST_ALPHA:g}. Use force_alpha=True to keep it.", stacklevel=4
            )
            alpha = np.maximum(alpha, SMALLEST_ALPHA)
        return np.broadcast_to(alpha, (p,))

    def _publish_shares(self, totals):
        """Set ``class_count_`` and ``class_log_prior_``."""
        self.class_count_ = totals
        if self.class_prior is None and not self.fit_prior:
            shares = np.full(len(totals), 1.0 / len(totals))
        else:
            shares = self._shares(totals, "class_prior")
        self.class_log_prior_ = logarithm(shares)

    def _log_shares(self):
        return self.class_log_prior_

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True  # on the clouds of numbers that scikit-learn's checks use, as theirs
        return tags


class LinearNB(DiscreteNB):
    r"""A model of counts whose log-odds are linear in x: :math:`\log P(x \mid C_k) = x \cdot w_k + b_k`.

    A probability of 0 makes a weight infinite. Then what is possible and what is not are summed apart: 0 times a
    logarithm of 0 is nothing, not NaN.
    """

    _sparse = True
    _threshold = None

    @abstractmethod
    def _weights(self):
        """Logarithms of what x_j = 1 and x_j = 0 contribute: two arrays (k, p), the second None where it is nothing."""

    @abstractmethod
    def _admit(self, design):
        """Raise if rows to be predicted hold what the model knows no probability of."""

    @property
    def coef_(self) -> Array:
        """Weights of the log-odds of ``classes_[1]``, (1, p), or of ``log P(x, C_k)``, (k, p)."""
        check_is_fitted(self)
        on, off = self._weights()
        with np.errstate(invalid="ignore"):
            W = on if off is None else on - off
            return W[1:] - W[:1] if len(W) == 2 else W

    @property
    def intercept_(self) -> Array:
        """What is added to ``x coef_'``: (1,) or (k,)."""
        check_is_fitted(self)
        _, off = self._weights()
        b = self._log_shares() + (0.0 if off is None else off.sum(axis=1))
        with np.errstate(invalid="ignore"):
            return b[1:] - b[:1] if len(b) == 2 else b

    def _log_likelihood(self, X):
        design = as_design(X)
        self._admit(design)
        return linear_log_likelihood(*self._weights(), lambda W: product(design, W, self._threshold))
