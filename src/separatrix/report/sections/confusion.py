"""Right and wrong decisions at the given costs: the confusion matrix and the average cost."""

import numpy as np

from separatrix import plots
from separatrix.assess import confusion as count
from separatrix.decision import average_cost, decide, zero_one_costs
from separatrix.report.blocks import Facts, Text, grid, picture
from separatrix.report.numbers import short
from separatrix.report.registry import section


@section("decisions", "Right and wrong decisions", order=80, task="classification")
def decisions(context):
    """The confusion matrix of the decisions of least expected cost."""
    y, P = context.held_out
    classes, costs = context.classes, context.costs
    # out-of-fold probabilities may not sum to 1 in the last digit
    P = P / P.sum(axis=1, keepdims=True)
    decided = decide(P, costs, actions=classes)
    counts = count(y, decided, labels=classes)
    equal = np.array_equal(costs, zero_one_costs(len(classes)))
    parts = [Text(_rule(classes, costs, equal))]
    right = f"{int(np.trace(counts.matrix)):,} of {len(y):,} rows ({short(100 * counts.accuracy)} %)"
    pairs = [("right decisions", right)]
    if not equal:
        pairs.append(("cost of a row, on average", short(average_cost(y, decided, costs, classes=classes))))
        plain = average_cost(y, decide(P, None, actions=classes), costs, classes=classes)
        pairs.append(("if the most probable class were always taken", short(plain)))
    parts.append(Facts(tuple(pairs)))
    ax = plots.confusion(counts.matrix, list(map(str, classes)))
    parts.append(picture(ax, "Rows that were held out, as decided; shares are of the rows of the true class."))
    if not equal:
        rows = [(str(label), *map(short, row)) for label, row in zip(classes, costs)]
        parts.append(grid(("truth", *(f"called {c}" for c in classes)), rows, "Costs of each decision, as given."))
    parts.append(_by_class(counts))
    return parts


def _rule(classes, costs, equal):
    if len(classes) == 2:
        miss, alarm = costs[1, 0] - costs[1, 1], costs[0, 1] - costs[0, 0]
        rule = f"Each row is called what costs least on average: {classes[1]} if its probability is above "
        rule += f"{short(alarm / (alarm + miss))}, else {classes[0]}." if alarm + miss > 0.0 else "as the costs demand."
    else:
        rule = "Each row is called what costs least on average" + (": the most probable class." if equal else ".")
    if equal:
        rule += " All mistakes count the same here; other costs move the threshold."
    return rule


def _by_class(counts):
    rows = []
    for label in counts.labels:
        c = counts.of(label)
        called, there = c["tp"] + c["fp"], c["tp"] + c["fn"]
        precision = f"{short(100 * c['tp'] / called)} %" if called else "never called"
        recall = f"{short(100 * c['tp'] / there)} %" if there else "no such row"
        rows.append((str(label), f"{int(there):,}", f"{int(called):,}", recall, precision))
    heads = ("class", "rows", "called so", "found (recall)", "right when called (precision)")
    return grid(heads, rows, "For each class: how many of its rows were found, and how often its name was right.")
