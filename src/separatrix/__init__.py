"""separatrix: linear models that prove their answers, and what grows out of them.

>>> import separatrix
>>> {"linear_model", "verify", "save", "load"} <= set(dir(separatrix))
True
"""

from importlib import import_module

__version__ = "0.2.0"

# Public rooms and names, imported when first asked for: `import separatrix` itself costs nothing.
_ROOMS = (
    "linear_model",
    "local",
    "discriminant_analysis",
    "preprocessing",
    "calibration",
    "multiclass",
    "neighbors",
    "decomposition",
    "naive_bayes",
    "pipeline",
    "model_selection",
    "metrics",
    "compose",
    "impute",
    "feature_selection",
    "svm",
    "tree",
    "ensemble",
    "neural_network",
    "graphical",
    "kernels",
    "kernel_ridge",
    "kernel_approximation",
    "inference",
    "decision",
    "solvers",
    "designs",
    "datasets",
    "tables",
    "assess",
    "persist",
    "plots",
    "report",
)
_NAMES = {
    "verify": "separatrix.estimators.verify",
    "save": "separatrix.persist",
    "load": "separatrix.persist",
}

__all__ = ["__version__", *_ROOMS, *_NAMES]


def __getattr__(name):
    if name in _ROOMS:
        return import_module(f"separatrix.{name}")
    if name in _NAMES:
        return getattr(import_module(_NAMES[name]), name)
    raise AttributeError(f"module 'separatrix' has no attribute {name!r}")


def __dir__():
    return sorted(__all__)
