r"""The baseline that every model must beat: the same answer for every row, learnt from the targets alone."""

from typing import Literal, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.utils.validation import check_is_fitted

from separatrix.core.declaration import SHARES, declares
from separatrix.core.errors import cannot
from separatrix.core.family import Family, declare
from separatrix.core.types import Array, MatrixLike
from separatrix.estimators import verification
from separatrix.estimators.saving import Estimator
from separatrix.estimators.validation import enter, validate_classes, validate_rows
from separatrix.prediction import constant, forms

__all__ = ["ConstantClassifier", "ConstantRegressor"]


@declares(
    task="classification",
    prediction=forms.CLASS_SHARES,
    verification=verification.OF_SHARES,
    description=SHARES,
)
class ConstantClassifier(ClassifierMixin, Estimator):
    r"""The shares of the classes as the probabilities of every row, and the commonest class as the answer.

    .. math:: P(C_k \mid x) = \frac{\sum_i s_i\, 1[y_i = k]}{\sum_i s_i}

    Of all answers that ignore x it has the smallest log loss and Brier score, and no other makes fewer mistakes: a
    model that is not better has learnt nothing from x. Of equally common classes the first is predicted.

    Attributes
    ----------
    classes_ : (k,) array.  class_prior_ : (k,) array.  Their shares.
    n_parameters_ : int.  k - 1.
    n_features_in_, feature_names_in_ : as in scikit-learn.

    >>> model = ConstantClassifier().fit([[0.0], [1.0], [2.0]], ["no", "yes", "no"])
    >>> model.predict([[5.0]]).tolist(), model.predict_proba([[5.0]]).round(3).tolist()
    (['no'], [[0.667, 0.333]])
    """

    def __init__(self) -> None:
        """Nothing is left to choose."""

    def fit(self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Count the labels y (n,) of the rows X (n, p); a weight is a number of repetitions."""
        _, codes, s = validate_classes(self, X, y, sample_weight)
        counts = np.bincount(codes, weights=s, minlength=len(self.classes_))
        self.class_prior_ = counts / counts.sum()
        self.n_parameters_ = len(self.classes_) - 1
        return self

    def predict_proba(self, X: MatrixLike) -> Array:
        """The shares of the classes, for each row: (n, k)."""
        check_is_fitted(self)
        return constant.class_shares(vars(self), validate_rows(self, X))

    def predict_log_proba(self, X: MatrixLike) -> Array:
        """Logarithms of the shares, for each row."""
        return np.log(self.predict_proba(X))

    def predict(self, X: MatrixLike) -> Array:
        """The commonest class, for each row."""
        check_is_fitted(self)
        return constant.commonest_class(vars(self), validate_rows(self, X))

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.classifier_tags.poor_score = True  # by design
        return tags


@declares(
    task="regression",
    prediction=forms.CONSTANT,
    verification=verification.OF_MEAN,
)
class ConstantRegressor(RegressorMixin, Estimator):
    r"""The mean of the targets for every row, of all constants the one with the smallest squared error; or the median.

    .. math:: \hat y(x) = \bar y = \frac{\sum_i s_i y_i}{\sum_i s_i}
              \qquad \text{or} \qquad \hat y(x) = \arg\min_c \sum_i s_i |y_i - c|

    Parameters
    ----------
    statistic : {"mean", "median"}, default "mean".  The median has the smallest absolute error; where an interval
        has, it is the middle of it.

    Attributes
    ----------
    constant_ : float.  The mean or the median.
    n_parameters_ : int.  1.
    n_features_in_, feature_names_in_ : as in scikit-learn.

    >>> ConstantRegressor().fit([[0.0], [1.0], [2.0]], [1.0, 2.0, 6.0]).predict([[9.0]])
    array([3.])
    """

    def __init__(self, statistic: Literal["mean", "median"] = "mean") -> None:
        self.statistic = statistic

    def fit(self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Average the targets y (n,) of the rows X (n, p); a weight is a number of repetitions."""
        if self.statistic not in ("mean", "median"):
            raise cannot(
                f"predict statistic={self.statistic!r}",
                because="a constant that is learnt is one of two",
                instead="statistic='mean' or 'median'",
            )
        _, target = enter(self, X, y, sample_weight, multi_output=False)
        self.constant_ = float(target.mean()) if self.statistic == "mean" else median(target.y, target.weights)
        self.n_parameters_ = 1
        return self

    def predict(self, X: MatrixLike) -> Array:
        """The constant, for each row."""
        check_is_fitted(self)
        return constant.number(vars(self), validate_rows(self, X))

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.regressor_tags.poor_score = True  # by design
        return tags


def median(y: Array, s: Array) -> float:
    """The middle of all constants c with the smallest sum of s |y - c|.

    >>> median(np.array([3.0, 1.0, 9.0]), np.ones(3)), median(np.array([3.0, 1.0]), np.ones(2))
    (3.0, 2.0)
    """
    order = np.argsort(y, kind="stable")
    y, below = y[order], np.cumsum(s[order])
    half = 0.5 * below[-1]
    low, high = np.searchsorted(below, half, side="left"), np.searchsorted(below, half, side="right")
    return float(0.5 * (y[low] + y[min(high, len(y) - 1)]))


declare(
    Family(
        name="baseline",
        task="classification",
        model=ConstantClassifier,
        make=lambda facts: ConstantClassifier(),
        complexity=0,
        description="Ignores every column and gives each row the shares of the classes: what guessing achieves.",
    ),
    Family(
        name="baseline",
        task="regression",
        model=ConstantRegressor,
        make=lambda facts: ConstantRegressor("median" if facts.score in ("mae", "medae") else "mean"),
        complexity=0,
        description=(
            "Ignores every column and predicts the mean of the target (the median where absolute errors count): what "
            "guessing achieves."
        ),
    ),
)
