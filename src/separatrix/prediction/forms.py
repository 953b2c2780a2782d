"""Forms of prediction: how each kind of fitted model predicts, as functions of its numbers alone.

A model declares its form (:mod:`separatrix.core.declaration`), and a model file names the form of every class in it: it
predicts without the class. A step is a form with a state, the public parameters and attributes of a fitted estimator.
"""

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import NamedTuple

import numpy as np

from separatrix.core.refusal import cannot
from separatrix.prediction import (
    binary_units,
    boosted_trees,
    calibrated,
    chow_liu,
    committees,
    constant,
    curves,
    dates,
    experts,
    forests,
    kernels,
    linear,
    local_likelihood,
    model_trees,
    naive_bayes,
    neighbours,
    networks,
    normal_classes,
    numbers,
    one_vs_rest,
    posteriors,
    rules,
    stumps,
    support_vectors,
    trees,
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


def _of_cells(module, name):
    """A function of a module that reads cells: its many regular expressions are compiled when it is first called."""

    def run(state, X):
        return getattr(import_module(f"separatrix.prediction.{module}"), name)(state, X)

    return run


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
    """What ``step.method(X)`` gives; the method is one of `METHODS`."""
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
    if step.form in WITH_A_KERNEL:
        return kernels.serves(step.state["kernel_"])
    if step.form in (BOOSTED_NUMBERS, BOOSTED_CLASSES):
        return "init_" not in step.state  # whose class alone knows how its predictions become raw scores
    if step.form is BOOSTED:
        return all(map(can_predict, step.state.get("members_", ())))
    if step.form in (COMMITTEE_CLASSES, COMMITTEE_NUMBERS, BOOSTED_MEDIAN):
        return all(map(can_predict, step.state["estimators_"]))
    if step.form in (
        TREE_CLASSES,
        TREE_NUMBERS,
        FOREST_CLASSES,
        FOREST_NUMBERS,
        MODEL_TREE_CLASSES,
        MODEL_TREE_NUMBERS,
    ):
        return trees.serves(step.state)
    if step.form is RULES:
        return trees.serves(step.state["estimator_"].state)
    if step.form is ONE_VS_REST:
        whole = step.state["label_binarizer_"].state["y_type_"] in ("binary", "multiclass")
        return (whole or one_vs_rest.has_rest(step.state)) and all(map(_is_machine, step.state["estimators_"]))
    return step.form is not None


def _is_machine(step):
    return can_predict(step) and bool({"decision_function", "predict_proba"} & set(step.form.methods))


def gives(step, method):
    """Whether a step has a method; of machines for single classes it is theirs."""
    if step.form is PIPELINE:
        return gives(step.state["steps"][-1][1], method)
    if step.form is COMMITTEE_CLASSES and method == "decision_function":
        return all(gives(member, method) for member in step.state["estimators_"])
    if step.form is SUPPORT_VECTOR_CLASSES and "proba" in method:
        return "probA_" in step.state
    if step.form is not ONE_VS_REST or method == "predict":
        return method in step.form.methods
    machines = step.state["estimators_"]
    mine = method in step.form.methods and all(method in machine.form.methods for machine in machines)
    return mine and not (method == "predict_proba" and step.state["rest_class"])


def classes_of(step):
    """The labels that a step decides between; None where it predicts numbers."""
    return one_vs_rest.classes_of(step.state) if step.form is ONE_VS_REST else step.state.get("classes_")


def _machine_scores(machine, X):
    if "decision_function" in machine.form.methods:
        return predict_step(machine, "decision_function", X)
    return _second_probability(machine, X)


def _second_probability(machine, X):
    return predict_step(machine, "predict_proba", X)[:, 1]


def _one_against_the_rest(state, X):
    scored = "decision_function" in state["estimators_"][0].form.methods
    return one_vs_rest.class_of(state, X, _machine_scores, 0.0 if scored else 0.5)


def _votes(state, X):
    """Log-odds (n,) or scores (n, k) of weighted votes."""
    if "members_" not in state:
        return stumps.class_scores(state, X)
    answers = (np.searchsorted(state["classes_"], predict_step(each, "predict", X)) for each in state["members_"])
    return stumps.scores_of_votes(answers, state["estimator_weights_"], len(state["classes_"]), X.shape[0])


def _members(state, X):
    """Each member of a committee with its columns of X."""
    for member, columns in zip(state["estimators_"], state["estimators_features_"]):
        yield member, committees.take_columns(X, columns)


def _mean_number(state, X):
    return committees.mean(predict_step(member, "predict", part) for member, part in _members(state, X))


def _mean_shares(state, X):
    """The mean of the members' probabilities (n, k), or of their votes."""
    k = len(state["classes_"])
    return committees.mean(_shares(member, part, k) for member, part in _members(state, X))


def _shares(member, X, k):
    if not gives(member, "predict_proba"):
        return committees.votes(predict_step(member, "predict", X), k)
    return committees.spread_shares(predict_step(member, "predict_proba", X), _last_classes(member), k)


def _last_classes(step):
    """The classes of a step, or of the model at the end of a pipeline."""
    return _last_classes(step.state["steps"][-1][1]) if step.form is PIPELINE else classes_of(step)


def _mean_scores(state, X):
    members = list(_members(state, X))
    if any(len(_last_classes(member)) != len(state["classes_"]) for member, _ in members):
        raise cannot(
            "average decision functions",
            because="a member has not met all classes, and a score of a class is relative to the others",
            instead="predict_proba",
        )
    return committees.mean(predict_step(member, "decision_function", part) for member, part in members)


def _log_mean_shares(state, X):
    with np.errstate(divide="ignore"):
        return np.log(_mean_shares(state, X))


def _median(state, X):
    answers = np.column_stack([predict_step(member, "predict", X) for member in state["estimators_"]])
    return committees.weighted_median(answers, state["estimator_weights_"])


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


def _by_scores(room):
    """Methods of a model that scores the classes, and whose scores are logarithms of their chances."""
    return {
        "predict": room.class_of,
        "decision_function": room.class_scores,
        "predict_proba": room.class_probabilities,
        "predict_log_proba": room.class_log_probabilities,
    }


_CLASSIFY = {"predict": linear.class_of, "decision_function": linear.class_scores}
_PROBABILITIES = {
    "predict_proba": linear.class_probabilities,
    "predict_log_proba": linear.class_log_probabilities,
}

LINEAR = Form("linear", {"predict": linear.raw_scores}, is_linear=True)
# The mean of a generalised linear model: a link's inverse of linear scores.
MEAN = Form("mean", {"predict": linear.means}, is_linear=True)
HIDDEN_UNITS = Form("hidden units", {"transform": binary_units.hidden})
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
CHOW_LIU_CLASSES = Form("trees of categories", _bayes(chow_liu.log_joint, chow_liu.log_shares))
NEIGHBOUR_CLASSES = Form(
    "classes of neighbours", {"predict": neighbours.commonest_class, "predict_proba": neighbours.class_shares}
)
NEIGHBOUR_AVERAGES = Form("averages of neighbours", {"predict": neighbours.average})
KERNEL_SUM = Form("kernel sum", {"predict": kernels.sums})
KERNEL_CLASSES = Form("kernel classes", {"predict": kernels.class_of, "decision_function": kernels.class_scores})
LOCAL_CLASSES = Form("local log-odds", _by_scores(local_likelihood))
LOCAL_NUMBERS = Form("local fits", {"predict": local_likelihood.number})
BOOSTED_NUMBERS = Form("boosted numbers", {"predict": boosted_trees.number})
BOOSTED_CLASSES = Form("boosted classes", _by_scores(boosted_trees))


def _by_shares(room):
    """Methods of a model whose answers are shares of the classes."""
    return {"predict": room.class_of, "predict_proba": room.class_shares, "predict_log_proba": room.log_class_shares}


TREE_CLASSES = Form("tree of classes", _by_shares(trees))
FOREST_CLASSES = Form("forest of classes", _by_shares(forests))
FOREST_NUMBERS = Form("forest of numbers", {"predict": forests.number})
RULES = Form("rules", _by_shares(rules))
TREE_NUMBERS = Form("tree of numbers", {"predict": trees.number})
MODEL_TREE_NUMBERS = Form("tree of linear models", {"predict": model_trees.scores})
MODEL_TREE_CLASSES = Form("tree of logistic models", _by_scores(model_trees))
ONE_VS_REST = Form(
    "one against the rest",
    {
        "predict": _one_against_the_rest,
        "decision_function": lambda state, X: one_vs_rest.class_scores(state, X, _machine_scores),
        "predict_proba": lambda state, X: one_vs_rest.class_probabilities(state, X, _second_probability),
    },
)
# Weighted votes of stumps, or of any classifiers.
BOOSTED = Form(
    "boosted",
    {
        "predict": lambda state, X: linear.decide(_votes(state, X), state["classes_"]),
        "decision_function": lambda state, X: _votes(state, X),
        "predict_proba": lambda state, X: linear.probabilities(_votes(state, X)),
        "predict_log_proba": lambda state, X: linear.log_probabilities(_votes(state, X)),
    },
)
COMMITTEE_NUMBERS = Form("mean of members", {"predict": _mean_number})
COMMITTEE_CLASSES = Form(
    "mean shares of members",
    {
        "predict": lambda state, X: state["classes_"][_mean_shares(state, X).argmax(axis=1)],
        "predict_proba": _mean_shares,
        "predict_log_proba": _log_mean_shares,
        "decision_function": _mean_scores,
    },
)
BOOSTED_MEDIAN = Form("weighted median of members", {"predict": _median})
EXPERT_MEAN = Form("mean of experts", {"predict": experts.mean})
EXPERT_CLASSES = Form("classes of experts", _by_scores(experts))
NETWORK_NUMBERS = Form("numbers of a network", {"predict": networks.number})
NETWORK_CLASSES = Form("classes of a network", _by_scores(networks))
NETWORK_CODES = Form("codes of a network", {"transform": networks.code})
SUPPORT_VECTOR_NUMBERS = Form("numbers of support vectors", {"predict": support_vectors.number})
SUPPORT_VECTOR_CLASSES = Form("classes of support vectors", _by_scores(support_vectors))
SUPPORT_VECTOR_OUTLIERS = Form(
    "outliers by support vectors", {"predict": support_vectors.side, "decision_function": support_vectors.number}
)
WITH_A_KERNEL = (KERNEL_SUM, KERNEL_CLASSES, SUPPORT_VECTOR_NUMBERS, SUPPORT_VECTOR_CLASSES, SUPPORT_VECTOR_OUTLIERS)
PIPELINE = Form("pipeline", {method: _pipeline(method) for method in METHODS})
SIDE_BY_SIDE = Form("side by side", {"transform": side_by_side})
TABLE_COLUMNS = Form("table columns", {"transform": _of_cells("table_columns", "select")})
NUMBERS = Form("numbers", {"transform": numbers.standardise})
CURVES = Form("curves", {"transform": curves.bend})
THRESHOLDS = Form("thresholds", {"transform": numbers.above})
COUNTS = Form("counts", {"transform": numbers.counts})
CATEGORIES = Form("categories", {"transform": _of_cells("categories", "one_hot")})
CODES = Form("codes", {"transform": _of_cells("categories", "codes")})
DATES = Form("dates", {"transform": dates.calendar})
WORDS = Form("words", {"transform": _of_cells("words", "bag")})

FORMS = {form.name: form for form in list(globals().values()) if isinstance(form, Form)}
