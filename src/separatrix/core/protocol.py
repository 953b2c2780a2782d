"""What objects of other libraries can do: the one place where they are asked, by the protocols that they follow."""

from typing import Any


def can(thing: Any, method: str) -> bool:
    """Whether an object has a method; of a model of scikit-learn's contract this may depend on its parameters.

    >>> can([], "append"), can([], "predict_proba")
    (True, False)
    """
    return hasattr(thing, method)


def is_frame(data: Any) -> bool:
    """Whether data are a frame, with named columns (pandas, polars, pyarrow, or ours)."""
    return hasattr(data, "columns")


def is_sparse(data: Any) -> bool:
    """Whether data are a matrix of scipy.sparse."""
    return hasattr(data, "tocsr")


def row_count(data: Any) -> int:
    """Rows of an array, a frame or a list."""
    return int(data.shape[0]) if hasattr(data, "shape") else len(data)


def fitted_attribute(model: Any, name: str, default: Any = None) -> Any:
    """An attribute that a fit sets, or not: of the model itself, or computed by its class."""
    return getattr(model, name, default)


def column_names(model: Any, p: int) -> list[str]:
    """Names of the p columns that a model was fitted to; x0, x1, ... where X had none."""
    names = vars(model).get("feature_names_in_")
    return [f"x{j}" for j in range(p)] if names is None else [str(name) for name in names]
