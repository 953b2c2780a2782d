"""Many classes from two: one against the rest, one against one, and the regions where the machines disagree.

The fitting, the routing of metadata and the parallel loop are scikit-learn's; what is added is the variant of k - 1
machines, the counts of claims and votes, and the rows that no majority decides. A model of k linear functions
(:class:`~separatrix.estimators.base.LinearClassifier`) has no such rows: the largest function always decides.
"""

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.multiclass import OneVsOneClassifier as _OneVsOne
from sklearn.multiclass import OneVsRestClassifier as _OneVsRest
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from separatrix.core.declaration import declares
from separatrix.core.errors import cannot
from separatrix.core.types import Array, MatrixLike
from separatrix.estimators import verification
from separatrix.estimators.coding import from_one_of_k, one_of_k
from separatrix.estimators.saving import Estimator
from separatrix.estimators.validation import check_choice, encode
from separatrix.prediction import forms

__all__ = ["OneVsOneClassifier", "OneVsRestClassifier", "from_one_of_k", "one_of_k"]


def _asks_machines(name, every_class=False):
    """Available where the machines can do it (if not, their error is the cause), and each class has one if it must."""

    def check(self):
        machine = self.estimators_[0] if "estimators_" in vars(self) else self.estimator
        return getattr(machine, name) is not None and not (every_class and self.rest_class)

    return check


@declares(
    task="classification",
    prediction=forms.ONE_VS_REST,
    verification=verification.OF_ONE_VS_REST,
)
class OneVsRestClassifier(_OneVsRest, Estimator):
    r"""One machine a class, each against all others; the most confident wins.

    .. math:: \hat c(x) = \arg\max_c g_c(x), \qquad k \text{ machines, or } k - 1 \text{ and } g_k = 0

    Two classes need one machine: the other would be its negative. Ties: of equal scores the first class wins.

    With ``rest_class=True`` the last class has no machine and is what remains where none of the others fires, that is,
    where all their scores are below 0 (a score of exactly 0 fires).

    Parameters
    ----------
    estimator : classifier of two classes, with a ``decision_function`` or ``predict_proba``.
    n_jobs : int or None, default None.  As in scikit-learn.
    verbose : int, default 0.  As in scikit-learn.
    rest_class : bool, default False.  Whether to leave out the machine of the last class; needs a
        ``decision_function``, and gives no probabilities.

    Attributes
    ----------
    estimators_ : list of the fitted machines, in the order of ``classes_``.
    classes_, n_classes_, label_binarizer_, n_features_in_, feature_names_in_ : as in scikit-learn.

    References: Bishop (2006), Pattern Recognition and Machine Learning, section 4.1.2.

    >>> import numpy as np
    >>> from separatrix.linear_model import LeastSquaresClassifier
    >>> X = np.array([[0.0, 3.0], [0.5, 3.0], [3.0, 0.0], [3.0, 0.5], [-3.0, -3.0], [-3.0, -2.5]])
    >>> y = ["a", "a", "b", "b", "c", "c"]
    >>> machines = OneVsRestClassifier(LeastSquaresClassifier()).fit(X, y)
    >>> len(machines.estimators_), machines.predict([[0.2, 2.0], [-2.0, -2.0]]).tolist()
    (3, ['a', 'c'])
    """

    classes_: Array

    def __init__(
        self, estimator: Any, *, n_jobs: int | None = None, verbose: int = 0, rest_class: bool = False
    ) -> None:
        super().__init__(estimator, n_jobs=n_jobs, verbose=verbose)
        self.rest_class = rest_class

    def fit(self, X: MatrixLike, y: ArrayLike, **fit_params: Any) -> Self:
        """Fit the machines to X (n, p) and labels y (n,)."""
        if not check_choice(self, "rest_class", (False, True)):
            return super().fit(X, y, **fit_params)
        codes = encode(self, y, reset=True)
        classes = self.classes_
        if len(classes) < 3:
            return super().fit(X, y, **fit_params)
        # scikit-learn fits one machine for each column of an indicator matrix: the last class gets none
        super().fit(X, one_of_k(codes)[0][:, :-1].astype(int), **fit_params)
        self.classes_ = classes
        return self

    def predict(self, X: MatrixLike) -> Array:
        """The class of each row of X."""
        check_is_fitted(self)
        if not self._last_is_rest():
            return super().predict(X)
        return self.classes_[self.decision_function(X).argmax(axis=1)]

    @available_if(_asks_machines("decision_function"))
    def decision_function(self, X: MatrixLike) -> Array:
        """Scores of the classes: (n,) for two, else (n, k); with ``rest_class`` that of the last class is 0."""
        scores = super().decision_function(X)
        return np.column_stack([scores, np.zeros(len(scores))]) if self._last_is_rest() else scores

    @available_if(_asks_machines("predict_proba", every_class=True))
    def predict_proba(self, X):
        """Probabilities of the machines, divided by their sum."""
        return super().predict_proba(X)

    @available_if(_asks_machines("partial_fit", every_class=True))
    def partial_fit(self, X, y, classes=None, **partial_fit_params):
        """One more pass of every machine over some rows."""
        return super().partial_fit(X, y, classes, **partial_fit_params)

    def claims(self, X: MatrixLike) -> Array:
        """Which machines fire (score >= 0) for each row: (n, number of machines) of bool."""
        check_is_fitted(self)
        return np.column_stack([machine.decision_function(X) >= 0.0 for machine in self.estimators_])

    def ambiguous(self, X: MatrixLike) -> Array:
        """Rows that no machine claims, or more than one: there the scores alone decide.

        With ``rest_class`` a row that nobody claims is the last class's, and only rival claims are ambiguous.
        """
        claims = self.claims(X).sum(axis=1)
        if len(self.estimators_) == 1:
            return np.zeros(len(claims), dtype=bool)
        return claims > 1 if self._last_is_rest() else claims != 1

    def _last_is_rest(self):
        return bool(self.rest_class) and len(self.classes_) > 2

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        if self.rest_class:  # the last of several labels cannot be what remains
            tags.classifier_tags.multi_label = tags.target_tags.multi_output = False
        return tags


@declares(
    task="classification",
    verification=verification.OF_ONE_VS_ONE,
)
class OneVsOneClassifier(_OneVsOne, Estimator):
    r"""One machine for each pair of classes; the class with most wins.

    .. math:: \hat c(x) = \arg\max_c \sum_{d \ne c} [\,c \text{ beats } d \text{ at } x\,], \qquad
              \tfrac12 k (k - 1) \text{ machines}

    Ties: among classes of equally many wins the one with the larger sum of scores over its pairs wins (as in
    scikit-learn, whose ``decision_function`` is votes plus a confidence below 1/3); if those are equal too, the first.

    Parameters
    ----------
    estimator : classifier of two classes, with a ``decision_function`` or ``predict_proba``.
    n_jobs : int or None, default None.  As in scikit-learn.

    Attributes
    ----------
    estimators_ : tuple of the fitted machines: (0, 1), (0, 2), ..., (1, 2), ...
    classes_, n_classes_, n_features_in_, feature_names_in_ : as in scikit-learn.

    References: Bishop (2006), Pattern Recognition and Machine Learning, section 4.1.2.

    >>> import numpy as np
    >>> from separatrix.linear_model import BasicLinearClassifier
    >>> X, y = np.array([[0.0], [1.0], [5.0], [6.0], [10.0], [11.0]]), [0, 0, 1, 1, 2, 2]
    >>> machines = OneVsOneClassifier(BasicLinearClassifier()).fit(X, y)
    >>> machines.votes([[5.2]]), machines.predict([[5.2]])
    (array([[1, 2, 0]]), array([1]))
    """

    def __init__(self, estimator: Any, *, n_jobs: int | None = None) -> None:
        super().__init__(estimator, n_jobs=n_jobs)

    def votes(self, X: MatrixLike) -> Array:
        """How many pairs each class wins at each row: (n, k) of int, each row summing to k (k - 1) / 2."""
        check_is_fitted(self)
        if self.pairwise_indices_ is not None:
            raise cannot(
                "count votes of machines on a precomputed kernel",
                because="each of them needs its own columns of it",
                instead="decision_function, whose whole part is the votes",
            )
        k = len(self.classes_)
        first, second = np.triu_indices(k, 1)
        wins = np.stack([np.asarray(machine.predict(X)) for machine in self.estimators_], axis=1).astype(int)
        winners = np.where(wins == 1, second, first)
        return np.stack([(winners == c).sum(axis=1) for c in range(k)], axis=1)

    def ambiguous(self, X: MatrixLike) -> Array:
        """Rows at which several classes share the most wins: the scores decide, not the votes."""
        votes = self.votes(X)
        return (votes == votes.max(axis=1, keepdims=True)).sum(axis=1) > 1
