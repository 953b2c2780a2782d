"""The regions and the boundary of a fitted model in the plane of two of its columns."""

import numpy as np

from separatrix.core.declaration import steps_of
from separatrix.core.protocol import can
from separatrix.plots.labels import listed, number, percent, short
from separatrix.plots.plane import Plane
from separatrix.plots.style import COLOURS, INK, MARKERS, picture

MOST_CLASSES = len(COLOURS)
STEPS = 12  # no shading up to this many different probabilities
SHADES = (0.0, 0.25, 0.5, 0.75, 1.01)  # by how much the likeliest class leads the next


@picture()
def boundary(model, X, y, *, columns=(0, 1), held=None, names=None, ax=None):
    """Predictions of a model over two columns; all others are held at their median or their commonest value.

    A classifier gives regions, darker where the likeliest class leads by more (if the model has probabilities), with
    the boundary between them; a regressor gives contours. The rows, thinned to 300, lie on top.

    Parameters
    ----------
    model : fitted classifier or regressor.  It is given what X is: an array, a Table or a frame.
    X : (n, p) array, Table or frame.
    y : (n,) labels or numbers.
    columns : two positions or names, default (0, 1).  They must hold numbers.
    held : dict or None.  From a position or name to the value at which that column is held instead.
    names : sequence of p str or None.  Of the columns of an array.
    ax : Axes or None.

    >>> from separatrix.linear_model import LogisticRegression
    >>> X, y = [[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [2.0, 2.0]], [0, 1, 0, 1]
    >>> ax = boundary(LogisticRegression().fit(X, y), X, y, names=["age", "ldl"])
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('age', 'ldl')
    """
    from sklearn.base import is_classifier

    plane = Plane(X, columns, held, names)
    draw = _regions if is_classifier(model) else _contours
    text = draw(model, plane, np.asarray(y), ax)
    ax.set(xlabel=short(plane.labels[0]), ylabel=short(plane.labels[1]), xlim=plane.range[0], ylim=plane.range[1])
    rest = len(plane.names) - 2
    return f"{text} {rest} other column{'s are' if rest > 1 else ' is'} held." if rest else text


# ------------------------------------------------------------------ classifiers


def _regions(model, plane, y, ax):
    shares = regions(model, plane, ax)
    classes, rows = np.asarray(model.classes_), plane.thinned()
    for c, label in enumerate(classes):
        own = rows[y[rows] == label]
        ax.plot(*plane.points[own].T, MARKERS[c % MOST_CLASSES], color=COLOURS[c % MOST_CLASSES], markersize=4.2,
                markeredgecolor="white", markeredgewidth=0.5, label=short(label, 16))  # fmt: skip
    ax.legend(
        loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=min(len(classes), 4), handletextpad=0.1, columnspacing=1.0
    )
    predicted = model.predict(plane.given(plane.points[rows]))
    right = float((predicted == y[rows]).mean()) if len(rows) else float("nan")
    return (
        f"Regions of {type(_last(model)).__name__} over {plane.labels[0]} and {plane.labels[1]}: of the area, "
        f"{listed(shares)}. {percent(right)} of the {len(rows)} points drawn lie in the region of their class."
    )


def regions(model, plane, ax):
    """Draw the regions of the classes and the lines between them; returns the share of the area that each has."""
    classes, leads, shades = _leads(model, plane.on_grid())
    shape = plane.grid[0].shape
    side = leads.argmax(axis=1)
    area = np.bincount(side, minlength=len(classes)) / len(side)
    for c in range(len(classes)):
        lead = leads[:, c].reshape(shape)
        if lead.max() > 0.0:
            colours = [COLOURS[c % MOST_CLASSES]] * (len(shades) - 1)
            weak = [0.10, 0.19, 0.28, 0.37] if len(shades) > 2 else [0.2]
            levels = [*shades[:-1], max(shades[-1], lead.max() * 1.001)]
            ax.contourf(*plane.grid, lead, levels, colors=[mixed(hue, a) for hue, a in zip(colours, weak)])
    for c in range(len(classes) - 1):  # the last border is that of the other classes
        lead = leads[:, c].reshape(shape)
        if lead.min() < 0.0 < lead.max():
            ax.contour(*plane.grid, lead, [0.0], colors=INK, linewidths=1.4, linestyles="-")
    return [f"{label} {percent(share)}" for label, share in zip(classes, area)]


def _leads(model, given):
    """Classes, the lead of each over the best of the others, and levels of shades.

    Leads are differences of probabilities or raw scores if their signs agree with the predictions; else (costs,
    thresholds) the predictions alone are drawn.
    """
    classes = np.asarray(model.classes_)
    predicted = np.asarray(model.predict(given))
    for kind in ("predict_proba", "decision_function"):
        if not can(model, kind):
            continue
        values = np.asarray(getattr(model, kind)(given), dtype=np.float64)
        values = np.column_stack([-values, values]) if values.ndim == 1 else values
        if values.shape[1] == len(classes) and np.isfinite(values).all():
            leads = _ahead(values)
            if (leads[np.arange(len(predicted)), np.searchsorted(classes, predicted)] >= -1e-9).all():
                smooth = len(np.unique(leads[:, 0].round(6))) > STEPS
                return classes, leads, SHADES if smooth and kind == "predict_proba" else (0.0, leads.max() + 1.0)
    return classes, _ahead((predicted[:, None] == classes).astype(np.float64)), (0.0, 2.0)


def _ahead(values):
    """Each value less the best of the others in its row."""
    best = np.sort(values, axis=1)[:, -2:]
    return values - np.where(values == best[:, 1:], best[:, :1], best[:, 1:])


def mixed(colour, strength):
    """A colour mixed with white, which takes fewer bytes in an SVG than transparency."""
    from matplotlib.colors import to_hex, to_rgb

    return to_hex([1.0 - strength * (1.0 - part) for part in to_rgb(colour)])


def _last(model):
    """The model itself, at the end of a pipeline."""
    return steps_of(model)[-1]


# ------------------------------------------------------------------ regressors


def _contours(model, plane, y, ax):
    from matplotlib.colors import LinearSegmentedColormap

    heights = np.asarray(model.predict(plane.on_grid()), dtype=np.float64).reshape(plane.grid[0].shape)
    rows = plane.thinned()
    y = y.astype(np.float64)
    shades = LinearSegmentedColormap.from_list("", ["#FFFFFF", "#B8DDF3", "#56B4E9", "#2E86BF"])
    ends = {"vmin": min(heights.min(), y[rows].min()), "vmax": max(heights.max(), y[rows].max())}
    ax.contourf(*plane.grid, heights, 9, cmap=shades, **ends)
    lines = ax.contour(*plane.grid, heights, 9, colors=INK, linewidths=0.7)
    ax.clabel(lines, fontsize=8, fmt=number)
    ax.scatter(*plane.points[rows].T, c=y[rows], cmap=shades, s=18, edgecolors=INK, linewidths=0.5, **ends)
    return (
        f"Contours of {type(_last(model)).__name__} over {plane.labels[0]} and {plane.labels[1]}: predictions from "
        f"{number(heights.min())} to {number(heights.max())}; {len(rows)} points, coloured by a truth from "
        f"{number(y[rows].min())} to {number(y[rows].max())}."
    )
