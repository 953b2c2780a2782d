"""Forms of prediction: how each kind of fitted model predicts, as functions of its numbers alone.

A model declares its form (:mod:`separatrix.core.declaration`), and a model file names the form of every class in it, so
that a file predicts without the class. A step is a form with the state of a fitted estimator: parameters and fitted
attributes by their public names. Steps inside a state are steps again.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from separatrix.core.refusal import cannot
from separatrix.prediction import (
    calibrated,
    categories,
    constant,
    curves,
    dates,
    linear,
    naive_bayes,
    neighbours,
    normal_classes,
    numbers,
    posteriors,
    table_columns,
    words,
)
from separatrix.prediction.storage import dense

METHODS = ("transform", "predict", "decision_function", "predict_proba", "predict_log_proba")


@dataclass(frozen=True, eq=False)
class Form:
    """One kind of prediction.

    Parameters
    ----------
    name : str.  What a model file calls it.
    methods : dict.  By the name of a method, a function of the state and of X; no method where only the class of a
        model can predict.
    is_linear : bool, default False.  Whether predictions are made of ``X coef_' + intercept_`` alone.
    """

    name: str
    methods: dict[str, Callable]
    is_linear: bool = False

    def __reduce__(self):
        return form_named, (self.name,)


def form_named(name):
    """The form of a name; None where there is none."""
    return FORMS.get(name)


class Step(NamedTuple):
    """A fitted estimator as plain data: its form, None where it has none, and its state.

    >>> model = Step(LINEAR, {"coef_": np.array([2.0]), "intercept_": 1.0})
    >>> predict_step(model, "predict", np.array([[3.0]]))
    array([7.])
    """

    form: Form | None
    state: dict


def predict_step(step, method, X):
    """What ``step.method(X)`` gives: method is transform, predict, decision_function,
    predict_proba or predict_log_proba."""
    if step.form is None or method not in step.form.methods:
        raise cannot(
            f"{method} in plain numpy",
            because="the model has no form of prediction that is written here"
            if step.form is None
            else f"a prediction of the form {step.form.name!r} has no such method",
            instead="separatrix.load, which brings the whole library",
        )
    return step.form.methods[method](step.state, X)


def can_predict(step):
    """Whether a step and all the steps inside it can be computed here."""
    if step.form is PIPELINE:
        return all(can_predict(part) for _, part in step.state["steps"])
    if step.form is SIDE_BY_SIDE:
        return all(can_predict(part) for _, part, _ in step.state["transformers_"])
    if step.form is CALIBRATED:
        inside = step.state["estimator_"]
        return inside.form is not None and inside.form.is_linear and "coef_" in inside.state
    if step.form is MIXED_NB:  # of words and frames its class reads the columns
        return step.state["_backend"] is None and not step.state["_has_words"]
    if step.form in (NEIGHBOUR_CLASSES, NEIGHBOUR_AVERAGES):
        return neighbours.serves(step.state)
    return step.form is not None


def _pipeline(method):
    def run(state, X):
        *before, (_, last) = state["steps"]
        for _, step in before:
            X = predict_step(step, "transform", X)
        return predict_step(last, method, X)

    return run


def side_by_side(state, X):
    """The blocks of a ColumnTransformer side by side, in the storage that it chose when it was fitted."""
    blocks = [predict_step(step, "transform", X[:, np.asarray(columns)]) for _, step, columns in state["transformers_"]]
    if state["sparse_output_"]:
        from scipy.sparse import hstack

        return hstack(blocks).tocsr()
    return np.hstack([dense(block) for block in blocks])


def _bayes(log_joint, log_shares):
    """Methods of a model of how rows arise, from ``log P(x, C_k)`` and ``log P(C_k)``."""

    def comparable(state, X):
        return posteriors.comparable(log_joint(state, X), log_shares(state))

    return {
        "predict": lambda state, X: linear.decide(posteriors.scores(comparable(state, X)), state["classes_"]),
        "predict_proba": lambda state, X: posteriors.posteriors(comparable(state, X)),
        "predict_log_proba": lambda state, X: posteriors.log_posteriors(comparable(state, X)),
    }


def _naive_bayes(log_likelihood, log_shares=naive_bayes.log_shares):
    return _bayes(lambda state, X: log_likelihood(state, X) + log_shares(state), log_shares)


_CLASSIFY = {"predict": linear.class_of, "decision_function": linear.class_scores}
_PROBABILITIES = {
    "predict_proba": linear.class_probabilities,
    "predict_log_proba": linear.class_log_probabilities,
}

LINEAR = Form("linear", {"predict": linear.raw_scores}, is_linear=True)
# The mean of a generalised linear model: a link's inverse of linear scores.
MEAN = Form("mean", {"predict": linear.means}, is_linear=True)
LINEAR_CLASSES = Form("linear classes", _CLASSIFY, is_linear=True)
# Linear scores with a rule of its own for the class or its probability, which only the class of the model knows.
LINEAR_SCORES = Form("linear scores", {}, is_linear=True)
LOG_ODDS = Form("log-odds", {**_CLASSIFY, **_PROBABILITIES}, is_linear=True)
CALIBRATED = Form(
    "calibrated",
    {
        "predict": calibrated.class_of,
        "decision_function": calibrated.log_odds,
        "predict_proba": calibrated.class_probabilities,
    },
)
CONSTANT = Form("constant", {"predict": constant.number})
CLASS_SHARES = Form(
    "class shares",
    {
        "predict": constant.commonest_class,
        "predict_proba": constant.class_shares,
        "predict_log_proba": constant.log_class_shares,
    },
)
NORMAL_CLASSES = Form("normal classes", _bayes(normal_classes.log_joint, normal_classes.log_shares))
GAUSSIAN_NB = Form("Gaussian naive Bayes", _naive_bayes(naive_bayes.gaussian, log_shares=naive_bayes.shares_of_classes))
BERNOULLI_NB = Form("Bernoulli naive Bayes", _naive_bayes(naive_bayes.bernoulli), is_linear=True)
MULTINOMIAL_NB = Form("multinomial naive Bayes", _naive_bayes(naive_bayes.multinomial), is_linear=True)
CATEGORICAL_NB = Form("categorical naive Bayes", _naive_bayes(naive_bayes.categorical))
MIXED_NB = Form("mixed naive Bayes", _bayes(naive_bayes.mixed_log_joint, naive_bayes.shares_of_classes))
NEIGHBOUR_CLASSES = Form(
    "classes of neighbours", {"predict": neighbours.commonest_class, "predict_proba": neighbours.class_shares}
)
NEIGHBOUR_AVERAGES = Form("averages of neighbours", {"predict": neighbours.average})
PIPELINE = Form("pipeline", {method: _pipeline(method) for method in METHODS})
SIDE_BY_SIDE = Form("side by side", {"transform": side_by_side})
TABLE_COLUMNS = Form("table columns", {"transform": table_columns.select})
NUMBERS = Form("numbers", {"transform": numbers.standardise})
CURVES = Form("curves", {"transform": curves.bend})
THRESHOLDS = Form("thresholds", {"transform": numbers.above})
COUNTS = Form("counts", {"transform": numbers.counts})
CATEGORIES = Form("categories", {"transform": categories.one_hot})
CODES = Form("codes", {"transform": categories.codes})
DATES = Form("dates", {"transform": dates.calendar})
WORDS = Form("words", {"transform": words.bag})

FORMS = {form.name: form for form in list(globals().values()) if isinstance(form, Form)}
