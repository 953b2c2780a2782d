"""The algebra of terms: what ``a*b``, ``(a + b)^2``, ``b %in% a``, ``.`` and ``-1`` stand for.

formulaic expands sums, products and powers of names. What R's formulas have beside that is translated before: every
variable (a column, or a call such as ``log(x)``) becomes a name of its own, constants and offsets are taken out, and
``b %in% a`` becomes a product.

References: Chambers and Hastie (1992), Statistical Models in S, section 2.3; Wilkinson and Rogers (1973), Applied
Statistics 22(3).
"""

from dataclasses import dataclass

from separatrix.core.refusal import cannot
from separatrix.estimators.formula.grammar import Call, Name, Number, Operation, names_of, parts_of, read


@dataclass(frozen=True)
class Formula:
    """What a formula says.

    Attributes
    ----------
    text : str.  The formula as given.
    response : tree.  What stands left of the ``~``.
    variables : tuple of trees.  What stands on the right, each once, in order of appearance.
    terms : tuple of tuples of int.  Variables of each term, by place; main effects first, then pairs, and so on.
    intercept : bool.
    offsets : tuple of trees.  The arguments of ``offset()``.
    """

    text: str
    response: object
    variables: tuple
    terms: tuple
    intercept: bool
    offsets: tuple

    @property
    def labels(self):
        """The terms as R writes them: ``a``, ``a:b``."""
        return [":".join(str(self.variables[v]) for v in term) for term in self.terms]

    @property
    def columns(self):
        """Names of all columns (and constants) that the formula mentions."""
        trees = (self.response, *self.variables, *self.offsets)
        return list(dict.fromkeys(name for tree in trees for name in names_of(tree)))


def parse(text, columns):
    """Read a formula about a table of these columns, which is what a dot stands for.

    >>> formula = parse("log(y) ~ . + a:b - 1", ["y", "a", "b"])
    >>> formula.labels, formula.intercept
    (['a', 'b', 'a:b'], False)
    """
    tree = read(text)
    if not isinstance(tree, Operation) or tree.operator != "~" or len(tree.operands) != 2:
        raise cannot(f"read the formula {text!r}", because="it has no response", instead="'response ~ term + term'")
    left, right = tree.operands
    for side in tree.operands:
        if any(isinstance(part, Operation) and part.operator == "~" for part in parts_of(side)):
            raise _refusal(text, "~", "it stands twice", "one ~")
    if "." in names_of(left):
        raise _refusal(text, ".", "it stands for all other columns, left of the ~", "the name of a column")
    reader = _Terms(text, [name for name in columns if name not in names_of(left)])
    words = reader.translated(right, +1)
    terms = _expanded(words) if words else []
    if left in reader.places:
        raise _refusal(text, left, "the response stands on the right, too", "other columns there")
    used = sorted({v for term in terms for v in term})
    place = {v: k for k, v in enumerate(used)}  # variables that were taken out again are not needed
    terms = tuple(tuple(place[v] for v in term) for term in terms)
    variables = list(reader.places)
    return Formula(text, left, tuple(variables[v] for v in used), terms, reader.intercept, tuple(reader.offsets))


def _refusal(text, token, because, instead):
    return cannot(f"read {str(token)!r} in the formula {text!r}", because=because, instead=instead)


MOST_TERMS = 10_000  # of a power or a product


class _Terms:
    """The right side in formulaic's words; `places`, `offsets` and `intercept` collect what was replaced."""

    def __init__(self, text, others):
        self.text, self.others = text, others
        self.places: dict = {}  # of the variables
        self.offsets: list = []
        self.intercept = True

    def translated(self, tree, sign):
        """A part of the formula, or "" where nothing of it is left; `sign` is -1 where it is taken out."""
        if _is_algebra(tree):
            if tree.operator == "(":
                inner = self.translated(tree.operands[0], sign)
                return f"({inner})" if inner else ""
            if tree.operator in "+-":
                return self._sum(tree, sign)
            if tree.operator == "^":
                return self._power(tree, sign)
            return self._product(tree, sign)
        if isinstance(tree, Operation) and tree.operator in ("|", "||"):
            raise _refusal(
                self.text, tree.operator, "groups with effects of their own are not fitted", "I(a | b) if or is meant"
            )
        if isinstance(tree, Number):
            return self._constant(tree, sign)
        if tree == Name("."):
            if not self.others:
                raise _refusal(self.text, ".", "no column is left for it to stand for", "'response ~ 1'")
            return "(" + " + ".join(self._variable(Name(name)) for name in self.others) + ")"
        if isinstance(tree, Call) and tree.function == "offset":
            if len(tree.arguments) != 1:
                raise _refusal(self.text, tree, "it takes one argument", "offset(x)")
            self.offsets += [tree.arguments[0][1]] if sign > 0 else []
            return ""
        return self._variable(tree)

    def _variable(self, tree):
        if "." in names_of(tree):
            raise _refusal(self.text, tree, "a dot stands for columns as they are", "the columns by their names")
        if not names_of(tree):
            raise _refusal(self.text, tree, "it holds no column", "I(...) with a column in it")
        return f"v{self.places.setdefault(tree, len(self.places))}"

    def _constant(self, tree, sign):
        """1 and 0 put the constant in and take it out."""
        if tree.value not in (0.0, 1.0):
            raise _refusal(self.text, tree, "of numbers only 0 and 1 stand for terms", "I() around arithmetic")
        self.intercept = bool(tree.value) == (sign > 0)
        return ""

    def _sum(self, tree, sign):
        parts, words = [], ""
        while isinstance(tree, Operation) and tree.operator in ("+", "-"):  # a sum groups from the left
            parts.append((tree.operator, tree.operands[-1]))
            tree = tree.operands[0] if len(tree.operands) == 2 else None
        parts += [("+", tree)] if tree is not None else []
        for operator, part in reversed(parts):
            more = self.translated(part, sign if operator == "+" else -sign)
            if operator == "+":
                words = " + ".join(filter(None, (words, more)))
            elif words and more:  # nothing less something is nothing
                words = f"{words} - ({more})"
                words = words if _expanded(words) else ""
        return words

    def _product(self, tree, sign):
        for operand in tree.operands:
            self._refuse_in_product(operand, tree)
        left, right = (self.translated(operand, sign) for operand in tree.operands)
        if not left or not right:
            raise _refusal(self.text, tree, "one side holds no variable", "variables on both sides")
        if _is_nesting(tree):  # each term on the left, within all variables on the right
            right = ":".join(f"v{v}" for v in sorted({v for term in _expanded(right) for v in term}))
        # refused before formulaic goes through every product
        counts = [len(_expanded(side)) for side in (left, right)]
        if counts[0] * counts[1] + sum(counts) > MOST_TERMS:
            raise _refusal(self.text, tree, f"it stands for more than {MOST_TERMS} terms", "fewer variables")
        return f"({left}) {':' if _is_nesting(tree) else tree.operator} ({right})"

    def _refuse_in_product(self, tree, product):
        if isinstance(tree, Number):
            raise _refusal(self.text, product, f"{tree} is no variable", f"I({product}) if arithmetic is meant")
        if any(isinstance(part, Call) and part.function == "offset" for part in parts_of(tree)):
            raise _refusal(self.text, product, "an offset has no coefficient", "+ offset(x)")

    def _power(self, tree, sign):
        base, exponent = tree.operands
        if not isinstance(exponent, Number) or exponent.value < 1 or exponent.value % 1:
            raise _refusal(self.text, tree, "a power of terms is a whole number", f"I({tree}) if arithmetic is meant")
        self._refuse_in_product(base, tree)
        words = self.translated(base, sign)
        if not words:
            raise _refusal(self.text, tree, "it holds no variable", "variables in the brackets")
        # by hand: formulaic goes through every product, of which (a + b + c + d)^50 has 4^50
        single = terms = _expanded(words)
        for _ in range(min(int(exponent.value), len(single)) - 1):
            terms = list(dict.fromkeys(tuple(sorted({*term, *other})) for term in terms for other in single))
            if len(terms) > MOST_TERMS:
                raise _refusal(self.text, tree, f"it stands for more than {MOST_TERMS} terms", "a smaller power")
        return "(" + " + ".join(":".join(f"v{v}" for v in term) for term in terms) + ")"


def _is_algebra(tree):
    return isinstance(tree, Operation) and tree.operator in ("+", "-", "*", "/", ":", "^", "(", "%in%")


def _is_nesting(tree):
    return isinstance(tree, Operation) and tree.operator == "%in%"


def _expanded(words):
    """Terms of a sum of products, by formulaic: tuples of numbers of variables, those of few variables first."""
    from formulaic.parser import DefaultFormulaParser

    terms = DefaultFormulaParser(include_intercept=False).get_terms(words)
    numbers = [tuple(sorted({int(factor.expr[1:]) for factor in term.factors})) for term in terms]
    return sorted(dict.fromkeys(numbers), key=len)
