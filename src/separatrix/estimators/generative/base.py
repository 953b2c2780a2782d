"""What every model of P(x, C) can do: posteriors by Bayes' theorem, densities, and new data drawn from it."""

from abc import abstractmethod
from typing import Any

import numpy as np
from numpy.random import RandomState
from scipy.special import logsumexp
from sklearn.base import ClassifierMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from separatrix.core.errors import cannot
from separatrix.core.solution import Certificate
from separatrix.core.types import Array, MatrixLike
from separatrix.estimators.probabilities import validate_priors
from separatrix.estimators.saving import Estimator
from separatrix.estimators.validation import validate_rows
from separatrix.prediction.linear import decide
from separatrix.prediction.posteriors import comparable, log_posteriors, logarithm, posteriors, scores


class Generative(ClassifierMixin, Estimator):
    r"""A classifier that models how the rows of each class arise.

    .. math:: P(C_k \mid x) = \frac{P(x \mid C_k)\, P(C_k)}{\sum_j P(x \mid C_j)\, P(C_j)}

    A subclass fits ``classes_`` and the shares of the classes, and says :meth:`_log_joint` and :meth:`_draw`.
    For two classes equal posteriors count for the second class, for more the first of the largest wins.

    A row that no class can bring forth, :math:`P(x \mid C_k) = 0` for all k, tells nothing about its class: its
    posteriors are the shares of the classes, and a warning says how many such rows there were. Its ``log P(x, C_k)``
    and :meth:`score_samples` stay -inf.
    """

    classes_: Array
    certificate_: Certificate
    _renormalises = True  # whether priors that do not sum to 1 are divided by their sum, as in scikit-learn

    @abstractmethod
    def _log_joint(self, X):
        """``log P(x, C_k)`` (n, k) for rows that were checked."""

    @abstractmethod
    def _draw(self, code, size, random):
        """Rows (size, p) of one class, drawn with a numpy RandomState."""

    def predict_joint_log_proba(self, X: MatrixLike) -> Array:
        """``log P(x, C_k) = log P(x | C_k) + log P(C_k)`` for each row and class: (n, k)."""
        check_is_fitted(self)
        return self._log_joint(self._enter(X))

    def predict_log_proba(self, X: MatrixLike) -> Array:
        """Logarithms of the posteriors, right also where a posterior is too small for a number: (n, k)."""
        return log_posteriors(self._comparable(X))

    def predict_proba(self, X: MatrixLike) -> Array:
        """Posterior of each class, in the order of ``classes_``: (n, k)."""
        return posteriors(self._comparable(X))

    def decision_function(self, X: MatrixLike) -> Array:
        """For two classes the log-odds of ``classes_[1]`` (n,), else ``log P(x, C_k)`` (n, k)."""
        return self._scores(X)

    def predict(self, X: MatrixLike) -> Array:
        """The class of largest posterior for each row of X."""
        return decide(self._scores(X), self.classes_)

    def score_samples(self, X: MatrixLike) -> Array:
        r""":math:`\log P(x) = \log \sum_k P(x \mid C_k) P(C_k)` (n,): where it is low, do not trust a prediction."""
        return logsumexp(self.predict_joint_log_proba(X), axis=1)

    def sample(self, n_samples: int = 1, random_state: int | RandomState | None = None) -> tuple[Any, Array]:
        """Draw rows from the model: a class from its share, then x given the class.

        Returns X (n_samples, p) and their labels y (n_samples,).
        """
        check_is_fitted(self)
        if not isinstance(n_samples, int | np.integer) or n_samples < 1:
            raise cannot(
                f"draw n_samples={n_samples!r} rows",
                because="it is not a positive whole number",
                instead="a whole number above 0",
            )
        random = check_random_state(random_state)
        shares = np.exp(self._log_shares())
        codes = random.choice(len(shares), size=n_samples, p=shares / shares.sum())
        X = np.empty((n_samples, self.n_features_in_))
        for c in np.unique(codes):
            mine = codes == c
            X[mine] = self._draw(c, int(mine.sum()), random)
        return X, self.classes_[codes]

    def _scores(self, X):
        """What a decision compares with 0, or with each other."""
        return scores(self._comparable(X))

    def _comparable(self, X):
        """``log P(x, C_k)``, and ``log P(C_k)`` for rows that are impossible in every class."""
        return comparable(self.predict_joint_log_proba(X), self._log_shares())

    def _enter(self, X):
        """Check rows to be predicted."""
        return validate_rows(self, X, sparse=False)

    def _log_shares(self):
        """``log P(C_k)`` (k,); a class of share 0 is never predicted."""
        return logarithm(self.priors_.astype(np.float64))

    def _shares(self, totals, name="priors"):
        """P(C_k): the priors that were given, or each class's share of the weight."""
        given = getattr(self, name)
        if given is not None:
            return validate_priors(given, len(self.classes_), name=name, renormalise=self._renormalises)
        return totals / totals.sum()
