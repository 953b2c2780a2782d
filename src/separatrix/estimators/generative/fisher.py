r"""Fisher's discriminant: the direction of largest :math:`J(w) = w^\top S_B w / w^\top S_W w`, and a threshold."""

from numbers import Real
from typing import Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from separatrix.core.declaration import CLASSES, declares
from separatrix.core.errors import cannot
from separatrix.core.target import Target
from separatrix.core.types import Matrix, MatrixLike
from separatrix.estimators import verification
from separatrix.estimators.base import LinearClassifier
from separatrix.estimators.generative.within import name_what_is_left_out, within
from separatrix.estimators.validation import validate_classes, validate_rows


@declares(
    task="classification",
    sums=("designs.class_moments",),
    solvers=("solvers.linalg.scatter", "solvers.linalg.sphering"),
    verification=verification.OF_FISHER,
    description=CLASSES,
)
class FisherDiscriminant(ClassNamePrefixFeaturesOutMixin, TransformerMixin, LinearClassifier):
    r"""The direction along which two classes are farthest apart for their width, and a threshold on it.

    .. math:: w \propto S_W^{-1} (m_2 - m_1) = \arg\max_w J(w), \qquad
              J(w) = \frac{(w \cdot (m_2 - m_1))^2}{w^\top S_W w}, \qquad w \cdot x \ge \theta \Rightarrow C_2

    with the scatter :math:`S_W` within the classes. No distribution is assumed: the direction is that of
    LinearDiscriminantAnalysis, the threshold is chosen by what it does on the training rows.

    Parameters
    ----------
    threshold : {"min_error", "midpoint"} or float, default "min_error".  "min_error" takes the threshold with the
        fewest errors on the training rows (by weight), of all places between two neighbours and beyond the ends; of
        equally good ones that in the widest gap, then the lowest. "midpoint" lies halfway between the projected means.

    Attributes
    ----------
    classes_ : (2,) array.  means_ : (2, p) array.
    coef_ : (1, p) array.  The direction w, of length one, from ``classes_[0]`` to ``classes_[1]``.
    intercept_ : (1,) array.  ``-threshold_``, so that scores are distances from the boundary.
    threshold_ : float.  training_error_ : float, the share of training rows (by weight) on the wrong side of it.
    J_ : float.  J(w), the largest there is.
    rank_ : int.  Of the scatter within classes.
    certificate_ : Certificate.  The relative residual of :math:`S_W w \propto m_2 - m_1`.
    n_features_in_, feature_names_in_ : as in scikit-learn.

    References: Fisher (1936), Annals of Eugenics 7(2); Bishop (2006), Pattern Recognition and Machine Learning,
    section 4.1.4.

    >>> import numpy as np
    >>> X = np.array([[0, 0], [1, 1], [2, 2.5], [3, 3], [1, -1], [2, 0.2], [3, 1], [4, 2]])
    >>> model = FisherDiscriminant().fit(X, [1, 1, 1, 1, 2, 2, 2, 2])
    >>> model.coef_.round(4), round(model.J_, 4), model.training_error_
    (array([[ 0.7159, -0.6982]]), 20.3931, 0.0)
    """

    def __init__(self, threshold: float | str = "min_error") -> None:
        self.threshold = threshold

    def fit(self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit to X (n, p) and labels y (n,) of two classes."""
        self._check_threshold()
        design, codes, s = validate_classes(self, X, y, sample_weight, sparse=False, summed=True)
        refuse_many_classes(self, "LinearDiscriminantAnalysis().fit_transform(X, y), which gives k - 1 projections")
        classes = within(self, design, Target(codes, s))
        difference = classes.means[1] - classes.means[0]
        sphered = classes.sphere.rows(difference[None])[0]
        w = classes.sphere.loadings(sphered[:, None])
        length = np.linalg.norm(w)
        if length == 0.0:
            raise no_difference(self)
        self.certificate_ = classes.certify(w, difference[:, None], f"rank {classes.sphere.rank} of {design.p}")
        # the sphere is that of the covariance, which is S_W over its denominator
        self.J_ = float(sphered @ sphered) / classes.sphere.denominator
        self.rank_ = classes.sphere.rank
        dtype = design.dtype
        self.means_ = classes.means.astype(dtype)
        self._publish(w / length, 0.0, dtype)
        d = design.matvec(self.coef_[0])
        self.threshold_ = self._place(d, codes, s)
        self.intercept_ = np.array([-self.threshold_], dtype=dtype)
        wrong = ((d + self.intercept_[0] >= 0.0) != (codes == 1)).astype(float)
        self.training_error_ = float(np.average(wrong, weights=s))
        self._n_features_out = 1
        name_what_is_left_out(self, classes, design.n)
        return self

    def transform(self, X: MatrixLike) -> Matrix:
        """Each row along the direction: (n, 1), without the threshold."""
        check_is_fitted(self)
        return validate_rows(self, X, sparse=False) @ self.coef_.T

    def _check_threshold(self):
        threshold = self.threshold
        number = isinstance(threshold, Real) and not isinstance(threshold, bool) and np.isfinite(threshold)
        if not number and not (isinstance(threshold, str) and threshold in ("min_error", "midpoint")):
            raise cannot(
                f"fit FisherDiscriminant with threshold={threshold!r}",
                because="it is neither 'min_error' nor 'midpoint' nor a finite number",
                instead="threshold='min_error' (default)",
            )

    def _place(self, d, codes, s):
        if isinstance(self.threshold, str):
            if self.threshold == "min_error":
                return fewest_errors(d, codes, s)
            return float(self.coef_[0].astype(np.float64) @ self.means_.astype(np.float64).mean(axis=0))
        return float(self.threshold)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = False
        tags.classifier_tags.multi_class = False
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


def fewest_errors(d, codes, s=None):
    """The threshold of the fewest errors (by weight) of the rule ``d >= threshold``, of all cut points.

    Cuts lie halfway between neighbours, or half the range beyond the ends. Of equal minima the widest gap wins, then
    the lowest; the ends come last. Cost: one sort.

    >>> import numpy as np
    >>> fewest_errors(np.array([0.0, 1.0, 2.0, 5.0, 6.0]), np.array([0, 0, 0, 1, 1]))
    3.5
    """
    weights = np.ones(len(d)) if s is None else s
    d, codes, weights = (a[weights > 0.0] for a in (np.asarray(d, dtype=np.float64), codes, weights))
    order = np.argsort(d, kind="stable")
    d, signed = d[order], np.where(codes[order] == 1, weights[order], -weights[order])
    # errors of a cut before row i, less a constant: class 2 below it, and class 1 not below it
    errors = np.concatenate([[0.0], np.cumsum(signed)])
    gaps = np.concatenate([[0.0], np.diff(d), [0.0]])
    allowed = gaps > 0.0
    allowed[[0, -1]] = True
    rounding = 1e-12 * weights.sum()
    best = np.flatnonzero(allowed & (errors <= errors[allowed].min() + rounding))
    i = best[gaps[best].argmax()]
    reach = 0.5 * (d[-1] - d[0]) or 1.0
    if i == 0:
        return float(d[0] - reach)
    if i == len(d):
        return float(d[-1] + reach)
    middle = d[i - 1] + 0.5 * gaps[i]
    return float(middle if middle > d[i - 1] else d[i])


def refuse_many_classes(model, instead):
    if len(model.classes_) != 2:
        raise cannot(
            f"fit {type(model).__name__} to {len(model.classes_)} classes",
            because="Only binary classification is supported: one direction tells two classes apart",
            instead=instead,
        )


def no_difference(model):
    return cannot(
        f"fit {type(model).__name__}",
        because="the means of the two classes are equal, and no direction leads from one to the other",
        instead="features in which the classes differ on average",
    )
