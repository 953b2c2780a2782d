"""Models with a distribution for each class in words and numbers: the means or probabilities that tell most."""

import numpy as np

from separatrix.core.description import MOST_ROWS, DescribedTable, Description, fit_notes
from separatrix.designs import as_dense

MOST_CLASSES = 12


def in_classes(model, names, X, y):
    """Describe a model of the classes by how they differ, most telling columns first."""
    classes, fitted = [str(label) for label in model.classes_], vars(model)
    if "parts_" in fitted:
        tables = _mixed(model, names, classes)
        how = "a distribution of its own for each column"
    elif "feature_log_prob_" in fitted:
        tables = _probabilities(model, names, classes)
        how = "the probabilities of what its columns hold"
    else:
        means = np.asarray(fitted["theta_"] if "theta_" in fitted else fitted["means_"])
        tables = [_means(means, _within(model, X, y, means), names, classes)]
        how = "the mean and the spread of each column"
    shares = _shares(model)
    if shares is not None:
        rows = tuple((label, float(share)) for label, share in zip(classes, shares))
        tables.append(DescribedTable("How frequent each class is taken to be", ("class", "share"), rows))
    words = (
        f"For each of {len(classes)} classes the model has learnt {how}. A new row goes to the class under which its "
        "values are most probable, once the frequency of the class is counted in."
    )
    if shares is None:  # a direction and a threshold, no probabilities
        words = f"The model compares a row with the means of {len(classes)} classes, along one direction."
    words += _most_telling(tables[0])
    notes = [f"The first {MOST_CLASSES} of {len(classes)} classes are shown."] if len(classes) > MOST_CLASSES else []
    return Description(words, tuple(tables), ("boundary",), (*notes, *fit_notes(model)))


def _most_telling(table):
    return f" Of all columns {table.rows[0][0]!r} tells most." if table.rows else ""


def _shares(model):
    fitted = vars(model)
    for name in ("priors_", "class_prior_"):
        if name in fitted:
            return np.asarray(fitted[name])
    return np.exp(fitted["class_log_prior_"]) if "class_log_prior_" in fitted else None


def _within(model, X, y, means):
    """Standard deviation of each column within classes: as the model has it, or from the rows, or 1."""
    fitted = vars(model)
    if "var_" in fitted:
        return np.sqrt(np.asarray(fitted["var_"]).mean(axis=0))
    if "variances_" in fitted:
        return np.sqrt(np.asarray(fitted["variances_"]))
    if X is None or y is None:
        return np.ones(means.shape[1])
    X, codes = as_dense(X), np.searchsorted(model.classes_, np.asarray(y))
    return np.sqrt(((X - means[codes]) ** 2).mean(axis=0))


def _means(means, within, names, classes):
    """Class means, those that lie farthest apart first, in units of the spread within classes."""
    reach = means.max(axis=0) - means.min(axis=0)
    apart = np.divide(reach, within, out=np.zeros_like(reach), where=within > 0.0)
    order = np.argsort(-apart, kind="stable")[:MOST_ROWS]
    shown = classes[:MOST_CLASSES]
    rows = tuple((names[j], *map(float, means[: len(shown), j]), float(apart[j])) for j in order)
    heads = ("column", *(f"mean of {label}" for label in shown), "distance")
    caption = (
        "Means of the prepared columns in each class; the distance is that of the two means farthest apart, in "
        f"standard deviations within a class. {len(order)} of {len(names)} columns, most telling first."
    )
    return DescribedTable("How the classes differ", heads, rows, caption)


def _probabilities(model, names, classes):
    logs = model.feature_log_prob_
    if isinstance(logs, list):
        cells = [(f"{names[j]} = code {v}", logs[j][:, v]) for j in range(len(logs)) for v in range(logs[j].shape[1])]
        what = "that the column holds that code"
    else:
        cells = list(zip(names, np.asarray(logs).T))
        what = "that the column is set" if "binarize" in model.get_params(deep=False) else "of the column"
    return [_ranked(cells, classes, f"Probability {what}, in each class")]


def _ranked(cells, classes, caption):
    """Rows of probabilities, those first that add most to telling classes apart."""

    def telling(logs):
        p = np.exp(logs)
        return float(p.mean() * (logs.max() - logs.min()))

    ranked = sorted(cells, key=lambda cell: -telling(cell[1]))[:MOST_ROWS]
    shown = classes[:MOST_CLASSES]
    rows = tuple((name, *map(float, np.exp(logs)[: len(shown)])) for name, logs in ranked)
    caption = f"{caption}; {len(rows)} of {len(cells)}, most telling first."
    return DescribedTable("How the classes differ", ("column", *shown), rows, caption)


def _mixed(model, names, classes):
    """A table for each kind of distribution among the columns."""
    tables = []
    for kind, part in model.parts_.items():
        mine = [j for j, word in enumerate(model.distributions_) if word == kind]
        inner = [names[j] for j in mine]
        if "theta_" in vars(part):
            tables.append(_means(np.asarray(part.theta_), _within(part, None, None, part.theta_), inner, classes))
        elif isinstance(part.feature_log_prob_, list):
            cells = [
                (f"{names[j]} = {_level(model, j, v)}", logs[:, v])
                for j, logs in zip(mine, part.feature_log_prob_)
                for v in range(logs.shape[1])
            ]
            tables.append(_ranked(cells, classes, "Probability that the column holds that value, in each class"))
        else:
            cells = list(zip(inner, np.asarray(part.feature_log_prob_).T))
            tables.append(_ranked(cells, classes, "Probability that the column is set, in each class"))
    return tables


def _level(model, j, v):
    levels = model.categories_.get(j, [])
    return levels[v] if v < len(levels) else f"code {v}"
