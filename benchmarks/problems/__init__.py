"""The problems by group, one file per family."""

GROUPS = {
    "ols": "least_squares",
    "ridge": "ridge",
    "ridgecv": "ridge_cv",
    "lasso": "lasso",
    "lasso_path": "lasso_path",
}


def problems(group):
    """The size variants of a group; imported on demand, for a measured process reads this package too."""
    from importlib import import_module

    return import_module(f"benchmarks.problems.{GROUPS[group]}").PROBLEMS
