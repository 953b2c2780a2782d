r"""Decisions under a loss matrix: :math:`\arg\min_g \sum_k L_{kg}\, P(k \mid x)`, L[true, predicted]."""

from collections.abc import Sequence
from operator import methodcaller
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.exceptions import NotFittedError
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted

from separatrix.core.declaration import declares
from separatrix.core.errors import cannot
from separatrix.core.protocol import can
from separatrix.core.registry import late
from separatrix.core.types import Array, MatrixLike
from separatrix.estimators.probabilities import class_codes, same_length, validate_labels, validate_posteriors
from separatrix.estimators.saving import Estimator
from separatrix.estimators.validation import validate_weights

# Expected costs are equal if they differ by at most this many roundings of their terms.
ROUNDINGS = 8.0


def zero_one_costs(k):
    """The loss matrix of the 0/1 loss: every mistake costs 1.

    >>> zero_one_costs(2)
    array([[0., 1.], [1., 0.]])
    """
    return 1.0 - np.eye(k)


def expected_costs(posteriors, costs=None):
    r"""The expected cost of each action, given x.

    .. math:: r_g(x) = \sum_k L_{kg}\, P(k \mid x)

    Parameters
    ----------
    posteriors : array or frame of shape (n, k).  P(k | x), rows summing to 1.
    costs : array of shape (k, a) or None.  L[true class, action]; None is the 0/1 loss. A gain is a negative cost.

    Returns
    -------
    risks : array of shape (n, a).

    >>> expected_costs([[0.985, 0.015]], [[0, 1], [100, 0]])
    array([[1.5  , 0.985]])
    """
    P = validate_posteriors(posteriors)
    return 1.0 - P if costs is None else P @ validate_costs(costs, P.shape[1])


def decide(posteriors, costs=None, *, actions=None):
    """The action of least expected cost for each row.

    Parameters
    ----------
    posteriors : array or frame of shape (n, k).  P(k | x), rows summing to 1.
    costs : array of shape (k, a) or None.  L[true class, action], for any number a of actions; None is the 0/1 loss.
    actions : sequence of a labels, or None.  What to return for each column of costs; None returns their numbers.

    Returns
    -------
    decisions : array of shape (n,).  Of actions that cost the same up to rounding, the first is taken.

    References: Hastie, Tibshirani and Friedman (2009), The Elements of Statistical Learning, section 2.4.

    Examples
    --------
    To miss a cancer is a hundred times worse than a false alarm: 1.5 % is enough to act.

    >>> decide([[0.995, 0.005], [0.985, 0.015], [0.4, 0.6]], [[0, 1], [100, 0]], actions=["healthy", "cancer"])
    array(['healthy', 'cancer', 'cancer'], dtype='<U7')
    """
    P = validate_posteriors(posteriors)
    if costs is None:
        risks, sizes = 1.0 - P, 1.0
    else:
        L = validate_costs(costs, P.shape[1])
        risks = P @ L
        sizes = P @ np.abs(L) if (L < 0.0).any() else risks
    return validate_labels(actions, risks.shape[1], name="actions")[_cheapest(risks, sizes)]


def average_cost(y, decisions, costs, *, classes=None, actions=None, sample_weight=None):
    r"""The average cost of decisions, given the true classes.

    .. math:: \frac{1}{\sum s} \sum_i s_i\, L[y_i, g_i]

    Parameters
    ----------
    y : array of shape (n,).  True classes.
    decisions : array of shape (n,).  What was decided.
    costs : array of shape (k, a).  L[true class, action].
    classes : sequence of k labels or None.  Those of the rows of costs; None stands for 0, ..., k - 1.
    actions : sequence of a labels or None.  Those of the columns; None stands for `classes` if costs is square, else
        for 0, ..., a - 1.
    sample_weight : array of shape (n,) or None.

    >>> average_cost([0, 0, 1, 1], [0, 1, 1, 0], [[0, 1], [100, 0]])
    25.25
    """
    L = np.atleast_2d(np.asarray(costs, dtype=np.float64))
    L = validate_costs(L, len(L))
    classes = validate_labels(classes, L.shape[0])
    if actions is None and L.shape[0] == L.shape[1]:
        actions = classes
    actions = validate_labels(actions, L.shape[1], name="actions")
    truth, taken = class_codes(y, classes), class_codes(decisions, actions)
    same_length(len(truth), taken, "decisions")
    s = validate_weights(sample_weight, len(truth))
    return float(s @ L[truth, taken] / s.sum())


@declares(
    task="classification", inside=methodcaller("_fitted"), verification=late("separatrix.estimators.verify:of_inside")
)
class CostSensitiveClassifier(ClassifierMixin, MetaEstimatorMixin, Estimator):
    r"""Decide by expected cost, with the posteriors of any classifier.

    .. math:: \hat g(x) = \arg\min_g \sum_k L_{kg}\, P(k \mid x)

    Learning and deciding are two stages. ``fit`` learns P(k | x), with a clone of `estimator`, and ignores the
    costs; ``predict`` reads them each time, so that ``set_params(costs=...)`` changes the decisions of a fitted
    model at once. A classifier that is fitted already is used as it is: no ``fit`` is needed.

    Parameters
    ----------
    estimator : classifier with ``predict_proba``.
    costs : array of shape (k, a) or None, default None.  L[true class, action], rows in the order of ``classes_``.
        None is the 0/1 loss, under which the most probable class is predicted.
    actions : sequence of a labels or None, default None.  What ``predict`` returns for each column of `costs`; None
        stands for the classes themselves, a = k.

    Attributes
    ----------
    estimator_ : the fitted clone.
    classes_ : array of shape (k,).

    Notes
    -----
    Of actions that cost the same up to rounding, the first is taken. ``score`` is the accuracy of the decisions, which
    is meaningful only where the actions are classes; :meth:`mean_cost` is what they cost.

    References: Elkan (2001), The Foundations of Cost-Sensitive Learning, IJCAI.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = load_breast_cancer(return_X_y=True)  # 0 is malignant
    >>> model = CostSensitiveClassifier(GaussianNB().fit(X, y))
    >>> int((model.predict(X) == 0).sum())
    199
    >>> _ = model.set_params(costs=[[0, 1000], [1, 0]])  # to miss a malignant one is a thousand times worse
    >>> int((model.predict(X) == 0).sum())
    226
    """

    def __init__(self, estimator: Any, costs: ArrayLike | None = None, actions: Sequence[Any] | None = None) -> None:
        self.estimator = estimator
        self.costs = costs
        self.actions = actions

    def fit(self, X: MatrixLike, y: ArrayLike, **fit_params: Any) -> Self:
        """Fit a clone of the classifier; `fit_params`, such as sample_weight, are handed on to it."""
        self._refuse_without_posteriors()
        self.estimator_ = clone(self.estimator).fit(X, y, **fit_params)
        for name in ("n_features_in_", "feature_names_in_"):
            if can(self.estimator_, name):
                setattr(self, name, getattr(self.estimator_, name))
        if self.costs is not None:
            self._labels()  # a loss matrix of the wrong shape is refused now rather than at the first prediction
        return self

    @property
    def classes_(self) -> Array:
        """The classes of the fitted model, in the order of the rows of the costs."""
        return self._fitted().classes_

    def predict_proba(self, X: MatrixLike) -> Array:
        """Posterior probabilities of the classes: those of the model, which no cost changes."""
        return self._fitted().predict_proba(X)

    def expected_costs(self, X: MatrixLike) -> Array:
        """The expected cost of each action for each row of X, of shape (n, a)."""
        P = self.predict_proba(X)
        self._labels()
        return expected_costs(P, self.costs)

    def predict(self, X: MatrixLike) -> Array:
        """The action of least expected cost for each row of X."""
        P = self.predict_proba(X)
        return decide(P, self.costs, actions=self._labels())

    def mean_cost(self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        """The average cost of the decisions on X, given the true classes y."""
        costs = zero_one_costs(len(self.classes_)) if self.costs is None else self.costs
        labels = {"classes": self.classes_, "actions": self._labels()}
        return average_cost(y, self.predict(X), costs, **labels, sample_weight=sample_weight)

    def _labels(self):
        """The labels of the actions, checked against the costs."""
        k = len(self.classes_)
        a = k if self.costs is None else validate_costs(self.costs, k).shape[1]
        if self.actions is None and a != k:
            raise cannot(
                f"name the actions of costs of shape ({k}, {a})",
                because=f"there are {a} actions and {k} classes",
                instead="actions=[...], one label for each column of costs",
            )
        return self.classes_ if self.actions is None else validate_labels(self.actions, a, name="actions")

    def _fitted(self):
        """The model whose posteriors are used: the fitted clone or, without a fit, the classifier as it was given."""
        if "estimator_" in vars(self):
            return self.estimator_
        self._refuse_without_posteriors()
        try:
            check_is_fitted(self.estimator)
        except NotFittedError:
            raise NotFittedError(
                f"This {type(self).__name__} is not fitted yet, nor is its estimator. Call 'fit' with training data."
            ) from None
        return self.estimator

    def _refuse_without_posteriors(self):
        if not can(self.estimator, "predict_proba"):
            raise cannot(
                f"decide by expected cost with {self.estimator!r}",
                because="it has no predict_proba",
                instead="a classifier with posteriors, or calibrate it first",
                kind=AttributeError,
            )

    def __sklearn_is_fitted__(self):
        try:
            self._fitted()
        except (NotFittedError, AttributeError):
            return False
        return True

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        inner = get_tags(self.estimator)
        tags.input_tags = inner.input_tags
        tags.classifier_tags = inner.classifier_tags
        return tags


def validate_costs(costs, k):
    """Check a loss matrix for k classes; return it as float64 of shape (k, a)."""
    try:
        L = np.asarray(costs, dtype=np.float64)
    except (TypeError, ValueError):
        raise cannot(
            f"use costs={costs!r}",
            because="they are not an array of numbers",
            instead=f"a matrix of shape ({k}, a), L[true class, action]",
            kind=TypeError,
        ) from None
    if L.ndim != 2 or L.shape[0] != k or not L.shape[1]:
        raise cannot(
            f"use costs of shape {L.shape}",
            because=f"there are {k} classes, and L[true class, action] has a row for each",
            instead=f"costs of shape ({k}, {k}), or ({k}, a) for a actions",
        )
    if not np.isfinite(L).all():
        raise cannot(
            "use costs that are infinite or not a number",
            because="an expected cost would be undefined where its class has probability 0",
            instead="a large finite cost for what must not happen",
        )
    return L


def _cheapest(risks, sizes):
    """The first action of each row whose cost is the least up to rounding of sums of terms of the given sizes."""
    rounding = ROUNDINGS * np.finfo(np.float64).eps * sizes
    return np.argmax(risks - rounding <= (risks + rounding).min(axis=1, keepdims=True), axis=1)
