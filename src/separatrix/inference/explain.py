r"""Why a model answers as it does for one row: contributions, the distance to the boundary, and what would change it.

Of a linear score f(z) = w·z + b the column j adds w_j (z_j - mean_j) to what an average row scores, so that

    Σ_j w_j (z_j - mean_j) = f(z) - f(mean)

exactly; a category adds the sum over the columns that were made of it. Other models have no such sum: for them single
columns are changed, one at a time, within the range of the training rows, and the model is asked again.
"""

from dataclasses import asdict, dataclass
from math import fsum
from typing import Any

import numpy as np

from separatrix.core.errors import cannot
from separatrix.designs import as_dense
from separatrix.inference.original_columns import OriginalColumns, Reference
from separatrix.inference.what_if import Flip, nearest_boundary_point, single_flips

NOT_LINEAR = (
    "This model is not a weighted sum of its columns, so no contributions add up to its answer. Below, each column was "
    "changed by itself within the range of the training rows."
)
NO_RANGE = "Nothing is known of the training rows, so that no change of a column could be tried."
AGAINST_ZERO = (
    "Nothing is known of the training rows: contributions are against a row of zeros, not against their mean."
)


@dataclass(frozen=True)
class Contribution:
    """What one column of the row adds to the score, beside what it adds on average."""

    column: str
    value: Any
    contribution: float


@dataclass(frozen=True)
class Explanation:
    """Why one row gets its answer.

    Attributes
    ----------
    prediction : label or float.
    task : {"classification", "regression"}.
    probabilities : dict or None.  From each class, as text, to its probability.
    towards, against : label or None.  A positive score speaks for `towards`: the second of two classes; of more
        classes the predicted one, and `against` is the one that comes next.
    score, mean_score : float or None.  Of this row, and of the mean of the training rows; of a linear model.
    contributions : tuple of Contribution.  The largest first; their sum is ``score - mean_score``.
    distance : float or None.  From the boundary, positive on the side of `towards`, in the units of the prepared
        columns (standard deviations, as a rule).
    flips : tuple of Flip.  For each column the smallest change that alone changes the decision; the smallest first.
    boundary : dict or None.  The nearest point of the boundary that is reached by moving columns of numbers: from each
        column to its value there.
    notes : tuple of str.  What must be known to read the numbers.
    """

    prediction: Any
    task: str
    probabilities: dict | None = None
    towards: Any = None
    against: Any = None
    score: float | None = None
    mean_score: float | None = None
    contributions: tuple[Contribution, ...] = ()
    distance: float | None = None
    flips: tuple[Flip, ...] = ()
    boundary: dict | None = None
    notes: tuple[str, ...] = ()

    def as_dict(self):
        """Everything as nested dicts and lists."""
        return asdict(self)


def explain(model, row, *, reference=None):
    """Explain the answer of a fitted model for one row.

    Parameters
    ----------
    model : a fitted Pipeline that takes a Table or a frame, or a bare model.  Contributions, distances and the point on
        the boundary are given of models whose score is linear in their (prepared) columns.
    row : Table or frame of one row, or (p,) array.
    reference : Reference, training rows in the form of `row`, or None, default None.  What contributions are measured
        against, and the range within which columns are varied.

    Returns
    -------
    Explanation.

    >>> import numpy as np
    >>> from separatrix.linear_model import LinearRegression
    >>> X = np.array([[0.0, 1.0], [1.0, 0.0], [2.0, 2.0], [3.0, 5.0]])
    >>> model = LinearRegression().fit(X, X @ [2.0, -1.0] + 3.0)
    >>> explanation = explain(model, [3.0, 1.0], reference=X)
    >>> round(explanation.prediction, 9), round(explanation.mean_score, 9)
    (8.0, 4.0)
    >>> [(c.column, round(c.contribution, 9)) for c in explanation.contributions]
    [('x0', 3.0), ('x1', 1.0)]
    """
    seen = OriginalColumns(model)
    rows = seen.rows(row)
    if len(rows) != 1:
        raise cannot(f"explain {len(rows)} rows at once", because="each has reasons of its own", instead="one row")
    if reference is not None and not isinstance(reference, Reference):
        reference = Reference.of(model, reference)
    facts = {"prediction": seen.decided(rows)[0], "task": "regression" if seen.classes is None else "classification"}
    if isinstance(facts["prediction"], np.generic):
        facts["prediction"] = facts["prediction"].item()
    chances = seen.probabilities(rows)
    if chances is not None:
        facts["probabilities"] = {str(label): float(chance) for label, chance in zip(seen.classes, chances[0])}
    linear = seen.is_linear_at(rows)
    known = reference.columns if reference is not None else {}
    notes = [] if linear else [NOT_LINEAR]
    if linear:
        facts |= _linear_facts(seen, rows, reference)
        if reference is None or reference.mean_parts is None:
            notes.append(AGAINST_ZERO)
    elif reference is None:
        notes.append(NO_RANGE)
    if seen.classes is not None:
        facts["flips"] = tuple(single_flips(seen, rows, known, linear))
    return Explanation(**facts, notes=tuple(notes))


def _linear_facts(seen, rows, reference):
    """Score, contributions, distance and the nearest point of the boundary, of a linear model."""
    z = np.asarray(as_dense(seen.prepared(rows)), dtype=np.float64).ravel()
    own, rival = _sides(seen, seen.scores(rows)[0])
    coef, intercept = seen.differences()
    w, b = coef[own], intercept[own]
    parts = seen.parts(z)
    mean = np.zeros_like(parts)
    if reference is not None and reference.mean_parts is not None:
        mean = _mean_parts(reference, parts)
    here, usual = parts[own], mean[own]
    if rival is not None:
        w, b, here, usual = w - coef[rival], b - intercept[rival], here - parts[rival], usual - mean[rival]
    shares = here - usual
    order = np.argsort(-np.abs(shares), kind="stable")
    values = [seen.column(rows, name)[0] for name in seen.names]
    facts = {
        "score": fsum([*here, b]),
        "mean_score": fsum([*usual, b]),
        "contributions": tuple(
            Contribution(seen.names[j], seen.cell(seen.names[j], values[j]), float(shares[j])) for j in order
        ),
    }
    if rival is None:
        return facts
    length = float(np.linalg.norm(w))
    facts |= {"towards": seen.classes[own], "against": seen.classes[rival]}
    if length > 0.0:
        facts["distance"] = facts["score"] / length
        facts["boundary"] = nearest_boundary_point(seen, rows, own, rival)
    return facts


def _mean_parts(reference, parts):
    """The mean parts of the reference, which are as many as those of the row."""
    lengths = [len(each) for each in reference.mean_parts]
    if lengths != [parts.shape[1]] * len(parts):
        raise cannot(
            "measure contributions against this reference",
            because=f"it has {lengths} parts for each score, and the model has {len(parts)} of {parts.shape[1]}",
            instead="the Reference of this model, Reference.of(model, training rows)",
        )
    return np.array(reference.mean_parts)


def _sides(seen, scores):
    """The score that is explained and the one it is held against, by position; a number has no rival."""
    if seen.classes is None:
        return 0, None
    if len(seen.classes) == 2:
        return 1, 0
    first, second = np.argsort(-scores, kind="stable")[:2]
    return int(first), int(second)
