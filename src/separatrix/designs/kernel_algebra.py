r"""Kernels made of kernels: a sum, a product and a positive multiple of Mercer kernels are Mercer kernels.

The feature space of a sum is that of both side by side; of a product, all products of a feature of each.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from separatrix.core.refusal import cannot
from separatrix.core.registry import register
from separatrix.core.types import Array
from separatrix.designs.kernels import Kernel


@register("kernel")
@dataclass(frozen=True)
class Sum(Kernel):
    r""":math:`k(x, z) = k_1(x, z) + k_2(x, z)`."""

    left: Kernel
    right: Kernel

    @property
    def is_mercer(self) -> bool:  # type: ignore[override]
        return self.left.is_mercer and self.right.is_mercer

    def block(self, X: Any, Z: Any) -> Array:
        return self.left.block(X, Z) + self.right.block(X, Z)

    def diagonal(self, X: Any) -> Array:
        return self.left.diagonal(X) + self.right.diagonal(X)


@register("kernel")
@dataclass(frozen=True)
class Product(Kernel):
    r""":math:`k(x, z) = k_1(x, z)\,k_2(x, z)`."""

    left: Kernel
    right: Kernel

    @property
    def is_mercer(self) -> bool:  # type: ignore[override]
        return self.left.is_mercer and self.right.is_mercer

    def block(self, X: Any, Z: Any) -> Array:
        return self.left.block(X, Z) * self.right.block(X, Z)

    def diagonal(self, X: Any) -> Array:
        return self.left.diagonal(X) * self.right.diagonal(X)


@register("kernel")
@dataclass(frozen=True)
class Scaled(Kernel):
    r""":math:`k(x, z) = c\,k_1(x, z)`, with :math:`c > 0`."""

    kernel: Kernel
    factor: float

    def __post_init__(self) -> None:
        if not 0.0 < self.factor < np.inf:
            raise cannot(
                f"scale a kernel by {self.factor!r}",
                because="only a positive multiple of a Mercer kernel is one",
                instead="a finite factor > 0",
            )

    @property
    def is_mercer(self) -> bool:  # type: ignore[override]
        return self.kernel.is_mercer

    def block(self, X: Any, Z: Any) -> Array:
        return self.factor * self.kernel.block(X, Z)

    def diagonal(self, X: Any) -> Array:
        return self.factor * self.kernel.diagonal(X)
