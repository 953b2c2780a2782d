r"""Diagonal linear discriminants: normal classes of independent columns, with the same variances in each class."""

import time
from typing import Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from separatrix.core.blocks import short_blocks
from separatrix.core.certificate import closed_form
from separatrix.core.declaration import CLASSES, declares
from separatrix.core.errors import cannot
from separatrix.core.family import Family, declare, needs
from separatrix.core.threads import parallel_map
from separatrix.core.types import MatrixLike
from separatrix.designs import as_design, class_moments
from separatrix.designs.factor import EPS, live_columns
from separatrix.estimators import verification
from separatrix.estimators.base import LogOddsClassifier
from separatrix.estimators.generative.base import Generative
from separatrix.estimators.generative.within import divisor, name_columns
from separatrix.estimators.validation import check_choice, validate_class_target


@declares(
    task="classification",
    sums=("designs.class_moments",),
    verification=verification.OF_DIAGONAL_DISCRIMINANT,
    description=CLASSES,
)
class DiagonalLinearDiscriminantAnalysis(LogOddsClassifier, Generative):
    r"""Gaussian naive Bayes with one variance per column for all classes: the boundaries are hyperplanes.

    .. math:: \delta_k(x) = -\tfrac12 \sum_j \frac{(x_j - \mu_{kj})^2}{\sigma_j^2} + \log \pi_k

    Linear discriminant analysis with everything off the diagonal of the pooled covariance set to zero; of use where
    there are more columns than rows. One pass over X, that reads it once. Columns that are constant within every class
    are left out and named.

    Parameters
    ----------
    priors : (k,) array or None, default None.  Shares of the classes; None takes those of the rows.
    denominator : {"N", "N-K"}, default "N".  What the sums of squares within classes are divided by: "N",
        maximum likelihood, as scikit-learn 1.9 does for linear discriminants; "N-K", unbiased.

    Attributes
    ----------
    classes_ : (k,) array.  priors_ : (k,) array.  means_ : (k, p) array.
    variances_ : (p,) array.  The variance within classes of each column.
    coef_ : (1, p) or (k, p) array.  intercept_ : (1,) or (k,) array.  Log-odds, or discriminants without what all
        classes share.
    n_parameters_, n_boundary_parameters_ : int.  As a model of P(x, C), and of its boundaries.
    certificate_ : Certificate.  The relative residual of :math:`\sigma_j^2 w_j = \mu_j`.
    n_features_in_, feature_names_in_ : as in scikit-learn.

    References: Dudoit, Fridlyand and Speed (2002), J. Amer. Statist. Assoc. 97(457); Hastie, Tibshirani and Friedman
    (2009), The Elements of Statistical Learning, section 18.2.

    >>> import numpy as np
    >>> X = np.array([[0.0, 1.0], [2.0, 3.0], [4.0, 1.0], [6.0, 5.0]])
    >>> model = DiagonalLinearDiscriminantAnalysis().fit(X, ["a", "a", "b", "b"])
    >>> model.variances_, model.coef_, model.intercept_
    (array([1. , 2.5]), array([[4. , 0.4]]), array([-13.]))
    """

    def __init__(self, *, priors: ArrayLike | None = None, denominator: str = "N") -> None:
        self.priors = priors
        self.denominator = denominator

    def fit(self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit to X (n, p) and labels y (n,); a weight is a repetition."""
        started = time.perf_counter()
        check_choice(self, "denominator", ("N", "N-K"))
        design, target = validate_class_target(self, X, y, sample_weight, sparse=False, summed=True)
        moments = class_moments(design, target, len(self.classes_), scatter="diagonal")
        self.priors_ = self._shares(moments.totals)
        squares = moments.scatter.sum(axis=0)
        live = live_columns(np.sqrt(squares), np.abs(moments.means).max(axis=0), moments.total, design.n)
        self._columns = self._varying(live)
        variances = np.zeros(design.p)
        variances[live] = squares[live] / divisor(moments, self.denominator)
        self.means_ = np.asarray(moments.means, dtype=design.dtype)
        self.variances_ = variances
        self._centres = moments.means
        return self._lines(moments.means, variances, started, design.dtype)

    def _varying(self, live):
        """Columns with a variance; the others are named."""
        if not len(live):
            raise cannot(
                f"fit {type(self).__name__}",
                because="every column is constant within every class: there is no variance",
                instead="columns that vary within some class",
            )
        if len(live) < self.n_features_in_:
            name_columns(self, np.setdiff1d(np.arange(self.n_features_in_), live), (), stacklevel=4)
        return live

    def _lines(self, means, variances, started, dtype):
        """Coefficients ``μ_k / σ²`` and intercepts, taken about the mean of the means: no large numbers cancel."""
        J = self._columns
        centre = means.mean(axis=0)
        A = np.zeros_like(means)
        A[:, J] = (means - centre)[:, J] / variances[J]
        rest = np.abs(A * variances - (means - centre))[:, J].max(initial=0.0)
        size = np.abs(means - centre)[:, J].max(initial=0.0)
        self.certificate_ = closed_form(float(rest / size) if size > 0.0 else 0.0, 4.0 * EPS, started=started)
        offsets = self._log_shares() - 0.5 * np.einsum("kj,kj->k", A, means - centre) - A @ centre
        if len(means) == 2:
            # (μ_1 - μ_0)/σ² times x less the point halfway
            w = np.zeros(means.shape[1])
            w[J] = (means[1] - means[0])[J] / variances[J]
            log_odds = self._log_shares()[1] - self._log_shares()[0]
            return self._publish(w, log_odds - w @ (0.5 * (means[0] + means[1])), dtype)
        return self._publish(A.T, offsets, dtype)

    def _log_joint(self, X):
        design, J = as_design(X), self._columns
        centre, scale = self._centres.mean(axis=0)[J], np.sqrt(self.variances_[J])
        middles = (self._centres[:, J] - centre) / scale
        constants = self._log_shares() - np.log(scale).sum() - 0.5 * len(J) * np.log(2.0 * np.pi)
        log_joint = np.empty((design.n, len(middles)))

        def task(rows):
            Z = (design.block(rows)[:, J] - centre) / scale
            for c, middle in enumerate(middles):
                D = Z - middle
                log_joint[rows, c] = constants[c] - 0.5 * np.einsum("ij,ij->i", D, D)

        parallel_map(task, short_blocks(design.n, design.p))
        return log_joint

    def _draw(self, code, size, random):
        return self._centres[code] + random.standard_normal((size, self.n_features_in_)) * np.sqrt(self.variances_)

    @property
    def n_parameters_(self) -> int:
        """``kM + M + k - 1``: means, variances and shares, of the M columns in use."""
        check_is_fitted(self)
        k, M = len(self.classes_), len(self._columns)
        return k * M + M + k - 1

    @property
    def n_boundary_parameters_(self) -> int:
        """``(k - 1)(M + 1)``: what the differences of k linear discriminants are made of."""
        check_is_fitted(self)
        return (len(self.classes_) - 1) * (len(self._columns) + 1)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = False
        return tags


declare(
    Family(
        name="diagonal discriminant",
        task="classification",
        model=DiagonalLinearDiscriminantAnalysis,
        make=lambda facts: DiagonalLinearDiscriminantAnalysis(),
        complexity=30,
        description="Normal classes with equal variances and independent columns: linear boundaries that few rows "
        "suffice for.",
        why_excluded=needs(dense=True, rows_per_class=2),
    )
)
