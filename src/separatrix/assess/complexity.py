"""Errors and coefficients as functions of the number of rows, of complexity and of the strength of a penalty.

Each is a :class:`~separatrix.assess.curves.Curve`: first the column that is varied, then what depends on it; the
standard error of a column has its name and ``_error``.
"""

import numpy as np
from sklearn import model_selection
from sklearn.base import clone

from separatrix.assess.bias_variance import bias_variance
from separatrix.assess.curves import Curve
from separatrix.assess.measures import measure as named_measure
from separatrix.assess.measures import usual_measure
from separatrix.assess.resample import k_fold
from separatrix.core.errors import cannot
from separatrix.core.protocol import column_names


def learning_curve(estimator, X, y, *, sizes=None, folds=5, measure=None, seed=0):
    """The measure on train and held-out rows as more rows are learnt from.

    Parameters
    ----------
    estimator : unfitted estimator.
    X, y : the rows.
    sizes : sequence or None, default None.  Shares (0, 1] or numbers of the rows of a fold; None is 8 from 10 to 100 %.
    folds : int or list of (train, held_out) pairs, default 5.  As :func:`~separatrix.assess.k_fold`.
    measure : str, Measure or None, default None.  As in :func:`~separatrix.assess.select`.
    seed : int, default 0.

    Returns
    -------
    curve : Curve of ``rows``, ``train``, ``train_error``, ``validation``, ``validation_error``.

    >>> from sklearn.datasets import load_diabetes
    >>> from separatrix.linear_model import LinearRegression
    >>> curve = learning_curve(LinearRegression(), *load_diabetes(return_X_y=True), sizes=[20, 80, 300])
    >>> bool(curve["validation"][0] > curve["validation"][2] > curve["train"][2] > curve["train"][0])
    True
    """
    by, scorer, folds = _measure_and_folds(estimator, y, measure, folds, seed)
    sizes = np.linspace(0.1, 1.0, 8) if sizes is None else np.asarray(sizes)
    rows, train, held_out = model_selection.learning_curve(
        estimator, X, y, train_sizes=sizes, cv=folds, scoring=scorer, shuffle=True, random_state=seed
    )[:3]
    return Curve("learning", {"rows": rows, **_train_and_validation(by, train, held_out)}, {"measure": by.label})


def validation_curve(estimator, X, y, name, values, *, folds=5, measure=None, seed=0):
    """The measure on train and held-out rows as one hyperparameter varies: error against complexity.

    Parameters
    ----------
    estimator : unfitted estimator or pipeline.
    X, y : the rows.
    name : str.  Of the hyperparameter: "alpha", or "poly__degree" in a pipeline.
    values : sequence.  What to try.
    folds, measure, seed : as in :func:`learning_curve`.

    Returns
    -------
    curve : Curve of `name`, ``train``, ``train_error``, ``validation``, ``validation_error``.  Fact: the ``best`` value
        on held-out rows.

    >>> from sklearn.datasets import load_breast_cancer
    >>> from separatrix.neighbors import KNeighborsClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> curve = validation_curve(KNeighborsClassifier(), X, y, "n_neighbors", [1, 9, 200], measure="accuracy")
    >>> curve.facts["best"], float(curve["train"][0])
    (9, 1.0)
    """
    by, scorer, folds = _measure_and_folds(estimator, y, measure, folds, seed)
    values = list(values)
    train, held_out = model_selection.validation_curve(
        estimator, X, y, param_name=name, param_range=values, cv=folds, scoring=scorer
    )
    columns = _train_and_validation(by, train, held_out)
    facts = {"measure": by.label, "parameter": name, "best": values[by.best(columns["validation"])]}
    return Curve("validation", {name: np.asarray(values), **columns}, facts)


def risk_curve(estimator, name, values, generate, draw=None, *, measure="mse", datasets=50, seed=0):
    """Empirical and true risk as one hyperparameter varies, where new rows can be drawn at will.

    The empirical risk is that on the rows fitted to; it falls with complexity while the true risk turns up.

    Parameters
    ----------
    estimator : unfitted estimator or pipeline.
    name, values : the hyperparameter and what to try.
    generate : callable.  From a numpy Generator to one data set (X, y).
    draw : callable or None, default None.  From a Generator to new rows (X, y); None draws them by `generate`.
    measure : str or Measure, default "mse".
    datasets : int, default 50.  Over which both are averaged; all values see the same data sets.
    seed : int, default 0.

    Returns
    -------
    curve : Curve of `name`, ``empirical``, ``empirical_error``, ``true``, ``true_error``.

    >>> from separatrix.neighbors import KNeighborsRegressor
    >>> def generate(rng):
    ...     X = rng.uniform(size=(40, 1))
    ...     return X, X[:, 0] ** 2 + 0.1 * rng.standard_normal(40)
    >>> curve = risk_curve(KNeighborsRegressor(), "n_neighbors", [1, 5], generate, datasets=20)
    >>> float(curve["empirical"][0]), bool(curve["true"][0] > curve["true"][1])  # one neighbour: the row itself
    (0.0, True)
    """
    by = named_measure(measure)
    columns: dict = {"empirical": [], "empirical_error": [], "true": [], "true_error": []}
    for value in values:
        rng, fresh = np.random.default_rng(seed), np.random.default_rng([seed, 1])
        both = np.empty((datasets, 2))
        for l in range(datasets):
            X, y = generate(rng)
            model = clone(estimator).set_params(**{name: value}).fit(X, y)
            both[l] = by.of(model, X, y), by.of(model, *(draw or generate)(fresh))
        errors = both.std(axis=0, ddof=1) / np.sqrt(datasets)
        for key, number in zip(columns, [both[:, 0].mean(), errors[0], both[:, 1].mean(), errors[1]]):
            columns[key].append(number)
    return Curve("risk", {name: np.asarray(values), **{k: np.array(v) for k, v in columns.items()}},
                 {"measure": by.label, "parameter": name})  # fmt: skip


def bias_variance_curve(estimator, name, values, generate, truth, X, **options):
    """:func:`~separatrix.assess.bias_variance` for each value of a hyperparameter, on the same data sets.

    Parameters are its own; `name` and `values` are the hyperparameter and what to try.

    Returns
    -------
    curve : Curve of `name`, ``bias2``, ``variance``, ``noise``, ``total``, ``total_error``.  Fact: the ``best`` value.

    >>> from separatrix.neighbors import KNeighborsRegressor
    >>> def square(X):
    ...     return X[:, 0] ** 2
    >>> X = np.linspace(0.0, 1.0, 40)[:, None]
    >>> def generate(rng):
    ...     return X, square(X) + 0.1 * rng.standard_normal(40)
    >>> curve = bias_variance_curve(KNeighborsRegressor(), "n_neighbors", [1, 5, 40], generate, square, X, datasets=20)
    >>> curve.facts["best"], bool((np.diff(curve["variance"]) < 0.0).all())
    (5, True)
    """
    results = [
        bias_variance(clone(estimator).set_params(**{name: value}), generate, truth, X, **options) for value in values
    ]
    columns = {part: np.array([getattr(f, part) for f in results]) for part in ("bias2", "variance", "noise")}
    total = np.array([f.expected_loss for f in results])
    columns |= {"total": total, "total_error": np.array([f.error for f in results])}
    return Curve("bias and variance", {name: np.asarray(values), **columns},
                 {"parameter": name, "best": list(values)[int(total.argmin())]})  # fmt: skip


def coefficient_path(estimator, X, y, name, values, *, feature_names=None):
    """The coefficients of a linear model as one hyperparameter varies: a column for each feature.

    Parameters
    ----------
    estimator : unfitted linear model with one row of coefficients.
    X, y : the rows.
    name, values : the strength of the penalty as a rule, and what to try.
    feature_names : sequence of p names or None, default None.  None takes those of a frame, else x0, x1, ...

    Returns
    -------
    curve : Curve of `name`, ``nonzero`` (how many coefficients are) and a column for each feature.

    >>> from sklearn.datasets import load_diabetes
    >>> from separatrix.linear_model import Lasso
    >>> path = coefficient_path(Lasso(), *load_diabetes(return_X_y=True), "alpha", [2.0, 1.0, 0.1])
    >>> path["nonzero"]
    array([2, 3, 7])
    """
    models = [clone(estimator).set_params(**{name: value}).fit(X, y) for value in values]
    coefficients = np.array([np.ravel(model.coef_) for model in models])
    if feature_names is None:
        feature_names = column_names(models[0], coefficients.shape[1])
    if len(feature_names) != coefficients.shape[1]:
        raise cannot(
            f"name {coefficients.shape[1]} coefficients by {len(feature_names)} names",
            because="there is one for each feature, and one row of them",
            instead="one name for each feature, and a model of two classes",
        )
    columns = {name: np.asarray(values), "nonzero": np.count_nonzero(coefficients, axis=1)}
    columns |= {str(feature): column for feature, column in zip(feature_names, coefficients.T)}
    return Curve("path", columns, {"parameter": name})


def _measure_and_folds(estimator, y, measure, folds, seed):
    by = usual_measure(estimator) if measure is None else named_measure(measure)
    if isinstance(folds, int):
        folds = k_fold(y, folds, stratify=by.task == "classification", seed=seed)
    return by, by.scorer(), folds


def _train_and_validation(by, train, held_out):
    """Means over folds in the measure's own direction, and their standard errors."""
    sign, columns = (1.0 if by.higher_is_better else -1.0), {}
    for name, scores in (("train", train), ("validation", held_out)):
        columns[name] = sign * scores.mean(axis=1)
        columns[f"{name}_error"] = scores.std(axis=1, ddof=1) / np.sqrt(scores.shape[1])
    return columns
