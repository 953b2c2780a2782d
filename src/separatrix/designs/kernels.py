r"""Mercer kernels: functions of two rows that are products in some feature space, :math:`k(x, z) = \phi(x)'\phi(z)`."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.spatial.distance import cdist

from separatrix.core.errors import cannot
from separatrix.core.registry import register
from separatrix.core.types import Array
from separatrix.designs.sparse import as_dense

# Above this γ|x|² products of rows lose more than four digits of a Gaussian, and distances are made of differences.
FAR = 1e4


def products(X: Any, Z: Any) -> Array:
    """``X Z'`` of rows stored densely or sparsely, dense."""
    product = X @ Z.T
    return np.asarray(product if isinstance(product, np.ndarray) else product.toarray())


def squares(X: Any) -> Array:
    """``|x_i|²`` of every row."""
    if isinstance(X, np.ndarray):
        return np.asarray(np.einsum("ij,ij->i", X, X))
    return np.asarray(X.multiply(X).sum(axis=1)).ravel()


class Kernel(ABC):
    """A function k(x, z) of two rows.

    Attributes
    ----------
    is_mercer : bool.  Whether every matrix of its values is positive semidefinite, rounding aside.
    """

    is_mercer: bool = True

    @abstractmethod
    def block(self, X: Any, Z: Any) -> Array:
        """``k(x_i, z_j)`` for rows of X and Z, in the type of their numbers: (len X, len Z)."""

    @abstractmethod
    def diagonal(self, X: Any) -> Array:
        """``k(x_i, x_i)`` for every row of X."""

    def points(self, X: Any) -> Any:
        """Rows z_i such that k(x_i, x_j) is :meth:`curve` of ``left_factors(z_i)'z_j``; None where it is none."""
        return None

    def left_factors(self, points: Any) -> Any:
        """The left factors of such products, of some rows of :meth:`points`."""
        return points

    def curve(self, products: Array) -> None:
        """Turn products of points into values of the kernel, in place."""
        raise NotImplementedError

    def entry_error(self, X: Any) -> float:
        """What rounding may do to a value of the kernel of these rows, in units of the precision."""
        return 4.0 * float(np.abs(self.diagonal(X)).max(initial=0.0))


@register("kernel")
@dataclass(frozen=True)
class Linear(Kernel):
    r""":math:`k(x, z) = x'z`."""

    def block(self, X: Any, Z: Any) -> Array:
        return products(X, Z)

    def diagonal(self, X: Any) -> Array:
        return squares(X)

    def points(self, X: Any) -> Any:
        return X

    def curve(self, products: Array) -> None:
        """The products are the values."""


@register("kernel")
@dataclass(frozen=True)
class Polynomial(Kernel):
    r""":math:`k(x, z) = (\gamma x'z + c)^d`; positive semidefinite for :math:`\gamma > 0, c \ge 0` and a whole d."""

    degree: float = 3
    gamma: float = 1.0
    coef0: float = 0.0

    @property
    def is_mercer(self) -> bool:  # type: ignore[override]
        return self.gamma >= 0.0 and self.coef0 >= 0.0 and self.degree >= 0.0 and float(self.degree).is_integer()

    def block(self, X: Any, Z: Any) -> Array:
        return np.asarray((self.gamma * products(X, Z) + self.coef0) ** self.degree)

    def diagonal(self, X: Any) -> Array:
        return np.asarray((self.gamma * squares(X) + self.coef0) ** self.degree)

    def points(self, X: Any) -> Any:
        return X

    def curve(self, products: Array) -> None:
        products *= self.gamma
        products += self.coef0
        if self.degree in (2, 3, 4):  # products are ten times as fast as powers
            base = products.copy()
            for _ in range(int(self.degree) - 1):
                products *= base
        elif self.degree != 1:
            np.power(products, self.degree, out=products)

    def entry_error(self, X: Any) -> float:
        return (4.0 + 2.0 * self.degree) * float(np.abs(self.diagonal(X)).max(initial=0.0))


@register("kernel")
@dataclass(frozen=True)
class Gaussian(Kernel):
    r""":math:`k(x, z) = e^{-\gamma |x - z|^2}`."""

    gamma: float = 1.0

    @property
    def is_mercer(self) -> bool:  # type: ignore[override]
        return self.gamma >= 0.0

    def block(self, X: Any, Z: Any) -> Array:
        if isinstance(X, np.ndarray) and isinstance(Z, np.ndarray) and len(Z):
            origin = Z.mean(axis=0, dtype=np.float64)  # the kernel ignores a shift, and products near 0 keep digits
            X, Z = X - origin, Z - origin
        mine, other = squares(X), squares(Z)
        if self._is_far(mine, other):
            return np.exp(-self.gamma * cdist(as_dense(X), as_dense(Z), "sqeuclidean"))
        K = products(X, Z)  # and then in place: fresh arrays would cost more than the exponentials (measured: 3 times)
        K *= 2.0 * self.gamma
        K -= (self.gamma * mine)[:, None]
        K -= self.gamma * other
        if self.gamma > 0.0:
            np.minimum(K, 0.0, out=K)
        return np.asarray(np.exp(K, out=K))

    def diagonal(self, X: Any) -> Array:
        return np.ones(X.shape[0], dtype=X.dtype)

    def points(self, X: Any) -> Any:
        """``(√2γ x, -γ|x|², 1)``: with the last two columns changed places on the left, products are ``-γ|x - z|²``.

        None where products would lose too many digits.
        """
        X = _centred(X)
        lengths, ones = squares(X)[:, None], np.ones((X.shape[0], 1), dtype=X.dtype)
        if self._is_far(lengths):
            return None
        norms = -self.gamma * lengths
        scaled = X * np.sqrt(2.0 * self.gamma)
        if isinstance(X, np.ndarray):
            return np.hstack([scaled, norms, ones])
        return sp.hstack([scaled, norms, ones], format="csr")

    def _is_far(self, *lengths: Array) -> bool:
        return any(float(np.abs(self.gamma * each).max(initial=0.0)) > FAR for each in lengths)

    def left_factors(self, points: Any) -> Any:
        p = points.shape[1] - 2
        return points[:, [*range(p), p + 1, p]]

    def curve(self, products: Array) -> None:
        np.exp(products, out=products)  # that rounding may leave a square below 0 is part of the entry's error

    def entry_error(self, X: Any) -> float:
        lengths = squares(_centred(X))
        # of differences u = γ|x - z|² has p roundings, and u e^{-u} is at most 0.4
        return 4.0 + (X.shape[1] if self._is_far(lengths) else 2.0 * self.gamma * float(lengths.max(initial=0.0)))


def _centred(X: Any) -> Any:
    """Rows about their mean, in float64; those of a sparse matrix as they are."""
    return X - X.mean(axis=0, dtype=np.float64) if isinstance(X, np.ndarray) and len(X) else X.astype(np.float64)


@register("kernel")
@dataclass(frozen=True)
class Sigmoid(Kernel):
    r""":math:`k(x, z) = \tanh(\gamma x'z + c)`, which is no Mercer kernel."""

    gamma: float = 1.0
    coef0: float = 0.0
    is_mercer = False

    def block(self, X: Any, Z: Any) -> Array:
        return np.asarray(np.tanh(self.gamma * products(X, Z) + self.coef0))

    def diagonal(self, X: Any) -> Array:
        return np.asarray(np.tanh(self.gamma * squares(X) + self.coef0))

    def points(self, X: Any) -> Any:
        return X

    def curve(self, products: Array) -> None:
        products *= self.gamma
        products += self.coef0
        np.tanh(products, out=products)


@register("kernel")
@dataclass(frozen=True)
class Custom(Kernel):
    """A function ``(X, Z) -> (len X, len Z)`` that a user wrote; whether it is a Mercer kernel is not known."""

    function: Callable[[Any, Any], Any]
    is_mercer = False

    def block(self, X: Any, Z: Any) -> Array:
        return checked_values(self.function, np.asarray(as_dense(self.function(X, Z))), (X.shape[0], Z.shape[0]))

    def diagonal(self, X: Any) -> Array:
        return np.array([self.block(X[i : i + 1], X[i : i + 1])[0, 0] for i in range(X.shape[0])])


def checked_values(function: Any, values: Array, shape: tuple[int, int]) -> Array:
    """What a user's function gave for so many rows on either side, as float64; refused where it is no such matrix."""
    if values.shape != shape or values.dtype.kind not in "fiub":
        raise cannot(
            f"use the kernel {function!r}",
            because=f"of {shape[0]} and {shape[1]} rows it gave {values.dtype} of shape {values.shape}",
            instead=f"a function that returns numbers of shape {shape}",
        )
    if not np.all(np.isfinite(values)):
        raise cannot(
            f"use the kernel {function!r}",
            because="it gave numbers that are not finite",
            instead="a function that is finite on all rows",
        )
    return values.astype(np.float64)
