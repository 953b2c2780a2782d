"""A small fit of every kind, so that every compiled loop is in the cache on disk."""

import warnings
from functools import partial

import numpy as np
import scipy.sparse as sp

from separatrix.core import registry
from separatrix.core.declaration import declaration
from separatrix.core.progress import Silent
from separatrix.solvers.neighbours.screen import Screen

# What numba sees as different types: element type and storage. Estimators bring everything to one of these.
STORAGES = {
    "float64": lambda X: X,
    "float32": lambda X: X.astype(np.float32),
    "sparse float64": sp.csr_array,
    "sparse float32": lambda X: sp.csr_array(X.astype(np.float32)),
    "sparse columns": sp.csc_array,
}


def compile_all(progress=None):
    """Run every small fit; return the number of fits."""
    progress = Silent() if progress is None else progress
    work = jobs()
    progress.begin(len(work))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a fit of two passes is not meant to converge
        for k, (name, run) in enumerate(work):
            progress.step(name, k / len(work), None)
            run()
    progress.step("all loops compiled", 1.0, None)
    progress.end()
    return len(work)


def jobs():
    """(name, fit) of every small fit that a model declares, and of the one loop that only large data reach."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((40, 5))
    y = X @ np.arange(5.0) + rng.standard_normal(40)
    targets = {2: y > 0.0, 3: np.digitize(y, [-1.0, 1.0])}
    made = [("nearest neighbours", lambda: Screen(X).candidates(X, 2))]
    for name, cls in registry.members("estimator").items():
        known = declaration(cls)
        for small in known.small_fits:
            rows = np.floor(np.abs(X)) if small.counts else X
            target = np.exp(0.1 * y) if small.positive else y
            target = targets[small.classes] if known.task == "classification" else target
            called = f"{name} {small.called}".rstrip()
            for storage in small.storages:
                model = cls(**small.settings)
                fit = model.fit_transform if known.task == "transformation" else partial(model.fit, y=target)
                made.append((f"{called}, {storage}", partial(fit, STORAGES[storage](rows))))
    return made
