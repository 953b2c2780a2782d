r"""Why a model answers as it does for one row: contributions, the distance to the boundary, and what would change it.

Of a linear score f(z) = w·z + b the column j adds w_j (z_j - mean_j) to what an average row scores, so that

    Σ_j w_j (z_j - mean_j) = f(z) - f(mean)

exactly; a category adds the sum over the columns that were made of it. Of a sum of trees, what a column adds is the
sum of the changes at its questions along the way of the row (:mod:`separatrix.core.tree_sum`), exact as well. Other
models have no such sum: for them single columns are changed, one at a time, within the range of the training rows, and
the model is asked again.
"""

from dataclasses import asdict, dataclass
from math import fsum
from typing import Any

import numpy as np

from separatrix.core.errors import cannot
from separatrix.core.protocol import fitted_attribute
from separatrix.core.tree_sum import SCORE, SHARE
from separatrix.designs import as_dense
from separatrix.inference.original_columns import OriginalColumns, Reference
from separatrix.inference.rule_words import DecidingRule, about_rule, deciding_rule
from separatrix.inference.tree_path import PathStep, about_trees, additive_facts, path_steps, sum_of, why_no_sum
from separatrix.inference.what_if import Flip, nearest_boundary_point, single_flips

NOT_LINEAR = "This model is not a weighted sum of its columns, so no contributions add up to its answer."
ONE_BY_ONE = "Below, each column was changed by itself within the range of the training rows."
NO_RANGE = "Nothing is known of the training rows, so that no change of a column could be tried."
AGAINST_ZERO = (
    "Nothing is known of the training rows: contributions are against a row of zeros, not against their mean."
)

RAW_SCORE, PROBABILITY, PREDICTION = "raw score", "probability", "prediction"
LOGARITHM, MEAN_ROW = "logarithm of the prediction", "a mean row"


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
        classes the predicted one, and `against` is the one that comes next. Shares of a tree are of `towards`.
    score, mean_score : float or None.  Of this row, and of the mean of the training rows; of a linear model or a sum of
        trees.
    scale : str.  What the score is: "raw score", "probability", "prediction" or "logarithm of the prediction".
    reference : str.  What `mean_score` is of.
    contributions : tuple of Contribution.  The largest first; their sum is ``score - mean_score``.
    path : tuple of PathStep.  Of a single tree: the questions that the row answers, from the root down.
    rule : DecidingRule or None.  Of a rule list: the rule that decides the row.
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
    scale: str = ""
    reference: str = ""
    contributions: tuple[Contribution, ...] = ()
    path: tuple[PathStep, ...] = ()
    rule: DecidingRule | None = None
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
    trees = None if linear else sum_of(seen, rows)
    notes = []
    if linear:
        facts |= _linear_facts(seen, rows, reference)
        if reference is None or reference.mean_parts is None:
            notes.append(AGAINST_ZERO)
    elif trees is not None:
        facts |= _tree_facts(seen, rows, trees)
        notes.append(about_trees(trees))
    else:
        facts["rule"] = deciding_rule(seen, rows)
        notes.append(about_rule(facts["rule"]) or why_no_sum(seen) or NOT_LINEAR)
    if not linear and seen.classes is not None:
        notes += [NO_RANGE] if reference is None else [ONE_BY_ONE] if trees is None else []
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
    facts = {
        "score": fsum([*here, b]),
        "mean_score": fsum([*usual, b]),
        "scale": PREDICTION if rival is None else RAW_SCORE,
        "reference": MEAN_ROW,
        "contributions": _ordered(seen, rows, shares),
    }
    if rival is None:
        return facts
    length = float(np.linalg.norm(w))
    facts |= {"towards": seen.classes[own], "against": seen.classes[rival]}
    if length > 0.0:
        facts["distance"] = facts["score"] / length
        facts["boundary"] = nearest_boundary_point(seen, rows, own, rival)
    return facts


def _tree_facts(seen, rows, trees):
    """Score, contributions and way of the row, of a sum of trees."""
    base = np.asarray(trees.base)
    if seen.classes is None:
        own, rival, scale = 0, None, PREDICTION
        scale = LOGARITHM if fitted_attribute(seen.last, "link_") == "log" else scale
    elif trees.scale == SHARE:
        own, rival, scale = _sides(seen, seen.probabilities(rows)[0])[0], None, PROBABILITY
    elif len(base) == 1:
        own, rival, scale = 0, None, RAW_SCORE
    else:
        (own, rival), scale = _sides(seen, seen.probabilities(rows)[0]), RAW_SCORE
    facts, shares = additive_facts(seen, rows, trees, (own, rival))
    facts |= {"scale": scale, "reference": trees.reference, "contributions": _ordered(seen, rows, np.array(shares))}
    facts["path"] = path_steps(seen, rows, trees, (own, rival))
    if seen.classes is not None:
        one_score = trees.scale == SCORE and len(base) == 1
        facts["towards"] = seen.classes[1 if one_score else own]
        facts["against"] = seen.classes[0] if one_score else None if rival is None else seen.classes[rival]
    return facts


def _ordered(seen, rows, shares):
    """Contributions of all columns, the largest first."""
    values = [seen.column(rows, name)[0] for name in seen.names]
    order = np.argsort(-np.abs(shares), kind="stable")
    return tuple(Contribution(seen.names[j], seen.cell(seen.names[j], values[j]), float(shares[j])) for j in order)


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
