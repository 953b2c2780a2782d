"""The rules of a rule list in words: columns, categories and dates by the names that a person knows."""

from dataclasses import dataclass

import numpy as np

from separatrix.core.declaration import unwrap
from separatrix.core.description import DescribedTable, Description, fit_notes
from separatrix.core.printable import shortened
from separatrix.estimators.tree.conditions import value_text
from separatrix.estimators.tree.rules import extract, is_list, tree_cells
from separatrix.inference.tree_words import LONGEST, TreeWords, listed
from separatrix.prediction.rules import first_rules

OPTIMISTIC = (
    "Shares are those of the training rows, which also chose the rules: on new rows they are lower "
    "(separatrix.tree.rules.assess)."
)


@dataclass(frozen=True)
class DecidingRule:
    """The rule of a list that decides a row.

    Attributes
    ----------
    number, count : int.  Its place among the rules, from 1, and how many there are, the default included.
    conditions : str.  "age <= 40.5 and colour is red or blue"; "" for the default.
    prediction : label.
    support : float.  Weight of the training rows that it decides.
    confidence : float.  The share of the predicted class among them.
    """

    number: int
    count: int
    conditions: str
    prediction: object
    support: float
    confidence: float


def deciding_rule(seen, rows):
    """The rule that decides one row, of a rule list that is not wrapped; None of any other model."""
    model = unwrap(seen.last)
    if model is not seen.last or not is_list(model):
        return None
    tree = model.estimator_
    at = int(first_rules(model.rules_._asdict(), tree._rows(seen.prepared(rows)), tree_cells(tree))[0])
    rule = extract(model)[at]
    text = conditions_text(TreeWords(seen.model), tree, rule)
    return DecidingRule(at + 1, len(model.rules_.weight), text, rule.prediction, rule.support, rule.confidence)


def about_rule(rule):
    """Why a rule list answers as it does, in words; None where no rule is known."""
    if rule is None:
        return None
    rows = f"{rule.support:,.6g} training row{'' if rule.support == 1 else 's'}"
    counted = f"{rows}, {100 * rule.confidence:.1f} % of them of the class {value_text(rule.prediction)}"
    if not rule.support:
        counted = "no training row"
    if not rule.conditions:
        return f"None of the {rule.count - 1:,} rules holds for this row: the default decides it ({counted})."
    return (
        f"The model asks {rule.count - 1:,} rules in turn, and the first that holds for this row decides it. That is "
        f"rule {rule.number:,}: if {rule.conditions} then {value_text(rule.prediction)} ({counted})."
    )


def in_rules(model):
    """A rule list, or a pipeline that ends in one, as a table of its rules in the order in which they are asked."""
    words, last = TreeWords(model), unwrap(model)
    rules = extract(last)
    rows = tuple(
        (
            r + 1,
            conditions_text(words, last.estimator_, rule) or "otherwise",
            value_text(rule.prediction),
            rule.support,
            rule.confidence,
        )
        for r, rule in enumerate(rules)
    )
    heads = ("rule", "if", "then", "training rows", "share of the class")
    caption = "Rules in the order in which they are asked: the first whose conditions hold decides a row."
    count = len(rules) - 1
    said = (
        f"{count} rule{'' if count == 1 else 's'} and a default, asked one after the other. The first whose conditions "
        "hold for a row decides it, by the shares of the classes among the training rows that it decided."
    )
    return Description(said, (DescribedTable("The rules", heads, rows, caption),), (), (OPTIMISTIC, *fit_notes(last)))


def conditions_text(words, tree, rule):
    """The conditions of a rule, in the units and the levels of the table; "" of a default."""
    texts = [_condition_text(words, tree, condition) for condition in rule.conditions]
    several = len(texts) > 1
    return " and ".join(f"({text})" if several and " or " in text else text for text in texts)


def _condition_text(words, tree, condition):
    j = condition.column
    name = shortened(words.names[j], LONGEST)
    if condition.values is None:
        text = " or ".join(_interval(words, j, name, *ends) for ends in condition.intervals)
    else:
        known = tree.categories_[j]
        called = [
            [words.levels[j][known.index(each)] for each in some] for some in (condition.values, condition.refused)
        ]
        text = _of_levels(name, *map(listed, called), condition.others)
    if condition.missing:
        return f"{text} or missing" if text else f"{name} is missing"
    return text


def _of_levels(name, passing, refused, others):
    if others:
        return f"{name} is not {refused}" if refused else f"{name} is known"
    return f"{name} is {passing}" if passing else ""


def _interval(words, j, name, low, high):
    if np.isneginf(low):
        return f"{name} is known" if np.isposinf(high) else f"{name} <= {words.number(j, high)}"
    if np.isposinf(high):
        return f"{name} > {words.number(j, low)}"
    return f"{words.number(j, low)} < {name} <= {words.number(j, high)}"
