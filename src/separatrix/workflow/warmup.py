"""A small fit of every kind, so that every compiled loop is in the cache on disk."""

import warnings
from functools import partial

import numpy as np
import scipy.sparse as sp

from separatrix.core.progress import Silent
from separatrix.linear_model import (
    ElasticNet,
    Lasso,
    LinearRegression,
    LogisticRegression,
    Perceptron,
    QuantileRegressor,
    SGDClassifier,
    SGDRegressor,
)
from separatrix.local import LocalLinearRegression, LocalLogisticRegression
from separatrix.naive_bayes import BernoulliNB, CategoricalNB, GaussianNB, MultinomialNB
from separatrix.preprocessing import PolynomialFeatures
from separatrix.solvers.neighbours.screen import Screen

# What numba sees as different types: element type and storage. Estimators bring everything to one of these.
STORAGES = {
    "float64": lambda X: X,
    "float32": lambda X: X.astype(np.float32),
    "sparse float64": sp.csr_array,
    "sparse float32": lambda X: sp.csr_array(X.astype(np.float32)),
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
    """(name, fit) of every combination that compiles a loop of its own."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((40, 5))
    y = X @ np.arange(5.0) + rng.standard_normal(40)
    made = []
    for storage, hold in STORAGES.items():
        for model in _models():
            made.append((f"{_named(model)}, {storage}", partial(model.fit, hold(X), y)))
        for model in _classifiers():
            made.append((f"{_named(model)}, {storage}", partial(model.fit, hold(X), y > 0.0)))
        three = np.digitize(y, [-1.0, 1.0])
        made.append((f"LogisticRegression, 3 classes, {storage}", partial(LogisticRegression().fit, hold(X), three)))
        counts = hold(np.floor(np.abs(X)))
        for model in (BernoulliNB(), MultinomialNB()):
            made.append((f"{_named(model)}, {storage}", partial(model.fit, counts, three)))
        expand = PolynomialFeatures(2)
        made.append((f"PolynomialFeatures, {storage}", partial(expand.fit_transform, hold(X))))
    made.append(("nearest neighbours", lambda: Screen(X).candidates(X, 2)))
    made.append(("LocalLinearRegression", partial(LocalLinearRegression().fit, X, y)))
    for name, labels in (("2 classes", y > 0.0), ("3 classes", three)):
        made.append((f"LocalLogisticRegression, {name}", partial(LocalLogisticRegression().fit, X, labels)))
    for model in (GaussianNB(), CategoricalNB()):  # of dense rows, which they all see in float64
        made.append((_named(model), partial(model.fit, np.floor(np.abs(X)), y > 0.0)))
    made.append(("BernoulliNB, sparse columns", partial(BernoulliNB().fit, sp.csc_array(np.abs(X)), y > 0.0)))
    made.append(("MultinomialNB, sparse columns", partial(MultinomialNB().fit, sp.csc_array(np.abs(X)), y > 0.0)))
    return made


def _models():
    yield Lasso(0.1)
    yield ElasticNet(0.1)
    yield QuantileRegressor(alpha=0.1)
    yield LinearRegression(solver="gradient", max_iter=2)
    yield LinearRegression(solver="stochastic", max_iter=2)
    for loss in ("squared_error", "huber", "epsilon_insensitive", "squared_epsilon_insensitive"):
        for penalty in ("l2", "l1", "elasticnet", None):
            yield SGDRegressor(loss, penalty=penalty, max_iter=2)


def _classifiers():
    yield LogisticRegression(l1_ratio=1.0)
    for C in (1.0, np.inf):
        yield LogisticRegression(C=C)
    yield Perceptron(max_iter=2)
    yield Perceptron(max_iter=2, updates="batch")
    for loss in ("hinge", "log_loss", "modified_huber", "squared_hinge"):
        yield SGDClassifier(loss, max_iter=2)  # what penalties compile, the regressors have compiled


def _named(model):
    """The estimator, with what tells it from its siblings."""
    kinds = [str(v) for k, v in model.get_params().items() if k in {"loss", "penalty", "updates"}]
    if isinstance(model, LogisticRegression):
        kinds = ["L1" if model.l1_ratio else "L2" if np.isfinite(model.C) else "unpenalised"]
    if isinstance(model, LinearRegression):
        kinds = [model.solver]
    return " ".join([type(model).__name__, *kinds])
