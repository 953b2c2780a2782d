"""The model frame and the model matrix: variables of a formula on the rows of a table, and the columns they make.

A factor in a term is coded by contrasts if the term without it is part of a term before (or is the constant), else by
indicators; without a constant the first factor of all is coded by indicators. That is R's rule.

References: Chambers and Hastie (1992), Statistical Models in S, section 2.4.1.
"""

from dataclasses import dataclass

import numpy as np

from separatrix.core.refusal import cannot
from separatrix.estimators.formula.algebra import parse
from separatrix.estimators.formula.evaluation import CONSTANTS, Evaluation
from separatrix.estimators.formula.factors import as_factor, coding
from separatrix.estimators.formula.grammar import Name, names_of
from separatrix.estimators.formula.values import Factor, Matrix, Truth, as_numbers, is_text, missing, shape_of, taken
from separatrix.tables.limits import memory
from separatrix.tables.table import meant, shown

NUMBER = 8  # bytes
COPIES = 4  # of the matrix of the design that a fit may hold: its blocks, the whole, that of the model, a factor


@dataclass(frozen=True)
class Frame:
    """The rows of a table in which no variable of a formula is missing.

    Attributes
    ----------
    matrix : array (rows, columns of the design), without the constant.
    response : numbers, Truth, text, Factor or Matrix; None where it was not asked for.
    offset : array (rows,), or None where the formula has no offset.
    weights : array (rows,), or None.
    rows : array of int.  Which rows of the table these are.
    """

    matrix: np.ndarray
    response: object
    offset: np.ndarray | None
    weights: np.ndarray | None
    rows: np.ndarray


class FormulaDesign:
    """The design of a formula, learned from the table of the fit, and made for any other.

    Parameters
    ----------
    text : str.  The formula.
    table : Table.  The data of the fit.
    weights : str or None.  A column of weights.

    Attributes
    ----------
    formula : Formula.  frame : Frame, of the data of the fit.
    names : list of str.  Columns, named as in R.
    terms : dict.  From the label of a term to the names of its columns.

    >>> from separatrix.tables import Table
    >>> table = Table.of({"y": [1, 2, 4, 3], "x": [1, 2, 3, 4], "sex": ["f", "m", "f", "m"]})
    >>> design = FormulaDesign("y ~ I(x^2)*sex", table)
    >>> design.names
    ['I(x^2)', 'sexm', 'I(x^2):sexm']
    >>> design.rows_of(Table.of({"x": [5], "sex": ["m"]})).matrix
    array([[25.,  1., 25.]])
    """

    def __init__(self, text, table, weights=None):
        self.weights = weights
        try:
            self._learn(text, table)
        except RecursionError:
            raise cannot("read the formula", because="it is nested too deeply", instead="columns made before") from None

    def _learn(self, text, table):
        weights = self.weights
        self.formula = parse(text, table.names)
        self._memory: dict = {}
        self._levels: dict = {}
        wanted = [*self.formula.columns, *([weights] if weights else [])]
        unknown = [name for name in wanted if name not in table and (name not in CONSTANTS or name == weights)]
        if unknown:
            raise cannot(
                f"find the column {unknown[0]!r} of the formula",
                because=f"{table.source or 'the table'} has the columns {shown(table.names)}",
                instead=meant(unknown[0], table.names) or "one of them; odd names go between backquotes, `like this`",
            )
        evaluation = Evaluation(text, table, self._memory, True)
        extra = (self.formula.response, Name(weights) if weights else None)
        values, rows = self._complete(evaluation, len(table), extra)
        if not len(rows):
            raise cannot(
                f"fit the {len(table)} rows of {table.source or 'the table'}",
                because="each misses a value of some column of the formula",
                instead="fewer columns",
            )
        trees = (*self.formula.variables, *self.formula.offsets)
        self._needed = list(dict.fromkeys(name for tree in trees for name in names_of(tree) if name in table))
        X, names = self._matrix(values, len(rows))
        self.names = [name for piece in names for name in piece]
        self.terms = dict(zip(self.formula.labels, names))
        self.frame = self._frame(X, values, rows)

    def rows_of(self, table):
        """The frame of other rows, which need no response; refused where a value is missing."""
        known = table.select(self._needed)  # T may be a column or TRUE: it is what it was at the fit
        evaluation = Evaluation(self.formula.text, known, self._memory, False)
        values, rows = self._complete(evaluation, len(table), (None, None))
        if len(rows) < len(table):
            raise cannot(
                f"predict the {len(table)} rows of {table.source or 'the table'}",
                because=f"{len(table) - len(rows)} of them miss a value of the formula",
                instead="rows without missing values",
            )
        return self._frame(self._matrix(values, len(rows))[0], values, rows)

    # -------------------------------------------------------------- variables

    def _complete(self, evaluation, n, extra):
        """Values of variables, offsets, response and weights in the complete rows, and which rows these are."""
        trees = [*self.formula.variables, *self.formula.offsets, *extra]
        values = [None if tree is None else self._variable(evaluation, tree, n) for tree in trees]
        whole = np.ones(n, dtype=bool)
        for tree, value in zip(trees, values):
            if value is not None:
                gone = missing(value)
                self._refuse_undefined(evaluation.table, tree, value, gone)
                whole &= ~gone
        rows = np.flatnonzero(whole)
        return [None if value is None else taken(value, rows) for value in values], rows

    def _variable(self, evaluation, tree, n):
        """The value of one variable in n rows; text and truth values of the right side become factors."""
        value = evaluation.value(tree)
        size = shape_of(value)
        if size == () and isinstance(value, Factor):
            raise evaluation.refusal(tree, "it is one value for all rows", "a factor of a column")
        if size == ():
            value = Truth(np.full(n, value.values)) if isinstance(value, Truth) else np.full(n, value)
        elif size[0] != n:
            raise evaluation.refusal(tree, f"it has {size[0]} values for {n} rows", "an expression of columns")
        is_response = tree is self.formula.response
        if (is_text(value) or isinstance(value, Truth)) and not is_response:
            return as_factor(evaluation, value, str(tree))
        return value

    def _refuse_undefined(self, table, tree, value, gone):
        """Refuse a result that is no finite number where its columns are not missing."""
        if isinstance(value, Factor) or is_text(value):
            return
        numbers = value.values if isinstance(value, Matrix | Truth) else value
        bad = ~np.isfinite(numbers if numbers.ndim == 1 else numbers.sum(axis=1)) | gone
        for name in names_of(tree):
            if name in table:
                bad &= ~missing(table[name])
        if bad.any():
            raise cannot(
                f"compute {str(tree)!r} of the formula {self.formula.text!r}",
                because=f"it is no finite number in {bad.sum()} rows, the first of them row {bad.argmax() + 1}",
                instead="an expression that all rows have a value of",
            )

    # -------------------------------------------------------------- columns

    def _matrix(self, values, n):
        """The columns of all terms (n, p), and their names, term by term."""
        formula, blocks, every = self.formula, [np.empty((n, 0))], []
        variables = [
            self._used(str(tree), value) if isinstance(value, Factor) else value
            for tree, value in zip(formula.variables, values)
        ]
        full = _codes(formula, [isinstance(value, Factor) for value in variables])
        most, count = memory() // (NUMBER * COPIES * max(n, 1)), 0
        for term in formula.terms:
            block, names = np.ones((n, 1)), [""]
            count += int(np.prod([_width(variables[v]) for v in term], dtype=np.float64))
            if count > most:
                raise cannot(
                    f"fit the formula {formula.text!r}",
                    because=f"{count:,} columns or more of {n:,} rows do not fit into memory",
                    instead="fewer terms, or factors with fewer levels",
                )
            for v in term:
                columns, ends = _coded(variables[v], (term, v) in full)
                block = np.einsum("ij,ik->ikj", block, columns).reshape(n, -1)  # the first variable varies fastest
                names = [f"{name}:{formula.variables[v]}{end}".removeprefix(":") for end in ends for name in names]
            blocks.append(block)
            every.append(names)
        return np.hstack(blocks), every

    def _used(self, label, factor):
        """The factor with the levels that occur in the data of the fit; refused where new rows have another."""
        codes = np.unique(factor.codes)
        levels = self._levels.setdefault(label, tuple(factor.levels[k] for k in codes))
        strange = [factor.levels[k] for k in codes if factor.levels[k] not in levels]
        if strange or len(levels) < 2:
            one = f"it has one level, {levels[0]!r}"
            raise cannot(
                f"use {label!r} in the formula {self.formula.text!r}",
                because=f"{strange[0]!r} was no level of it in the data of the fit" if strange else one,
                instead=f"one of {shown(levels)}" if strange else "a factor with two levels or more",
            )
        place = {level: k for k, level in enumerate(levels)}
        contrasts = factor.contrasts
        if contrasts is not None:
            contrasts = (contrasts[0], place.get(factor.levels[contrasts[1]], 0))
        codes = np.array([place.get(level, -1) for level in factor.levels])[factor.codes]
        return Factor(codes, levels, factor.ordered, contrasts)

    def _frame(self, X, values, rows):
        count = len(self.formula.variables)
        offsets = [as_numbers(value, "offset") for value in values[count:-2]]
        response, weights = values[-2:]
        weights = None if weights is None else _weights(weights, self.weights)
        return Frame(X, response, sum(offsets) if offsets else None, weights, rows)


def _codes(formula, is_factor):
    """Pairs (term, variable) in which a factor is coded by indicators."""
    full = set()
    for place, term in enumerate(formula.terms):
        for v in filter(is_factor.__getitem__, term):
            rest = set(term) - {v}
            if rest and not any(rest <= set(before) for before in formula.terms[:place]):
                full.add((term, v))
    if not formula.intercept:
        first = next(((term, v) for term in formula.terms for v in term if is_factor[v]), None)
        full |= {first} if first else set()
    return full


def _width(value):
    """How many columns a variable has at least."""
    if isinstance(value, Factor):
        return max(len(value.levels) - 1, 1)
    return value.values.shape[1] if isinstance(value, Matrix) else 1


def _coded(value, full):
    """Columns (n, k) of one variable, and how their names end."""
    if isinstance(value, Factor):
        matrix, ends = coding(value, full)
        return matrix[value.codes], ends
    if isinstance(value, Matrix):
        return value.values, value.names if len(value.names) > 1 else ("",)
    return value[:, None], ("",)


def _weights(values, name):
    weights = as_numbers(values, name)
    if (weights < 0.0).any() or not weights.any():
        raise cannot(f"use {name!r} as weights", because="weights are not negative, and not all 0", instead="others")
    return weights
