r"""Bagging of regressors: the mean of the predictions of copies that were trained on bootstrap samples."""

from sklearn.base import RegressorMixin
from sklearn.metrics import r2_score
from sklearn.utils import get_tags

from separatrix.core.declaration import declares
from separatrix.core.protocol import row_count
from separatrix.core.types import Array, MatrixLike
from separatrix.estimators import verification
from separatrix.estimators.ensemble.answers import finite_answers
from separatrix.estimators.ensemble.bagging import Bagging, described, tree_sum
from separatrix.estimators.tree.regressor import DecisionTreeRegressor
from separatrix.estimators.validation import enter
from separatrix.prediction import forms
from separatrix.prediction.committees import mean


@declares(
    task="regression",
    prediction=forms.COMMITTEE_NUMBERS,
    verification=verification.OF_BAGGED,
    certifies=verification.WORST_MEMBER,
    description=described,
    tree_sum=tree_sum,
)
class BaggingRegressor(RegressorMixin, Bagging):
    r"""The mean of the predictions of M copies of a regressor, each trained on a bootstrap sample of the rows.

    .. math:: \hat y(x) = \frac1M \sum_{m=1}^M \hat y_m(x)

    Its squared error is never above the mean of theirs (:func:`separatrix.assess.committee_error`); it would be 1/M of
    it if their errors were uncorrelated with mean zero, which those of copies trained on overlapping rows are not.

    Parameters
    ----------
    estimator : regressor or None, default None.  Any regressor; None is a :class:`DecisionTreeRegressor`. One that
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
    estimator_ : the model that was copied.
    estimators_ : list of M fitted regressors.
    estimators_features_ : list of M arrays.  The places of the columns of each.
    estimators_samples_ : list of M arrays.  The places of the rows of each, drawn again when they are asked for.
    oob_prediction_ : (n,) or (n, outputs) array, oob_score_ : float, with `oob_score`.  The mean predictions of the
        copies that have not seen a row, NaN where all have; their R².
    certificate_ : Certificate.  The worst of those of the members, where these have one.
    n_features_in_, feature_names_in_ : as in scikit-learn.

    Notes
    -----
    Samples are those of scikit-learn for the same seed. Weights are repetitions: as many rows are drawn as the weights
    sum to, rounded, and a row of weight 3 is drawn as three equal rows below each other would be, by the same random
    numbers. scikit-learn draws n rows whatever the weights.

    References: Breiman (1996), Machine Learning 24(2); Bishop (2006), Pattern Recognition and Machine Learning, section
    14.2.

    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [0.0, 1.0, 2.0, 3.0]
    >>> model = BaggingRegressor(random_state=0).fit(X, y)
    >>> model.predict([[0.2], [2.9]]).tolist()
    [0.6, 2.7]
    """

    _out_of_bag = ("oob_prediction_",)

    def _default(self):
        return DecisionTreeRegressor()

    def _validate(self, X, y, sample_weight, reset=True):
        base = get_tags(self._base())
        several, missing = base.target_tags.multi_output, base.input_tags.allow_nan
        design, target = enter(self, X, y, sample_weight, missing=missing, multi_output=several, reset=reset)
        numbers = target.y[:, 0] if target.y.ndim == 2 and target.y.shape[1] == 1 else target.y
        return design, (numbers, target.s)

    def _numbers(self, member, X):
        """The prediction of a member, (n,) or (n, outputs)."""
        n, outputs = row_count(X), self._n_outputs
        return finite_answers(member, member.predict(X), (n,) if outputs == 1 else (n, outputs))

    def _score_out_of_bag(self, X, y, s):
        numbers, counts = self._out_of_bag_means(X, self._numbers, y.shape)
        rows, weights = self._scored_rows(counts, s)
        self.oob_prediction_ = numbers
        self.oob_score_ = float(r2_score(y[rows], numbers[rows], sample_weight=weights))

    def predict(self, X: MatrixLike) -> Array:
        """The mean of the members' predictions."""
        return mean(self._answers(self._later(X), self._numbers))

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = get_tags(self._base()).target_tags.multi_output
        return tags
