"""One model fitted once: its predictions, times, warnings, certificate, parameters and size."""

import re
import warnings
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from separatrix.assess.compare import deadline
from separatrix.assess.measures import MEASURES
from separatrix.core import declaration
from separatrix.core.errors import EndOfGrid
from separatrix.core.protocol import can, fitted_attribute
from separatrix.inference.bootstrap import chosen_settings

TINY = float(np.finfo(np.float64).tiny)


@dataclass
class Predictions:
    """Predictions for some rows, of every kind that a measure may need; None where the model does not give it.

    Parameters
    ----------
    values : (m,) array.  Labels or numbers.
    probabilities : (m, k) array or None.  In the order of all classes, with 0 for classes that the model has not seen.
    ranking : (m,) or (m, k) array or None.  Rows are ranked by it: the decision function, else the probabilities.
    """

    values: np.ndarray
    probabilities: np.ndarray | None = None
    ranking: np.ndarray | None = None

    def take(self, rows):
        """The predictions of some of the rows."""
        return Predictions(*(None if part is None else part[rows] for part in vars(self).values()))

    def measured(self, y, classes, names):
        """The measures of these names, as a dict, without those that the predictions are not enough for."""
        kinds = {"labels": self.values, "numbers": self.values, "probabilities": self.probabilities}
        kinds["scores"] = self.ranking
        values = {}
        for name in names:
            measure = MEASURES[name]
            if kinds[measure.needs] is not None:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")  # NaN already says that a fold without some class has no area
                    values[name] = measure(y, kinds[measure.needs], classes=classes)
        return values


@dataclass
class OneFit:
    """A fitted model, its predictions of held-out rows, its times, the texts of its warnings, chosen parameters."""

    model: Any
    predictions: Predictions
    fit_seconds: float
    predict_seconds: float
    messages: list = field(default_factory=list)
    chosen: dict = field(default_factory=dict)

    @property
    def seconds(self):
        return self.fit_seconds + self.predict_seconds


def fit_once(model, X, y, X_held, classes=None):
    """Fit a model to X and y and predict X_held; warnings are collected, errors are raised."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        started = deadline.now()
        search = model.fit(X, y)
        model = declaration.without_search(search)  # of a search only the best model is kept
        fitted = deadline.now()
        predictions = predictions_of(model, X_held, classes)
        done = deadline.now()
    messages = list(dict.fromkeys(first_sentence(str(item.message)) for item in caught if is_for_users(item)))
    chosen = vars(search).get("best_params_") or chosen_settings(declaration.unwrap(model))
    return OneFit(model, predictions, fitted - started, done - fitted, messages, chosen)


def predictions_of(model, X, classes=None):
    """Predictions of a fitted model for the rows of X; `classes` are all classes, None for regression."""
    if classes is None:
        values = np.asarray(model.predict(X), dtype=np.float64)
        if not np.isfinite(values).all():
            raise ValueError(f"{int((~np.isfinite(values)).sum())} of {len(values)} predictions are not finite")
        return Predictions(values)
    known = np.searchsorted(classes, model.classes_)
    has_proba = can(model, "predict_proba")
    has_raw = can(model, "decision_function") and len(known) == len(classes)
    # of two classes the decision function: probabilities that round to 1 would tie
    raw = model.decision_function(X) if has_raw and (len(classes) == 2 or not has_proba) else None
    if not has_proba:
        return Predictions(model.predict(X), None, raw)
    P = model.predict_proba(X)
    if not np.isfinite(P).all():
        raise ValueError(f"{int((~np.isfinite(P).all(axis=1)).sum())} of {len(P)} rows have no finite probabilities")
    if len(known) < len(classes):
        P = with_all_classes(P, known, len(classes))
    return Predictions(model.predict(X), P, P if raw is None else raw)


def with_all_classes(P, known, k):
    """Probabilities of the `known` ones of k classes as (m, k), with 0 for the others."""
    full = np.zeros((len(P), k))
    full[:, known] = P
    return full


def is_for_users(item):
    """Whether a warning is meant for the user of a comparison, who neither writes the models nor sets their grids."""
    return not issubclass(item.category, DeprecationWarning | PendingDeprecationWarning | FutureWarning | EndOfGrid)


def first_sentence(text, most=160):
    """The first sentence of a text; where it is too long for a table, as many of its clauses as fit, or of its words.

    >>> first_sentence("Not separated: 3 mistakes. Raise max_iter.")
    'Not separated: 3 mistakes'
    >>> first_sentence("The rows do not determine all coefficients: they are too few", 55)
    'The rows do not determine all coefficients'
    """
    sentence = " ".join(text.split()).split(". ")[0].rstrip(".")
    if len(sentence) <= most:
        return sentence
    ends = [match.start() for match in re.finditer(r"[:;,] ", sentence[:most])]
    return sentence[: ends[-1]] if ends and ends[-1] >= most // 3 else sentence[: most - 1].rsplit(" ", 1)[0] + " …"


def worse_certificate(one, other):
    """Of two certificates, either of which may be None, the one that does not hold, or is nearer to its tolerance."""
    known = [each for each in (one, other) if each is not None]
    return max(
        known, key=lambda each: (not each.converged, float(each.value) / max(each.tolerance, TINY)), default=None
    )


def size_of(model):
    """How many numbers a fitted model keeps: coefficients that are not zero, parameters of distributions, rows."""
    known = declaration.declaration(model)
    if known.is_linear:
        return int(np.count_nonzero(model.coef_) + np.size(model.intercept_))
    if known.inside is not None:
        return size_of(known.inside(model)) + 2 * len(vars(model).get("calibrators_", ()))
    parameters = fitted_attribute(model, "n_parameters_")
    if parameters is not None:
        return int(parameters)
    fitted = (value for name, value in vars(model).items() if name.endswith("_") and not name.startswith("_"))
    return int(sum(np.size(value) for value in fitted if isinstance(value, np.ndarray | float)))
