r"""Support vector machines in numbers and words: the margin, who holds it, and who is within it.

Of a machine with the score f a row has the slack :math:`\xi = \max(0, 1 - y f(x))`, of a regression
:math:`\max(0, |y - f(x)| - \epsilon)`. There is no likelihood, so that there are neither standard errors nor p-values.
"""

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from separatrix.core.declaration import declaration
from separatrix.core.description import DescribedTable, Description, fit_notes
from separatrix.core.errors import cannot
from separatrix.core.printable import printable
from separatrix.core.protocol import fitted_attribute
from separatrix.designs import as_dense
from separatrix.designs.kernels import Gaussian, Kernel, Linear, Polynomial, Sigmoid
from separatrix.estimators.parameters import check_number
from separatrix.inference.least_squares import certificate_line, coefficient_names
from separatrix.inference.render import significant
from separatrix.inference.table import Coefficient, Summary, Table

ROUNDING = 1.5e-8  # slack below the square root of the spacing of numbers near 1 is that of a row on the margin
# From the statistics of a summary to what people call them, in the order in which they are shown.
LABELS = {
    "kernel": "kernel",
    "C": "C",
    "epsilon": "epsilon",
    "nu": "nu",
    "support": "support vectors",
    "support_of": "of them",
    "on_margin": "on the margin",
    "margin_errors": "margin errors",
    "on_tube": "on the tube",
    "outside": "outside the tube",
    "on_border": "on the border",
    "outliers": "outside the region",
    "outlier_share": "share outside",
    "offset": "offset rho",
    "misclassified": "misclassified",
    "margin": "margin 1/|w|",
    "margin_width": "width 2/|w|",
    "norm": "|w|",
    "slack": "sum of slack",
    "primal": "primal objective",
    "dual": "dual objective",
    "gap": "gap",
}
AS_GIVEN = ("C", "epsilon", "nu", "outlier_share")  # shown without zeros at the end
NO_ERRORS = "Numbers of geometry and counts of rows: a margin has no likelihood, hence no standard errors or p-values."
OUTLIERS = "A row is outside where its sum of kernels is below rho. Of all weights at most a share nu is outside."
ERRORS = "Margin errors are rows within the margin or beyond; those with a slack above 1 are misclassified."
FEATURE_SPACE = "Lengths are those of the kernel's feature space, not of the columns."
NO_BOUND = (
    "No gap is told: of a kernel that is not known to be positive semidefinite the difference of the objectives bounds "
    "nothing."
)
NO_LENGTH = "Of this kernel, which is not positive semidefinite, w·w is negative: there is neither |w| nor a margin."
PAIRS = "One machine for each pair of classes, which sees the rows of these two only."


@dataclass(frozen=True)
class Side:
    """One machine of a model: its name, its classes, its rows, and who of them are what."""

    name: str
    labels: tuple  # of the negative and the positive side
    slack: np.ndarray
    pulls: np.ndarray | None  # y α of each support vector; None where there are no dual variables
    on_margin: np.ndarray | None
    errors: np.ndarray | None


def summarise_margins(model, output=None):
    """The geometry of a fitted support vector machine, one table for each pair of classes or each class.

    Parameters
    ----------
    model : fitted SVC, SVR, NuSVC, NuSVR, OneClassSVM, LinearSVC or LinearSVR.
    output : int or None.  One machine of a model with several; None gives a table for each.

    Returns
    -------
    Summary.  Its coefficients are those of a linear model; of other kernels it has none.

    >>> from separatrix.svm import SVC
    >>> model = SVC(kernel="linear", C=float("inf")).fit([[1, 2], [-1, 2], [-1, -2], [3, 1]], [-1, -1, 1, 1])
    >>> facts = summarise_margins(model).statistics
    >>> facts["support"], facts["on_margin"], round(facts["margin"], 9)
    (3, 3, 1.0)
    """
    each = machines(model)
    if output is not None and output not in range(len(each)):
        raise cannot(
            f"summarise output={output!r}",
            because=f"the model has {len(each)} machine{'s' if len(each) > 1 else ''}",
            instead="output=None for all, or a number from 0",
        )
    kept = range(len(each)) if output is None else [output]
    tables = tuple(Table(each[m].name, _coefficients(model, m), _statistics(model, each[m], m)) for m in kept)
    notes = [NO_ERRORS]
    if _is_stationary(model):
        notes.append(NO_BOUND)
    if any(table.statistics["norm"] is None for table in tables):
        notes.append(NO_LENGTH)
    if _is_class(model):
        notes.append(ERRORS)
    if _is_region(model):
        notes.append(OUTLIERS)
    if fitted_attribute(model, "coef_") is None:
        notes.append(FEATURE_SPACE)
    return Summary(type(model).__name__, tables, None, None, 0.95, tuple(notes))


def shown_facts(statistics):
    """Labels and texts of the numbers of a machine that are defined."""
    return [(label, _shown(key, statistics[key])) for key, label in LABELS.items() if statistics.get(key) is not None]


def _shown(key, value):
    if isinstance(value, str):
        return printable(value)
    if isinstance(value, int):
        return f"{value:,}"
    if key in AS_GIVEN and np.isfinite(value):
        return f"{value:g}"
    return significant(value, 2 if key == "gap" else 5)


def machines(model):
    """The machines of a model: one for two classes or a regression, else one for each pair, or each class."""
    slack = np.asarray(model.slack_)
    on_margin, errors = (fitted_attribute(model, name) for name in ("on_margin_", "margin_errors_"))
    if not _is_class(model):
        name = "region" if _is_region(model) else "y"
        return [Side(name, ("below", "above"), slack, as_dense(model.dual_coef_)[0], on_margin, errors)]
    classes = list(model.classes_)
    if fitted_attribute(model, "n_support_") is not None:
        return _pairs(model, classes, slack, on_margin, errors)
    dual = fitted_attribute(model, "dual_coef_")
    if len(classes) == 2:
        name = f"{classes[1]} against {classes[0]}"
        return [Side(name, tuple(classes), slack, None if dual is None else dual[0], on_margin, errors)]
    sides = []
    for c, label in enumerate(classes):
        pulls = None if dual is None else dual[c]
        within = None if dual is None else np.flatnonzero((pulls != 0.0) & (slack[c] > ROUNDING))
        on_it = None if dual is None else np.flatnonzero((pulls != 0.0) & (slack[c] <= ROUNDING))
        sides.append(Side(f"{label} against the rest", ("the rest", label), slack[c], pulls, on_it, within))
    return sides


def _pairs(model, classes, slack, on_margin, errors):
    """The machines of a model that has one for each pair of classes."""
    dual, k = as_dense(model.dual_coef_), len(classes)
    of_class = np.repeat(np.arange(k), model.n_support_)
    if k == 2:
        name = f"{classes[1]} against {classes[0]}"
        return [Side(name, tuple(classes), slack, dual[0], on_margin, errors)]
    sides = []
    for p, (a, b) in enumerate(combinations(range(k), 2)):
        # the first of the pair is the positive side, as in scikit-learn
        pulls = np.concatenate([dual[b - 1, of_class == a], dual[a, of_class == b]])
        name = f"{classes[a]} against {classes[b]}"
        sides.append(Side(name, (classes[b], classes[a]), slack[:, p], pulls, on_margin[p], errors[p]))
    return sides


def _coefficients(model, m):
    """Intercept and coefficients of a linear machine; nothing of other kernels."""
    coef = fitted_attribute(model, "coef_")
    if coef is None:
        return ()
    w = np.atleast_2d(as_dense(coef))[m]
    t = np.broadcast_to(np.atleast_1d(model.intercept_), len(np.atleast_2d(as_dense(coef))))[m]
    with_intercept = bool(model.get_params(deep=False).get("fit_intercept", True))
    values = [float(t), *map(float, w)] if with_intercept else list(map(float, w))
    return tuple(map(Coefficient, coefficient_names(model, with_intercept), values))


def _price(model, m):
    """The price of errors: given, or of a machine with nu the one that belongs to it."""
    return float(model._strength()) if "C" in model.get_params(deep=False) else float(np.ravel(model.C_)[m])


def _tube(model):
    """Half the width of the tube: given, or of a machine with nu the one that belongs to it."""
    return check_number(model, "epsilon", 0.0) if "epsilon" in model.get_params(deep=False) else float(model.epsilon_)


def _statistics(model, side, m):
    """The numbers of one machine; what is not defined is None."""
    norm = _norm(model, m)
    primal, dual = (float(np.ravel(each)[m]) for each in (model.primal_objective_, model.dual_objective_))
    # how many rows two of several classes have is not kept
    is_pair = fitted_attribute(model, "n_support_") is not None and np.size(model.primal_objective_) > 1
    facts = {"kernel": kernel_in_words(model), "n": None if is_pair else len(side.slack)}
    facts |= {"nu": check_number(model, "nu", 0.0, 1.0)} if _is_region(model) else {"C": _price(model, m)}
    if _is_region(model):
        facts |= {"support": _count(side.pulls), "on_border": _count(side.on_margin), "outliers": _count(side.errors)}
        facts |= {"outlier_share": _share_outside(model, side), "offset": float(model.offset_[0])}
    elif side.pulls is not None:
        below, above = int((side.pulls < 0.0).sum()), int((side.pulls > 0.0).sum())
        facts |= {"support": below + above, "support_of": _by_side(model, below, above, side.labels)}
    if _is_class(model):
        facts |= {"on_margin": _count(side.on_margin), "margin_errors": _count(side.errors)}
        facts |= {"misclassified": int((side.slack > 1.0).sum())}
        margin = None if norm is None else 1.0 / norm if norm > 0.0 else np.inf
        facts |= {"margin": margin, "margin_width": None if margin is None else 2.0 * margin}
    elif not _is_region(model):
        facts |= {"epsilon": _tube(model), "on_tube": _count(side.on_margin), "outside": _count(side.errors)}
    facts |= {"norm": norm, "slack": float(np.nansum(side.slack)), "primal": primal, "dual": dual}
    gap = None if _is_stationary(model) else max(primal - dual, 0.0)
    return {**facts, "gap": gap, "certificate": certificate_line(model, 0)}


def _share_outside(model, side):
    """The share of the weights that is outside: those of outliers are their coefficients, and all sum to nu of all."""
    outside = side.pulls[np.isin(model.support_, side.errors)].sum()
    return float(check_number(model, "nu", 0.0, 1.0) * outside / side.pulls.sum())


def _by_side(model, below, above, labels):
    """How many support vectors each side has; a class may be called 1, so that "5 of 1" is not "5 1"."""
    of = "of " if _is_class(model) else ""
    return f"{below} {of}{labels[0]}, {above} {of}{labels[1]}"


def _count(rows):
    return None if rows is None else len(rows)


def _norm(model, m):
    """|w|, in the feature space of the kernel; None where the kernel is indefinite and w·w negative."""
    if fitted_attribute(model, "n_support_") is not None:
        margin = float(np.ravel(model.margin_)[m])
        return None if np.isnan(margin) else 1.0 / margin
    return float(np.linalg.norm(np.atleast_2d(as_dense(model.coef_))[m]))


def _is_class(model):
    return declaration(model).task == "classification"


def _is_stationary(model):
    return model.certificate_.kind == "gradient"


def _is_region(model):
    return declaration(model).task == "outlier detection"


def kernel_in_words(model):
    """The kernel with its parameters, or the loss of a linear machine.

    >>> from separatrix.svm import SVC
    >>> kernel_in_words(SVC(kernel="poly", degree=2, gamma=0.5, coef0=1.0).fit([[0.0], [1.0]], [0, 1]))
    'polynomial (0.5 x·z + 1)^2'
    """
    kernel = fitted_attribute(model, "kernel_")
    if kernel is None:
        return f"linear, {model.loss.replace('_', ' ')}"
    if kernel == "precomputed":
        return "a matrix that was given"
    if isinstance(kernel, Linear):
        return "linear"
    if isinstance(kernel, Gaussian):
        return f"Gaussian, gamma {kernel.gamma:.4g}"
    if isinstance(kernel, Polynomial | Sigmoid):
        inside = f"({kernel.gamma:.4g} x·z + {kernel.coef0:.4g})"
        return f"polynomial {inside}^{kernel.degree:g}" if isinstance(kernel, Polynomial) else f"sigmoid tanh{inside}"
    return repr(kernel) if isinstance(kernel, Kernel) else "a function that was given"


# ------------------------------------------------------------------ words


def in_margins(model, names, X, y):
    """The description of a kernel machine: what it keeps, how it answers, and a line for each machine."""
    each = summarise_margins(model).tables
    rows, kept = len(model.slack_), len(model.support_)
    words = (
        f"The model keeps {kept:,} of {rows:,} training rows, its support vectors, with a weight each. A new row is "
        f"compared with each of them by its kernel ({kernel_in_words(model)}); the sum of the weighted comparisons "
    )
    if _is_region(model):
        words += "says how much a row is like them. Rows for which it is below rho are outside, and predicted as -1."
    elif not _is_class(model):
        words += (
            f"and a constant is the prediction. Rows within {_tube(model):.4g} of the prediction are not kept: "
            "they count as predicted well enough."
        )
    elif len(each) == 1:
        words += (
            f"decides between {model.classes_[0]} and {model.classes_[1]}. The other rows lie outside the margin, on "
            "their own side: with this kernel and these prices of errors the boundary would be the same without them."
        )
    else:
        words += f"decides between two classes. Each of the {len(each)} pairs of classes has a sum, and they vote."
    facts = [table.statistics for table in each]
    shown = [key for key in LABELS if any(fact.get(key) is not None for fact in facts)]
    if len(each) == 1:
        lines = tuple((LABELS[key], facts[0][key]) for key in shown)
        title = "The margin" if _is_class(model) else "The region" if _is_region(model) else "The tube"
        table = DescribedTable(title, ("what", "value"), lines)
    else:
        shown = [key for key in shown if key not in ("kernel", "C", "support_of", "primal", "dual", "gap", "margin")]
        lines = tuple((one.output, *(fact[key] for key in shown)) for one, fact in zip(each, facts))
        table = DescribedTable("The margins", ("pair", *(LABELS[key] for key in shown)), lines, PAIRS)
    notes = (NO_ERRORS, *((FEATURE_SPACE,) if fitted_attribute(model, "coef_") is None else ()), *fit_notes(model))
    return Description(words, (table,), ("boundary",) if _is_class(model) else (), notes)
