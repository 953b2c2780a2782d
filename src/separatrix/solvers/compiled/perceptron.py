"""One pass of a perceptron over the rows of a design, in the order that is handed in.

An example is a mistake if y_i (x_i'beta + intercept) <= 0: a score of 0 too, or a start at zero would never move. With
the step a (constant, or c/t at the t-th correction) and s_i the weight of the row,

    each mistake at once:    beta <- beta + a s_i y_i x_i,    intercept <- intercept + a s_i y_i
    all mistakes together:   beta <- beta + a Σ_mistakes s_i y_i x_i, and the intercept likewise, when the pass is over

Cost: O(stored numbers of the rows). Both count the mistakes of each row and sum the steps it was given: the dual form.
"""

from separatrix.core.jit import compiled, part
from separatrix.core.types import Array, RowsAtom
from separatrix.core.verbs import row_add, row_ahead, row_dot

# Places in the small array that survives from pass to pass, and of what a pass reports.
INTERCEPT, CLOCK = range(2)

LOOK_AHEAD = 4  # rows; enough to hide one memory latency behind the arithmetic of short rows


@part
def is_mistake(z: float) -> bool:
    """Whether y times the score is not positive; a score that overflowed into NaN counts too."""
    return not z > 0.0


@compiled
def correct_each(
    rows: RowsAtom,
    y: Array,
    s: Array,
    order: Array,
    rate: float,
    decreasing: bool,
    fit_intercept: bool,
    beta: Array,
    state: Array,
    counts: Array,
    steps: Array,
    path: Array,
    hits: Array,
) -> tuple[int, float]:
    """One pass in place, mistake by mistake; returns the number of mistakes and the mean criterion met on the way.

    `s` has no length where all weights are 1. Where `path` has a length, the weights after each mistake are written
    there, intercept first, and the row that made it to `hits`.
    """
    intercept, clock = state[INTERCEPT], state[CLOCK]
    n, mistakes, criterion = order.shape[0], 0, 0.0
    for m in range(n):
        row_ahead(rows, order[min(m + LOOK_AHEAD, n - 1)])
        i = order[m]
        dot, _ = row_dot(rows, i, beta)
        z = y[i] * (dot + intercept)
        if not is_mistake(z):
            continue
        criterion -= z
        step = rate / clock if decreasing else rate
        if s.shape[0] > 0:
            step *= s[i]
        row_add(rows, i, step * y[i], beta)
        if fit_intercept:
            intercept += step * y[i]
        counts[i] += 1
        steps[i] += step
        if path.shape[0] > 0:
            path[mistakes, 0] = intercept
            path[mistakes, 1:] = beta
            hits[mistakes] = i
        mistakes += 1
        clock += 1.0
    state[INTERCEPT], state[CLOCK] = intercept, clock
    return mistakes, criterion / n


@compiled
def correct_all(
    rows: RowsAtom,
    y: Array,
    s: Array,
    order: Array,
    rate: float,
    decreasing: bool,
    fit_intercept: bool,
    beta: Array,
    state: Array,
    counts: Array,
    steps: Array,
    work_g: Array,
) -> tuple[int, float]:
    """One pass in place, all mistakes together; returns their number and the mean criterion before the correction.

    The mean is weighted: what a pass does is a sum over rows, in which a weight means repetition.
    """
    intercept, clock = state[INTERCEPT], state[CLOCK]
    n, mistakes, criterion, total, g_intercept = order.shape[0], 0, 0.0, 0.0, 0.0
    step = rate / clock if decreasing else rate
    work_g[:] = 0.0
    for m in range(n):
        i = order[m]
        dot, _ = row_dot(rows, i, beta)
        z = y[i] * (dot + intercept)
        weight = s[i] if s.shape[0] > 0 else 1.0
        total += weight
        if not is_mistake(z):
            continue
        criterion -= weight * z
        row_add(rows, i, weight * y[i], work_g)
        g_intercept += weight * y[i]
        counts[i] += 1
        steps[i] += step * weight
        mistakes += 1
    if mistakes > 0:
        for j in range(beta.shape[0]):
            beta[j] += step * work_g[j]
        if fit_intercept:
            state[INTERCEPT] = intercept + step * g_intercept
        state[CLOCK] = clock + 1.0
    return mistakes, criterion / total
