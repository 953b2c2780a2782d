"""What each column does for a fitted model of any kind: scikit-learn's permutation importance and partial dependence.

A model of a table is asked in the columns of the table itself, so that a category stays one column with its levels.
"""

from dataclasses import dataclass

import numpy as np
from sklearn.inspection import partial_dependence, permutation_importance

from separatrix.assess.compare.fit_once import predictions_of
from separatrix.assess.measures import MEASURES
from separatrix.core.protocol import fitted_attribute
from separatrix.prediction.table_columns import NUMERIC

EPS = float(np.finfo(np.float64).eps)
MOST_LEVELS = 12


@dataclass(frozen=True)
class Importance:
    """How much worse the score gets when a column is shuffled: mean and standard deviation over repeats.

    Parameters
    ----------
    column : str.  loss : float.  Positive where shuffling makes the score worse, whichever way the measure points.
    deviation : float.
    """

    column: str
    loss: float
    deviation: float


@dataclass(frozen=True)
class Dependence:
    """Mean predictions when a column has one value in all rows.

    Parameters
    ----------
    column : str.
    values : (m,) array.  Numbers (a date in days), or words.
    average : (k, m) array.  The mean prediction; of classes the mean probability of each, of two classes of the second.
    """

    column: str
    values: np.ndarray
    average: np.ndarray


def importances(model, table, y, measure, *, repeats=5, seed=0):
    """Permutation importance of each column of a table, largest first.

    Parameters
    ----------
    model : fitted Pipeline that begins with the columns of a table.
    table : Table.  y : (n,) array.  Rows, better not those that the model was fitted to.
    measure : str.  One of :data:`separatrix.assess.measures.MEASURES`.
    repeats : int, default 5.  seed : int, default 0.

    References: Breiman (2001), Machine Learning 45(1); :func:`sklearn.inspection.permutation_importance`.
    """
    columns = model[0]
    classes = fitted_attribute(model, "classes_")
    sign = 1.0 if MEASURES[measure].higher_is_better else -1.0

    def scorer(estimator, X, y):
        return sign * predictions_of(estimator, X, classes).measured(y, classes, (measure,))[measure]

    shuffled = permutation_importance(
        model, columns.transform(table), y, scoring=scorer, n_repeats=repeats, random_state=seed
    )
    # losses and gains of single shuffles that cancel leave the rounding of their sum
    rounding = EPS * np.abs(shuffled.importances).sum(axis=1)
    losses = np.where(np.abs(shuffled.importances_mean) <= rounding, 0.0, shuffled.importances_mean)
    order = np.argsort(-losses, kind="stable")
    return [Importance(str(columns.names[j]), float(losses[j]), float(shuffled.importances_std[j])) for j in order]


def dependence(model, table, name, *, points=25):
    """Partial dependence of a model on one column of a table, over the rows that have a value there.

    Numbers run from the 5th to the 95th of a hundred parts of the rows; of categories the 12 most frequent are tried.

    Parameters
    ----------
    model : fitted Pipeline that begins with the columns of a table.
    table : Table.  name : str.  points : int, default 25.

    References: Friedman (2001), Annals of Statistics 29(5); :func:`sklearn.inspection.partial_dependence`.
    """
    X = model[0].transform(table)
    j = list(model[0].names).index(name)
    number = (model[0].kinds or ("number",) * X.shape[1])[j] in NUMERIC
    if number:
        kept = ~np.isnan(X[:, j].astype(np.float64))
    else:
        levels, counts = np.unique([str(cell) for cell in X[:, j] if cell is not None], return_counts=True)
        frequent = set(levels[np.argsort(-counts, kind="stable")[:MOST_LEVELS]].tolist())
        kept = np.array([cell in frequent for cell in X[:, j].tolist()])
    classes = fitted_attribute(model, "classes_")
    curve = partial_dependence(
        model,
        X[kept],
        [j],
        categorical_features=None if number else [j],
        grid_resolution=points,
        response_method="auto" if classes is None else "predict_proba",
        method="brute",
        kind="average",
    )
    values = np.asarray(curve["grid_values"][0])
    return Dependence(name, values.astype(np.float64) if number else values, np.asarray(curve["average"]))
