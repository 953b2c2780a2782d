"""Views of a table: which transformers make numbers of its columns, for which kind of model.

standard   numbers centred and scaled, levels and words as columns     linear models, neighbours, discriminants
curves     the same, with a smooth curve for each number               additive models
binary     everything is 0 or 1                                        Bernoulli naive Bayes
counts     everything is a count                                       multinomial naive Bayes
codes      numbers as they are, levels as 0, 1, 2, ...                 naive Bayes of mixed columns; trees
"""

from functools import partial
from typing import NamedTuple

from sklearn.compose import ColumnTransformer
from sklearn.pipeline import Pipeline

from separatrix.core.errors import cannot
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
_WORDS = Block("words", ("text",), Words)

VIEWS = {
    "standard": (_NUMBERS, _CATEGORIES, _DATES, _WORDS),
    "curves": (Block("curves", ("number",), Curves), _CATEGORIES, _DATES, _WORDS),
    "binary": (
        Block("thresholds", ("number", "date"), Thresholds),
        Block("categories", _LEVELS, partial(Categories, drop="if_binary")),
        Block("words", ("text",), partial(Words, weighting="presence")),
    ),
    "counts": (
        Block("counts", ("number",), partial(Counts, whole=True)),
        Block("categories", _LEVELS, partial(Categories, drop=None)),
        Block("words", ("text",), partial(Words, weighting="counts")),
    ),
    # the codes come first, so that their places are known before anything is fitted; the words are few, because what
    # wants codes wants an array with a cell for each of them
    "codes": (
        Block("codes", _LEVELS, Codes),
        Block("numbers", ("number", "date"), partial(Numbers, standardise=False)),
        Block("words", ("text",), partial(Words, weighting="presence", max_words=100)),
    ),
}
_DENSE = ("codes",)


def preparation(columns, view="standard"):
    """The transformer that makes a view of the columns.

    Parameters
    ----------
    columns : sequence of ColumnFacts.  The columns that are used, in the order in which they will come.
    view : str, default "standard".  One of VIEWS.

    Returns
    -------
    An unfitted ColumnTransformer of columns by position.

    >>> from separatrix.tables.understanding import ColumnFacts
    >>> preparation([ColumnFacts("age", "number", 0, 9), ColumnFacts("sex", "flag", 0, 2)]).transformers
    [('numbers', Numbers(), [0]), ('categories', Categories(), [1])]
    """
    reason = obstacle(columns, view)
    if reason:
        raise cannot(f"prepare the view {view!r}", because=reason, instead="the view 'standard', or leave it out")
    blocks = []
    for block in VIEWS[view]:
        positions = [j for j, column in enumerate(columns) if column.kind in block.kinds]
        if positions:
            blocks.append((block.name, block.make(), positions))
    # one sparse block makes the whole sparse: it was made so because it is wide
    return ColumnTransformer(blocks, sparse_threshold=float(view not in _DENSE), verbose_feature_names_out=False)


def pipeline(understanding, view, model):
    """The whole way from a table to a prediction: select the columns, prepare them, predict.

    Parameters
    ----------
    understanding : Understanding.  Of the table; says which columns are used.
    view : str.  One of VIEWS.
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
    return Pipeline([("columns", columns), ("prepare", preparation(used, view)), ("model", model)])


def feature_names(pipeline):
    """What the columns that reach the model are called; of equal names the later ones are numbered.

    >>> from separatrix.tables.understanding import ColumnFacts
    >>> columns = TableColumns(["a", "a=b"], ["category", "number"])
    >>> facts = [ColumnFacts("a", "category", 0, 2), ColumnFacts("a=b", "number", 0, 2)]
    >>> half = Pipeline([("columns", columns), ("prepare", preparation(facts)), ("model", "passthrough")])
    >>> feature_names(half.fit({"a": ["b", "c", "c", "b", "c"], "a=b": [1, 2, 3, 4, 5]}))
    ['a=b', 'a=b (2)']
    """
    given = pipeline.named_steps["columns"].get_feature_names_out()
    found, met = [], {}
    for _, transformer, positions in pipeline.named_steps["prepare"].transformers_:
        for name in transformer.get_feature_names_out(given[positions]).tolist():
            met[name] = met.get(name, 0) + 1
            found.append(name if met[name] == 1 else f"{name} ({met[name]})")
    return found


def obstacle(columns, view, table=None):
    """Why a view cannot serve the columns, "" if it can.

    Parameters
    ----------
    columns : sequence of ColumnFacts.  Those that are used.
    view : str.  One of VIEWS.
    table : Table, frame or dict of columns, optional.  With it the numbers themselves are looked at, too.

    >>> from separatrix.tables.understanding import ColumnFacts
    >>> obstacle([ColumnFacts("signup", "date", 0, 9)], "counts")
    "'signup' is a date, of which this view makes nothing"
    >>> obstacle([ColumnFacts("debt", "number", 0, 9)], "counts", {"debt": [-1.5]})
    "'debt' holds -1.5, which is no count"
    """
    if view not in VIEWS:
        raise cannot(f"prepare the view {view!r}", because="there is no such view", instead=" or ".join(VIEWS))
    served = [kind for block in VIEWS[view] for kind in block.kinds]
    for column in columns:
        if column.kind not in served:
            return f"{column.name!r} is a {column.kind}, of which this view makes nothing"
    numbers = [column.name for column in columns if column.kind == "number"]
    if view != "counts" or table is None or not numbers:
        return ""
    X = select({"names": numbers, "kinds": None, "forms": None}, table)
    wrong = (X < 0.0) | (X.round() < X)
    if not wrong.any():
        return ""
    i, j = divmod(int(wrong.argmax()), len(numbers))
    return f"{numbers[j]!r} holds {X[i, j]:g}, which is no count"


def distributions(kinds):
    """What the columns of the view "codes" are, for MixedNB: the place of a column to its distribution.

    Categories and flags come first, then numbers and dates. What follows, flags of missing cells and words, is 0 or 1
    and needs no mention.

    Parameters
    ----------
    kinds : sequence of str.  Kinds of the columns that are used, in the order of the table.

    >>> distributions(["number", "category", "flag"])
    {0: 'categorical', 1: 'categorical', 2: 'gaussian'}
    """
    levels = sum(kind in _LEVELS for kind in kinds)
    numbers = sum(kind in ("number", "date") for kind in kinds)
    return {j: "categorical" if j < levels else "gaussian" for j in range(levels + numbers)}
