"""The problems by group, one file per family."""

GROUPS = {
    "ols": "least_squares",
    "ridge": "ridge",
    "ridgecv": "ridge_cv",
    "lasso": "lasso",
    "lasso_path": "lasso_path",
    "logistic": "logistic",
    "multinomial": "multinomial",
    "logistic_l1": "logistic_l1",
    "likelihood": "likelihood",
    "one_pass": "one_pass",
}


def problems(group):
    """The size variants of a group; imported on demand, for a measured process reads this package too."""
    from importlib import import_module

    return import_module(f"benchmarks.problems.{GROUPS[group]}").PROBLEMS
