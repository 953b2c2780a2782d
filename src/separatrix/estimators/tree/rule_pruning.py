r"""Post-pruning of the rules of a tree.

Solves   no optimum: a greedy search, one rule at a time.
Given    the tests on the way to each leaf, and rows with weights and classes, on which accuracies are estimated.
Returns  rules with fewer conditions, sorted by estimated accuracy.
From     Quinlan (1993), C4.5: Programs for Machine Learning, chapter 5; Mitchell (1997), Machine Learning, 3.7.1.2.
         We differ in what a precondition is: the lower or the upper end of an interval, or a set of categories. Tests
         on the way that a later one of the same column implies go first, as that changes nothing. And in that rules
         are not selected class by class.
Cost     O(n) for each precondition of each rule, of which there are at most two for a column of numbers.
"""

from typing import Any, NamedTuple

import numpy as np
from scipy.special import betaincinv

from separatrix.core.rule_table import Conditions, accepts, common_bounds
from separatrix.core.types import Array
from separatrix.estimators.tree.rules import paths_of
from separatrix.prediction.rules import places

CONFIDENCE_FACTOR = 0.25  # Quinlan's
ROUNDING = 1e-12  # accuracies this near each other are equal


class PrunedRule(NamedTuple):
    """Conditions, estimated accuracy, and the weight of the rows that these hold for."""

    conditions: Conditions
    estimate: float
    weight: float


def pessimistic_accuracy(right: Any, weight: Any) -> Any:
    r"""Quinlan's estimate: 1 - U, with U the error rate at which so few errors have a probability of 1/4.

    .. math:: 1 - U, \qquad P(\text{Bin}(N, U) \le E) = 1/4

    >>> round(float(pessimistic_accuracy(6.0, 6.0)), 3), round(float(pessimistic_accuracy(15.0, 16.0)), 3)
    (0.794, 0.84)
    """
    right, weight = np.minimum(right, weight), np.asarray(weight, dtype=np.float64)
    missed = np.maximum(weight - right, 0.0)
    with np.errstate(invalid="ignore"):
        upper = betaincinv(missed + 1.0, np.maximum(right, np.finfo(float).tiny), 1.0 - CONFIDENCE_FACTOR)
    return np.where((weight > 0.0) & (right > 0.0), 1.0 - upper, 0.0)


def observed_accuracy(right: Any, weight: Any) -> Any:
    """The share of right predictions; 0 where there are no rows."""
    return np.where(weight > 0.0, right / np.where(weight > 0.0, weight, 1.0), 0.0)


def prune_rules(nodes, columns, rows, codes, s, accuracy) -> list[PrunedRule]:
    """The rules of the leaves, with preconditions dropped one after another as long as the estimate does not fall.

    The precondition is dropped whose removal gives the highest estimate, of equals the one whose column is asked last.
    Rules are sorted by estimate, then weight, then from left to right; of equal rules the first is kept.
    """
    known = {j: places(rows, columns, j) for j in np.unique(nodes.column[nodes.column >= 0]).tolist()}
    pruned, seen = [], set()
    for leaf, path in paths_of(nodes, columns):
        if nodes.column[leaf] >= 0:
            continue  # of rows that end in an inner node training had none
        chosen = int(np.argmax(nodes.value[leaf]))
        tests = [(j, bounds) for j, kinds in path.items() for bounds in kinds.values()]
        rule = _pruned(tests, known, (codes == chosen) * s, s, accuracy)
        key = chosen, tuple((j, bounds.tobytes()) for j, bounds in sorted(rule.conditions, key=lambda each: each[0]))
        if key not in seen:
            seen.add(key)
            pruned.append(rule)
    return sorted(pruned, key=lambda rule: (-rule.estimate, -rule.weight))


def _pruned(tests, known: dict[int, Array], right, s, accuracy) -> PrunedRule:
    """One rule; `right` is the weight of the rows of its class, 0 for others."""
    fails = [~accepts(bounds, known[j]) for j, bounds in tests]
    failed = np.sum(fails, axis=0) if fails else np.zeros(len(s), dtype=np.int64)
    kept = list(range(len(tests)))
    inside = failed == 0
    weight, correct = float(s[inside].sum()), float(right[inside].sum())
    best = float(accuracy(correct, weight))
    while kept:
        # without a test, the rows come in that fail this one and no other
        nearly = np.flatnonzero(failed == 1)
        gains = [nearly[fails[t][nearly]] for t in kept]
        weights = np.array([weight + s[rows].sum() for rows in gains])
        corrects = np.array([correct + right[rows].sum() for rows in gains])
        estimates = accuracy(corrects, weights)
        top = float(estimates.max())
        if top < best - ROUNDING:
            break
        at = int(np.flatnonzero(estimates >= top - ROUNDING)[-1])
        best, weight, correct = float(estimates[at]), float(weights[at]), float(corrects[at])
        failed = failed - fails[kept[at]]
        del kept[at]
    merged: dict[int, Array] = {}
    for t in kept:
        j, bounds = tests[t]
        merged[j] = common_bounds(merged[j], bounds) if j in merged else bounds
    return PrunedRule(list(merged.items()), best, weight)
