"""A small fit of every kind, so that every compiled loop is in the cache on disk."""

import warnings
from contextlib import suppress
from functools import partial
from pathlib import Path

import numpy as np
import scipy.sparse as sp

from separatrix.core import registry
from separatrix.core.declaration import DENSE, declaration
from separatrix.core.jit import cache_folder, load
from separatrix.core.kept_loops import given_up
from separatrix.core.progress import Silent
from separatrix.core.refusal import cannot
from separatrix.solvers.neighbours.screen import Screen

# What numba sees as different types: element type and storage. Estimators bring everything to one of these.
STORAGES = {
    "float64": lambda X: X,
    "float32": lambda X: X.astype(np.float32),
    "sparse float64": sp.csr_array,
    "sparse float32": lambda X: sp.csr_array(X.astype(np.float32)),
    "sparse columns": sp.csc_array,
}


MARK = ".compiled"  # the ending of the empty files that say whose loops are kept


def compile_all(progress=None, models=None):
    """Run every small fit, or those of the models of these names in their order; return the number of fits."""
    progress = Silent() if progress is None else progress
    load()  # small fits alone would run as plain Python
    work = jobs(models)
    progress.begin(len(work))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a fit of two passes is not meant to converge
        for k, (model, called, run) in enumerate(work):
            progress.step(called, k / len(work), None)
            run()
            if model not in [later for later, _, _ in work[k + 1 : k + 2]]:
                _mark(model)
    progress.step("all loops compiled", 1.0, None)
    progress.end()
    return len(work)


def is_compiled(model):
    """Whether the loops of a model's fits to dense float64 columns are known to be kept; True where none can be."""
    folder = cache_folder()
    return folder is None or Path(folder, model + MARK).exists()


def _mark(model):
    folder = cache_folder()
    if folder is not None and not given_up():  # a full disk has room for this mark, and none for loops
        with suppress(OSError):  # the folder may be read-only, or gone
            Path(folder, model + MARK).touch()


def jobs(models=None):
    """(model, what to call it, fit) of every small fit that a model declares, and of one loop for large data only.

    Of the `models` named, if any: their fits to dense float64 columns, which is what comparisons need first.
    """
    rng = np.random.default_rng(0)
    X = rng.standard_normal((40, 5))
    y = X @ np.arange(5.0) + rng.standard_normal(40)
    targets = {2: y > 0.0, 3: np.digitize(y, [-1.0, 1.0])}
    members = registry.members("estimator")
    unknown = [name for name in models or () if name not in members]
    if unknown:
        raise cannot(
            "compile loops ahead",
            because=f"no model of this library is called {unknown[0]!r}",
            instead="the name of a class, such as LogisticRegression",
        )
    made = [("KNeighborsClassifier", "nearest neighbours", lambda: Screen(X).candidates(X, 2))]
    for name in members if models is None else models:
        known = declaration(members[name])
        for small in known.small_fits:
            rows = np.floor(np.abs(X)) if small.counts else X
            target = np.exp(0.1 * y) if small.positive else y
            target = targets[small.classes] if known.task == "classification" else target
            called = f"{name} {small.called}".rstrip()
            for storage in small.storages if models is None else DENSE:
                model = members[name](**small.settings)
                fit = model.fit_transform if known.task == "transformation" else partial(model.fit, y=target)
                made.append((name, f"{called}, {storage}", partial(fit, STORAGES[storage](rows))))
    return made
