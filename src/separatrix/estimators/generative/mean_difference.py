r"""The mean-difference projection: :math:`w = (m_2 - m_1) / \|m_2 - m_1\|`."""

from typing import Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import ClassifierTags
from sklearn.utils.validation import check_is_fitted

from separatrix.core.declaration import CLASSES, declares
from separatrix.core.target import Target
from separatrix.core.types import Matrix, MatrixLike
from separatrix.designs import DenseDesign, class_moments
from separatrix.estimators import verification
from separatrix.estimators.generative.fisher import no_difference, refuse_many_classes
from separatrix.estimators.saving import Estimator
from separatrix.estimators.validation import validate_classes, validate_rows


@declares(
    task="transformation",
    sums=("designs.class_moments",),
    verification=verification.OF_MEAN_DIFFERENCE,
    description=CLASSES,
)
class MeanDifference(ClassNamePrefixFeaturesOutMixin, TransformerMixin, Estimator):
    r"""The line through the means of two classes: the projection that moves the means farthest apart.

    .. math:: w = \arg\max_{\|w\| = 1} w \cdot (m_2 - m_1) = \frac{m_2 - m_1}{\|m_2 - m_1\|}

    It ignores how wide the classes are along w; FisherDiscriminant does not, and its :math:`J(w)` is never smaller.
    There is no threshold: for the rule "nearer to which mean" see BasicLinearClassifier.

    Attributes
    ----------
    classes_ : (2,) array.  means_ : (2, p) array.
    coef_ : (1, p) array.  The direction w, of length one, from ``classes_[0]`` to ``classes_[1]``.
    J_ : float.  :math:`J(w) = (w \cdot (m_2 - m_1))^2 / w^\top S_W w`; infinite where no class varies along w.
    n_features_in_, feature_names_in_ : as in scikit-learn.

    References: Bishop (2006), Pattern Recognition and Machine Learning, section 4.1.4.

    >>> import numpy as np
    >>> X = np.array([[0.0, 0.0], [2.0, 0.0], [3.0, 5.0], [5.0, 3.0]])
    >>> MeanDifference().fit(X, ["a", "a", "b", "b"]).coef_
    array([[0.6, 0.8]])
    """

    def __init__(self) -> None:
        """Nothing is left to choose."""

    def fit(self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit to X (n, p) and labels y (n,) of two classes."""
        design, codes, s = validate_classes(self, X, y, sample_weight, sparse=False, summed=True)
        refuse_many_classes(self, "LinearDiscriminantAnalysis().fit_transform(X, y), which gives k - 1 projections")
        means = class_moments(design, Target(codes, s), 2, scatter="diagonal").means
        w = means[1] - means[0]
        length = np.linalg.norm(w)
        if length == 0.0:
            raise no_difference(self)
        w /= length
        along = class_moments(DenseDesign(design.matvec(w)[:, None]), Target(codes, s), 2, scatter="diagonal")
        width = float(along.scatter.sum())
        self.J_ = length**2 / width if width > 0.0 else np.inf
        dtype = design.dtype
        self.means_, self.coef_ = means.astype(dtype), w[None].astype(dtype)
        self._n_features_out = 1
        return self

    def transform(self, X: MatrixLike) -> Matrix:
        """Each row along the direction: (n, 1)."""
        check_is_fitted(self)
        return validate_rows(self, X, sparse=False) @ self.coef_.T

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.classifier_tags = ClassifierTags(multi_class=False)  # what its y may be, though it predicts no class
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
