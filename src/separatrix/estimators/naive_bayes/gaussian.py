r"""Gaussian naive Bayes: :math:`P(x \mid C_k) = \prod_j N(x_j \mid \mu_{kj}, \sigma_{kj}^2)`."""

import numpy as np
from numpy.typing import ArrayLike

from separatrix.core.declaration import CLASSES, DENSE, SmallFit, declares
from separatrix.core.family import Family, declare, needs
from separatrix.core.threads import parallel_map
from separatrix.designs import as_design, class_moments
from separatrix.estimators import verification
from separatrix.estimators.naive_bayes.base import NaiveBayes
from separatrix.estimators.ranges import as_type, refuse_small
from separatrix.estimators.validation import check_number
from separatrix.prediction import forms
from separatrix.prediction.naive_bayes import ROUNDING, TINY, normal_columns
from separatrix.prediction.posteriors import logarithm


@declares(
    task="classification",
    sums=("designs.class_moments",),
    prediction=forms.GAUSSIAN_NB,
    verification=verification.OF_GAUSSIAN_NB,
    description=CLASSES,
    small_fits=(SmallFit(counts=True, storages=DENSE),),
)
class GaussianNB(NaiveBayes):
    r"""Each column is normal within a class, with a mean and a variance of its own.

    .. math:: P(x \mid C_k) = \prod_j \frac1{\sqrt{2\pi}\,\sigma_{kj}}
              \exp\!\Big(\!-\frac{(x_j - \mu_{kj})^2}{2\sigma_{kj}^2}\Big), \qquad
              \sigma_{kj}^2 = \frac{1}{N_k} \sum_{y_i = k} s_i (x_{ij} - \mu_{kj})^2 + \epsilon

    Variances differ between classes, so boundaries are quadrics with their axes along the columns.

    Parameters
    ----------
    priors : (k,) array or None, default None.  P(C_k); None for the share of each class.
    var_smoothing : float, [0, inf), default 1e-9.  ε is this part of the largest variance of a column. Taken over all
        rows seen, with their weights: scikit-learn takes it of the last chunk, and without weights.

    Attributes
    ----------
    classes_ : (k,) array.  class_count_ : (k,) array.  Weight of each class.
    class_prior_ : (k,) array.  P(C_k).
    theta_ : (k, p) array.  μ.  var_ : (k, p) array.  σ². A class that was announced and never came has μ = 0, σ² = ε.
    epsilon_ : float.
    n_parameters_ : int.  2 k p + k - 1.
    certificate_ : Certificate.  How far moments about the published means are from the published variances.
    n_features_in_, feature_names_in_ : as in scikit-learn.

    Notes
    -----
    A variance of exactly 0 (only without smoothing, or where all columns are constant) is a certainty: any other value
    is impossible in the class. A column that is constant, and the same in all classes, decides nothing.

    References: Hastie, Tibshirani and Friedman (2009), The Elements of Statistical Learning, 6.6.3; Chan, Golub and
    LeVeque (1983), The American Statistician 37(3).   Theory: docs/theory/naive_bayes.md.

    >>> import numpy as np
    >>> X = np.array([[-1.0, 0.0], [-3.0, 4.0], [1.0, 1.0], [3.0, 1.0]])
    >>> model = GaussianNB().fit(X, [0, 0, 1, 1])
    >>> model.theta_, model.var_.round(3)
    (array([[-2.,  2.],
           [ 2.,  1.]]), array([[1., 4.],
           [1., 0.]]))
    >>> model.predict([[0.5, 1.0]])
    array([1])
    """

    def __init__(self, *, priors: ArrayLike | None = None, var_smoothing: float = 1e-9) -> None:
        self.priors = priors
        self.var_smoothing = var_smoothing

    _renormalises = False
    _single = False  # whether the rows were float32, as the published numbers are then

    def _check(self):
        check_number(self, "var_smoothing", 0.0)

    def _count(self, design, target):
        self._single = design.dtype == np.float32
        return class_moments(design, target, len(self.classes_), scatter="diagonal")

    def _learn(self, moments, started):
        n = moments.totals[:, None]
        within = np.divide(moments.scatter, n, out=np.zeros_like(moments.scatter), where=n > 0.0)
        # squares of the rounding of the mean are those of a constant column
        within[within <= (ROUNDING * moments.means) ** 2] = 0.0
        shares = moments.totals / moments.total
        spread = shares @ (within + (moments.means - moments.mean) ** 2)
        self.epsilon_ = float(self.var_smoothing * np.where(spread > (ROUNDING * moments.mean) ** 2, spread, 0.0).max())
        dtype = np.dtype(np.float32 if self._single else np.float64)
        refuse_small(float(np.abs(moments.means).max(initial=0.0)), "estimate the variances of columns")
        self.theta_, self.var_ = moments.means.astype(dtype), as_type(within + self.epsilon_, dtype, "variances")
        self.class_count_ = moments.totals
        self.class_prior_ = self._shares(moments.totals)
        k, p = self.theta_.shape
        self.n_parameters_ = 2 * k * p + k - 1
        # the distance of mean and published mean, beyond what rounding explains, counts as a variance that is not there
        half = 0.5 * float(np.finfo(dtype).eps)
        apart = np.maximum(np.abs(moments.means - self.theta_) - half * np.abs(moments.means), 0.0)
        about = moments.scatter + n * (self.epsilon_ + apart**2)
        size = np.maximum(n * (self.var_ + (ROUNDING * self.theta_) ** 2), TINY)
        residual = np.abs(about - n * self.var_) / size
        self._certify(started, residual, abs(self.class_prior_.sum() - 1.0), half=half if self._single else 0.0)

    def _log_shares(self):
        return logarithm(self.class_prior_)

    def _log_likelihood(self, X):
        """By blocks on threads: see :func:`~separatrix.prediction.naive_bayes.normal_columns`."""
        design = as_design(X)
        of_rows = normal_columns(self.theta_, self.var_, self.class_prior_)
        return np.concatenate(parallel_map(lambda rows: of_rows(design.block(rows)), design.blocks()))

    def _draw(self, code, size, random):
        return random.normal(self.theta_[code], np.sqrt(self.var_[code]), (size, self.n_features_in_))


declare(
    Family(
        name="naive Bayes, Gaussian",
        task="classification",
        model=GaussianNB,
        make=lambda facts: GaussianNB(),
        complexity=30,
        description="Each column is normal within a class, and columns are independent there.",
        why_excluded=needs(dense=True, rows_per_class=2),
    )
)
