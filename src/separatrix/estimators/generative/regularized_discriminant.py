r"""Regularised discriminants: covariances between that of all classes and that of each, ``αΣ_k + (1 - α)Σ``."""

import time
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import logsumexp
from sklearn.utils.validation import check_is_fitted

from separatrix.core.blocks import short_blocks
from separatrix.core.cached import cached_property
from separatrix.core.declaration import CLASSES, declares
from separatrix.core.errors import cannot
from separatrix.core.threads import one_blas_thread, parallel_map
from separatrix.core.types import MatrixLike
from separatrix.designs import as_design, class_moments
from separatrix.estimators import verification
from separatrix.estimators.generative.gaussian_classes import GaussianClasses, covariances, divisors
from separatrix.estimators.probabilities import same_length
from separatrix.estimators.validation import (
    check_choice,
    check_number,
    encode,
    validate_class_target,
    validate_rows,
    validate_weights,
)
from separatrix.prediction import forms
from separatrix.solvers.linalg.class_spheres import Spectra, class_spectra, for_each_class, matrix_spheres
from separatrix.solvers.linalg.scatter import class_factor, settled, within_factor

# scikit-learn's log loss takes no probability for smaller than this.
SMALLEST = float(np.log(np.finfo(np.float64).eps))


@declares(
    task="classification",
    sums=("designs.class_moments",),
    solvers=("solvers.linalg.scatter", "solvers.linalg.class_spheres"),
    prediction=forms.NORMAL_CLASSES,
    verification=verification.OF_QUADRATIC_DISCRIMINANT,
    description=CLASSES,
)
class RegularizedDiscriminantAnalysis(GaussianClasses):
    r"""Normal classes whose covariances lie between the pooled one and their own.

    .. math:: \Sigma_k(\alpha) = \alpha \Sigma_k + (1 - \alpha) \Sigma

    ``alpha=0`` is linear discriminant analysis, ``alpha=1`` quadratic. One pass over X; when :meth:`path` is asked for,
    pooled and own covariance of each class are made diagonal together, so that every other alpha is known as well.
    Columns that are constant within every class, or combinations of others, are left out and named. Below 1 it does
    not matter that a class has few rows; at 1 such a class takes the pooled covariance in the directions that its rows
    do not determine.

    Parameters
    ----------
    alpha : float, [0, 1], default 0.5.  How much of its own covariance a class has.
    priors : (k,) array or None, default None.  Shares of the classes; None takes those of the rows.
    store_covariance : bool, default False.  Whether to keep ``covariance_``.
    denominator : {"N", "N-K"}, default "N".  "N": maximum likelihood, as scikit-learn 1.9; "N-K": unbiased, the
        pooled scatter is divided by N - K and that of each class by :math:`N_k - 1`.

    Attributes
    ----------
    classes_ : (k,) array.  priors_ : (k,) array.  means_ : (k, p) array.
    covariance_ : list of k (p, p) arrays, if stored.
    rotations_, scalings_ : lists of k arrays.  Principal axes and the variances along them.
    n_parameters_, n_boundary_parameters_ : int.  As a model of P(x, C), and of its boundaries.
    certificate_ : Certificate.  The largest :math:`\|W_k^\top \Sigma_k(\alpha) W_k - I\|` of the maps in use.
    n_features_in_, feature_names_in_ : as in scikit-learn.

    References: Friedman (1989), J. Amer. Statist. Assoc. 84(405); Hastie, Tibshirani and Friedman (2009), eq. 4.13.

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([0, 1, 2], 40)
    >>> X = rng.standard_normal((120, 3)) * (1 + y[:, None]) + y[:, None]
    >>> model = RegularizedDiscriminantAnalysis(alpha=0.7).fit(X, y)
    >>> model.path([0.0, 0.7, 1.0]).score(X, y).round(2)
    array([0.53, 0.68, 0.7 ])
    """

    def __init__(
        self,
        alpha: float = 0.5,
        *,
        priors: ArrayLike | None = None,
        store_covariance: bool = False,
        denominator: str = "N",
    ) -> None:
        self.alpha = alpha
        self.priors = priors
        self.store_covariance = store_covariance
        self.denominator = denominator

    def fit(self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit to X (n, p) and labels y (n,); a weight is a repetition."""
        started = time.perf_counter()
        alpha = check_number(self, "alpha", 0.0, 1.0)
        self._check_choices()
        design, target = validate_class_target(self, X, y, sample_weight, sparse=False, summed=True)
        with one_blas_thread():
            moments = class_moments(design, target, len(self.classes_), scatter="each")
            return self._fit_at(alpha, moments, design, target, started)

    def path(self, alphas: ArrayLike) -> "RegularizedPath":
        """The fitted classes at other alphas: a :class:`RegularizedPath`, without another look at the data."""
        check_is_fitted(self)
        return RegularizedPath(self, validate_alphas(alphas), self._spectra, self._log_shares())

    def _parts_of_covariance(self):
        return self.alpha, 1.0 - self.alpha

    def _check_choices(self):
        check_choice(self, "store_covariance", (False, True))
        check_choice(self, "denominator", ("N", "N-K"))

    def _fit_at(self, alpha, moments, design, target, started):
        self._parts = self._factors(moments, design, target)
        self.__dict__.pop("_spectra", None)
        each, whole = divisors(moments, self.denominator)
        matrices = alpha * covariances(moments.scatter, each)
        matrices += (1.0 - alpha) * moments.pooled.scatter / whole
        # one alpha needs no decomposition, unless there is something singular in it
        spheres = matrix_spheres(moments.means, matrices) or self._spectra.spheres(alpha)

        def of_rows(c):
            own = alpha / each[c] if each[c] > 0.0 else 0.0
            return spheres.residual_of_rows(c, design, target, own, (1.0 - alpha) / whole)

        return self._publish(moments, spheres, matrices, of_rows, started, design.dtype, stacklevel=4)

    def _factors(self, moments, design, target):
        """Means, and the factors of all scatters with their divisors: what :func:`class_spectra` is made of."""
        each, whole = divisors(settled(moments, design.n), self.denominator)
        pooled = self._some_rank(within_factor(moments, design, target))
        k, p = moments.means.shape
        sizes = target.class_sizes(k)
        factors = for_each_class(lambda c: class_factor(moments, c, design, target, sizes[c]), k, p)
        return moments.means, factors, each, pooled, whole

    @cached_property
    def _spectra(self):
        """Pooled and own covariances, diagonal together: all alphas at once."""
        with one_blas_thread():
            return class_spectra(*self._parts)


@dataclass(frozen=True)
class RegularizedPath:
    """A fitted regularised discriminant at many alphas.

    Each row is projected once for all of them: squared coordinates times the inverse variances of every alpha.
    """

    model: GaussianClasses
    alphas: np.ndarray
    spectra: Spectra
    log_shares: np.ndarray

    def predict(self, X):
        """The class of each row for each alpha: (n, alphas)."""
        return self.model.classes_[self._by_blocks(X, _decided)]

    def predict_joint_log_proba(self, X):
        """``log P(x, C_k)`` for each row, class and alpha: (n, k, alphas)."""
        return self._by_blocks(X, np.asarray)

    def _by_blocks(self, X, of_joint):
        design = as_design(validate_rows(self.model, X, sparse=False))
        parts = parallel_map(lambda rows: of_joint(self._log_joint(design.block(rows))), self._blocks(design.n))
        return np.concatenate(parts)

    def score(self, X, y, sample_weight=None):
        """Share of the rows that each alpha predicts rightly: (alphas,)."""
        return self._summed(X, y, sample_weight)[0]

    def log_loss(self, X, y, sample_weight=None):
        """Mean of minus the log-posterior of the true class for each alpha: (alphas,).

        As in scikit-learn, no posterior is taken for smaller than the precision of a number, 2e-16.
        """
        return self._summed(X, y, sample_weight)[1]

    def _summed(self, X, y, sample_weight):
        design = as_design(validate_rows(self.model, X, sparse=False))
        codes = encode(self.model, y, reset=False)
        same_length(design.n, codes)
        return self.measure(design, np.arange(design.n), codes, validate_weights(sample_weight, design.n))

    def measure(self, design, rows, codes, weights):
        """Accuracy and log loss (2, alphas) on some rows of a design, whose codes and weights are (n,)."""

        def task(block):
            mine = rows[block]
            joint, c, s = self._log_joint(design.block(mine)), codes[mine], weights[mine]
            own = joint[np.arange(len(mine)), c] - logsumexp(joint, axis=1)
            return np.stack([s @ (_decided(joint) == c[:, None]), s @ -own.clip(min=SMALLEST)])

        return sum(parallel_map(task, self._blocks(len(rows)))) / weights[rows].sum()

    def _log_joint(self, B):
        return self.spectra.log_densities(B, self.alphas) + self.log_shares[:, None]

    def _blocks(self, n):
        k, p = self.spectra.means.shape
        return short_blocks(n, max(p, k * len(self.alphas)))


def _decided(joint):
    """Codes (n, alphas) of the largest joint probability; of two equal classes the second, of more the first."""
    if joint.shape[1] == 2:
        return (joint[:, 1] >= joint[:, 0]).astype(int)
    return joint.argmax(axis=1)


def validate_alphas(alphas):
    """Check some numbers of [0, 1], or how many to spread evenly over it; return them as an array."""
    if isinstance(alphas, int | np.integer) and not isinstance(alphas, bool) and alphas >= 2:
        return np.linspace(0.0, 1.0, int(alphas))
    try:
        numbers = np.asarray(alphas, dtype=np.float64)
        legal = numbers.ndim == 1 and len(numbers) > 0 and bool(((numbers >= 0.0) & (numbers <= 1.0)).all())
    except (TypeError, ValueError):
        legal = False
    if not legal:
        raise cannot(
            f"use alphas={alphas!r}",
            because="they are not a list of numbers in [0, 1]",
            instead="such a list, or how many to spread over [0, 1] (2 or more)",
        )
    return numbers
