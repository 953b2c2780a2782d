"""Rules as SQL: an expression that gives for every row what `predict` gives.

It is written for SQLite and DuckDB alike: columns of numbers are compared as doubles (an integer column, and FLOAT, are
converted as X is), NaN is taken for NULL where a database has it, and numbers stand in a form that every parser reads
exactly.
"""

from numbers import Real
from typing import Any

import numpy as np

from separatrix.core.errors import cannot
from separatrix.core.rule_table import conditions_of
from separatrix.estimators.tree.conditions import Condition, condition_of
from separatrix.estimators.tree.rules import column_names, is_list, predictions_of, table_of
from separatrix.prediction.rules import Cells
from separatrix.tables.database import quoted_name

SAFE_DIGITS, SAFE_POWER = 15, 22  # a number of so many digits and such a power of ten is read with one rounding
CHUNK = 62  # 2**62 is a whole number that SQLite reads exactly
AT_ONCE = 100  # conditions side by side: SQLite refuses expressions that are 1,000 deep
LARGEST_INTEGER = 2**53


def to_sql(model: Any, *, feature_names: Any = None) -> str:
    """The prediction of a fitted tree or rule list as an SQL expression, ``CASE WHEN ... THEN ... END``.

    Run in SQLite or DuckDB over a table with the columns of X it equals `predict` on every row: numbers, categories,
    those not met in training, and missing values, which are NULL (or NaN) there. Infinite numbers, which `predict`
    refuses, are compared like others. Words are compared as they are written: a column must not have a collation that
    ignores case. SQLite takes the name of a column that its table does not have for a word, and says nothing.

    Parameters
    ----------
    model : a fitted DecisionTreeClassifier, DecisionTreeRegressor or RuleListClassifier, of one output.
    feature_names : sequence of str or None, default None.  Columns of the table; None for those of the fit, or x0, x1.

    >>> from separatrix.tree import DecisionTreeClassifier
    >>> model = DecisionTreeClassifier().fit([[1.0], [2.0], [4.0]], ["low", "low", "high"])
    >>> print(to_sql(model, feature_names=["size"]))
    CASE
      WHEN (NULLIF(CAST("size" AS DOUBLE PRECISION), 'NaN') <= 3e0 OR NULLIF(CAST("size" AS DOUBLE PRECISION), 'NaN') IS NULL) THEN 'low'
      ELSE 'high'
    END
    """  # noqa: E501
    table, columns = table_of(model)
    if vars(model).get("n_outputs_", 1) > 1:
        raise cannot("write several outputs as one expression", because="a CASE gives one", instead="a tree for each")
    names = column_names(model, feature_names)
    _check_names([names[j] for j in np.unique(table.column)])
    last = len(table.value) - 1
    if not is_list(model):
        last -= 1  # rules of a tree leave no row out: the last one is the rest
    predictions = [_literal(each) for each in predictions_of(model, table.value[: last + 1])]
    lines = []
    for r in range(last):
        conditions = [
            _condition(condition_of(j, names[j], columns[j], bounds), columns[j])
            for j, bounds in conditions_of(table, r)
        ]
        lines.append(f"  WHEN {_conjunction(conditions) or '1 = 1'} THEN {predictions[r]}")
    if not lines:
        return predictions[last]
    return "\n".join(["CASE", *lines, f"  ELSE {predictions[last]}", "END"])


def _conjunction(parts: list[str]) -> str:
    """Conditions with AND between them; many of them in brackets, as databases take no deep expressions.

    >>> _conjunction(["a", "b", "c"])
    'a AND b AND c'
    """
    while len(parts) > AT_ONCE:
        groups = [parts[i : i + AT_ONCE] for i in range(0, len(parts), AT_ONCE)]
        parts = [f"({' AND '.join(group)})" for group in groups]
    return " AND ".join(parts)


def _condition(condition: Condition, cells: Cells) -> str:
    name = quoted_name(condition.name)
    if cells.categories is None:
        column = f"NULLIF(CAST({name} AS DOUBLE PRECISION), 'NaN')"
        parts = [_interval(column, low, high) for low, high in condition.intervals or ()]
    else:
        column = _column_of_categories(name, condition.name, cells.categories)
        parts = _categories(column, condition)
    if condition.missing:
        parts.append(f"{column} IS NULL")
    return parts[0] if len(parts) == 1 else f"({' OR '.join(parts)})"


def _interval(column: str, low: float, high: float) -> str:
    above = [] if np.isneginf(low) else [f"{column} > {number_literal(low)}"]
    below = [] if np.isposinf(high) else [f"{column} <= {number_literal(high)}"]
    return " AND ".join(above + below) or f"{column} IS NOT NULL"


def _column_of_categories(quoted: str, name: str, known: Any) -> str:
    """A column as words or as numbers, whichever its categories are."""
    why = ""
    if any(isinstance(each, int) and abs(each) > LARGEST_INTEGER for each in known):
        why = "a category is a whole number that a double does not hold"
    elif all(isinstance(each, str) for each in known):
        return f"CAST({quoted} AS VARCHAR)"
    elif not all(isinstance(each, Real) for each in known):
        why = "its categories are neither all words nor all numbers"
    if why:
        raise cannot(f"write conditions on {name!r} as SQL", because=why, instead="a column of words")
    return f"NULLIF(CAST({quoted} AS DOUBLE PRECISION), 'NaN')"


def _categories(column: str, condition: Condition) -> list[str]:
    listed, word = (condition.refused, "NOT IN") if condition.others else (condition.values or (), "IN")
    if listed:
        texts = [_literal(each) if isinstance(each, str) else number_literal(float(each)) for each in listed]
        return [f"{column} {word} ({', '.join(texts)})"]
    return [f"{column} IS NOT NULL"] if condition.others else []


def _literal(value: Any) -> str:
    """A class or a number as SQL has it."""
    if isinstance(value, str):
        _check_text(value)
        return "'" + value.replace("'", "''") + "'"
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return number_literal(value)
    raise cannot(f"write {value!r} as SQL", because=f"it is a {type(value).__name__}", instead="words or numbers")


def number_literal(x: float) -> str:
    """A finite number as an expression of type double that has its value exactly.

    SQLite reads 17 digits, or powers of ten beyond 22, with errors in the last place; a whole number, and its product
    with or quotient by powers of two, have none.

    >>> number_literal(0.1), number_literal(-3.0), number_literal(0.1 + 0.2)
    ('0.1e0', '-3e0', '(1351079888211149e0 / 4503599627370496e0 /* 0.30000000000000004 */)')
    """
    if not np.isfinite(x):
        raise cannot(f"write {x!r} as SQL", because="it is not finite", instead="finite numbers")
    text = repr(float(x)).removesuffix(".0")
    digits, _, power = text.partition("e")
    whole, _, decimals = digits.lstrip("-").partition(".")
    if len((whole + decimals).strip("0")) <= SAFE_DIGITS and abs(int(power or 0)) + len(decimals) <= SAFE_POWER:
        return text if power else f"{text}e0"
    numerator, denominator = float(x).as_integer_ratio()
    zeros = (abs(numerator) & -abs(numerator)).bit_length() - 1
    exponent = zeros if denominator == 1 else 1 - denominator.bit_length()
    sign, left, parts = " * " if exponent > 0 else " / ", abs(exponent), [f"{numerator >> zeros}e0"]
    while left:
        parts.append(f"{2 ** min(left, CHUNK)}e0")
        left -= min(left, CHUNK)
    return f"({sign.join(parts)} /* {text} */)"


def _check_names(names: list[str]) -> None:
    for name in names:
        _check_text(name)
        if not name:
            raise cannot("write rules as SQL", because="a column has an empty name", instead="feature_names=[...]")
    lowered = [name.lower() for name in names]
    twice = next((name for name in names if lowered.count(name.lower()) > 1), None)
    if twice is not None:
        raise cannot(
            "write rules as SQL",
            because=f"two columns are called {twice!r} where databases ignore case",
            instead="feature_names=[...]",
        )


def _check_text(text: str) -> None:
    if "\0" in text or any("\ud800" <= char <= "\udfff" for char in text):
        raise cannot(f"write {text!r} as SQL", because="no database holds such a character", instead="other words")
