"""Principal components: the directions of greatest variance, ``max u'S u`` over unit vectors u, one after another."""

import time
import warnings
from contextlib import nullcontext
from dataclasses import replace
from numbers import Integral, Real
from typing import Self

import numpy as np
from numpy.random import RandomState
from numpy.typing import ArrayLike
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from separatrix.core.certificate import closed_form, warn_if_not_certified
from separatrix.core.declaration import declares
from separatrix.core.errors import WrongType, cannot
from separatrix.core.solution import Certificate
from separatrix.core.threads import one_blas_thread
from separatrix.core.types import Array, Matrix, MatrixLike
from separatrix.designs import as_design
from separatrix.designs.centred import Centred
from separatrix.estimators import verification
from separatrix.estimators.projection.dimension import by_evidence, by_share
from separatrix.estimators.ranges import as_type, refuse_small
from separatrix.estimators.saving import Estimator
from separatrix.estimators.validation import (
    check_choice,
    check_number,
    validate_coordinates,
    validate_first_rows,
    validate_rows,
)
from separatrix.solvers.principal_axes import DIRECT, ITERATED, Sketch, principal_axes, residual

# Decompositions of fewer rows or columns gain nothing from two threads of BLAS, and the pass over X loses by them.
SMALL = 1000
SOLVERS = ("auto", "full", "covariance_eigh", "arpack", "randomized")


class NoVariance(UserWarning):
    """Every column of X is constant: no direction is principal."""


@declares(
    task="transformation",
    solvers=("solvers.principal_axes", "solvers.linalg.leading"),
    sums=("designs.moments",),
    verification=verification.OF_PRINCIPAL_AXES,
)
class PCA(ClassNamePrefixFeaturesOutMixin, TransformerMixin, Estimator):
    r"""Principal component analysis.

    .. math:: u_1 = \arg\max_{\|u\| = 1} u'S u, \quad S u_j = \lambda_j u_j, \quad
              z = P'(x - \bar x), \quad \hat x = \bar x + P z, \qquad
              S = \frac{1}{n - 1} \sum_i (x_i - \bar x)(x_i - \bar x)', \quad P = [u_1, \dots, u_k]

    Signs: the loading of greatest size in each component is positive; of several loadings within 1e-9 of the greatest,
    the first. The order of the rows has no part in it.

    Parameters
    ----------
    n_components : int in [1, min(n, p)], float in (0, 1), "mle" or None, default None.  How many; the least number that
        explains more than this share of the variance; Minka's choice, for n >= p; or min(n, p).
    copy : bool, default True.  Accepted for compatibility only: X is never written to.
    whiten : bool, default False.  Divide each coordinate by its standard deviation :math:`\sqrt{\lambda_j}`.
        Coordinates without variance become 0.
    svd_solver : {"auto", "full", "covariance_eigh", "arpack", "randomized"}, default "auto".  Singular values of X, by
        QR ("full"); eigenvalues of S or, where rows are fewer, of the products of the rows, by LAPACK
        ("covariance_eigh") or Lanczos ("arpack", for fewer than min(n, p) components); iterations from a random sketch
        ("randomized"). "auto" takes the products, by whichever way is faster, and changes to "full" where they would
        lose a component (below 1e-8 of :math:`\lambda_1`) and to iterations where n and p exceed 3000 and few
        components are asked for.
    tol : float, [0, inf), default 0.0.  What :math:`\|S u - \lambda u\|/\lambda_1` may be. 0: 1e-10 where the solution
        is direct, 1e-6 where it is iterated.
    iterated_power : int >= 0 or "auto", default "auto".  Iterations from a sketch; "auto": until `tol` is reached, 100
        at most.
    n_oversamples : int >= 1, default 10.  Columns of the sketch beyond n_components.
    power_iteration_normalizer : {"auto", "QR", "LU", "none"}, default "auto".  Accepted for compatibility only: a basis
        is always made orthonormal.
    random_state : int, RandomState or None, default None.  Of the sketch. None draws the same sketch at each fit.

    Attributes
    ----------
    components_ : (k, p) array.  The axes, by falling variance; orthonormal beyond the rank of X, too.
    explained_variance_ : (k,) array.  :math:`\lambda_j`, with the denominator n - 1; 0 beyond the rank.
    explained_variance_ratio_ : (k,) array.  Their shares of all variance; zeros, with a warning, where there is none.
    singular_values_ : (k,) array.  Of the centred X: :math:`\sqrt{(n - 1) \lambda_j}`.
    mean_ : (p,) array.
    noise_variance_ : float.  Mean of the min(n, p) - k eigenvalues left out, 0 if there is none.
    reconstruction_error_ : float.  :math:`\frac1n \sum_i \|x_i - \hat x_i\|^2 = \frac{n-1}{n} \sum_{j>k} \lambda_j`: a
        mean over rows has the denominator n, an eigenvalue n - 1.
    certificate_ : Certificate.  :math:`\max_j \|S u_j - \lambda_j u_j\|/\lambda_1`, recomputed from S or X.
    n_components_, n_samples_, n_features_in_ : int.

    Arrays are in the precision of X, and so are coordinates; sums are those of float64.

    References: Pearson (1901), Philosophical Magazine 2(11); Tipping and Bishop (1999), JRSS B 61(3), for the density;
    Minka (2000), NIPS 13.   Theory: docs/theory/principal_components.md.

    >>> import numpy as np
    >>> pca = PCA().fit(np.array([[2.0, 0.0], [0.0, 2.0], [3.0, 3.0], [-1.0, -1.0], [1.0, 1.0]]))
    >>> pca.explained_variance_.round(12), pca.components_[0].round(4)
    (array([4., 1.]), array([0.7071, 0.7071]))
    """

    components_: Array
    explained_variance_: Array
    explained_variance_ratio_: Array
    singular_values_: Array
    mean_: Array
    noise_variance_: float
    certificate_: Certificate

    def __init__(
        self,
        n_components: int | float | str | None = None,
        *,
        copy: bool = True,
        whiten: bool = False,
        svd_solver: str = "auto",
        tol: float = 0.0,
        iterated_power: int | str = "auto",
        n_oversamples: int = 10,
        power_iteration_normalizer: str = "auto",
        random_state: int | RandomState | None = None,
    ) -> None:
        self.n_components = n_components
        self.copy = copy
        self.whiten = whiten
        self.svd_solver = svd_solver
        self.tol = tol
        self.iterated_power = iterated_power
        self.n_oversamples = n_oversamples
        self.power_iteration_normalizer = power_iteration_normalizer
        self.random_state = random_state

    def fit(self, X: MatrixLike, y: ArrayLike | None = None) -> Self:
        """Find the axes of X (n, p), a numpy array or a scipy.sparse matrix; y takes no part."""
        self._learn(validate_first_rows(self, X, sparse=True, summed=True))
        return self

    def fit_transform(self, X: MatrixLike, y: ArrayLike | None = None) -> Matrix:
        """Fit, and return the coordinates of X."""
        X = validate_first_rows(self, X, sparse=True, summed=True)
        self._learn(X)
        return self._coordinates(X)

    def transform(self, X: MatrixLike) -> Matrix:
        """Coordinates ``z = P'(x - mean)`` of each row, (n, k); divided by their standard deviations if `whiten`."""
        check_is_fitted(self)
        return self._coordinates(validate_rows(self, X))

    def inverse_transform(self, X: MatrixLike) -> Matrix:
        """The points ``mean + P z`` whose coordinates are the rows of X (n, k)."""
        check_is_fitted(self)
        Z = validate_coordinates(self, X, self.n_components_)
        P = self.components_
        if self.whiten:
            P = np.sqrt(self.explained_variance_)[:, None] * P
        return (Z @ P + self.mean_).astype(Z.dtype, copy=False)

    def reconstruction_error(self, X: MatrixLike) -> float:
        """Mean over the rows of X of ``|x - x̂|²``, where x̂ is x projected on the axes."""
        check_is_fitted(self)
        P = self.components_

        def lengths(B):
            B -= (B @ P.T) @ P
            return np.square(B).sum(axis=1)

        return float(Centred(as_design(validate_rows(self, X)), self.mean_).over_rows(lengths).mean())

    def get_covariance(self) -> Array:
        """Covariance of the probabilistic model: ``P diag(λ - v) P' + v I``, where v is the noise variance."""
        check_is_fitted(self)
        P, noise = self.components_, self.noise_variance_
        return (P.T * (self.explained_variance_ - noise)) @ P + noise * np.eye(self.n_features_in_)

    def get_precision(self) -> Array:
        """The inverse of :meth:`get_covariance`: ``P diag(1/λ - 1/v) P' + I/v``."""
        inverse, rest = self._inverse_variances()
        P = self.components_
        return (P.T * (inverse - rest)) @ P + rest * np.eye(self.n_features_in_)

    def score_samples(self, X: MatrixLike) -> Array:
        """Log-density of each row under the probabilistic model: a normal with :meth:`get_covariance`."""
        inverse, rest = self._inverse_variances()
        P, p = self.components_, self.n_features_in_
        volume = p * np.log(2.0 * np.pi) - np.log(inverse).sum()
        if p > len(P):
            volume -= (p - len(P)) * np.log(rest)

        def density(B):
            Z = B @ P.T
            B -= Z @ P  # the squares of what is left, not a difference of squares
            return -0.5 * (np.square(Z) @ inverse + rest * np.square(B).sum(axis=1) + volume)

        return Centred(as_design(validate_rows(self, X)), self.mean_).over_rows(density)

    def score(self, X: MatrixLike, y: ArrayLike | None = None) -> float:
        """Mean log-density of the rows of X under the probabilistic model."""
        return float(self.score_samples(X).mean())

    @property
    def _n_features_out(self):
        return self.components_.shape[0]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    def _learn(self, X):
        design = as_design(X)
        n, p = design.n, design.p
        solver = check_choice(self, "svd_solver", SOLVERS)
        for name, choices in (("whiten", (False, True)), ("copy", (True, False))):
            check_choice(self, name, choices)
        check_choice(self, "power_iteration_normalizer", ("auto", "QR", "LU", "none"))
        if n < 2:
            raise cannot("fit PCA to 1 sample", because="one row has no variance", instead="at least two rows")
        count = self._count(n, p, solver)
        sketch, tol = self._sketch(), check_number(self, "tol", 0.0)
        started = time.perf_counter()
        with one_blas_thread() if min(n, p) < SMALL else nullcontext():
            axes = principal_axes(design, count, solver, sketch, tol)
            dtype = design.dtype
            vectors, singular = (part.astype(dtype).astype(np.float64) for part in (axes.vectors, axes.singular))
            published = replace(axes, vectors=vectors, singular=singular)
            # rounding each number by the share `half` moves S u by λ_1 half at most, λ u by 3 λ_1 half
            half = 0.0 if dtype == np.float64 else 0.5 * float(np.finfo(dtype).eps)
            self.certificate_ = closed_form(
                residual(published, design),
                (tol or (ITERATED if axes.iterated else DIRECT)) + 4.0 * half,
                started=started,
                iterations=axes.steps,
                passes=2 * axes.steps + 2 if axes.iterated else 1,
            )
        warn_if_not_certified(self.certificate_, "Use svd_solver='full', or raise tol.", stacklevel=3)
        k = len(axes.singular)
        squares = axes.singular**2
        total = squares.sum() + axes.left_out
        if total == 0.0:
            refuse_small(float(np.abs(axes.mean).max(initial=0.0)), "find principal axes")
            warnings.warn(
                NoVariance("Every column of X is constant: variances and their ratios are 0, any axes would do."),
                stacklevel=3,
            )
        self.n_components_, self.n_samples_ = k, n
        self.components_ = np.ascontiguousarray(axes.vectors.T, dtype=dtype)
        self.mean_ = axes.mean.astype(dtype)
        self.singular_values_ = axes.singular.astype(dtype)
        self.explained_variance_ = as_type(squares / (n - 1), dtype, "variances")
        self.explained_variance_ratio_ = (squares / total if total > 0.0 else np.zeros(k)).astype(dtype)
        self.noise_variance_ = axes.left_out / (n - 1) / max(min(n, p) - k, 1)
        self.reconstruction_error_ = axes.left_out / n

    def _count(self, n, p, solver):
        """The number of components, or a function that finds it from all eigenvalues."""
        asked, most = self.n_components, min(n, p)
        if asked is None:
            return most - 1 if solver == "arpack" and most > 1 else most
        if isinstance(asked, str) and asked == "mle" and solver in SOLVERS[:3]:
            if n < p:
                raise cannot(
                    f"fit PCA with n_components='mle' to X of shape ({n}, {p})",
                    because="the evidence is known for as many rows as columns at least",
                    instead="n_components as an integer or as a share of variance",
                )
            return lambda values: by_evidence(values, n)
        number = isinstance(asked, Real) and not isinstance(asked, bool | np.bool_)
        if number and not isinstance(asked, Integral) and 0.0 < asked < 1.0 and solver in SOLVERS[:3]:
            return lambda values: by_share(values, float(asked))
        if number and isinstance(asked, Integral) and 1 <= asked <= most - (solver == "arpack"):
            return int(asked)
        raise self._refused(asked, number, n, p, solver)

    def _refused(self, asked, number, n, p, solver):
        known = number or (isinstance(asked, str) and asked == "mle")
        if known and not isinstance(asked, Integral) and solver not in SOLVERS[:3]:
            because = f"svd_solver={solver!r} does not find all variances, on which this number depends"
        elif solver == "arpack":
            because = f"svd_solver='arpack' finds 1 to min(n, p) - 1 = {min(n, p) - 1} components"
        else:
            because = f"X has min(n, p) = {min(n, p)} components"
        return cannot(
            f"fit PCA with n_components={asked!r} to X of shape ({n}, {p})",
            because=because,
            instead=f"an integer from 1 to {min(n, p)}, a share in (0, 1), 'mle' or None, with svd_solver='auto'",
            kind=ValueError if known else WrongType,
        )

    def _sketch(self):
        steps = self.iterated_power
        if not (isinstance(steps, str) and steps == "auto"):
            steps = check_number(self, "iterated_power", 0, integer=True)
        random = check_random_state(0 if self.random_state is None else self.random_state)
        oversamples = check_number(self, "n_oversamples", 1, integer=True)
        return Sketch(random, oversamples, None if isinstance(steps, str) else steps)

    def _coordinates(self, X):
        mean, axes = (part.astype(np.float64, copy=False) for part in (self.mean_, self.components_))
        Z = Centred(as_design(X), mean).times(axes.T)
        if self.whiten:
            scale = np.sqrt(self.explained_variance_)
            Z = np.divide(Z, scale, out=np.zeros_like(Z), where=scale > 0.0)
        return Z.astype(X.dtype, copy=False)

    def _inverse_variances(self):
        """1/λ of the axes and 1/v of all other directions; 0 for these where there are none."""
        check_is_fitted(self)
        variances, noise = self.explained_variance_, self.noise_variance_
        elsewhere = self.n_features_in_ > self.n_components_
        if not variances.all() or (elsewhere and noise == 0.0):
            raise cannot(
                "give a density or a precision",
                because=f"the covariance is singular: its rank is {np.count_nonzero(variances)}"
                f" of {self.n_features_in_}, and no noise is left over",
                instead="n_components below the rank of X",
            )
        return 1.0 / variances, 1.0 / noise if elsewhere else 0.0
