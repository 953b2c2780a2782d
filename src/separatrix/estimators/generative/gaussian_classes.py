"""What models of normal classes with covariances of their own share: densities, draws, divisors, warnings."""

import warnings

import numpy as np
from scipy.linalg import svd
from sklearn.utils.validation import check_is_fitted

from separatrix.core.blocks import short_blocks
from separatrix.core.certificate import closed_form, warn_if_not_certified
from separatrix.core.errors import SingularClasses, cannot
from separatrix.core.threads import parallel_map
from separatrix.core.types import Array, MatrixLike
from separatrix.designs import as_design
from separatrix.estimators.generative.base import Generative
from separatrix.estimators.generative.within import name_columns
from separatrix.prediction.normal_classes import log_densities

# Of the residual W'ΣW - I, the relative error of a variance: log-densities are right to as many digits. Well-behaved
# covariances come out at 1e-14; those of classes that are nearly flat, singular values of 1e-8, cannot reach 1e-8.
TOLERANCE = 1e-6


class GaussianClasses(Generative):
    r"""Normal classes, :math:`x \mid C_k \sim N(\mu_k, \Sigma_k)`, held as sphering maps (``_spheres``)."""

    def _log_joint(self, X):
        design, spheres = as_design(X), self._spheres
        of_rows = log_densities(spheres.means, spheres.maps, spheres.log_determinants)
        blocks = short_blocks(design.n, design.p)
        return np.concatenate(parallel_map(lambda rows: of_rows(design.block(rows)), blocks)) + self._log_shares()

    def _draw(self, code, size, random):
        root = self._spheres.root(code)
        return self._spheres.means[code] + random.standard_normal((size, len(root))) @ root

    def decision_function(self, X: MatrixLike) -> Array:
        r"""For two classes the log-odds of ``classes_[1]`` (n,), else the discriminants :math:`\delta_k(x)` (n, k)."""
        scores = super().decision_function(X)
        # log P(x, C_k) and δ_k differ by the constant that all normal densities share
        return scores if scores.ndim == 1 else scores + 0.5 * self._spheres.dimension * np.log(2.0 * np.pi)

    @property
    def rotations_(self) -> list[Array]:
        """Principal axes of each class, as columns of a (p, rank) array: made when asked for."""
        return [axes for axes, _ in self._principal_axes()]

    @property
    def scalings_(self) -> list[Array]:
        """Variances along the principal axes of each class, largest first."""
        return [variances for _, variances in self._principal_axes()]

    def _principal_axes(self):
        check_is_fitted(self)
        roots = (self._spheres.root(c) for c in range(len(self.classes_)))
        decompositions = (svd(root, full_matrices=False, check_finite=False) for root in roots)
        return [(axes.T, sizes**2) for _, sizes, axes in decompositions]

    @property
    def n_parameters_(self) -> int:
        r""":math:`kM + kM(M+1)/2 + k - 1`: means, covariances and shares, of the M columns in use."""
        check_is_fitted(self)
        k, M = len(self.classes_), self._spheres.dimension
        return k * M + k * M * (M + 1) // 2 + k - 1

    @property
    def n_boundary_parameters_(self) -> int:
        r""":math:`(k - 1)(M(M+3)/2 + 1)`: what the differences of k quadratic discriminants are made of."""
        check_is_fitted(self)
        M = self._spheres.dimension
        return (len(self.classes_) - 1) * (M * (M + 3) // 2 + 1)

    def _publish(self, moments, spheres, covariances, of_rows, started, dtype, stacklevel=3):
        """Set means, priors, stored covariances and the certificate; warn of what the data did not determine.

        `of_rows` gives the residual of a class from the rows, or is None where there are covariances only.
        """
        self._spheres = spheres
        self.means_ = np.asarray(moments.means, dtype=dtype)
        self.priors_ = self._shares(moments.totals)
        self._warn_of_what_is_not_determined(stacklevel + 1)
        if self.store_covariance:
            self.covariance_ = [
                C if rank == self.n_features_in_ else spheres.root(c).T @ spheres.root(c)
                for c, (C, rank) in enumerate(zip(covariances, spheres.ranks, strict=True))
            ]
        self.certificate_ = _certificate(spheres, covariances, of_rows, started)
        instead = "Drop columns that are nearly combinations of others, or use reg_param."
        warn_if_not_certified(self.certificate_, instead, stacklevel)
        return self

    def _parts_of_covariance(self):
        """How much of its own covariance a class has, and how much of the pooled one."""
        return 1.0, 0.0

    def _blended(self, matrices, moments, design, target):
        """Covariances (k, p, p) as the parameters change them, or None if they do not."""
        return None

    def _some_rank(self, factor):
        """A pooled factor, unless there is nothing in it."""
        if not len(factor.kept):
            raise cannot(
                f"fit {type(self).__name__}",
                because="every column is constant within every class: there is no covariance",
                instead="columns that vary within some class",
            )
        return factor

    def _warn_of_what_is_not_determined(self, stacklevel):
        spheres = self._spheres
        if len(spheres.constant) or len(spheres.aliased):
            name_columns(self, spheres.constant, spheres.aliased, stacklevel=stacklevel + 1)
        short = np.flatnonzero(spheres.ranks < spheres.dimension)
        if len(short):
            said = SingularClasses(self.classes_[short].tolist(), spheres.ranks[short], spheres.dimension)
            warnings.warn(said, stacklevel=stacklevel)


def divisors(moments, denominator):
    """What the scatters of the classes (k,), and their sum, are divided by: ``N_k - 1`` and ``N - K``, or N_k and N."""
    if denominator == "N":
        return moments.totals, moments.total
    each, present = moments.totals - 1.0, moments.totals > 0.0
    varies = moments.scatter.reshape(len(each), -1).any(axis=1)
    rest = moments.total - present.sum()
    if (varies & (each <= 0.0)).any() or (varies.any() and rest <= 0.0):
        raise cannot(
            "divide scatters by the weights of the classes less 1",
            because=f"a class has the weight {moments.totals[varies].min():g}",
            instead="denominator='N', or weights that count rows",
        )
    return each.clip(min=0.0), max(float(rest), 0.0)


def covariances(scatter, each):
    """``S_c / divisor`` for each class (k, p, p); 0 where a class has nothing to be divided."""
    shares = np.divide(1.0, each, out=np.zeros_like(each), where=each > 0.0)
    return scatter * shares[:, None, None]


def _certificate(spheres, matrices, of_rows, started):
    """The largest residual of ``W' Σ W = I`` over the classes.

    Where Σ is too badly conditioned to tell, the rows are asked; where there are none, the rounding of Σ is tolerated.
    """
    values, tolerance, passes = [], TOLERANCE, 1
    for c, C in enumerate(matrices):
        value = spheres.residual(c, C)
        if value > TOLERANCE and of_rows is not None:
            value, passes = of_rows(c), passes + 1
        elif value > TOLERANCE:
            tolerance = max(tolerance, spheres.rounding(c, C))
        values.append(value)
    return closed_form(max(values), tolerance, started=started, passes=passes)
