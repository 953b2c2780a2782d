r"""From distances to probabilities: :math:`p = 1 / (1 + e^{-\gamma (d - d_0)})`, for any linear classifier.

If the signed distances d of two classes are normal with equal variance, their likelihood ratio is an exponential,

    LR(d) = P(d | +) / P(d | -) = exp(gamma (d - d0)),   gamma = (mean+ - mean-) / variance,   d0 = (mean+ + mean-) / 2,

and the posterior follows from it and the ratio of the classes, ``clr = n+ / n-``: P(+ | d) = LR / (LR + 1/clr).
"""

import warnings
from operator import attrgetter
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from separatrix.core.declaration import declares
from separatrix.core.errors import RankDeficient, cannot
from separatrix.core.printable import printable
from separatrix.core.protocol import can
from separatrix.core.target import Target
from separatrix.core.types import Array, MatrixLike
from separatrix.designs import as_design
from separatrix.estimators import verification
from separatrix.estimators.geometry import signed_distances
from separatrix.estimators.ranges import refuse_large
from separatrix.estimators.saving import Estimator
from separatrix.estimators.validation import (
    check_choice,
    check_number,
    validate_classes,
    validate_rows,
    validate_scores,
)
from separatrix.prediction import forms
from separatrix.prediction.calibrated import curve_log_odds, probabilities
from separatrix.prediction.linear import decide

__all__ = ["CalibratedLinearClassifier", "LogisticCalibrator", "logistic_posterior", "posterior_from_likelihood_ratio"]

METHODS = ("moments", "likelihood", "platt")
EPS = np.finfo(np.float64).eps


class ReversedScores(UserWarning):
    """Scores fall where they should rise: they are larger in the negative class."""


def posterior_from_likelihood_ratio(likelihood_ratio: ArrayLike, class_ratio: ArrayLike = 1.0) -> Array:
    r"""Probability of the positive class: :math:`P = LR / (LR + 1/clr)`.

    Parameters
    ----------
    likelihood_ratio : float or array, [0, inf].  P(x | +) / P(x | -).
    class_ratio : float or array, (0, inf), default 1.0.  P(+) / P(-).

    >>> round(float(posterior_from_likelihood_ratio(2.0, 3.0)), 12)
    0.857142857143
    """
    ratio, prior = np.asarray(likelihood_ratio, dtype=np.float64), np.asarray(class_ratio, dtype=np.float64)
    if not np.all(ratio >= 0.0) or not np.all((prior > 0.0) & np.isfinite(prior)):
        raise cannot(
            f"use likelihood_ratio={likelihood_ratio!r} and class_ratio={class_ratio!r}",
            because="ratios of probabilities are not negative, and both classes must be possible",
            instead="likelihood_ratio >= 0 and a finite class_ratio > 0",
        )
    with np.errstate(divide="ignore"):  # LR = 0 is log-odds of -inf, and a probability of 0
        return expit(np.log(ratio) + np.log(prior))


def logistic_posterior(d: ArrayLike, gamma: float = 1.0, d0: float = 0.0, class_ratio: float = 1.0) -> Array:
    r"""Probability of the positive class at distance d: :math:`LR = e^{\gamma (d - d_0)}`, then as above.

    ``gamma = 1, d0 = 0`` is the standard logistic map :math:`e^d / (e^d + 1)`: means at ±1/2 and variance 1.

    >>> logistic_posterior([-1.0, 0.0, 1.0]).round(4)
    array([0.2689, 0.5   , 0.7311])
    >>> float(logistic_posterior(1.0, gamma=2.0, d0=1.0))
    0.5
    """
    if not class_ratio > 0.0 or not np.isfinite(class_ratio):
        raise cannot(
            f"use class_ratio={class_ratio!r}", because="both classes must be possible", instead="a finite number > 0"
        )
    return expit(gamma * (np.asarray(d, dtype=np.float64) - d0) + np.log(class_ratio))


def _warn_if_reversed(gamma, positive, negative):
    """Warn if probabilities of a class fall as its scores rise."""
    if gamma < 0.0:
        warnings.warn(
            ReversedScores(
                f"The scores of {positive} are lower than those of {negative} (gamma = {gamma:.3g}): probabilities "
                "will fall as scores rise. Check the sign of the scores."
            ),
            stacklevel=3,
        )


@declares(
    task="transformation",
    losses=("losses:Logistic",),
    penalties=("penalties:NoPenalty",),
    solvers=("solvers.newton_raphson",),
    verification=verification.OF_CALIBRATION_CURVE,
)
class LogisticCalibrator(Estimator):
    r"""Probabilities from one score, by a logistic curve.

    .. math:: P(+ \mid d) = \frac{LR}{LR + 1/clr}, \quad LR = e^{\gamma (d - d_0)}; \qquad
              \gamma = \frac{\bar d_\oplus - \bar d_\ominus}{\sigma^2}, \quad
              d_0 = \frac{\bar d_\oplus + \bar d_\ominus}{2} \ \text{(moments)}

    :math:`\sigma^2` is the variance within the classes, pooled and divided by the sum of weights. By likelihood
    :math:`\gamma` and the intercept are those of a logistic regression of the class on d, of which the class ratio of
    the data is a part: :math:`\gamma d - \gamma d_0 + \log clr`.

    Parameters
    ----------
    method : {"moments", "likelihood", "platt"}, default "moments".  Means and variance as above; maximum likelihood,
        which does not exist where the scores separate the classes; or maximum likelihood with Platt's targets
        (n₊+1)/(n₊+2) and 1/(n₋+2) in the place of 1 and 0, which always exists.
    class_ratio : float, (0, inf), or "observed", default "observed".  P(+) / P(-) where the probabilities will be used.

    Attributes
    ----------
    classes_ : (2,) array.  The positive class is the second.
    gamma_ : float.  Slope of the log-odds.
    d0_ : float.  The score at which the likelihood ratio is 1.
    class_ratio_ : float.
    threshold_ : float.  The score at which the probability is 1/2: ``d0 - log(class_ratio) / gamma``.
    n_features_in_ : int.  1.

    References: Flach (2012), Machine Learning, section 7.4; Platt (1999), in Advances in Large Margin Classifiers.

    >>> calibrator = LogisticCalibrator().fit([-2.0, 0.0, 1.0, 3.0], [0, 0, 1, 1])
    >>> calibrator.gamma_, calibrator.d0_, calibrator.predict_proba([0.5])[:, 1]
    (3.0, 0.5, array([0.5]))
    """

    def __init__(self, method: str = "moments", *, class_ratio: float | str = "observed") -> None:
        self.method = method
        self.class_ratio = class_ratio

    def fit(self, d: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit to scores d (n,) and labels y (n,) of two classes."""
        self._learn(d, y, sample_weight)
        _warn_if_reversed(self.gamma_, printable(self.classes_[1]), printable(self.classes_[0]))
        return self

    def _learn(self, d, y, sample_weight):
        method = check_choice(self, "method", METHODS)
        d, codes, s = validate_scores(self, d, y, sample_weight)
        weights = np.ones(len(d)) if s is None else s
        counts = np.bincount(codes, weights=weights, minlength=2)
        observed = float(counts[1] / counts[0])
        self.class_ratio_ = self._ratio(observed)
        if method == "moments":
            self.gamma_, self.d0_ = _by_moments(d, codes, weights, counts)
        else:
            self.gamma_, self.d0_ = _by_likelihood(d, codes, self._targets(codes, counts), s, observed)
        return self

    def _targets(self, codes, counts):
        """1 and 0, or Platt's targets, which are short of them."""
        if self.method != "platt":
            return codes.astype(np.float64)
        return np.where(codes == 1, (counts[1] + 1.0) / (counts[1] + 2.0), 1.0 / (counts[0] + 2.0))

    def _ratio(self, observed):
        if isinstance(self.class_ratio, str):
            check_choice(self, "class_ratio", ("observed",))
            return observed
        return check_number(self, "class_ratio", 0.0, open_low=True)

    @property
    def threshold_(self) -> float:
        """The score at which the probability is 1/2; none where the scores say nothing (gamma = 0)."""
        check_is_fitted(self)
        return self.d0_ - np.log(self.class_ratio_) / self.gamma_ if self.gamma_ else np.nan

    def likelihood_ratio(self, d: ArrayLike) -> Array:
        """``exp(gamma (d - d0))`` for each score."""
        check_is_fitted(self)
        return np.exp(self.gamma_ * (validate_scores(self, d) - self.d0_))

    def log_odds(self, d: ArrayLike) -> Array:
        """``gamma (d - d0) + log(class_ratio)`` for each score."""
        check_is_fitted(self)
        return curve_log_odds(vars(self), validate_scores(self, d))

    def predict_proba(self, d: ArrayLike) -> Array:
        """Probability of each class, (n, 2), in the order of ``classes_``."""
        odds = self.log_odds(d)
        return np.column_stack([expit(-odds), expit(odds)])

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.one_d_array, tags.input_tags.two_d_array = True, False
        return tags


def _by_moments(d, codes, weights, counts):
    refuse_large(float(np.abs(d).max()), "calibrate scores by their moments")
    centre = d.mean()  # about a point near the scores, so that far scores lose no digits
    means = np.bincount(codes, weights=weights * (d - centre), minlength=2) / counts
    within = d - centre - means[codes]
    variance = float(weights @ (within * within) / counts.sum())
    if variance <= (8.0 * EPS * np.abs(d).max()) ** 2:
        raise cannot(
            "calibrate scores without spread",
            because=f"the scores of each class are all equal (variance within classes {variance:.1e})",
            instead="scores that vary within the classes, or method='platt'",
        )
    return float((means[1] - means[0]) / variance), float(centre + means.mean())


def _by_likelihood(d, codes, targets, s, observed):
    """Slope of a logistic regression on the scores, and where its likelihood ratio is 1."""
    from separatrix.core.problem import Problem  # losses bring numba, which moments do without
    from separatrix.losses import Logistic
    from separatrix.penalties import NoPenalty
    from separatrix.solvers.newton_raphson import newton

    used = d if s is None else d[s > 0.0]
    spread = float(used.max() - used.min())
    if spread == 0.0:
        raise cannot("calibrate scores", because=f"all of them are {d[0]:g}", instead="scores that vary")
    groups = [used[(codes if s is None else codes[s > 0.0]) == c] for c in (0, 1)]
    apart = groups[0].max() <= groups[1].min() or groups[1].max() <= groups[0].min()
    if apart and np.isin(targets, (0.0, 1.0)).all():
        raise cannot(
            "calibrate by maximum likelihood",
            because="the scores separate the classes, and every steeper curve is more likely than the last",
            instead="method='platt' or method='moments'",
        )
    centre = float(used.mean())
    problem = Problem(as_design(((d - centre) / spread)[:, None]), Target(targets, s), Logistic(), NoPenalty(), True)
    solution = newton(problem, tol=1e-12, max_iter=100)
    gamma = float(solution.beta[0]) / spread
    offset = solution.intercept - np.log(observed)
    return gamma, float(centre - offset / gamma) if gamma else centre


def _estimator_has(name):
    def check(self):
        return can(vars(self).get("estimator_", self.estimator), name)

    return check


@declares(
    task="classification",
    inside=attrgetter("estimator_"),
    prediction=forms.CALIBRATED,
    verification=verification.OF_CALIBRATED,
)
class CalibratedLinearClassifier(MetaEstimatorMixin, ClassifierMixin, Estimator):
    r"""Any linear classifier, with probabilities: a logistic curve of the signed distance from its boundary.

    .. math:: P(\text{second class} \mid x) = \frac{1}{1 + e^{-\gamma (d(x) - d_0)}\, / clr}, \qquad
              d(x) = \frac{w \cdot x + w_0}{\|w\|}

    A distance, unlike a score, does not change when (w, w₀) is rescaled, so that curves of several fits may be
    compared. An estimator without ``coef_`` (a pipeline, a kernel machine) lends its decision function as it is. With
    more than two classes each gets a curve of its own, of the distance from the boundary of its region, against all
    others; the probabilities are then divided by their sum.

    Parameters
    ----------
    estimator : classifier with a ``decision_function``.  Of this library or any other with scikit-learn's contract.
        One that is fitted already and shall stay so goes in as ``sklearn.frozen.FrozenEstimator(model)``.
    method : {"moments", "likelihood", "platt"}, default "platt".  As in :class:`LogisticCalibrator`; the default is the
        one that exists for separated and for interpolated classes, too.
    class_ratio : float, (0, inf), or "observed", default "observed".  As there; a number is for two classes only.
    cv : int, splitter or None, default None.  None: distances of the rows that the estimator was fitted to (or that
        the frozen one is shown). Otherwise each row's distance comes from a fit to other folds.

    Attributes
    ----------
    classes_ : (k,) array.
    estimator_ : the estimator, fitted to all rows.
    calibrators_ : list of LogisticCalibrator.  One for two classes, else one for each class.
    n_features_in_, feature_names_in_ : as in scikit-learn.

    >>> import numpy as np
    >>> from separatrix.linear_model import BasicLinearClassifier
    >>> X = np.array([[-3.0], [-1.0], [1.0], [3.0]])
    >>> model = CalibratedLinearClassifier(BasicLinearClassifier(), method="moments").fit(X, [0, 0, 1, 1])
    >>> model.predict_proba([[0.0], [0.5]]).round(3)
    array([[0.5  , 0.5  ],
           [0.119, 0.881]])
    """

    def __init__(
        self, estimator: Any, *, method: str = "platt", class_ratio: float | str = "observed", cv: Any = None
    ) -> None:
        self.estimator = estimator
        self.method = method
        self.class_ratio = class_ratio
        self.cv = cv

    def fit(self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit the estimator and, to its distances, the curves."""
        check_choice(self, "method", METHODS)
        _, codes, s = validate_classes(self, X, y, sample_weight)
        k = len(self.classes_)
        if k > 2 and self.class_ratio != "observed":
            raise cannot(
                f"use class_ratio={self.class_ratio!r} with {k} classes",
                because="one number is the ratio of two classes",
                instead="class_ratio='observed'",
            )
        weights = {} if s is None else {"sample_weight": s}
        labels = self.classes_[codes]
        self.estimator_ = clone(self.estimator).fit(X, labels, **weights)
        if not np.array_equal(self.estimator_.classes_, self.classes_):
            raise cannot(
                f"calibrate {type(self.estimator).__name__}",
                because=f"it knows the classes {self.estimator_.classes_.tolist()}, y has {self.classes_.tolist()}",
                instead="labels of all its classes",
            )
        d = self._distances(X, labels, s)
        columns = [(d, codes)] if k == 2 else [(d[:, c], (codes == c).astype(int)) for c in range(k)]
        self.calibrators_ = [self._curve(distance, code, s) for distance, code in columns]
        names = [printable(label) for label in self.classes_]
        pairs = [(names[1], names[0])] if k == 2 else [(name, "the other classes") for name in names]
        for calibrator, (positive, negative) in zip(self.calibrators_, pairs):
            _warn_if_reversed(calibrator.gamma_, positive, negative)
        return self

    def _distances(self, X, labels, s):
        """Distances of the rows from the boundary of the fitted estimator, or of fits to the other folds."""
        if self.cv is None:
            return signed_distances(self.estimator_, X)
        from sklearn.model_selection import cross_val_predict  # imported late: 0.2 s

        options = {"method": "decision_function", "params": {} if s is None else {"sample_weight": s}}
        return cross_val_predict(_Distances(self.estimator), X, labels, cv=self.cv, **options)

    def _curve(self, d, codes, s):
        return LogisticCalibrator(self.method, class_ratio=self.class_ratio)._learn(d, codes, s)

    def predict_proba(self, X: MatrixLike) -> Array:
        """Probability of each class, in the order of ``classes_``."""
        return probabilities(self.decision_function(X))

    def decision_function(self, X: MatrixLike) -> Array:
        """Log-odds: (n,) for two classes (positive for ``classes_[1]``), else (n, k), each against all others."""
        check_is_fitted(self)
        validate_rows(self, X)
        d = signed_distances(self.estimator_, X)
        if d.ndim == 1:
            return self.calibrators_[0].log_odds(d)
        return np.stack([curve.log_odds(d[:, c]) for c, curve in enumerate(self.calibrators_)], axis=1)

    def predict(self, X: MatrixLike) -> Array:
        """The most probable class of each row of X; of two equally probable ones the second, of more the first."""
        return decide(self.decision_function(X), self.classes_)

    @available_if(_estimator_has("coef_"))
    def signed_distance(self, X: MatrixLike) -> Array:
        """Distance of each row from the boundary of the estimator, which the curves are functions of."""
        check_is_fitted(self)
        return signed_distances(self.estimator_, X)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        if can(self.estimator, "__sklearn_tags__"):
            tags.input_tags.sparse = self.estimator.__sklearn_tags__().input_tags.sparse
        return tags


class _Distances(ClassifierMixin, BaseEstimator):
    """An estimator whose decision function is the signed distance: cross-validation then asks for the right thing."""

    def __init__(self, estimator):
        self.estimator = estimator

    def fit(self, X, y, **weights):
        with warnings.catch_warnings():
            # columns that only the rows of a fold do not tell apart; the fit to all rows warns of its own
            warnings.simplefilter("ignore", RankDeficient)
            self.estimator_ = clone(self.estimator).fit(X, y, **weights)
        self.classes_ = self.estimator_.classes_
        return self

    def decision_function(self, X):
        return signed_distances(self.estimator_, X)

    def predict(self, X):
        return self.estimator_.predict(X)
