"""Views of a table: which transformers make numbers of its columns, for which kind of model."""

from sklearn.compose import ColumnTransformer
from sklearn.pipeline import Pipeline

from separatrix.core.errors import cannot
from separatrix.estimators.preparation.categories import Categories
from separatrix.estimators.preparation.dates import Dates
from separatrix.estimators.preparation.numbers import Numbers
from separatrix.estimators.preparation.table_columns import TableColumns
from separatrix.estimators.preparation.words import Words

# For each view its blocks, in order: a name, the kinds of columns that enter it, and what becomes of them.
VIEWS = {
    "standard": (
        ("numbers", ("number",), Numbers),
        ("categories", ("category", "flag"), Categories),
        ("dates", ("date",), Dates),
        ("words", ("text",), Words),
    ),
}


def preparation(columns, view="standard"):
    """The transformer that makes a view of the columns.

    Parameters
    ----------
    columns : sequence of ColumnFacts.  The columns that are used, in the order in which they will come.
    view : str, default "standard".  One of VIEWS.

    Returns
    -------
    An unfitted ColumnTransformer of columns by position.
    """
    if view not in VIEWS:
        raise cannot(f"prepare the view {view!r}", because="there is no such view", instead=", ".join(map(repr, VIEWS)))
    blocks = []
    for name, kinds, make in VIEWS[view]:
        positions = [j for j, column in enumerate(columns) if column.kind in kinds]
        if positions:
            blocks.append((name, make(), positions))
    # one sparse block makes the whole sparse: it was made so because it is wide
    return ColumnTransformer(blocks, sparse_threshold=1.0, verbose_feature_names_out=False)


def pipeline(understanding, view, model):
    """The whole way from a table to a prediction: select the columns, prepare them, predict.

    >>> from separatrix.linear_model import Ridge
    >>> from separatrix.tables.understanding import ColumnFacts, Understanding
    >>> facts = (ColumnFacts("age", "number", 0, 3), ColumnFacts("sex", "flag", 0, 2))
    >>> whole = pipeline(Understanding("people", 4, 0, "height", "regression", facts), "standard", Ridge())
    >>> people = {"age": [20, 30, 40, 30], "sex": ["f", "m", "f", "m"]}
    >>> whole.fit(people, [160.0, 180.0, 165.0, 175.0])[:-1].get_feature_names_out().tolist()
    ['age', 'sex=m']
    """
    used = understanding.used
    if not used:
        raise cannot(
            f"learn {understanding.target!r}",
            because="no column is left to learn from",
            instead="a table with other columns, or fewer columns left out",
        )
    columns = TableColumns(tuple(column.name for column in used), tuple(column.kind for column in used))
    return Pipeline([("columns", columns), ("prepare", preparation(used, view)), ("model", model)])
