"""The regularisation path: coefficients against the strength of the penalty, and the strength chosen."""

import numpy as np
from sklearn.base import clone

from separatrix import plots
from separatrix.core.declaration import declaration
from separatrix.designs import as_dense
from separatrix.estimators.linear.elastic_net import enet_path
from separatrix.inference.bootstrap import at_choice, chosen_settings
from separatrix.report.blocks import Text, picture, wide
from separatrix.report.numbers import short
from separatrix.report.registry import Inapplicable, Skipped, section

MOST_STRENGTHS = 24
MOST_CELLS = 20_000_000
WEAKEST = 11.0  # times weaker than the penalty that was chosen


@section("path", "What the penalty does", order=100)
def path(context):
    """Coefficients of the chosen family over the strengths that it tried."""
    model, X = context.model, context.prepared
    strengths, name = _grid(model)
    strengths = _without_weakest(strengths, _chosen(model, name), name)
    if X.shape[0] * X.shape[1] > MOST_CELLS:
        raise Skipped(f"{X.shape[0]:,} rows of {X.shape[1]:,} columns are too many to follow a path in a few seconds")
    if name == "alpha" and "l1_ratio_" in vars(model) and not len(context.classes):
        coefs = _elastic_net(context, X, strengths)
    else:
        strengths, coefs = _refitted(context, X, strengths, name)
    chosen = _chosen(model, name)
    if name == "C":  # an inverse strength
        strengths, chosen = 1.0 / strengths, 1.0 / chosen
    ax = plots.path(strengths, coefs, names=context.comparison.feature_names, chosen=chosen, ax=wide(3.8))
    text = (
        "A penalty holds the coefficients back; cross-validation chose how strongly. On the left the penalty is strong "
        "and the coefficients small; to the right it weakens and they grow. Columns that come in early, and stay, "
        f"matter most. The strength chosen is {short(chosen)}."
    )
    several = len(context.classes) > 2 or np.ndim(coefs) == 3
    caption = "Coefficients of the prepared columns, fitted to all training rows." + (
        " With several classes, the length of the coefficients of a column over all classes." if several else ""
    )
    return [Text(text), picture(ax, caption)]


def _grid(model):
    """The strengths that a search tried, in increasing order, and what they are called."""
    search = declaration(model).search
    grid = vars(model).get(search.grid) if search is not None and search.grid else None
    if np.ndim(grid) != 1 or np.size(grid) < 2:
        raise Inapplicable
    return np.sort(np.asarray(grid, dtype=np.float64)), search.strength


def _without_weakest(strengths, chosen, name):
    """Without strengths much weaker than the chosen one, whose large coefficients would hide the others."""
    weakness = strengths / chosen if name == "C" else chosen / strengths
    kept = strengths[weakness <= WEAKEST]
    return kept if len(kept) > 1 else strengths


def _chosen(model, name):
    return chosen_settings(model)[name]


def _elastic_net(context, X, strengths):
    X, y = as_dense(X), np.asarray(context.comparison.y_train, dtype=np.float64)
    _, coefs, _ = enet_path(
        X - X.mean(axis=0), y - y.mean(), l1_ratio=context.model.l1_ratio_, alphas=strengths, tol=1e-5
    )
    return coefs[:, ::-1]  # enet_path returns the strongest first


def _refitted(context, X, strengths, name):
    """The plain model at each strength; of several classes, the length of each column's coefficients."""
    few = strengths[np.unique(np.linspace(0, len(strengths) - 1, min(len(strengths), MOST_STRENGTHS)).astype(int))]
    plain, rows = at_choice(context.model), []
    for strength in few:
        context.needs_seconds(0.0, "a regularisation path")
        fitted = clone(plain).set_params(**{name: float(strength)}).fit(X, context.comparison.y_train)
        coef = np.atleast_2d(fitted.coef_)
        rows.append(coef[0] if len(coef) == 1 else np.linalg.norm(coef, axis=0))
    return few, np.array(rows).T
