r"""Further kernels by the names of scikit-learn: of distances, of angles, and functions of two rows."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.spatial.distance import cdist

from separatrix.core.refusal import cannot
from separatrix.core.registry import register
from separatrix.core.types import Array
from separatrix.designs.kernels import Kernel, products, squares
from separatrix.designs.sparse import as_dense


@register("kernel")
@dataclass(frozen=True)
class Laplacian(Kernel):
    r""":math:`k(x, z) = e^{-\gamma \sum_j |x_j - z_j|}`."""

    gamma: float = 1.0

    @property
    def is_mercer(self) -> bool:  # type: ignore[override]
        return self.gamma >= 0.0

    def block(self, X: Any, Z: Any) -> Array:
        return np.exp(-self.gamma * cdist(as_dense(X), as_dense(Z), "cityblock"))

    def diagonal(self, X: Any) -> Array:
        return np.ones(X.shape[0])


@register("kernel")
@dataclass(frozen=True)
class Cosine(Kernel):
    r""":math:`k(x, z) = x'z / (|x|\,|z|)`; 0 where a row is zero."""

    def block(self, X: Any, Z: Any) -> Array:
        return _inverse_lengths(X)[:, None] * products(X, Z) * _inverse_lengths(Z)

    def diagonal(self, X: Any) -> Array:
        return (squares(X) > 0.0).astype(np.float64)


@register("kernel")
@dataclass(frozen=True)
class Chi2(Kernel):
    r""":math:`k(x, z) = e^{-\gamma \sum_j (x_j - z_j)^2 / (x_j + z_j)}`, of rows without negative numbers."""

    gamma: float = 1.0
    is_mercer = False  # it is one in exact arithmetic; rounding of small denominators is not bounded here

    def block(self, X: Any, Z: Any) -> Array:
        from sklearn.metrics.pairwise import chi2_kernel  # which compiles nothing and imports much

        return np.asarray(chi2_kernel(as_dense(X), as_dense(Z), gamma=self.gamma))

    def diagonal(self, X: Any) -> Array:
        return np.ones(X.shape[0])


@register("kernel")
@dataclass(frozen=True)
class AdditiveChi2(Kernel):
    r""":math:`k(x, z) = -\sum_j (x_j - z_j)^2 / (x_j + z_j)`, of rows without negative numbers; no Mercer kernel."""

    is_mercer = False

    def block(self, X: Any, Z: Any) -> Array:
        from sklearn.metrics.pairwise import additive_chi2_kernel

        return np.asarray(additive_chi2_kernel(as_dense(X), as_dense(Z)))

    def diagonal(self, X: Any) -> Array:
        return np.zeros(X.shape[0])


@register("kernel")
@dataclass(frozen=True)
class OfTwoRows(Kernel):
    """A function ``(x, z, **options) -> number`` of two rows that a user wrote, as scikit-learn's KernelRidge takes."""

    function: Callable[..., Any]
    options: dict[str, Any] = field(default_factory=dict)
    is_mercer = False

    def block(self, X: Any, Z: Any) -> Array:
        return np.array([[self._value(x, z) for z in _each(Z)] for x in _each(X)]).reshape(X.shape[0], Z.shape[0])

    def diagonal(self, X: Any) -> Array:
        return np.array([self._value(x, x) for x in _each(X)])

    def _value(self, x: Any, z: Any) -> float:
        value = np.asarray(self.function(x, z, **self.options))
        if value.size != 1 or value.dtype.kind not in "fiub":
            raise cannot(
                f"use the kernel {self.function!r}",
                because=f"of two rows it gave {value.dtype} of shape {value.shape}",
                instead="a function of two rows that returns one number",
            )
        if not np.isfinite(value).all():
            raise cannot(
                f"use the kernel {self.function!r}",
                because=f"of two rows it gave {value.item()}",
                instead="a function that is finite on all rows",
            )
        return float(value.item())


def _inverse_lengths(X: Any) -> Array:
    lengths = np.sqrt(squares(X))
    return np.divide(1.0, lengths, out=np.zeros_like(lengths), where=lengths > 0.0)


def _each(X: Any) -> Any:
    """Rows one by one: vectors of a dense array, and matrices of one row of a sparse one."""
    return X if isinstance(X, np.ndarray) else [X[[i]] for i in range(X.shape[0])]
