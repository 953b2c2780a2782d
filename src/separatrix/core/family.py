"""A family of models that can take part in a comparison, declared where the model is written.

A declaration says what the family is called, which task it is for, how to make a competitor (its own search for
regularisation included) and when it does not fit the data. :mod:`separatrix.assess` runs whatever is declared; nothing
there knows a model by name.
"""

from collections.abc import Callable
from dataclasses import dataclass
from inspect import signature
from typing import Any

from separatrix.core import registry

MANY_SCORES = 5_000  # rows times classes
# Of the scores that families are compared by, those that scikit-learn's search knows, by its own names.
OF_CLASSES = {name: name for name in ("accuracy", "balanced_accuracy", "roc_auc")}
OF_NUMBERS = {"mae": "neg_mean_absolute_error", "medae": "neg_median_absolute_error"}


@dataclass(frozen=True)
class DataFacts:
    """What a family may know before it makes a competitor: facts of the training data, never the data.

    Parameters
    ----------
    rows : int.  Rows to learn from.
    columns : int.  Columns after preparation, as the family asks for.
    classes : int.  Number of classes; 0 for regression.
    smallest_class : int.  Rows of the rarest class; 0 for regression.
    sparse : bool.  Whether the prepared columns are a sparse array.
    kinds : tuple of str.  Kinds of the table's columns that are used ("number", "category", ...), in order.
    seed : int.
    score : str.  The measure that families are compared by, as in ``MEASURES``; "" if there is none.
    spread : float.  Standard deviation of a target that is a number; 1 for classes and for a target that is constant.
    """

    rows: int
    columns: int
    classes: int = 0
    smallest_class: int = 0
    sparse: bool = False
    kinds: tuple[str, ...] = ()
    seed: int = 0
    score: str = ""
    spread: float = 1.0

    def inner_folds(self, most: int = 5) -> Any:
        """Folds for a search within the training rows: shuffled by the seed, stratified where there are classes.

        Shuffled, because tables are often sorted by their target; fewer than `most` where a class has fewer rows, and
        3 where many rows tell settings apart well enough, or many classes make every fit long.
        """
        from sklearn.model_selection import KFold, StratifiedKFold  # 0.2 s that a declaration need not spend

        most = most if self.rows * max(self.classes, 1) <= MANY_SCORES else min(most, 3)
        if not self.classes:
            return KFold(max(2, min(most, self.rows // 2)), shuffle=True, random_state=self.seed)
        return StratifiedKFold(max(2, min(most, self.smallest_class)), shuffle=True, random_state=self.seed)

    def searched(self, model: Any, grid: dict[str, list[Any]]) -> Any:
        """A search over a grid of settings in 3 folds, by the score of the comparison where scikit-learn knows it."""
        from sklearn.model_selection import GridSearchCV

        if self.classes:
            scoring = OF_CLASSES.get(self.score, "neg_log_loss")
        else:
            scoring = OF_NUMBERS.get(self.score, "neg_mean_squared_error")
        return GridSearchCV(model, grid, scoring=scoring, cv=self.inner_folds(3))


def spread_of(y: Any) -> float:
    """The standard deviation of a target; 1 where it is 0 or no number.

    >>> spread_of([1.0, 3.0]), spread_of([2.0, 2.0]), round(spread_of([1e200, 3e200]) / 1e200, 12)
    (1.0, 1.0, 1.0)
    """
    import numpy as np

    y = np.asarray(y, dtype=np.float64)
    largest = float(np.abs(y).max(initial=0.0)) or 1.0
    spread = largest * float(np.std(y / largest))
    return spread if 0.0 < spread < np.inf else 1.0


def always(facts: DataFacts) -> str:
    """No reason against it."""
    return ""


def needs(
    *,
    dense: bool = False,
    classes: int | None = None,
    kind: str | tuple[str, ...] | None = None,
    columns: int | None = None,
    rows: int | None = None,
    fewest_rows: int | None = None,
    rows_per_column: float | None = None,
    rows_per_coefficient: float | None = None,
    rows_per_class: int | None = None,
) -> Callable[[DataFacts], str]:
    """A function for ``why_excluded``: which of these needs the data do not meet, in a sentence.

    Parameters
    ----------
    dense : bool.  Columns that are stored densely.
    classes : int or None.  This many classes at the most.
    kind : str, tuple of str or None.  At least one column of the table is of this kind, or of one of these.
    columns, rows : int or None.  At most so many.
    fewest_rows : int or None.  At least so many rows.
    rows_per_column : float or None.  At least so many rows for each prepared column.
    rows_per_coefficient : float or None.  At least so many rows for each prepared column and class but one.
    rows_per_class : int or None.  At least so many rows in every class.

    >>> needs(columns=3)(DataFacts(rows=100, columns=7))
    'it takes at most 3 columns, and there are 7'
    """

    def why_excluded(facts: DataFacts) -> str:
        if dense and facts.sparse:
            return f"it needs dense columns, and the {facts.columns:,} prepared ones are sparse"
        if classes is not None and facts.classes > classes:
            return f"it tells {classes} classes apart, and there are {facts.classes}"
        kinds = (kind,) if isinstance(kind, str) else kind
        if kinds is not None and not set(kinds) & set(facts.kinds):
            return f"it is for columns of the kind {' or '.join(kinds)}, and there is none"
        if columns is not None and facts.columns > columns:
            return f"it takes at most {columns:,} columns, and there are {facts.columns:,}"
        if rows is not None and facts.rows > rows:
            return f"it takes at most {rows:,} rows, and there are {facts.rows:,}"
        if fewest_rows is not None and facts.rows < fewest_rows:
            return f"it needs {fewest_rows:,} rows to learn anything, and there are {facts.rows:,}"
        if rows_per_column is not None and facts.rows < rows_per_column * facts.columns:
            return f"it needs {rows_per_column:g} rows a column: {facts.columns:,} columns have {facts.rows:,} rows"
        coefficients = facts.columns * max(facts.classes - 1, 1)
        if rows_per_coefficient is not None and facts.rows < rows_per_coefficient * coefficients:
            return f"it needs {rows_per_coefficient:g} rows a coefficient: {coefficients:,} have {facts.rows:,} rows"
        if rows_per_class is not None and facts.classes and facts.smallest_class < rows_per_class:
            return f"it needs {rows_per_class} rows in every class, and the rarest has {facts.smallest_class}"
        return ""

    return why_excluded


@dataclass(frozen=True)
class Family:
    """One competitor of a comparison.

    Parameters
    ----------
    name : str.  What the leaderboard calls it: "lasso", "nearest neighbours".
    task : {"classification", "regression"}.
    make : callable.  From DataFacts to an unfitted estimator that brings its own search (a path, a grid).
    model : type or None, default None.  The class of the estimator that it makes, searches and calibrations taken off.
    complexity : int.  Of models that the data cannot tell apart, the lowest is recommended. 0 is the baseline,
        10 a fixed linear model, 20 a penalised linear model, 30 a model with a distribution for each class, 40 additive
        curves, 45 a tree, 46 a list of rules, 50 stumps and model trees, 52 a mixture of linear models, 60 memory of
        the training rows and means of trees, 70 sums of trees, 80 networks.
    description : str.  One sentence for a newcomer: what the model assumes and what it gives.
    preparation : str, default "standard".  How it wants the table: one of the preparations of
        :mod:`separatrix.estimators.preparation`.
    why_excluded : callable, default always.  Why the family cannot take part, given the DataFacts; "" if it
        can. It is asked twice: before anything is prepared, when `columns` are those of the table, and after.
    most_rows : int or None, default None.  Learn from a random sample of so many rows where there are more.
    """

    name: str
    task: str
    make: Callable[[DataFacts], Any]
    complexity: int
    description: str
    preparation: str = "standard"
    why_excluded: Callable[[DataFacts], str] = always
    most_rows: int | None = None
    model: type | None = None

    def to_keep(self, facts: DataFacts) -> Any:
        """The estimator of a model that is kept: as `make` has it, but held to the default of `tol`.

        Rounds of a comparison may stop early. A model file may not: `verify` holds it to the default, whatever it says.
        """
        estimator = self.make(facts)
        parameter = signature(type(estimator)).parameters.get("tol")
        usual = None if parameter is None else parameter.default
        if usual is not None and estimator.tol is not None and usual < estimator.tol:
            estimator.set_params(tol=usual)
        return estimator


_FAMILIES: dict[tuple[str, str], Family] = {}


def declare(*families: Family) -> None:
    """Enter families in the registry; called at the end of the file in which their model is written."""
    for family in families:
        _FAMILIES[family.task, family.name] = family


def families(task: str) -> list[Family]:
    """All families of a task, simplest first; of equal order by name."""
    registry.members("estimator")  # imports every room, so that all have declared themselves
    declared = [family for (kind, _), family in _FAMILIES.items() if kind == task]
    return sorted(declared, key=lambda family: (family.complexity, family.name))
