"""A fitted model in words and numbers: what it says, how surely, and what must be known to read it."""

import inspect
from dataclasses import replace

import numpy as np
from sklearn.utils.validation import check_is_fitted

from separatrix.core.declaration import (
    CLASSES,
    COEFFICIENTS,
    IMPORTANCES,
    ROWS,
    RULES,
    SETTINGS,
    SHARES,
    declaration,
    layers,
    unwrap,
)
from separatrix.core.description import MOST_ROWS, DescribedTable, Description, fit_notes
from separatrix.core.errors import cannot
from separatrix.estimators.calibration import CalibratedLinearClassifier
from separatrix.inference.describe_classes import in_classes
from separatrix.inference.describe_linear import in_coefficients
from separatrix.inference.own_units import own_units
from separatrix.inference.rule_words import in_rules

CALIBRATED = (
    "The model itself gives scores, not probabilities; a logistic curve, fitted to scores of rows that were held out, "
    "turns its scores into probabilities."
)


def describe(model, feature_names, X=None, y=None, *, units=None):
    """Say what a fitted model has learnt, in two or three sentences and a few tables.

    Parameters
    ----------
    model : fitted estimator, or a Pipeline or search that ends in one.
    feature_names : sequence of str.  Of the columns that reach the model itself.
    X, y : (n, p) array and (n,) array, default None.  The rows that it learnt from, in those columns. With them
        effects are given for one standard deviation, and intervals where the fit itself has none.
    units : (p,) array or None, default None.  How many units of the table one unit of each column stands for (the
        standard deviation that it was divided by, as a rule); NaN where a column has no such unit. None stands for 1.

    Returns
    -------
    Description.  By what the class of the model declares: coefficients, class means or probabilities, stored rows,
    importances, or a function of its own; its settings and fitted attributes where it declares nothing.

    >>> from separatrix.neighbors import KNeighborsClassifier
    >>> model = KNeighborsClassifier(3).fit([[0.0], [1.0], [2.0]], ["a", "b", "b"])
    >>> print(describe(model, ["height"]).words)
    The model keeps all 3 training rows. A new row gets the commonest class among the 3 nearest of them, by euclidean
    distance in the prepared columns.
    """
    check_is_fitted(model)
    whole, model = model, unwrap(model)
    names = [str(name) for name in feature_names]
    expected = vars(model).get("n_features_in_", len(names))
    if len(names) != expected:
        raise cannot(
            f"describe {type(model).__name__} with {len(names)} names",
            because=f"{expected} columns reach it",
            instead="one name for each of them",
        )
    in_own_units = declaration(model).rescaled
    if in_own_units is not None:
        own = own_units(whole)
        model = in_own_units(model, own.origin, own.unit)
    description = in_rules(whole) if declaration(model).description == RULES else _described(model, names, X, y, units)
    if any(isinstance(layer, CalibratedLinearClassifier) for layer in layers(whole)):
        return replace(description, notes=(*description.notes, CALIBRATED))
    return description


def _described(model, names, X, y, units):
    way = declaration(model).description
    if callable(way):
        return way(model, names, X, y)
    if way == COEFFICIENTS:
        return in_coefficients(model, names, X, y, units)
    return {
        CLASSES: lambda: in_classes(model, names, X, y),
        ROWS: lambda: _in_neighbours(model),
        SHARES: lambda: _in_shares(model),
        IMPORTANCES: lambda: _in_importances(model, names),
        SETTINGS: lambda: _in_settings(model),
    }[way]()


def _in_neighbours(model):
    rows, metric, settings = model.n_samples_fit_, model.effective_metric_, model.get_params(deep=False)
    metric = metric if isinstance(metric, str) else "a given"
    is_class = declaration(model).task == "classification"
    answer = "commonest class among" if is_class else f"{settings.get('average', 'mean')} of the targets of"
    if "n_neighbors" in settings:
        which = f"the {answer} the {min(model.n_neighbors, rows)} nearest of them, by {metric} distance"
    else:
        which = f"the {answer} those within {metric} distance {model.radius:g} of it"
    words = f"The model keeps all {rows:,} training rows. A new row gets {which} in the prepared columns."
    facts = [
        ("training rows kept", rows),
        ("neighbours asked", settings.get("n_neighbors")),
        ("radius", settings.get("radius")),
        ("distance", metric),
        ("weights", str(settings.get("weights", "uniform"))),
    ]
    table = DescribedTable("What it remembers", ("what", "value"), tuple((a, b) for a, b in facts if b is not None))
    notes = ("There is nothing to sum up in coefficients: the training rows themselves are the model.",)
    return Description(words, (table,), ("boundary",), (*notes, *fit_notes(model)))


def _in_shares(model):
    rows = tuple((str(label), float(share)) for label, share in zip(model.classes_, model.class_prior_))
    table = DescribedTable("What it always answers", ("class", "probability"), rows, "The shares among training rows.")
    likely = model.classes_[int(np.argmax(model.class_prior_))]
    words = f"The model looks at no column: every row gets the same probabilities, and {likely} is always the answer."
    return Description(words, (table,), (), fit_notes(model))


def _in_importances(model, names):
    shares = np.asarray(model.feature_importances_, dtype=float)
    order = np.argsort(-shares, kind="stable")[:MOST_ROWS]
    table = DescribedTable(
        "Which columns matter",
        ("column", "importance"),
        tuple((names[j], float(shares[j])) for j in order),
        f"Shares as the model counts them, largest first; {len(order)} of {len(names)} columns.",
    )
    most = f"Most of all it looks at {names[order[0]]!r}." if shares[order[0]] > 0.0 else "No column is asked for."
    words = f"{_first_sentence(model)} {most}"
    return Description(words, (table,), ("importances", "boundary"), tuple(fit_notes(model)))


def _in_settings(model):
    """What can be said of any estimator: what it is, its settings, what it keeps, its certificate."""
    given = {name: _short(value) for name, value in model.get_params(deep=False).items()}
    settings = DescribedTable(
        "Settings", ("parameter", "value"), tuple(given.items()), "As given to the model, or its defaults."
    )
    kept = [
        (name, _short(value))
        for name, value in sorted(vars(model).items())
        if name.endswith("_") and not name.startswith("_") and name != "certificate_"
    ]
    keeps = DescribedTable("What it keeps", ("attribute", "value"), tuple(kept), "What the fit has learnt.")
    inner = model.get_params(deep=False).get("estimator")
    inside = f" It is built around {type(inner).__name__}." if inner is not None else ""
    words = f"{_first_sentence(model)}{inside} It keeps {len(kept)} fitted quantities."
    tables = tuple(table for table in (settings, keeps) if table.rows)
    return Description(words, tables, (), fit_notes(model))


def _first_sentence(model):
    doc = (inspect.getdoc(type(model)) or type(model).__name__).split("\n\n")[0].replace("\n", " ")
    return doc if doc.endswith(".") else f"{doc}."


def _short(value, most=80):
    """A value for a cell of a table: numbers as they are, arrays by their shape, the rest as text of bounded length."""
    if value is None or isinstance(value, bool | int | float | np.bool_ | np.integer | np.floating):
        return str(value) if value is None or isinstance(value, bool | np.bool_) else value
    shape = value.shape if isinstance(value, np.ndarray) else ()
    if len(shape) and int(np.prod(shape)) > 4:
        return f"{' × '.join(map(str, shape))} array"
    if len(shape) == 1:
        return ", ".join(f"{part:.3g}" if isinstance(part, float) else str(part) for part in value.tolist())
    text = " ".join((value if isinstance(value, str) else repr(value)).split())
    return text if len(text) <= most else f"{text[: most - 1]}…"
