r"""Quadratic discriminants: normal classes, each with a covariance of its own."""

import time
from numbers import Real
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from separatrix.core.declaration import CLASSES, declares
from separatrix.core.errors import cannot
from separatrix.core.family import Family, declare, needs
from separatrix.core.threads import one_blas_thread
from separatrix.core.types import MatrixLike
from separatrix.designs import class_moments
from separatrix.estimators import verification
from separatrix.estimators.generative.estimated import estimated_covariances
from separatrix.estimators.generative.gaussian_classes import GaussianClasses, covariances, divisors
from separatrix.estimators.validation import check_choice, check_number, validate_class_target
from separatrix.prediction import forms
from separatrix.solvers.linalg.class_spheres import class_spheres, for_each_class
from separatrix.solvers.linalg.ledoit_wolf import ledoit_wolf, shrunk
from separatrix.solvers.linalg.scatter import class_factor, matrix_factor, settled, within_factor


@declares(
    task="classification",
    sums=("designs.class_moments",),
    solvers=("solvers.linalg.scatter", "solvers.linalg.class_spheres", "solvers.linalg.ledoit_wolf"),
    prediction=forms.NORMAL_CLASSES,
    verification=verification.OF_QUADRATIC_DISCRIMINANT,
    description=CLASSES,
)
class QuadraticDiscriminantAnalysis(GaussianClasses):
    r"""Bayes' rule for normal classes with a covariance each: the boundaries are quadrics.

    .. math:: \delta_k(x) = -\tfrac12 \log |\Sigma_k| - \tfrac12 (x - \mu_k)^\top \Sigma_k^{-1} (x - \mu_k) + \log \pi_k

    One pass over X and a Cholesky factor for each class. Columns that are constant within every class, or combinations
    of others, are left out and named. A class whose rows do not determine its covariance in every direction takes the
    pooled covariance in the others, with a warning (scikit-learn raises); a class with one row takes it in all.

    Parameters
    ----------
    solver : {"svd", "eigen"}, default "svd".  Accepted for compatibility: `shrinkage` and `reg_param` work with both.
    shrinkage : "auto", float of [0, 1] or None, default None.  Blend each covariance with the multiple of the identity
        that has its trace, :math:`(1 - s) \Sigma_k + s \frac{\mathrm{tr} \Sigma_k}{p} I`; "auto" takes s by the formula
        of Ledoit and Wolf, of columns that are standardised within the class.
    priors : (k,) array or None, default None.  Shares of the classes; None takes those of the rows.
    reg_param : float, [0, 1], default 0.0.  :math:`\Sigma_k = (1 - r) S_k + r I`.
    store_covariance : bool, default False.  Whether to keep ``covariance_``.
    tol : float, [0, inf), default 1e-4.  Accepted for compatibility: ranks are decided relative to rounding.
    covariance_estimator : object or None, default None.  Fitted to the rows of each class instead of taking their
        covariance; has `fit` and then ``covariance_``, as in sklearn.covariance.
    denominator : {"N", "N-K"}, default "N".  "N": maximum likelihood, as scikit-learn 1.9; "N-K": unbiased, each class
        divides by :math:`N_k - 1`, as R's MASS::qda and scikit-learn before 1.8.

    Attributes
    ----------
    classes_ : (k,) array.  priors_ : (k,) array.  means_ : (k, p) array.
    covariance_ : list of k (p, p) arrays, if stored.
    rotations_, scalings_ : lists of k arrays.  Principal axes and the variances along them.
    n_parameters_, n_boundary_parameters_ : int.  As a model of P(x, C), and of its boundaries.
    certificate_ : Certificate.  The largest :math:`\|W_k^\top \Sigma_k W_k - I\|` of the maps that predictions use.
    n_features_in_, feature_names_in_ : as in scikit-learn.

    References: Hastie, Tibshirani and Friedman (2009), The Elements of Statistical Learning, section 4.3.

    >>> import numpy as np
    >>> X = np.array([[-1.0, -1.0], [-2.0, -1.0], [-3.0, -2.0], [1.0, 1.0], [2.0, 1.0], [3.0, 2.0]])
    >>> model = QuadraticDiscriminantAnalysis().fit(X, [1, 1, 1, 2, 2, 2])
    >>> model.predict([[-0.8, -1.0]]), model.n_parameters_
    (array([1]), 11)
    """

    def __init__(
        self,
        *,
        solver: str = "svd",
        shrinkage: float | str | None = None,
        priors: ArrayLike | None = None,
        reg_param: float = 0.0,
        store_covariance: bool = False,
        tol: float = 1e-4,
        covariance_estimator: Any = None,
        denominator: str = "N",
    ) -> None:
        self.solver = solver
        self.shrinkage = shrinkage
        self.priors = priors
        self.reg_param = reg_param
        self.store_covariance = store_covariance
        self.tol = tol
        self.covariance_estimator = covariance_estimator
        self.denominator = denominator

    def fit(self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit to X (n, p) and labels y (n,); a weight is a repetition."""
        started = time.perf_counter()
        self._check_parameters()
        design, target = validate_class_target(self, X, y, sample_weight, sparse=False, summed=True)
        with one_blas_thread():
            moments = settled(class_moments(design, target, len(self.classes_), scatter="each"), design.n)
            return self._fit_moments(moments, design, target, started)

    def _fit_moments(self, moments, design, target, started):
        k, p = moments.means.shape
        each, whole = divisors(moments, self.denominator)
        matrices = covariances(moments.scatter, each)
        blended = self._blended(matrices, moments, design, target)

        def pooled():
            if blended is None:
                return self._some_rank(within_factor(moments, design, target)), whole
            return self._some_rank(matrix_factor(np.tensordot(moments.totals / moments.total, blended, axes=1))), 1.0

        def of_rows(c):
            return spheres.residual_of_rows(c, design, target, 1.0 / each[c] if each[c] > 0.0 else 0.0, 0.0)

        if blended is None:
            sizes = target.class_sizes(k)
            factors = for_each_class(lambda c: class_factor(moments, c, design, target, sizes[c]), k, p)
            spheres = class_spheres(moments.means, factors, each, pooled)
            return self._publish(moments, spheres, matrices, of_rows, started, design.dtype, stacklevel=4)
        factors = for_each_class(lambda c: matrix_factor(blended[c]), k, p)
        spheres = class_spheres(moments.means, factors, np.ones(k), pooled)
        return self._publish(moments, spheres, blended, None, started, design.dtype, stacklevel=4)

    def _check_parameters(self):
        check_choice(self, "solver", ("svd", "eigen"))
        check_choice(self, "store_covariance", (False, True))
        check_choice(self, "denominator", ("N", "N-K"))
        check_number(self, "reg_param", 0.0, 1.0)
        check_number(self, "tol", 0.0)
        if isinstance(self.shrinkage, Real) or self.shrinkage not in (None, "auto"):
            check_number(self, "shrinkage", 0.0, 1.0)
        if self.covariance_estimator is not None and self.shrinkage is not None:
            raise cannot(
                f"use shrinkage={self.shrinkage!r} and a covariance_estimator",
                because="each of them makes the covariances",
                instead="one of them, and None for the other",
            )

    def _blended(self, matrices, moments, design, target):
        """Covariances (k, p, p) as the parameters change them, or None if they do not."""
        r = float(self.reg_param)
        if self.covariance_estimator is not None:
            matrices = estimated_covariances(self, design, target)
        elif self.shrinkage is not None:
            shares = ledoit_wolf(moments, design, target) if self.shrinkage == "auto" else self.shrinkage
            matrices = shrunk(matrices, shares, standardised=self.shrinkage == "auto")
        elif r == 0.0:
            return None
        return (1.0 - r) * matrices + r * np.eye(design.p) if r > 0.0 else matrices


def _too_few_rows(facts):
    """A covariance for each class needs more rows than columns in every class."""
    if 2 * facts.columns > facts.smallest_class:
        return f"it needs 2 rows a column in every class: the rarest has {facts.smallest_class:,} rows"
    return needs(dense=True, columns=1_000)(facts)


declare(
    Family(
        name="quadratic discriminant",
        task="classification",
        model=QuadraticDiscriminantAnalysis,
        make=lambda facts: QuadraticDiscriminantAnalysis(),
        complexity=35,
        description="Normal classes, each with a covariance of its own: curved boundaries.",
        why_excluded=_too_few_rows,
    )
)
