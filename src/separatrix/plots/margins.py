"""The boundary and the margin of a support vector machine in the plane of its two columns, with who holds them."""

import numpy as np

from separatrix.core.declaration import declaration, steps_of
from separatrix.core.protocol import fitted_attribute
from separatrix.core.refusal import cannot
from separatrix.designs import as_dense
from separatrix.plots.boundary import MOST_CLASSES, mixed, regions
from separatrix.plots.labels import counted, listed, number, short
from separatrix.plots.plane import Plane
from separatrix.plots.style import COLOURS, INK, MARKERS, SQUARE, picture

SAME = 1e-5  # by how much the slack of the rows may differ from that of the fit: it is rounded, and of single precision
FLAT = 2.5  # ratio of the ranges of the columns from which a picture with equal units is too narrow
ROOM = 0.12  # around the rows, in units of their range: margins end beyond the outermost
RING = 8.5  # diameter in points


@picture(SQUARE)
def margins(model, X, y, *, names=None, ax=None):
    r"""The boundary :math:`f = 0`, the margins :math:`f = \pm 1`, and the support vectors of two columns.

    Support vectors on the margin have a ring, margin errors a dashed one, misclassified rows a cross as well. Of a
    linear machine a thin line joins each margin error to the margin of its class: its length is the slack by the norm
    of w (none are drawn where the margin is wider than the picture).
    With three or more classes there are as many margins as machines: the regions are drawn, and the support vectors of
    any of them.

    Parameters
    ----------
    model : fitted SVC or LinearSVC, or a Pipeline that ends in one.
    X, y : (n, 2) array, Table or frame, and (n,) labels.  Those of the fit.
    names : sequence of 2 str or None.  Of the columns of an array.
    ax : Axes or None.

    >>> from separatrix.svm import SVC
    >>> X, y = [[1.0, 2.0], [-1.0, 2.0], [-1.0, -2.0], [3.0, 1.0]], [-1, -1, 1, 1]
    >>> from separatrix import plots
    >>> plots.describe(margins(SVC(kernel="linear", C=10.0).fit(X, y), X, y))
    'The margin of SVC over x1 and x2: of 4 rows, 3 are on the margin and none are margin errors. Its width is 2.'
    """
    plane = Plane(X, (0, 1), None, names, ROOM)
    machine, y = steps_of(model)[-1], np.asarray(y)
    _refuse_others(machine, plane, y)
    if len(machine.classes_) > 2:
        text = _of_several(model, machine, plane, y, ax)
    else:
        text = _of_two(model, machine, plane, y, ax)
    ax.set(xlabel=short(plane.labels[0]), ylabel=short(plane.labels[1]), xlim=plane.range[0], ylim=plane.range[1])
    handles, labels = ax.get_legend_handles_labels()
    ax.legend(handles, labels, loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=3 if len(labels) > 4 else 2,
              handletextpad=0.2, columnspacing=1.0, borderaxespad=0.2)  # fmt: skip
    return text


def _refuse_others(machine, plane, y):
    because = None
    if not declaration(machine).has_margins or declaration(machine).task != "classification":
        because, instead = "it is no support vector classifier of separatrix", "plots.boundary"
    elif len(plane.names) != 2:
        because = f"it has {len(plane.names)} columns: only in the space of all of them are rows on its margin"
        instead = "a model of two columns, or plots.boundary"
    elif np.shape(machine.slack_)[0 if fitted_attribute(machine, "n_support_") is not None else -1] != len(y):
        because, instead = f"it was fitted to other rows than these {len(y)}", "the X and y of its fit"
    if because:
        raise cannot(f"draw the margins of {type(machine).__name__}", because=because, instead=instead)


# ------------------------------------------------------------------ two classes


def _of_two(model, machine, plane, y, ax):
    signs = np.where(y == machine.classes_[1], 1.0, -1.0)
    slack = np.maximum(0.0, 1.0 - signs * model.decision_function(plane.given(plane.points)))
    known = machine.slack_ > 0.0  # a row of weight 0 has none in the fit
    if np.abs(slack - machine.slack_)[known].max(initial=0.0) > SAME * (1.0 + slack.max()):
        raise cannot(
            f"draw the margins of {type(machine).__name__}",
            because="the slack of these rows is not that of the fit",
            instead="the X and y of its fit, in their order",
        )
    _bands(model, plane, ax)
    on, errors = (fitted_attribute(machine, name) for name in ("on_margin_", "margin_errors_"))
    errors = np.flatnonzero(slack > SAME) if errors is None else errors  # without dual variables: by the slack
    if machine is model and fitted_attribute(machine, "coef_") is not None:
        _slack_lines(machine, plane, signs, slack, errors, ax)
    _rows(machine.classes_, plane, y, ax)
    wrong = np.flatnonzero(slack > 1.0)
    _rings(plane, () if on is None else on, "on the margin", "-", ax)
    _rings(plane, errors, "margin error", (0, (2, 1.2)), ax)
    if len(wrong):
        ax.plot(*plane.points[wrong].T, "x", color=INK, markersize=4.5, markeredgewidth=1.0,
                label=f"misclassified ({len(wrong)})")  # fmt: skip
    held = "none are" if on is None or not len(on) else f"{len(on)} {_is(len(on))}"
    failed = "none are margin errors" if not len(errors) else f"{len(errors)} {_is(len(errors))} margin error"
    failed += "s" if len(errors) > 1 else ""
    text = f"The margin of {type(machine).__name__} over {plane.labels[0]} and {plane.labels[1]}: of "
    text += f"{counted(len(y), 'row')}, {held} on the margin and {failed}"
    text += f", {len(wrong)} of them misclassified." if len(wrong) else "."
    space = "" if fitted_attribute(machine, "coef_") is not None else " in the space of its kernel"
    return f"{text} Its width{space} is {number(machine.margin_width_)}."


def _is(count):
    return "is" if count == 1 else "are"


def _bands(model, plane, ax):
    """Both sides, paler within the margin; the boundary as a line, the margins as broken ones."""
    f = np.asarray(model.decision_function(plane.on_grid()), dtype=np.float64).reshape(plane.grid[0].shape)
    levels = [min(f.min(), -1.0) - 1.0, -1.0, 0.0, 1.0, max(f.max(), 1.0) + 1.0]
    negative, positive = COLOURS[:2]
    shades = [mixed(negative, 0.24), mixed(negative, 0.10), mixed(positive, 0.10), mixed(positive, 0.24)]
    ax.contourf(*plane.grid, f, levels, colors=shades)
    for level, width, dashes in ((-1.0, 1.0, "--"), (0.0, 1.6, "-"), (1.0, 1.0, "--")):
        if f.min() < level < f.max():
            ax.contour(*plane.grid, f, [level], colors=INK, linewidths=width, linestyles=dashes)


def _slack_lines(machine, plane, signs, slack, errors, ax):
    """Lines from each margin error, across the margin, to where its slack would be zero."""
    w, spans = np.ravel(as_dense(machine.coef_)), np.ptp(plane.range, axis=1)
    in_sight = np.linalg.norm(w) * np.linalg.norm(spans) > 1.0  # whether the margin is narrower than the picture
    for i in errors if in_sight else ():
        foot = plane.points[i] + signs[i] * slack[i] * w / (w @ w)
        own = COLOURS[int(signs[i] > 0.0)]
        ax.plot(*np.transpose([plane.points[i], foot]), "-", color=own, linewidth=1.0, zorder=1.5)
    if spans.max() < FLAT * spans.min():
        ax.set_aspect("equal")  # right angles then look right


def _rows(classes, plane, y, ax):
    for c, label in enumerate(classes):
        own = plane.points[y == label]
        ax.plot(*own.T, MARKERS[c % MOST_CLASSES], color=COLOURS[c % MOST_CLASSES], markersize=4.2,
                markeredgecolor="white", markeredgewidth=0.5, linestyle="none", label=short(label, 16))  # fmt: skip


def _rings(plane, rows, label, dashes, ax):
    """Rings around rows, in a kind of line that tells what they are."""
    if len(rows):
        ax.scatter(*plane.points[rows].T, s=RING**2, facecolors="none", edgecolors=INK, linewidths=1.0,
                   linestyles=[dashes], label=f"{label} ({len(rows)})", zorder=2.5)  # fmt: skip


# ------------------------------------------------------------------ more classes


def _of_several(model, machine, plane, y, ax):
    shares = regions(model, plane, ax)
    _rows(machine.classes_, plane, y, ax)
    support = fitted_attribute(machine, "support_")
    held = 0 if support is None else len(support)
    _rings(plane, () if support is None else support, "support vector", "-", ax)
    count = len(np.ravel(machine.primal_objective_))
    return (
        f"Regions of {type(machine).__name__} over {plane.labels[0]} and {plane.labels[1]}: of the area, "
        f"{listed(shares)}. {held} of {counted(len(y), 'row')} {_is(held)} support vectors of one of its {count} "
        "machines or more; their margins are not drawn."
    )
