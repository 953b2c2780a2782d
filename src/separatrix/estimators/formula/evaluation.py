"""Values of the expressions of a formula on the rows of a table, in R's meaning of operators and functions."""

import numpy as np

from separatrix.core.refusal import cannot
from separatrix.estimators.formula import factors, learned
from separatrix.estimators.formula.grammar import Call, Name, Number, Text
from separatrix.estimators.formula.values import Factor, Matrix, Truth, as_numbers, is_text, labels_of
from separatrix.tables.table import meant

CONSTANTS = {"TRUE": True, "T": True, "FALSE": False, "F": False, "pi": np.pi, "Inf": np.inf, "NULL": None}
ARITHMETIC = {
    "+": np.add,
    "-": np.subtract,
    "*": np.multiply,
    "/": np.divide,
    "^": np.power,
    "%%": np.mod,
    "%/%": np.floor_divide,
}
COMPARISONS = {
    "<": np.less,
    ">": np.greater,
    "<=": np.less_equal,
    ">=": np.greater_equal,
    "==": np.equal,
    "!=": np.not_equal,
}
ELEMENTWISE = {
    "sqrt": np.sqrt,
    "exp": np.exp,
    "expm1": np.expm1,
    "log10": np.log10,
    "log2": np.log2,
    "log1p": np.log1p,
    "abs": np.abs,
    "sign": np.sign,
    "sin": np.sin,
    "cos": np.cos,
    "tan": np.tan,
    "asin": np.arcsin,
    "acos": np.arccos,
    "atan": np.arctan,
    "sinh": np.sinh,
    "cosh": np.cosh,
    "tanh": np.tanh,
    "floor": np.floor,
    "ceiling": np.ceil,
    "trunc": np.trunc,
    "as.numeric": np.positive,
    "as.double": np.positive,
    "as.integer": np.trunc,
}
# Functions that learn from the data, with the names of their arguments in R and those they have here.
LEARNED = {
    "poly": (learned.poly, {"x": "x", "degree": "degree", "raw": "raw"}),
    "scale": (learned.scale, {"x": "x", "center": "center", "scale": "scale"}),
    "center": (learned.center, {"x": "x"}),
    "bs": (
        learned.bs,
        {
            "x": "x",
            "df": "df",
            "knots": "knots",
            "degree": "degree",
            "intercept": "intercept",
            "Boundary.knots": "boundary",
        },
    ),
    "ns": (learned.ns, {"x": "x", "df": "df", "knots": "knots", "intercept": None, "Boundary.knots": "boundary"}),
    "cut": (
        learned.cut,
        {
            "x": "x",
            "breaks": "breaks",
            "labels": "labels",
            "include.lowest": "lowest",
            "right": "right",
            "dig.lab": "digits",
            "ordered_result": "ordered",
        },
    ),
}
LONGEST_RANGE = 1_000_000  # values of a:b
VECTORS = ("knots", "Boundary.knots", "breaks", "labels")  # arguments of these that may have several values


# What numpy raises where a constant stands for a column, a column for a constant, text for a number.
_WRONG_KINDS = (TypeError, IndexError, ValueError, ArithmeticError, AttributeError)
_FAULT = "an argument has the wrong kind, or a value that it cannot have"


class Evaluation:
    """Values on the rows of a table.

    Parameters
    ----------
    text : str.  The formula, for the sentences that refuse something.
    table : Table.
    memory : dict.  What functions learned from the data of the fit, by the text of their call.
    learning : bool.  Whether this table is the data of the fit; else nothing is learned, and the memory is used.
    """

    def __init__(self, text, table, memory, learning):
        self.text, self.table, self.memory, self.learning = text, table, memory, learning

    def refusal(self, token, because, instead):
        return cannot(f"read {str(token)!r} in the formula {self.text!r}", because=because, instead=instead)

    def remembered(self, key, learn):
        """What was learned at the fit under this key; at the fit, what `learn` gives."""
        if self.learning:
            self.memory[key] = learn()
        return self.memory[key]

    def value(self, tree):
        """The value of an expression: numbers, Truth, text, Factor or Matrix."""
        if isinstance(tree, Number):
            return np.array(tree.value)
        if isinstance(tree, Name):
            return self._named(tree)
        if isinstance(tree, Text):
            return np.array(tree.value, dtype=object)
        try:
            with np.errstate(all="ignore"):  # the rows where a result is not finite are looked at when all is known
                return self._call(tree) if isinstance(tree, Call) else self._operation(tree)
        except _WRONG_KINDS as error:
            if str(error).startswith("Cannot "):  # a sentence of ours, about a part of the expression
                raise
            raise self.refusal(tree, _FAULT, "functions and operators as R describes them") from error
        except MemoryError:
            raise self.refusal(tree, "it does not fit into memory", "an expression with fewer values") from None

    def _named(self, tree):
        if tree.name in self.table:
            return self.table[tree.name]
        if tree.name not in CONSTANTS:
            raise self.refusal(tree, "the table has no such column", "a column, or TRUE, FALSE or pi")
        constant = CONSTANTS[tree.name]
        return Truth(np.array(float(constant))) if isinstance(constant, bool) else np.array(constant, dtype=float)

    def numbers(self, tree):
        return as_numbers(self.value(tree), tree)

    # -------------------------------------------------------------- operators

    def _operation(self, tree):
        operator, operands = tree.operator, tree.operands
        if operator == "(":
            return self.value(operands[0])
        if operator == ":":
            ends = [self.numbers(end) for end in operands]
            if any(end.ndim for end in ends) or not abs(ends[1] - ends[0]) < LONGEST_RANGE:
                most = f"{LONGEST_RANGE:,}"
                raise self.refusal(tree, f"its ends are not two numbers less than {most} apart", "another range")
            first, last = map(float, ends)
            return np.arange(first, last + 0.5) if first <= last else np.arange(first, last - 0.5, -1.0)
        if len(operands) == 1:
            x = self.numbers(operands[0])
            return Truth(np.where(np.isnan(x), np.nan, x == 0.0)) if operator == "!" else x if operator == "+" else -x
        if operator in ARITHMETIC:
            return ARITHMETIC[operator](*map(self.numbers, operands))
        if operator in COMPARISONS:
            return self._comparison(operator, *map(self.value, operands), tree)
        if operator == "%in%":
            return self._member(*map(self.value, operands))
        if operator in ("&", "|", "&&", "||"):
            a, b = map(self.numbers, operands)
            both = (a != 0.0) & (b != 0.0) if operator[0] == "&" else (a != 0.0) | (b != 0.0)
            return Truth(np.where(np.isnan(a) | np.isnan(b), np.nan, both))
        raise self.refusal(operator, "it is not known", f"one of {', '.join([*ARITHMETIC, *COMPARISONS, '%in%'])}")

    def _comparison(self, operator, a, b, tree):
        if not any(is_text(side) or isinstance(side, Factor) for side in (a, b)):
            a, b = as_numbers(a, tree), as_numbers(b, tree)
            return Truth(np.where(np.isnan(a) | np.isnan(b), np.nan, COMPARISONS[operator](a, b)))
        if operator not in ("==", "!="):
            raise self.refusal(tree, "labels have no order", "== or !=")
        a, b = (
            np.atleast_1d(labels_of(np.atleast_1d(side) if not isinstance(side, Factor) else side)) for side in (a, b)
        )
        a, b = np.broadcast_arrays(a, b)
        same = [np.nan if u is None or v is None else float((u == v) == (operator == "==")) for u, v in zip(a, b)]
        return Truth(np.array(same))

    def _member(self, x, among):
        x, among = (labels_of(side if isinstance(side, Factor) else np.atleast_1d(side)) for side in (x, among))
        among = set(among)
        return Truth(np.array([np.nan if label is None else float(label in among) for label in x]))

    # -------------------------------------------------------------- functions

    def _call(self, tree):
        name = tree.function.rpartition("::")[2].removeprefix("np.")  # splines::ns; np.log is read, too
        if name == "I":
            return self.value(self.matched(tree, "x")["x"])
        if name in ELEMENTWISE:
            return self._elementwise(name, tree)
        if name in learned.STATISTICS:
            x = self.numbers(self.matched(tree, "x", "na.rm")["x"])
            make = lambda: learned.Statistic(float(learned.STATISTICS[name](x[~np.isnan(x)])))  # noqa: E731
            return self.remembered(str(tree), make)(x)
        if name in LEARNED:
            return self._learned(tree, *LEARNED[name])
        if name in factors.FUNCTIONS:
            return factors.FUNCTIONS[name](self, tree)
        if name in PLAIN:
            return PLAIN[name](self, tree)
        every = ["I", "offset", *ELEMENTWISE, *learned.STATISTICS, *LEARNED, *factors.FUNCTIONS, *PLAIN]
        near = meant(name, every)
        raise self.refusal(
            tree,
            f"{name} is no function of formulas",
            f"{near}, or a column made before"
            if near
            else "a column made before; docs/how-to/formulas.md lists functions",
        )

    def matched(self, tree, *parameters, least=1):
        """Arguments by the names of the parameters: in full, then by how they begin, then by place, as R does."""
        given, places = {}, []
        for name, value in tree.arguments:
            choices = [p for p in parameters if p == name] or [p for p in parameters if name and p.startswith(name)]
            if name and (len(choices) != 1 or choices[0] in given):
                raise self.refusal(tree, f"it has no argument {name!r}", f"the arguments {', '.join(parameters)}")
            if name:
                given[choices[0]] = value
            else:
                places.append(value)
        free = [p for p in parameters if p not in given]
        if len(places) > len(free) or len(places) + len(given) < least:
            raise self.refusal(tree, "the number of arguments is wrong", f"the arguments {', '.join(parameters)}")
        return {**given, **dict(zip(free, places))}

    def option(self, tree):
        """A constant argument as a Python value: bool, float, text, array, or None."""
        if isinstance(tree, Text):
            return tree.value
        if isinstance(tree, Name) and tree.name in CONSTANTS and tree.name not in self.table:
            return CONSTANTS[tree.name]
        value = self.value(tree)
        value = value.values if isinstance(value, Truth) else value
        return value.item() if isinstance(value, np.ndarray) and value.ndim == 0 else value

    def _elementwise(self, name, tree):
        value = self.value(self.matched(tree, "x")["x"])
        if isinstance(value, Factor) and name.startswith("as."):  # as in R: the place of the level
            return np.where(value.codes < 0, np.nan, value.codes + 1.0)
        return ELEMENTWISE[name](as_numbers(value, tree))

    def _learned(self, tree, learn, parameters):
        given = self.matched(tree, *parameters)
        refused = [name for name in given if parameters[name] is None]
        if refused and self.option(given[refused[0]]) is not False:
            raise self.refusal(tree, f"{refused[0]} other than FALSE is not offered", "the constant of the model")
        if "x" not in given:
            raise self.refusal(tree, "it has no column", f"{tree.function}(x)")
        x = self.numbers(given["x"])
        options = {parameters[name]: self.option(value) for name, value in given.items() if name != "x"}
        options.pop(None, None)
        for name, value in given.items():
            if name not in ("x", *VECTORS) and np.ndim(options.get(parameters[name], 0.0)):
                raise self.refusal(
                    tree, f"{value} stands for {name}, which is one value", f"{tree.function} of one column, and a:b"
                )
        return self.remembered(str(tree), lambda: learn(x, **options))(x)

    def _log(self, tree):
        given = self.matched(tree, "x", "base")
        logarithm = np.log(self.numbers(given["x"]))
        return logarithm / np.log(self.option(given["base"])) if "base" in given else logarithm

    def _round(self, tree):
        given = self.matched(tree, "x", "digits")
        return np.round(self.numbers(given["x"]), int(self.option(given["digits"])) if "digits" in given else 0)

    def _ifelse(self, tree):
        given = self.matched(tree, "test", "yes", "no", least=3)
        test, yes, no = self.numbers(given["test"]), self.value(given["yes"]), self.value(given["no"])
        if is_text(yes) and is_text(no):
            return np.where(np.isnan(test), None, np.where(test != 0.0, yes, no))
        return np.where(np.isnan(test), np.nan, np.where(test != 0.0, as_numbers(yes, tree), as_numbers(no, tree)))

    def _extremes(self, tree):
        choose = np.minimum if tree.function.endswith("pmin") else np.maximum
        x, *others = (self.numbers(value) for _, value in tree.arguments)
        for other in others:
            x = choose(x, other)
        return x

    def _missing(self, tree):
        value = self.value(self.matched(tree, "x")["x"])
        return Truth(np.array([label is None for label in labels_of(value)], dtype=np.float64))

    def _vector(self, tree):
        parts = [self.value(value) for _, value in tree.arguments]
        if all(is_text(part) for part in parts):
            return np.concatenate([np.atleast_1d(part) for part in parts])
        return np.concatenate([np.atleast_1d(as_numbers(part, tree)) for part in parts])

    def _bound(self, tree):
        """Columns side by side, called by their argument's name, or by their own."""
        columns, names = [], []
        for name, value in tree.arguments:
            part = self.value(value)
            columns.append(part.values if isinstance(part, Matrix) else as_numbers(part, value)[:, None])
            own = name or (value.name if isinstance(value, Name) else "")
            names += list(part.names) if isinstance(part, Matrix) else [own]
        return Matrix(np.hstack(columns), tuple(names))


# Functions that learn nothing.
PLAIN = {
    "log": Evaluation._log,
    "round": Evaluation._round,
    "ifelse": Evaluation._ifelse,
    "pmin": Evaluation._extremes,
    "pmax": Evaluation._extremes,
    "is.na": Evaluation._missing,
    "c": Evaluation._vector,
    "cbind": Evaluation._bound,
}
