"""Preparations of a table: the transformers that make numbers of its columns, for each kind of model.

standard   numbers centred and scaled, levels and words as columns     linear models, neighbours, discriminants
curves     the same, with a smooth curve for each number               additive models
binary     everything is 0 or 1                                        Bernoulli naive Bayes
counts     everything is a count                                       multinomial naive Bayes
codes      numbers as they are, levels as 0, 1, 2, ...                 naive Bayes of mixed columns
trees      the same, and missing cells stay missing                    trees, forests, boosting
"""

from functools import partial
from typing import NamedTuple

from sklearn.compose import ColumnTransformer
from sklearn.pipeline import Pipeline

from separatrix.core.errors import cannot
from separatrix.estimators.preparation.aliases import fit_distinct
from separatrix.estimators.preparation.categories import Categories, Codes
from separatrix.estimators.preparation.counts import Counts
from separatrix.estimators.preparation.curves import Curves
from separatrix.estimators.preparation.dates import Dates
from separatrix.estimators.preparation.numbers import Numbers
from separatrix.estimators.preparation.table_columns import TableColumns
from separatrix.estimators.preparation.thresholds import Thresholds
from separatrix.estimators.preparation.words import Words
from separatrix.prediction.table_columns import select


class Block(NamedTuple):
    """Columns of some kinds, and the transformer that prepares them."""

    name: str
    kinds: tuple
    make: type | partial


_LEVELS = ("category", "flag")
_NUMBERS = Block("numbers", ("number",), Numbers)
_CATEGORIES = Block("categories", _LEVELS, Categories)
_DATES = Block("dates", ("date",), Dates)
_WORDS = Block("words", ("text",), partial(Words, sparse="auto"))
_FEW_WORDS = Block("words", ("text",), partial(Words, weighting="presence", max_words=100))

PREPARATIONS = {
    "standard": (_NUMBERS, _CATEGORIES, _DATES, _WORDS),
    "curves": (Block("curves", ("number",), Curves), _CATEGORIES, _DATES, _WORDS),
    "binary": (
        Block("thresholds", ("number", "date"), Thresholds),
        Block("categories", _LEVELS, partial(Categories, drop="if_binary")),
        Block("words", ("text",), partial(Words, weighting="presence", sparse="auto")),
    ),
    "counts": (
        Block("counts", ("number",), partial(Counts, whole=True)),
        Block("categories", _LEVELS, partial(Categories, drop=None)),
        Block("words", ("text",), partial(Words, weighting="counts", sparse="auto")),
    ),
    # the codes come first, so that their places are known before anything is fitted; the words are few, because what
    # wants codes wants an array with a cell for each of them
    "codes": (
        Block("codes", _LEVELS, Codes),
        Block("numbers", ("number", "date"), partial(Numbers, standardise=False)),
        _FEW_WORDS,
    ),
    # as many levels, "other" among them, as the bins of a histogram can hold
    "trees": (
        Block("codes", _LEVELS, partial(Codes, max_levels=254, keep_missing=True)),
        Block("numbers", ("number", "date"), partial(Numbers, standardise=False, keep_missing=True)),
        _FEW_WORDS,
    ),
}
_DENSE = ("codes", "trees")
_FULL_RANK = ("standard", "curves")  # preparations of linear models


def preparation(columns, kind="standard"):
    """The transformer that prepares the columns.

    Parameters
    ----------
    columns : sequence of ColumnFacts.  The columns that are used, in the order in which they will come.
    kind : str, default "standard".  One of PREPARATIONS.

    Returns
    -------
    An unfitted ColumnTransformer of columns by position.

    >>> from separatrix.tables.understanding import ColumnFacts
    >>> preparation([ColumnFacts("age", "number", 0, 9), ColumnFacts("sex", "flag", 0, 2)]).transformers
    [('numbers', Numbers(), [0]), ('categories', Categories(), [1])]
    """
    reason = why_unpreparable(columns, kind)
    if reason:
        raise cannot(f"prepare columns as {kind!r}", because=reason, instead="'standard', or leave the column out")
    blocks = []
    for block in PREPARATIONS[kind]:
        positions = [j for j, column in enumerate(columns) if column.kind in block.kinds]
        if positions:
            blocks.append((block.name, block.make(), positions))
    # one sparse block makes the result sparse: blocks are sparse only where they are wide
    return ColumnTransformer(blocks, sparse_threshold=float(kind not in _DENSE), verbose_feature_names_out=False)


def pipeline(understanding, kind, model):
    """From a table to a prediction: select the columns, prepare them, predict.

    Parameters
    ----------
    understanding : Understanding.  Of the table; says which columns are used.
    kind : str.  One of PREPARATIONS.
    model : estimator.  Unfitted.

    Returns
    -------
    An unfitted Pipeline of the steps "columns", "prepare" and "model". It takes tables, frames and dicts of columns.

    >>> from separatrix.linear_model import Ridge
    >>> from separatrix.tables.understanding import ColumnFacts, Understanding
    >>> facts = (ColumnFacts("age", "number", 0, 3), ColumnFacts("sex", "flag", 0, 2))
    >>> whole = pipeline(Understanding("people", 4, 0, "height", "regression", facts), "standard", Ridge())
    >>> people = {"age": [20, 30, 40, 30], "sex": ["f", "m", "f", "m"]}
    >>> feature_names(whole.fit(people, [160.0, 180.0, 165.0, 175.0]))
    ['age', 'sex=m']
    """
    used = understanding.used
    if not used:
        raise cannot(
            f"learn {understanding.target!r}",
            because="no column is left to learn from",
            instead="a table with other columns, or fewer columns left out",
        )
    columns = TableColumns(*(tuple(getattr(column, fact) for column in used) for fact in ("name", "kind", "form")))
    return Pipeline([("columns", columns), ("prepare", preparation(used, kind)), ("model", model)])


def prepared(understanding, kind, table):
    """The steps before a model, fitted to the rows of a table, and the rows as they prepare them.

    Where a model may need columns of full rank, flags of missing cells that other columns determine are left out.

    Parameters
    ----------
    understanding : Understanding.  kind : str.  As in :func:`pipeline`.
    table : Table, frame or dict of columns.
    """
    steps = pipeline(understanding, kind, "passthrough")[:-1]
    return fit_distinct(steps, table) if kind in _FULL_RANK else (steps, steps.fit_transform(table))


def feature_names(pipeline):
    """Names of the columns that reach the model; of equal names the later ones are numbered.

    >>> from separatrix.tables.understanding import ColumnFacts
    >>> columns = TableColumns(["a", "a=b"], ["category", "number"])
    >>> facts = [ColumnFacts("a", "category", 0, 2), ColumnFacts("a=b", "number", 0, 2)]
    >>> half = Pipeline([("columns", columns), ("prepare", preparation(facts)), ("model", "passthrough")])
    >>> feature_names(half.fit({"a": ["b", "c", "c", "b", "c"], "a=b": [1, 2, 3, 4, 5]}))
    ['a=b', 'a=b (2)']
    """
    given = pipeline.named_steps["columns"].get_feature_names_out()
    names, counts = [], {}
    for _, transformer, positions in pipeline.named_steps["prepare"].transformers_:
        for name in transformer.get_feature_names_out(given[positions]).tolist():
            counts[name] = counts.get(name, 0) + 1
            names.append(name if counts[name] == 1 else f"{name} ({counts[name]})")
    return names


def why_unpreparable(columns, kind, table=None):
    """Why columns cannot be prepared in this way; "" if they can.

    Parameters
    ----------
    columns : sequence of ColumnFacts.  Those that are used.
    kind : str.  One of PREPARATIONS.
    table : Table, frame or dict of columns, optional.  If given, its numbers are checked, too.

    >>> from separatrix.tables.understanding import ColumnFacts
    >>> why_unpreparable([ColumnFacts("signup", "date", 0, 9)], "counts")
    "'signup' is a date, which this preparation cannot use"
    >>> why_unpreparable([ColumnFacts("debt", "number", 0, 9)], "counts", {"debt": [-1.5]})
    "'debt' holds -1.5, which is no count"
    """
    if kind not in PREPARATIONS:
        raise cannot(
            f"prepare columns as {kind!r}", because="there is no such preparation", instead=" or ".join(PREPARATIONS)
        )
    usable = [each for block in PREPARATIONS[kind] for each in block.kinds]
    for column in columns:
        if column.kind not in usable:
            return f"{column.name!r} is a {column.kind}, which this preparation cannot use"
    numbers = [column.name for column in columns if column.kind == "number"]
    if kind != "counts" or table is None or not numbers:
        return ""
    forms = [column.form for column in columns if column.kind == "number"]
    X = select({"names": numbers, "kinds": None, "forms": forms}, table)
    wrong = (X < 0.0) | (X.round() < X)
    if not wrong.any():
        return ""
    i, j = divmod(int(wrong.argmax()), len(numbers))
    return f"{numbers[j]!r} holds {X[i, j]:g}, which is no count"


def distributions(kinds):
    """Distributions of the columns of the preparation "codes", by position, for MixedNB.

    Categories and flags come first, then numbers and dates. What follows, flags of missing cells and words, is 0 or 1.

    Parameters
    ----------
    kinds : sequence of str.  Kinds of the columns that are used, in the order of the table.

    >>> distributions(["number", "category", "flag"])
    {0: 'categorical', 1: 'categorical', 2: 'gaussian'}
    """
    levels = len(category_places(kinds))
    numbers = sum(kind in ("number", "date") for kind in kinds)
    return {j: "categorical" if j < levels else "gaussian" for j in range(levels + numbers)}


def category_places(kinds):
    """Which columns of the preparations "codes" and "trees" hold codes of categories: the first ones.

    A family of trees gives them to its model as `categorical_features`.

    Parameters
    ----------
    kinds : sequence of str.  Kinds of the columns that are used, in the order of the table.

    >>> category_places(["number", "category", "flag"])
    [0, 1]
    """
    return list(range(sum(kind in _LEVELS for kind in kinds)))
