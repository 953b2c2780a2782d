"""R's grammar of expressions: a formula read into a tree, and a tree written as R's ``deparse`` writes it.

From low to high, as in R: ``~``, ``|``, ``&``, ``!``, comparisons, ``+ -``, ``* /``, ``%in%``, ``:``, signs, ``^``.

References: R Core Team, R Language Definition, section 10.
"""

import re
from dataclasses import dataclass
from math import isinf

from separatrix.core.refusal import cannot

_TOKEN = re.compile(
    r"""\s*(?:
    (?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?L?)
  | (?P<name>(?:[^\W\d]|\.(?!\d))[\w.]*(?:::[\w.]+)?)
  | `(?P<quoted>[^`]+)`
  | (?P<text>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')
  | (?P<operator>%[^%\s]*%|\*\*|<=|>=|==|!=|&&|\|\||[-+*/^:~()<>&|!,=])
  | (?P<other>\S)
    )""",
    re.VERBOSE,
)
_BINARY = {"~": 1, "|": 2, "||": 2, "&": 3, "&&": 3, "+": 6, "-": 6, "*": 7, "/": 7, ":": 9, "^": 11}
_BINARY |= dict.fromkeys(("<", ">", "<=", ">=", "==", "!="), 5)
_NOT, _SPECIAL, _SIGN = 4, 8, 10
_TIGHT = ("/", "^", ":", "%%", "%/%")  # written without spaces around them


@dataclass(frozen=True)
class Number:
    """A constant; `text` is how R writes it."""

    value: float
    text: str

    def __str__(self):
        return self.text


@dataclass(frozen=True)
class Text:
    """A quoted constant."""

    value: str

    def __str__(self):
        return '"' + self.value.replace("\\", "\\\\").replace('"', '\\"') + '"'


@dataclass(frozen=True)
class Name:
    """A column, or a constant such as TRUE."""

    name: str

    def __str__(self):
        return self.name if re.fullmatch(r"(?:[^\W\d_]|\.(?!\d))[\w.]*", self.name) else f"`{self.name}`"


@dataclass(frozen=True)
class Call:
    """A function of arguments, each a pair of a name (or None) and a tree."""

    function: str
    arguments: tuple

    def __str__(self):
        words = (f"{name} = {value}" if name else str(value) for name, value in self.arguments)
        return f"{self.function}({', '.join(words)})"


@dataclass(frozen=True)
class Operation:
    """An operator on one or two trees; "(" is a pair of parentheses."""

    operator: str
    operands: tuple

    def __str__(self):
        if self.operator == "(":
            return f"({self.operands[0]})"
        if len(self.operands) == 1:
            return f"{self.operator}{self.operands[0]}"
        return (self.operator if self.operator in _TIGHT else f" {self.operator} ").join(map(str, self.operands))


def read(formula):
    """The tree of a formula.

    >>> str(read("log( y )~I(height ^2)+poly(x,2,raw=TRUE)"))
    'log(y) ~ I(height^2) + poly(x, 2, raw = TRUE)'
    """
    reader = _Reader(formula)
    tree = reader.expression(0)
    if reader.kind != "end":
        raise reader.refusal()
    return tree


def parts_of(tree):
    """The tree and all trees within it, from left to right; without recursion, for sums may be long."""
    waiting = [tree]
    while waiting:
        tree = waiting.pop()
        yield tree
        if isinstance(tree, Operation):
            waiting += reversed(tree.operands)
        elif isinstance(tree, Call):
            arguments = tree.arguments[: 1 if tree.function == "C" else None]  # then come the contrasts
            waiting += [value for _, value in reversed(arguments)]


def names_of(tree):
    """Names of columns and constants in a tree, each once, from left to right."""
    return list(dict.fromkeys(part.name for part in parts_of(tree) if isinstance(part, Name)))


class _Reader:
    """Precedence climbing over the tokens of a formula."""

    def __init__(self, formula):
        self.formula = formula
        self.tokens = [(match.lastgroup, match[match.lastgroup]) for match in _TOKEN.finditer(formula)]
        self.tokens.append(("end", ""))
        self.place = 0

    @property
    def kind(self):
        return self.tokens[self.place][0]

    @property
    def token(self):
        return self.tokens[self.place][1]

    def next(self):
        self.place += 1
        return self.tokens[self.place - 1][1]

    def is_operator(self, *operators):
        return self.kind == "operator" and self.token in operators

    def refusal(self):
        what = f"{self.token!r} has no meaning there" if self.kind != "end" else "it ends too early"
        return cannot(f"read the formula {self.formula!r}", because=what, instead="'response ~ term + term'")

    def expect(self, operator):
        if not self.is_operator(operator):
            raise self.refusal()
        self.next()

    def expression(self, least):
        """The longest expression from here on whose operators bind at least as strongly as `least`."""
        tree = self.operand()
        while self.kind == "operator":
            operator = "^" if self.token == "**" else self.token
            strength = _SPECIAL if operator.startswith("%") else _BINARY.get(operator, -1)
            if strength < max(least, 1):
                break
            self.next()
            # all but powers group from the left; an exponent may have a sign
            tree = Operation(operator, (tree, self.expression(_SIGN if operator == "^" else strength + 1)))
        return tree

    def operand(self):
        if self.is_operator("~", "!", "-", "+"):
            sign = self.next()
            strength = {"~": 1, "!": _NOT}.get(sign, _SIGN)
            return Operation(sign, (self.expression(strength),))
        if self.is_operator("("):
            self.next()
            tree = self.expression(0)
            self.expect(")")
            return Operation("(", (tree,))
        if self.kind == "number":
            return Number(float(self.token.rstrip("L")), _constant(self.next()))
        if self.kind == "text":
            return Text(re.sub(r"\\(.)", r"\1", self.next()[1:-1]))
        if self.kind == "quoted":
            return Name(self.next())
        if self.kind == "name":
            name = self.next()
            return self.call(name) if self.is_operator("(") else Name(name)
        raise self.refusal()

    def call(self, function):
        self.expect("(")
        arguments = []
        while not self.is_operator(")"):
            named = self.kind in ("name", "quoted", "text") and self.tokens[self.place + 1] == ("operator", "=")
            name = self.next().strip("\"'") if named else None
            if named:
                self.expect("=")
            arguments.append((name, self.expression(0)))
            if not self.is_operator(")"):
                self.expect(",")
        self.expect(")")
        return Call(function, tuple(arguments))


def _constant(token):
    return token if token.endswith("L") else number_text(float(token))


def number_text(value):
    """A number as R writes it: up to 15 digits, in the shorter of the two notations.

    >>> number_text(2.0), number_text(0.1), number_text(100000.0), number_text(123456.0)
    ('2', '0.1', '1e+05', '123456')
    """
    if isinf(value):
        return "Inf"
    whole = f"{value:.14e}"
    digits = next(d for d in range(15) if float(f"{value:.{d}e}") == float(whole))
    scientific = f"{value:.{digits}e}"
    fixed = f"{value:.{max(0, digits - int(whole.split('e')[1]))}f}"
    return fixed if len(fixed) <= len(scientific) else scientific
