"""Support vector machines of any package with scikit-learn's classes: fits, and what is handed to the judge."""

from importlib import import_module
from itertools import combinations

from benchmarks.contestant import Answer

SAMPLE = 1_000


def fit_classes(module, **options):
    """A `fit` of the SVC of a module."""

    def fit(data, settings):
        more = {} if settings.get("tolerance") is None else {"tol": settings["tolerance"]}
        machine = import_module(module).SVC(C=settings["C"], gamma=settings["gamma"], **more, **options)
        return machine.fit(data.X, data.y)

    return fit


def fit_numbers(module, **options):
    """A `fit` of the SVR of a module."""

    def fit(data, settings):
        machine = import_module(module).SVR(
            C=settings["C"], gamma=settings["gamma"], epsilon=settings["epsilon"], **options
        )
        return machine.fit(data.X, data.y)

    return fit


def coefficients(model, data):
    """An `answer`: signed coefficients, a row of data by a pair of classes, positive for the first of the pair."""
    import numpy as np
    import scipy.sparse as sp

    n, classes = len(data.y), data.settings["classes"]
    dual, support = np.asarray(model.dual_coef_), np.asarray(model.support_)
    if classes == 0:
        return Answer(sp.csc_array((dual[0], (support, np.zeros(len(support), dtype=int))), shape=(n, 1)))
    if classes == 2:
        return Answer(sp.csc_array((-dual[0], (support, np.zeros(len(support), dtype=int))), shape=(n, 1)))
    table = sp.lil_array((n, classes * (classes - 1) // 2))
    own = np.asarray(data.y)[support]
    for p, (i, j) in enumerate(combinations(range(classes), 2)):
        for mine, other in ((i, j - 1), (j, i)):
            table[support[own == mine], [p]] = dual[other, own == mine]
    return Answer(sp.csc_array(table))


def predict_scores(data, settings):
    """A `fit` after `trained`: scores of all queries; the first are judged."""
    return Answer(data.model.decision_function(data.queries)[:SAMPLE, None])
