"""Fitted steps put together: a model as it was saved, predicting without the classes that it was fitted with.

A step is the name of a class and its state: parameters and fitted attributes by their public names. Steps inside a
state are steps again.
"""

from typing import Any, NamedTuple

import numpy as np

from separatrix.core.refusal import cannot
from separatrix.prediction import categories, curves, dates, linear, numbers, table_columns, words

# Whose prediction is the arithmetic of linear.py and nothing else; a test compares this with the classes themselves.
LINEAR_REGRESSORS = (
    "ElasticNet",
    "ElasticNetCV",
    "Lasso",
    "LassoCV",
    "LinearRegression",
    "PerceptronRegressor",
    "QuantileRegressor",
    "Ridge",
    "RidgeCV",
    "SGDRegressor",
)
LINEAR_CLASSIFIERS = (
    "BasicLinearClassifier",
    "FisherDiscriminant",
    "Perceptron",
    "RidgeClassifier",
    "RidgeClassifierCV",
)
LOG_ODDS_CLASSIFIERS = (
    "DiagonalLinearDiscriminantAnalysis",
    "FirthLogisticRegression",
    "LinearDiscriminantAnalysis",
    "LogisticRegression",
    "LogisticRegressionCV",
)


class Step(NamedTuple):
    """A fitted estimator as plain data.

    >>> model = Step("Ridge", {"coef_": np.array([2.0]), "intercept_": 1.0})
    >>> score(model, "predict", np.array([[3.0]]))
    array([7.])
    """

    kind: str
    state: dict


def score(step, method, X):
    """What ``step.method(X)`` gives: method is transform, predict, decision_function,
    predict_proba or predict_log_proba."""
    if method not in SCORERS.get(step.kind, {}):
        raise cannot(
            f"{method} with {step.kind} in plain numpy",
            because="its arithmetic is written elsewhere" if step.kind not in SCORERS else "it has no such method",
            instead="separatrix.load, which brings the whole library",
        )
    return SCORERS[step.kind][method](step.state, X)


def can_score(step):
    """Whether a step and all the steps inside it are known here."""
    if step.kind == "Pipeline":
        return all(can_score(part) for _, part in step.state["steps"])
    if step.kind == "ColumnTransformer":
        return all(can_score(part) for _, part, _ in step.state["transformers_"])
    return step.kind in SCORERS


def _pipeline(method):
    def run(state, X):
        *before, (_, last) = state["steps"]
        for _, step in before:
            X = score(step, "transform", X)
        return score(last, method, X)

    return run


def side_by_side(state, X):
    """The blocks of a ColumnTransformer side by side, in the storage that it chose when it was fitted."""
    blocks = [score(step, "transform", X[:, np.asarray(columns)]) for _, step, columns in state["transformers_"]]
    if state["sparse_output_"]:
        from scipy.sparse import hstack

        return hstack(blocks).tocsr()
    return np.hstack([_dense(block) for block in blocks])


def _dense(block):
    if isinstance(block, np.ndarray):
        return block
    cells = block.tocoo()
    out = np.zeros(block.shape)
    out[cells.row, cells.col] = cells.data
    return out


def _decide(state, X):
    return linear.decide(linear.class_scores(state, X), state["classes_"])


def _probabilities(state, X):
    return linear.probabilities(linear.class_scores(state, X))


def _log_probabilities(state, X):
    return linear.log_probabilities(linear.class_scores(state, X))


_METHODS = ("transform", "predict", "decision_function", "predict_proba", "predict_log_proba")
_CLASSIFY = {"predict": _decide, "decision_function": linear.class_scores}
_LOG_ODDS = {**_CLASSIFY, "predict_proba": _probabilities, "predict_log_proba": _log_probabilities}

# By the name of a class and of its method: a function of the state and of X.
SCORERS: dict[str, dict[str, Any]] = {
    "Pipeline": {method: _pipeline(method) for method in _METHODS},
    "ColumnTransformer": {"transform": side_by_side},
    "TableColumns": {"transform": table_columns.select},
    "Numbers": {"transform": numbers.standardise},
    "Curves": {"transform": curves.bend},
    "Thresholds": {"transform": numbers.above},
    "Counts": {"transform": numbers.counts},
    "Categories": {"transform": categories.one_hot},
    "Codes": {"transform": categories.codes},
    "Dates": {"transform": dates.calendar},
    "Words": {"transform": words.bag},
    **{name: {"predict": linear.raw_scores} for name in LINEAR_REGRESSORS},
    **dict.fromkeys(LINEAR_CLASSIFIERS, _CLASSIFY),
    **dict.fromkeys(LOG_ODDS_CLASSIFIERS, _LOG_ODDS),
}
