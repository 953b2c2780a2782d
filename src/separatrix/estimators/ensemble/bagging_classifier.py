r"""Bagging of classifiers: the mean of the probabilities of copies that were trained on bootstrap samples."""

from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.metrics import accuracy_score
from sklearn.utils import get_tags
from sklearn.utils.metaestimators import available_if

from separatrix.core.declaration import declares
from separatrix.core.errors import cannot
from separatrix.core.protocol import can, row_count
from separatrix.core.types import Array, MatrixLike
from separatrix.estimators import verification
from separatrix.estimators.ensemble.answers import finite_answers, refuse_other_classes
from separatrix.estimators.ensemble.bagging import Bagging, described, tree_sum
from separatrix.estimators.tree.classifier import DecisionTreeClassifier
from separatrix.estimators.validation import validate_class_target
from separatrix.prediction import forms
from separatrix.prediction.committees import mean, spread_shares, votes


def _base_has(name):
    return lambda self: can(self._base(), name)


@declares(
    task="classification",
    prediction=forms.COMMITTEE_CLASSES,
    verification=verification.OF_BAGGED,
    certifies=verification.WORST_MEMBER,
    description=described,
    tree_sum=tree_sum,
)
class BaggingClassifier(ClassifierMixin, Bagging):
    r"""The mean of the probabilities of M copies of a classifier, each trained on a bootstrap sample of the rows.

    .. math:: \hat p_c(x) = \frac1M \sum_{m=1}^M \hat p_{mc}(x)

    A copy without probabilities has one vote. A mean of models varies less from one training set to the next than each
    of them: models that follow their rows closely, such as deep trees, gain most, linear ones little.

    Parameters
    ----------
    estimator : classifier or None, default None.  Any classifier; None is a :class:`DecisionTreeClassifier`. One that
        takes `sample_weight` is given how often each row was drawn, any other copies of the rows.
    n_estimators : int, [1, inf), default 10.  M.
    max_samples : int, share in (0, 1], or None, default None.  Rows of each sample, or their share of all; None for as
        many as there are. All of them are what the weights sum to.
    max_features : int or share in (0, 1], default 1.0.  Columns of each sample.
    bootstrap : bool, default True.  Whether a row may be drawn again.
    bootstrap_features : bool, default False.  Whether a column may be drawn again.
    oob_score : bool, default False.  Whether to score each row by the copies that have not seen it.
    warm_start : bool, default False.  Whether another fit keeps the members and only adds to them.
    n_jobs, verbose : accepted for compatibility; threads are set by ``SEPARATRIX_THREADS``, and the answer is the same
        at any number of them.
    random_state : int, RandomState or None, default None.  Of the samples, and of members that have one.

    Attributes
    ----------
    classes_ : (k,) array.  n_classes_ : int.
    estimator_ : the model that was copied.
    estimators_ : list of M fitted classifiers, of the codes 0, 1, ... of the classes.
    estimators_features_ : list of M arrays.  The places of the columns of each.
    estimators_samples_ : list of M arrays.  The places of the rows of each, drawn again when they are asked for.
    oob_decision_function_ : (n, k) array, oob_score_ : float, with `oob_score`.  The mean probabilities of the copies
        that have not seen a row, NaN where all have; the share of rows whose class they predict.
    certificate_ : Certificate.  The worst of those of the members, where these have one.
    n_features_in_, feature_names_in_ : as in scikit-learn.

    Notes
    -----
    Samples are those of scikit-learn for the same seed. Weights are repetitions: as many rows are drawn as the weights
    sum to, rounded, and a row of weight 3 is drawn as three equal rows below each other would be, by the same random
    numbers. scikit-learn draws n rows whatever the weights.

    References: Breiman (1996), Machine Learning 24(2).

    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], ["a", "a", "b", "b"]
    >>> model = BaggingClassifier(random_state=0).fit(X, y)
    >>> model.predict([[0.2], [2.9]]).tolist(), model.predict_proba([[1.5]]).tolist()
    (['a', 'b'], [[0.8, 0.2]])
    """

    classes_: Array
    _out_of_bag = ("oob_decision_function_",)

    def _default(self):
        return DecisionTreeClassifier()

    def _validate(self, X, y, sample_weight, reset=True):
        missing = get_tags(self._base()).input_tags.allow_nan
        design, target = validate_class_target(self, X, y, sample_weight, least=1, missing=missing, reset=reset)
        if reset:
            self.n_classes_ = len(self.classes_)
        return design, (target.y, target.s)

    def _fit_member(self, m, X, y):
        member, columns = super()._fit_member(m, X, y)
        if can(member, "classes_"):
            refuse_other_classes(member, member.classes_, self.n_classes_)
        return member, columns

    def _shares(self, member, X):
        """The probabilities that a member gives to all classes, or its votes."""
        if can(member, "predict_proba"):
            shape = (row_count(X), len(member.classes_))
            shares = finite_answers(member, member.predict_proba(X), shape, "predict_proba")
            return spread_shares(shares, member.classes_, self.n_classes_)
        codes = finite_answers(member, member.predict(X), (row_count(X),))
        refuse_other_classes(member, codes, self.n_classes_)
        return votes(codes, self.n_classes_)

    def _score_out_of_bag(self, X, y, s):
        shares, counts = self._out_of_bag_means(X, self._shares, (len(y), self.n_classes_))
        rows, weights = self._scored_rows(counts, s)
        self.oob_decision_function_ = shares
        self.oob_score_ = float(accuracy_score(y[rows], shares[rows].argmax(axis=1), sample_weight=weights))

    def predict_proba(self, X: MatrixLike) -> Array:
        """The mean of the members' probabilities, (n, k), or of their votes."""
        return mean(self._answers(self._later(X), self._shares))

    def predict_log_proba(self, X: MatrixLike) -> Array:
        """Logarithms of :meth:`predict_proba`."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def predict(self, X: MatrixLike) -> Array:
        """The class of the largest mean probability; the first of equals."""
        shares = self.predict_proba(X)  # which says first whether there is a fit
        return self.classes_[shares.argmax(axis=1)]

    @available_if(_base_has("decision_function"))
    def decision_function(self, X: MatrixLike) -> Array:
        """The mean of the members' scores: (n,) for two classes, else (n, k)."""
        X = self._later(X)
        short = [m for m, member in enumerate(self.estimators_) if len(member.classes_) != self.n_classes_]
        if short:
            raise cannot(
                "average decision functions",
                because=f"the sample of member {short[0]} holds {len(self.estimators_[short[0]].classes_)} of "
                f"{self.n_classes_} classes, and a score of a class is relative to the others",
                instead="predict_proba",
            )
        return mean(self._answers(X, _score))


def _score(member: Any, X: Any) -> Array:
    return np.asarray(member.decision_function(X))
