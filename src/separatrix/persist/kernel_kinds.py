"""What the parameters of a stored kernel are: a kernel is an object by itself, and may hold kernels."""

from typing import Any

from separatrix.persist.kinds import Kind, Sizes, holds, number
from separatrix.prediction.kernels import taken_apart


def kernel(value: Any, sizes: Sizes) -> bool:
    """A kernel of the table below, or the word of a matrix that was given.

    Functions and kernels of a user's, which no file holds, are for the writer to refuse.
    """
    if isinstance(value, str):
        return value == "precomputed"
    name, parameters = taken_apart(value)
    kinds = KERNELS.get(f"kernel:{name}")
    if kinds is None:
        return callable(value) or _is_kernel(value)
    return set(parameters) == set(kinds) and holds(parameters, kinds, {})


def _is_kernel(value: Any) -> bool:
    from separatrix.designs.kernels import Kernel  # scipy, which a light reader does without

    return isinstance(value, Kernel)


KERNELS: dict[str, dict[str, Kind]] = {
    **{f"kernel:{name}": {} for name in ("Linear", "Cosine", "AdditiveChi2")},
    **{f"kernel:{name}": {"gamma": number(0.0)} for name in ("Gaussian", "Laplacian", "Chi2")},
    "kernel:Polynomial": {"degree": number(0.0), "gamma": number(), "coef0": number()},
    "kernel:Sigmoid": {"gamma": number(), "coef0": number()},
    "kernel:Sum": {"left": kernel, "right": kernel},
    "kernel:Product": {"left": kernel, "right": kernel},
    "kernel:Scaled": {"kernel": kernel, "factor": number(0.0)},
}
