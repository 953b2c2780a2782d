r"""Newton's method for one kernel-weighted likelihood: what it sees of the rows, and its steps.

    min over theta of  Σ_i w_i loss(y_i, eta_i) + ½ Σ_cd mix_cd Σ_a D_a theta_ca theta_da,    eta_ci = Σ_a theta_ca u_ai

u are the local columns of local_basis.py; c runs over the scores: one, or one for each class but the first.
Cost: of one step, m (q² (k-1)² / 2 + 2 q (k-1)) and one exponential for each row and class.
"""

from math import exp, log, sqrt

from separatrix.core.dispatch import generic, implements
from separatrix.core.jit import part
from separatrix.core.types import Array, Loss
from separatrix.core.verbs import curvature, slope
from separatrix.losses import Logistic, Softmax, Squared
from separatrix.solvers.compiled.local_basis import PIECE

PIVOT = 1e-11  # a smaller squared deviation of a column from the span of those before it is none
FINE, GAIN = 1e-8, 1e-18  # of a last step: its relative size, and what it gains for each unit of weight
HALVINGS = 40
DEPENDENT, UNSETTLED, SETTLED = range(3)

Work = tuple[Array, Array, Array, Array]  # scores, slopes and curvatures of a piece of rows, and one row to work in


@generic
def glance(loss: Loss, y: Array, w: Array, eta: Array, r: Array, v: Array) -> float:
    """Weighted slopes r (k-1, PIECE) and curvatures v (pairs, PIECE) of a piece of rows; returns Σ r² / w."""


@generic
def null_scores(loss: Loss, y: Array, w: Array, pieces: int, theta: Array) -> bool:
    """Set theta to the best constant scores; returns whether there are such."""


@part
def _glance_alone(loss: Loss, y: Array, w: Array, eta: Array, r: Array, v: Array) -> float:
    squares, scores, slopes, curvatures = 0.0, eta[0], r[0], v[0]
    for i in range(PIECE):
        u = slope(loss, y[i], scores[i])
        curvatures[i] = w[i] * curvature(loss, y[i], scores[i])
        slopes[i] = w[i] * u
        squares += slopes[i] * u
    return squares


@part
def _total(y: Array, w: Array, pieces: int) -> tuple[float, float]:
    """Σ w y and Σ w (1 - y)."""
    ones, zeros = 0.0, 0.0
    for b in range(pieces):
        for i in range(PIECE):
            ones += w[b, i] * y[b, i]
            zeros += w[b, i] * (1.0 - y[b, i])
    return ones, zeros


@implements(glance, Squared)
def _(loss: Squared, y: Array, w: Array, eta: Array, r: Array, v: Array) -> float:
    return _glance_alone(loss, y, w, eta, r, v)


@implements(null_scores, Squared)
def _(loss: Squared, y: Array, w: Array, pieces: int, theta: Array) -> bool:
    theta[:] = 0.0
    ones, zeros = _total(y, w, pieces)
    theta[0, 0] = ones / (ones + zeros)
    return True


@implements(glance, Logistic)
def _(loss: Logistic, y: Array, w: Array, eta: Array, r: Array, v: Array) -> float:
    return _glance_alone(loss, y, w, eta, r, v)


@implements(null_scores, Logistic)
def _(loss: Logistic, y: Array, w: Array, pieces: int, theta: Array) -> bool:
    theta[:] = 0.0
    ones, zeros = _total(y, w, pieces)
    if ones <= 0.0 or zeros <= 0.0:
        return False
    theta[0, 0] = log(ones / zeros)
    return True


@implements(glance, Softmax)
def _(loss: Softmax, y: Array, w: Array, eta: Array, r: Array, v: Array) -> float:
    # the first class is the reference: its score is 0
    squares = 0.0
    for i in range(PIECE):
        largest = 0.0
        for c in range(eta.shape[0]):
            largest = max(largest, eta[c, i])
        total = exp(-largest)
        for c in range(eta.shape[0]):
            eta[c, i] = exp(eta[c, i] - largest)
            total += eta[c, i]
        pair, code = 0, int(y[i]) - 1
        for c in range(eta.shape[0]):
            mu, rest = eta[c, i] / total, exp(-largest) / total
            for d in range(eta.shape[0]):  # 1 - mu would lose the digits of a sure class
                rest += eta[d, i] / total if d != c else 0.0
                if d < c:
                    v[pair, i] = -w[i] * mu * eta[d, i] / total
                    pair += 1
            v[pair, i] = w[i] * mu * rest
            pair += 1
            u = -rest if c == code else mu
            r[c, i] = w[i] * u
            squares += r[c, i] * u
    return squares


@implements(null_scores, Softmax)
def _(loss: Softmax, y: Array, w: Array, pieces: int, theta: Array) -> bool:
    theta[:] = 0.0
    reference, missing = 0.0, False
    for b in range(pieces):
        for i in range(PIECE):
            if y[b, i] > 0.0:
                theta[int(y[b, i]) - 1, 0] += w[b, i]
            else:
                reference += w[b, i]
    for c in range(theta.shape[0]):
        missing = missing or theta[c, 0] <= 0.0 or reference <= 0.0
    for c in range(theta.shape[0]):
        theta[c, 0] = 0.0 if missing else log(theta[c, 0] / reference)
    return not missing


@part
def add_products(U: Array, v: Array, H: Array, row: Array) -> None:
    """H += Σ_i v_i ⊗ u_i u_i' over a piece: blocks on and below the diagonal, each in full; `row` is to work in."""
    q, pair = U.shape[0], 0
    for c in range(H.shape[0] // q):
        for d in range(c + 1):
            weight = v[pair]
            pair += 1
            for a in range(q):
                first = U[a]
                for i in range(PIECE):
                    row[i] = weight[i] * first[i]
                for b in range(a + 1):
                    total, second = 0.0, U[b]
                    for i in range(PIECE):
                        total += row[i] * second[i]
                    H[c * q + a, d * q + b] += total
                    if b < a:
                        H[c * q + b, d * q + a] += total


@part
def glance_at(loss: Loss, U: Array, y: Array, w: Array, theta: Array, work: Work) -> float:
    """Scores of a piece, and with them its slopes and curvatures; returns Σ r² / w."""
    eta, r, v, _ = work
    for c in range(theta.shape[0]):
        scores = eta[c]
        for i in range(PIECE):
            scores[i] = theta[c, 0]
        for a in range(1, U.shape[0]):
            t, column = theta[c, a], U[a]
            for i in range(PIECE):
                scores[i] += t * column[i]
    return glance(loss, y, w, eta, r, v)


@part
def look(
    loss: Loss,
    U: Array,
    y: Array,
    w: Array,
    pieces: int,
    total: float,
    theta: Array,
    mix: Array,
    D: Array,
    work: Work,
    g: Array,
    H: Array,
) -> float:
    """Gradient and curvature of the objective; returns the root mean square of the slopes of the loss."""
    (_, r, v, row), q = work, U.shape[1]
    squares = 0.0
    g[:] = 0.0
    H[:] = 0.0
    for b in range(pieces):
        squares += glance_at(loss, U[b], y[b], w[b], theta, work)
        for c in range(theta.shape[0]):
            slopes = r[c]
            for a in range(q):
                t, column = 0.0, U[b, a]
                for i in range(PIECE):
                    t += slopes[i] * column[i]
                g[c * q + a] += t
        add_products(U[b], v, H, row)
    for c in range(theta.shape[0]):
        for d in range(theta.shape[0]):
            for a in range(q):
                g[c * q + a] += mix[c, d] * D[a] * theta[d, a]
                if d <= c:
                    H[c * q + a, d * q + a] += mix[c, d] * D[a]
    return sqrt(squares / total)


@part
def factor(H: Array, L: Array, q: int) -> tuple[float, float]:
    """Cholesky's factor of H, scaled to a diagonal of ones; returns the smallest of its first q pivots, and of all.

    A pivot that is not positive ends it, as 0. The scales are written to the last row of L.
    """
    first, least, scale = 0.0, 1.0, L[L.shape[1]]
    for a in range(H.shape[0]):
        if not H[a, a] > 0.0:
            return first, 0.0
        scale[a] = 1.0 / sqrt(H[a, a])
        for b in range(a + 1):
            t = H[a, b] * scale[a] * scale[b]
            for c in range(b):
                t -= L[a, c] * L[b, c]
            if a > b:
                L[a, b] = t / L[b, b]
            elif t > 0.0:
                L[a, a] = sqrt(t)
                least = min(least, t)
            else:
                return first, 0.0
        if a == q - 1:
            first = least
    return first, least


@part
def solve(L: Array, x: Array) -> None:
    """``x <- H^-1 x`` with the factor of H."""
    n, scale = x.shape[0], L[L.shape[1]]
    for a in range(n):
        t = x[a] * scale[a]
        for b in range(a):
            t -= L[a, b] * x[b]
        x[a] = t / L[a, a]
    for a in range(n - 1, -1, -1):
        t = x[a]
        for b in range(a + 1, n):
            t -= L[b, a] * x[b]
        x[a] = t / L[a, a]
    for a in range(n):
        x[a] *= scale[a]


@part
def descend(
    loss: Loss,
    U: Array,
    y: Array,
    w: Array,
    pieces: int,
    total: float,
    theta: Array,
    mix: Array,
    D: Array,
    work: Work,
    g: Array,
    H: Array,
    L: Array,
    step: Array,
    old: Array,
    judge: bool,
    patience: int,
) -> tuple[int, float]:
    """Newton's method in place, from theta; returns how it ended and the root mean square of the slopes.

    A step is halved while the objective rises steeply at its end: its slope there against that at the beginning. A
    step that gains next to nothing is the last: what it leaves is its square. With `judge`, dependent
    columns end it at once: where all scores are equal, the curvature is that of the columns.
    """
    q, k1 = theta.shape[1], theta.shape[0]
    slope_before, length, halved, steps, settled, previous = 0.0, 1.0, 0, 0, False, 0.0
    step[:] = 0.0
    for a in range(k1 * q):
        old[a] = theta[a // q, a % q]
    while True:
        for a in range(k1 * q):
            theta[a // q, a % q] = old[a] + length * step[a]
        size = look(loss, U, y, w, pieces, total, theta, mix, D, work, g, H)
        slope_after, largest, reach = 0.0, 0.0, 1.0
        for a in range(k1 * q):
            slope_after += step[a] * g[a]
        if settled:
            return SETTLED, size
        if not slope_after <= -0.5 * slope_before and halved < HALVINGS:  # a slope that is no number is steep, too
            length *= 0.5
            halved += 1
            continue
        first, least = factor(H, L, q)
        if judge and steps == 0 and first <= PIVOT:
            return DEPENDENT, size
        if least <= 0.0 or steps == patience:
            return UNSETTLED, size
        for a in range(k1 * q):
            step[a] = -g[a]
        solve(L, step)
        slope_before, length, halved = 0.0, 1.0, 0
        for a in range(k1 * q):
            old[a] = theta[a // q, a % q]
            slope_before += step[a] * g[a]
            largest, reach = max(largest, abs(step[a])), max(reach, abs(old[a]))
        # steps that gain nothing and no longer shrink are rounding, in a direction that only a faint penalty holds
        settled = -slope_before <= GAIN * total and (largest <= FINE * reach or largest > 0.5 * previous)
        previous = largest
        steps += 1
