"""The parameters by which an estimator names its kernel, as scikit-learn has them, and the kernel that they name."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from separatrix.core.errors import WrongType, cannot
from separatrix.designs.distance_kernels import AdditiveChi2, Chi2, Cosine, Laplacian, OfTwoRows
from separatrix.designs.kernels import Gaussian, Kernel, Linear, Polynomial, Sigmoid
from separatrix.estimators.parameters import check_number

PRECOMPUTED = "precomputed"
NAMES = (
    "linear", "poly", "polynomial", "rbf", "sigmoid", "laplacian", "cosine", "chi2", "additive_chi2", PRECOMPUTED,
)  # fmt: skip


def is_precomputed(model: Any) -> bool:
    """Whether the parameter ``kernel`` says that X holds kernel values."""
    return isinstance(model.kernel, str) and model.kernel == PRECOMPUTED


def kernel_of(model: Any, p: int) -> Kernel | str:
    """The kernel of the parameters ``kernel``, ``gamma``, ``degree``, ``coef0`` and ``kernel_params``; "precomputed".

    ``gamma=None`` is 1/p, and 1 for "chi2", as in scikit-learn.
    """
    name, options = model.kernel, model.kernel_params
    if options is not None and not isinstance(options, Mapping):
        raise cannot(
            f"fit {type(model).__name__} with kernel_params={options!r}",
            because="options are passed by their names",
            instead="a dict, or None",
            kind=WrongType,
        )
    if isinstance(name, Kernel):
        return name
    if callable(name):
        return OfTwoRows(name, dict(options or {}))
    if not isinstance(name, str) or name not in NAMES:
        raise cannot(
            f"fit {type(model).__name__} with kernel={name!r}",
            because=f"it is not one of {', '.join(map(repr, NAMES))}",
            instead="one of these, a function of two rows, or a kernel of separatrix.kernels",
            kind=ValueError if isinstance(name, str) else WrongType,
        )
    return PRECOMPUTED if name == PRECOMPUTED else _named(model, name, p)


def _named(model, name, p):
    gamma = check_number(model, "gamma", 0.0, open_low=True, none=True)
    degree = None if model.degree is None else check_number(model, "degree", 0.0)
    coef0 = None if model.coef0 is None else check_number(model, "coef0", -np.inf, open_low=True)
    width = 1.0 / p if gamma is None else gamma
    shift = 1.0 if coef0 is None else coef0
    kernels: dict[str, Callable[[], Kernel]] = {
        "linear": Linear,
        "poly": lambda: Polynomial(3.0 if degree is None else degree, width, shift),
        "rbf": lambda: Gaussian(width),
        "sigmoid": lambda: Sigmoid(width, shift),
        "laplacian": lambda: Laplacian(width),
        "cosine": Cosine,
        "chi2": lambda: Chi2(1.0 if gamma is None else gamma),
        "additive_chi2": AdditiveChi2,
    }
    return kernels["poly" if name == "polynomial" else name]()
