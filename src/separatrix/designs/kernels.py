r"""Mercer kernels: functions of two rows that are products in some feature space, :math:`k(x, z) = \phi(x)'\phi(z)`."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from separatrix.core.errors import cannot
from separatrix.core.types import Array


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


@dataclass(frozen=True)
class Linear(Kernel):
    r""":math:`k(x, z) = x'z`."""

    def block(self, X: Any, Z: Any) -> Array:
        return products(X, Z)

    def diagonal(self, X: Any) -> Array:
        return squares(X)


@dataclass(frozen=True)
class Polynomial(Kernel):
    r""":math:`k(x, z) = (\gamma x'z + c)^d`; positive semidefinite for :math:`\gamma > 0, c \ge 0` and a whole d."""

    degree: float = 3
    gamma: float = 1.0
    coef0: float = 0.0

    @property
    def is_mercer(self) -> bool:  # type: ignore[override]
        return self.coef0 >= 0.0 and float(self.degree).is_integer()

    def block(self, X: Any, Z: Any) -> Array:
        return np.asarray((self.gamma * products(X, Z) + self.coef0) ** self.degree)

    def diagonal(self, X: Any) -> Array:
        return np.asarray((self.gamma * squares(X) + self.coef0) ** self.degree)


@dataclass(frozen=True)
class Gaussian(Kernel):
    r""":math:`k(x, z) = e^{-\gamma |x - z|^2}`."""

    gamma: float = 1.0

    def block(self, X: Any, Z: Any) -> Array:
        K = products(X, Z)  # and then in place: fresh arrays would cost more than the exponentials (measured: 3 times)
        K *= 2.0 * self.gamma
        K -= (self.gamma * squares(X))[:, None]
        K -= self.gamma * squares(Z)
        np.minimum(K, 0.0, out=K)
        return np.asarray(np.exp(K, out=K))

    def diagonal(self, X: Any) -> Array:
        return np.ones(X.shape[0], dtype=X.dtype)


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


@dataclass(frozen=True)
class Custom(Kernel):
    """A function ``(X, Z) -> (len X, len Z)`` that a user wrote; whether it is a Mercer kernel is not known."""

    function: Callable[[Any, Any], Any]
    is_mercer = False

    def block(self, X: Any, Z: Any) -> Array:
        values = np.asarray(self.function(X, Z))
        if values.shape != (X.shape[0], Z.shape[0]) or values.dtype.kind not in "fiub":
            raise cannot(
                f"use the kernel {self.function!r}",
                because=f"of {X.shape[0]} and {Z.shape[0]} rows it gave {values.dtype} of shape {values.shape}",
                instead=f"a function that returns numbers of shape ({X.shape[0]}, {Z.shape[0]})",
            )
        if not np.all(np.isfinite(values)):
            raise cannot(
                f"use the kernel {self.function!r}",
                because="it gave numbers that are not finite",
                instead="a function that is finite on all rows",
            )
        return values.astype(np.float64)

    def diagonal(self, X: Any) -> Array:
        return np.array([self.block(X[i : i + 1], X[i : i + 1])[0, 0] for i in range(X.shape[0])])
