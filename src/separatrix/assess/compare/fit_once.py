"""One competitor fitted once: its answers, its times, its warnings, and what the fitted model says of itself."""

import warnings
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from separatrix.assess.compare import deadline
from separatrix.assess.measures import MEASURES


@dataclass
class Answer:
    """Predictions for some rows, of every kind that a measure may need; None where the model does not give it.

    Parameters
    ----------
    values : (m,) array.  Labels or numbers.
    probabilities : (m, k) array or None.  In the order of all classes, those that the model never met at 0.
    scores : (m,) or (m, k) array or None.  What rows are ranked by: the decision function, else the probabilities.
    """

    values: np.ndarray
    probabilities: np.ndarray | None = None
    scores: np.ndarray | None = None

    def take(self, rows):
        """The answers for some of the rows."""
        return Answer(*(None if part is None else part[rows] for part in vars(self).values()))

    def measured(self, y, classes, names):
        """The measures of these names, as a dict; those that the answer is not enough for are left out."""
        kinds = {"labels": self.values, "numbers": self.values, "probabilities": self.probabilities}
        kinds["scores"] = self.scores
        found = {}
        for name in names:
            measure = MEASURES[name]
            if kinds[measure.needs] is not None:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")  # a fold without some class has no area: NaN says so
                    found[name] = measure(y, kinds[measure.needs], classes=classes)
        return found


@dataclass
class OneFit:
    """What came out of one fit."""

    model: Any
    answer: Answer
    fit_seconds: float
    predict_seconds: float
    remarks: list = field(default_factory=list)
    chosen: dict = field(default_factory=dict)

    @property
    def seconds(self):
        return self.fit_seconds + self.predict_seconds


def fit_once(model, X, y, X_held, classes=None):
    """Fit an unfitted model to X and y and ask it about X_held; its warnings are collected, its errors are raised."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        started = deadline.now()
        search = model.fit(X, y)
        model = getattr(search, "best_estimator_", search)  # of a search, what it found is all that is kept
        fitted = deadline.now()
        answer = answer_of(model, X_held, classes)
        done = deadline.now()
    remarks = list(dict.fromkeys(first_sentence(str(item.message)) for item in caught if is_telling(item)))
    chosen = getattr(search, "best_params_", None) or chosen_by(model)
    return OneFit(model, answer, fitted - started, done - fitted, remarks, chosen)


def answer_of(model, X, classes=None):
    """What a fitted model answers for the rows of X; `classes` are all classes, None for numbers."""
    if classes is None:
        values = np.asarray(model.predict(X), dtype=np.float64)
        if not np.isfinite(values).all():
            raise ValueError(f"{int((~np.isfinite(values)).sum())} of {len(values)} predictions are not finite")
        return Answer(values)
    known = np.searchsorted(classes, model.classes_)
    likely, ranks = hasattr(model, "predict_proba"), hasattr(model, "decision_function") and len(known) == len(classes)
    # of two classes the decision function, for which far rows are not all equal, as they are for a probability of 1
    scores = model.decision_function(X) if ranks and (len(classes) == 2 or not likely) else None
    if not likely:
        return Answer(model.predict(X), None, scores)
    P = model.predict_proba(X)
    if not np.isfinite(P).all():
        raise ValueError(f"{int((~np.isfinite(P).all(axis=1)).sum())} of {len(P)} rows have no finite probabilities")
    if len(known) < len(classes):
        P = place(P, known, len(classes))
    return Answer(model.predict(X), P, P if scores is None else scores)


def place(P, known, k):
    """Probabilities (m, few) of some of k classes, in their columns of (m, k); the others are 0."""
    full = np.zeros((len(P), k))
    full[:, known] = P
    return full


def is_telling(item):
    """Whether a warning is meant for the user of a model, not for the programmer of a library."""
    return not issubclass(item.category, DeprecationWarning | PendingDeprecationWarning | FutureWarning)


def first_sentence(text, most=160):
    """The first sentence of a text, cut where it is too long for a table.

    >>> first_sentence("Not separated: 3 mistakes. Raise max_iter.")
    'Not separated: 3 mistakes'
    """
    sentence = " ".join(text.split()).split(". ")[0].rstrip(".")
    return sentence if len(sentence) <= most else sentence[: most - 1].rstrip() + "…"


def certificate_of(model):
    """The certificate of a fitted model, in words, and whether it holds: ("", None) for a closed form without one."""
    found = getattr(inner(model), "certificate_", None)
    return ("", None) if found is None else (str(found), bool(found.converged))


def chosen_by(model):
    """Parameters that a model's own search settled on, by scikit-learn's convention: fitted `C_` for the range `Cs`."""
    found, model = {}, inner(model)
    for name in model.get_params(deep=False):
        for fitted in (f"{name}_", f"{name.removesuffix('s')}_"):
            value = getattr(model, fitted, None)
            if name not in ("classes", "priors", "class_prior") and np.ndim(value) == 0 and _is_number(value):
                found[fitted.rstrip("_")] = value.item() if hasattr(value, "item") else value
    return found


def size_of(model):
    """How many numbers a fitted model keeps: coefficients that are not zero, parameters of distributions, rows."""
    if hasattr(model, "coef_"):
        return int(np.count_nonzero(model.coef_) + np.size(getattr(model, "intercept_", ())))
    if hasattr(model, "estimator_"):
        return size_of(model.estimator_) + 2 * len(getattr(model, "calibrators_", ()))
    if hasattr(model, "n_parameters_"):
        return int(model.n_parameters_)
    fitted = (value for name, value in vars(model).items() if name.endswith("_") and not name.startswith("_"))
    return int(sum(np.size(value) for value in fitted if isinstance(value, np.ndarray | float)))


def inner(model):
    """The model inside a model that only adds probabilities to it."""
    return getattr(model, "estimator_", model)


def _is_number(value):
    return isinstance(value, int | float | np.number) and not isinstance(value, bool)
