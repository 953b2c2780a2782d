r"""Linear discriminants: :math:`\delta_k = x^\top\Sigma^{-1}\mu_k - \tfrac12\mu_k^\top\Sigma^{-1}\mu_k + \log\pi_k`."""

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from separatrix.core.declaration import CLASSES, declares
from separatrix.core.errors import cannot
from separatrix.core.family import Family, declare, needs
from separatrix.core.threads import one_blas_thread
from separatrix.core.types import Array, Matrix, MatrixLike
from separatrix.designs import class_moments
from separatrix.designs.factor import EPS
from separatrix.estimators import verification
from separatrix.estimators.base import LogOddsClassifier
from separatrix.estimators.generative.base import Generative
from separatrix.estimators.generative.estimated import estimated_covariances
from separatrix.estimators.generative.within import (
    Within,
    divisor,
    name_what_is_left_out,
    refuse_if_nothing_varies,
    within,
)
from separatrix.estimators.validation import (
    check_choice,
    check_number,
    validate_class_target,
    validate_rows,
)
from separatrix.solvers.linalg.ledoit_wolf import ledoit_wolf, shrunk
from separatrix.solvers.linalg.scatter import matrix_factor
from separatrix.solvers.linalg.sphering import sphere
from separatrix.solvers.principal_axes import signs


@declares(
    task="classification",
    sums=("designs.class_moments",),
    solvers=("solvers.linalg.scatter", "solvers.linalg.sphering", "solvers.linalg.ledoit_wolf"),
    verification=verification.OF_LINEAR_DISCRIMINANT,
    description=CLASSES,
)
class LinearDiscriminantAnalysis(ClassNamePrefixFeaturesOutMixin, TransformerMixin, LogOddsClassifier, Generative):
    r"""Normal classes with one covariance: linear boundaries, and the projections that tell the classes apart best.

    .. math:: x \mid C_k \sim N(\mu_k, \Sigma), \qquad
              \delta_k(x) = x^\top \Sigma^{-1} \mu_k - \tfrac12 \mu_k^\top \Sigma^{-1} \mu_k + \log \pi_k

    The posteriors are the softmax of the scores :math:`\delta_k`; for two classes the log-odds are
    :math:`w \cdot x + w_0` with :math:`w = \Sigma^{-1}(\mu_1 - \mu_0)`. Everything comes from one pass over the rows,
    which gives the counts, the means and the scatter within classes, and one Cholesky factor of the latter.

    ``transform`` gives the canonical variates: of all combinations of the columns with variance one within classes,
    the first varies most between the class means (weighted by the priors), the second most of those uncorrelated with
    it, and so on. There are at most K - 1. A variate's largest coefficient (in ``scalings_``) is positive.

    Where the scatter within classes is singular, as for dependent columns or more columns than rows, its
    pseudo-inverse is used, in units of the standard deviations within classes, and a warning names the columns.

    Parameters
    ----------
    solver : {"svd", "lsqr", "eigen"}, default "svd".  Accepted for compatibility: all three give the same answer here,
        with shrinkage and with ``transform``; "lsqr" and "eigen" imply ``store_covariance``.
    shrinkage : None, "auto" or float in [0, 1], default None.  Of Σ towards its mean variance times the identity.
        "auto" takes Ledoit and Wolf's share for each class, of standardised columns, and the mean over the classes.
    priors : (k,) array or None, default None.  Class probabilities; None takes the shares of the classes. They move
        the boundaries only, and never enter the covariance.
    n_components : int in [1, min(K - 1, p)] or None, default None.  Number of canonical variates; None takes all.
    store_covariance : bool, default False.  Whether to keep ``covariance_``.
    tol : float, [0, inf), default 1e-4.  Accepted for compatibility: rank is judged by rounding errors.
    covariance_estimator : object with ``fit`` and ``covariance_`` or None, default None.  Fitted to the rows of each
        class; Σ is the mean over the classes, whatever `denominator` says. Not with `shrinkage` or weights.
    denominator : {"N", "N-K"}, default "N".  What the scatter within classes is divided by: N gives the estimate of
        maximum likelihood, as scikit-learn's does, N - K the unbiased one, as MASS::lda does.
    reduced_rank : bool, default False.  Whether to classify by the first `n_components` variates only. The class
        means are then moved to their nearest points in the plane of these variates, in the metric of Σ.

    Attributes
    ----------
    classes_ : (k,) array.  priors_ : (k,) array.  means_ : (k, p) array.  xbar_ : (p,) array, ``priors_ @ means_``.
    coef_ : (1, p) or (k, p) array.  intercept_ : (1,) or (k,) array.  The scores about ``xbar_``, as scikit-learn's.
    covariance_ : (p, p) array.  Σ, if it was to be stored.
    log_determinant_ : float.  log |Σ|, of the columns that vary.
    scalings_ : (p, r) array.  Coefficients of the canonical variates, of which `transform` gives `n_components`.
    eigenvalues_ : (r,) array.  Variance of the class means along each variate, weighted by the priors; within classes
        it is one.
    explained_variance_ratio_ : (n_components,) array.  Shares of these variances.
    rank_ : int.  Of the scatter within classes.
    n_parameters_ : int.  Of the model of P(x, C): kp + p(p + 1)/2 + k - 1, fewer at reduced rank.
    n_boundary_parameters_ : int.  Of the boundaries alone: (k - 1)(p + 1).
    certificate_ : Certificate.  The relative residual of ``Σ A = means - xbar``, recomputed from the moments.
    n_features_in_, feature_names_in_ : as in scikit-learn.

    References: Fisher (1936), Annals of Eugenics 7(2); Rao (1948), J. R. Statist. Soc. B 10(2); Hastie, Tibshirani and
    Friedman (2009), The Elements of Statistical Learning, section 4.3; docs/theory/discriminants.md.

    >>> import numpy as np
    >>> X = np.array([[0.0, 0.0], [2.0, 0.0], [1.0, 3.0], [5.0, 5.0], [7.0, 6.0]])
    >>> model = LinearDiscriminantAnalysis(store_covariance=True).fit(X, ["b", "b", "b", "a", "a"])
    >>> model.means_, model.covariance_
    (array([[6. , 5.5],
           [1. , 1. ]]), array([[0.8, 0.2],
           [0.2, 1.3]]))
    >>> model.predict([[3.0, 2.0], [4.0, 4.0]]).tolist()
    ['b', 'a']
    """

    def __init__(
        self,
        solver: str = "svd",
        shrinkage: float | str | None = None,
        priors: ArrayLike | None = None,
        n_components: int | None = None,
        store_covariance: bool = False,
        tol: float = 1e-4,
        covariance_estimator: Any = None,
        *,
        denominator: str = "N",
        reduced_rank: bool = False,
    ) -> None:
        self.solver = solver
        self.shrinkage = shrinkage
        self.priors = priors
        self.n_components = n_components
        self.store_covariance = store_covariance
        self.tol = tol
        self.covariance_estimator = covariance_estimator
        self.denominator = denominator
        self.reduced_rank = reduced_rank

    def fit(self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit to X (n, p) and labels y (n,); a weight is a number of repetitions."""
        self._check_parameters()
        design, target = validate_class_target(self, X, y, sample_weight, sparse=False, summed=True)
        variates = self._number_of_variates(design.p)
        with one_blas_thread():
            classes = self._learn(design, target, variates)
        name_what_is_left_out(self, classes, design.n)
        return self

    def _learn(self, design, target, variates):
        """Set all that the moments say; return what is within classes."""
        classes = self._within(design, target)
        dtype = design.dtype
        pi = self._shares(classes.totals)
        self._means, self._sphere = classes.means, classes.sphere
        self._center = pi @ classes.means
        sphered = classes.sphere.rows(classes.means - self._center)  # (k, rank)
        axes, spread = _principal_axes(sphered * np.sqrt(pi)[:, None], self._rounding(classes))
        loadings = classes.sphere.loadings(axes)
        loadings *= signs(loadings)
        self.scalings_ = np.ascontiguousarray(loadings, dtype=dtype)
        self.eigenvalues_ = spread**2
        self._n_features_out = min(variates, len(spread))
        shares = self.eigenvalues_ / self.eigenvalues_.sum() if len(spread) else self.eigenvalues_
        self.explained_variance_ratio_ = shares[: self._n_features_out]
        A = classes.sphere.loadings(sphered.T)  # the pseudo-inverse of Σ times the centred means
        self.certificate_ = classes.certify(A, (classes.means - self._center).T, self._message(classes))
        if self.reduced_rank:
            kept = axes[:, : self._n_features_out]
            sphered = sphered @ kept @ kept.T
            A = classes.sphere.loadings(sphered.T)
        self._sphered = sphered
        self.means_, self.priors_ = classes.means.astype(dtype), pi.astype(dtype)
        self.xbar_ = self._center.astype(dtype)
        self.rank_, self.log_determinant_ = classes.sphere.rank, classes.sphere.log_determinant
        self._publish_scores(A, pi, dtype)
        self._count_parameters(design.p, len(pi))
        self._keep_covariance(classes, design.p, dtype)
        return classes

    def transform(self, X: MatrixLike) -> Matrix:
        """The first `n_components` canonical variates of each row: (n, n_components)."""
        check_is_fitted(self)
        X = validate_rows(self, X, sparse=False)
        return (X - self.xbar_) @ self.scalings_[:, : self._n_features_out]

    def sphere(self, X: MatrixLike) -> Array:
        """Rows about ``xbar_`` in coordinates whose covariance within classes is the identity: ``(n, rank_)``.

        Squared distances between them are Mahalanobis distances, and at equal priors the class of the nearest class
        mean is the most probable one. Any rotation of them would do as well; these come from a triangular factor.
        """
        check_is_fitted(self)
        return self._sphere.rows(validate_rows(self, X, sparse=False) - self._center)

    def discriminants(self, X: MatrixLike) -> Array:
        """The scores δ_k (n, k); those of ``decision_function`` differ from them by the same number for all classes."""
        check_is_fitted(self)
        X = validate_rows(self, X, sparse=False)
        origin = self._sphere.rows(self._center[None])
        centroids = self._sphered + origin
        return self._sphere.rows(X) @ centroids.T - 0.5 * (centroids**2).sum(axis=1) + self._log_shares()

    def _log_joint(self, X):
        Z = self._sphere.rows(X - self._center)
        distances = (Z * Z).sum(axis=1)[:, None] - 2.0 * (Z @ self._sphered.T) + (self._sphered**2).sum(axis=1)
        constant = self.rank_ * np.log(2.0 * np.pi) + self.log_determinant_
        return self._log_shares() - 0.5 * (distances + constant)

    def _draw(self, code, size, random):
        centre = self._means[code]
        if self.reduced_rank:
            centre = self._center + self._sphere.deviations(self._sphered[[code]])[0]
        return centre + self._sphere.deviations(random.standard_normal((size, self.rank_)))

    def _check_parameters(self):
        check_choice(self, "solver", ("svd", "lsqr", "eigen"))
        check_choice(self, "denominator", ("N", "N-K"))
        check_choice(self, "store_covariance", (False, True))
        check_choice(self, "reduced_rank", (False, True))
        check_number(self, "tol", 0.0)
        if isinstance(self.shrinkage, str):
            check_choice(self, "shrinkage", ("auto",))
        else:
            check_number(self, "shrinkage", 0.0, 1.0, none=True)
        if self.covariance_estimator is not None and self.shrinkage not in (None, 0):
            raise cannot(
                f"fit LinearDiscriminantAnalysis with shrinkage={self.shrinkage!r} and a covariance_estimator",
                because="covariance_estimator and shrinkage parameters are not None, and both say how to estimate Σ",
                instead="only one of the two",
            )

    def _number_of_variates(self, p):
        most = min(len(self.classes_) - 1, p)
        asked = check_number(self, "n_components", 1, integer=True, none=True)
        if asked is not None and asked > most:
            raise cannot(
                f"fit LinearDiscriminantAnalysis with n_components={asked}",
                because=f"n_components cannot be larger than min(n_features, n_classes - 1), which is {most}",
                instead=f"n_components in [1, {most}]",
            )
        return most if asked is None else asked

    def _within(self, design, target):
        """Totals, means and the sphering of Σ, as `shrinkage` and `covariance_estimator` want it."""
        if self.shrinkage != "auto" and self.covariance_estimator is None:
            return within(self, design, target, self.denominator, float(self.shrinkage or 0.0))
        kind = "each" if self.covariance_estimator is None else "diagonal"
        moments = class_moments(design, target, len(self.classes_), scatter=kind)
        refuse_if_nothing_varies(self, moments.totals, moments.pooled.scatter, target)
        covariance = self._stated_covariance(moments, design, target)
        return Within(moments.totals, moments.means, sphere(matrix_factor(covariance), 1.0), covariance.__matmul__)

    def _stated_covariance(self, moments, design, target):
        """Σ (p, p) as Ledoit and Wolf's rule or the `covariance_estimator` want it."""
        if self.covariance_estimator is not None:
            each = estimated_covariances(self, design, target)
            return np.tensordot(moments.totals / moments.total, each, axes=1)
        each = moments.scatter / moments.totals[:, None, None]
        each = shrunk(each, ledoit_wolf(moments, design, target), standardised=True)
        return np.tensordot(moments.totals, each, axes=1) / divisor(moments, self.denominator)

    def _rounding(self, classes):
        """How far rounding moves sphered class means: the means, in standard deviations, times eps."""
        factor = classes.sphere.factor
        size = np.abs(classes.means).max(axis=0) * factor.scale * np.sqrt(classes.sphere.denominator)
        return 16.0 * EPS * np.sqrt(len(factor.scale)) * float(size.max(initial=0.0))

    def _publish_scores(self, A, pi, dtype):
        """``coef_`` and ``intercept_`` of scores about the centre; for two classes, of their difference."""
        with np.errstate(divide="ignore"):
            intercept = np.log(pi) - 0.5 * (self._sphered**2).sum(axis=1) - self._center @ A
        if len(pi) == 2:
            A, intercept = A[:, 1:] - A[:, :1], intercept[1:] - intercept[:1]
        self._publish(A, intercept, dtype)

    def _count_parameters(self, p, k):
        # k centroids in a plane of q dimensions: a point of it, its directions, and k - 1 places in it
        q = self._n_features_out if self.reduced_rank else min(k - 1, p)
        directions = q * (k - 1 + p - q)
        self.n_parameters_ = p + directions + p * (p + 1) // 2 + k - 1
        self.n_boundary_parameters_ = k - 1 + directions

    def _keep_covariance(self, classes, p, dtype):
        self.__dict__.pop("covariance_", None)
        if self.store_covariance or self.solver != "svd":
            self.covariance_ = classes.apply(np.eye(p)).astype(dtype)

    def _message(self, classes):
        return f"rank {classes.sphere.rank} of {classes.means.shape[1]}, scatter within classes over {self.denominator}"

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = False
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


def _principal_axes(M, rounding):
    """Right singular vectors (r, q) of M (k, r) and their singular values, those beyond rounding."""
    _, values, Vt = np.linalg.svd(M, full_matrices=False)
    noise = max(rounding, 8.0 * EPS * max(M.shape) * values.max(initial=0.0))
    q = min(int((values > noise).sum()), len(M) - 1)
    return Vt[:q].T, values[:q]


def _suited(facts):
    """With few rows a column the covariance is shrunk by Ledoit and Wolf's rule."""
    few = facts.rows < 10 * facts.columns
    return LinearDiscriminantAnalysis(shrinkage="auto" if few else None)


declare(
    Family(
        name="linear discriminant",
        task="classification",
        model=LinearDiscriminantAnalysis,
        make=_suited,
        complexity=30,
        description="Normal classes with one covariance: linear boundaries, from means and covariances alone.",
        why_excluded=needs(dense=True, columns=3_000, rows_per_class=2),
    )
)
