r"""The arithmetic of local models: at each query a likelihood of the rows, weighted by their nearness, is maximised.

    min over theta of  Σ_i w_i loss(y_i, eta_i) + ½ Σ_cd mix_cd Σ_a D_a theta_ca theta_da,    eta_ci = Σ_a theta_ca u_ai

u are polynomials of the rows in the window, each centred and scaled under the weights. The steps are those of the
compiled sweep of the estimators; sums run in another order, so that answers agree to rounding, not to the last bit.
"""

import warnings

import numpy as np

from separatrix.core.refusal import cannot
from separatrix.prediction.linear import decide, log_probabilities, probabilities
from separatrix.prediction.windows import weights_at

PIVOT = 1e-11  # a smaller squared deviation of a column from the span of those before it is none
FINE, GAIN = 1e-8, 1e-18  # of a last step: its relative size, and what it gains for each unit of weight
FAINT = 1e-10  # of the total weight, on columns of deviation 1: where a window determines no maximum
PATIENCE, LIMIT, HALVINGS = 30, 200, 40
CONSTANT, TINY, HUGE = 1e-14, 1e-300, 1e100
AT_ONCE = 1 << 18  # kernel values


def number(state, X):
    """The local fit at each row of X: (m,)."""
    return state["_level"] + state["_size"] * scores_at(state, X)[:, 0]


def class_scores(state, X):
    """Log-odds of the second class (m,); of more, log-probabilities up to a shift that sum to 0 (m, k)."""
    scores = scores_at(state, X)
    if scores.shape[1] == 1:
        return scores[:, 0]
    empty = np.isnan(scores[:, :1])
    scores = np.where(empty, np.nan, np.insert(scores, 0, 0.0, axis=1))
    return scores - scores.mean(axis=1, keepdims=True)


def class_of(state, X):
    """The class that the scores decide for."""
    scores = class_scores(state, X)
    refuse_unnamed(scores)
    return decide(scores, state["classes_"])


def refuse_unnamed(scores):
    """Raise where an empty window left a row without a score: no class can be named there."""
    nothing = np.isnan(scores.reshape(len(scores), -1)[:, 0]) if len(scores) else np.zeros(0, dtype=bool)
    if nothing.any():
        raise cannot(
            f"name the class of row {int(np.argmax(nothing))} of X",
            because="no training row lies inside its window",
            instead="wider windows, or predict_proba, which gives NaN there",
        )


def class_probabilities(state, X):
    """Probability of each class."""
    return probabilities(class_scores(state, X))


def class_log_probabilities(state, X):
    """Logarithms of :func:`class_probabilities`."""
    return log_probabilities(class_scores(state, X))


def scores_at(state, X):
    """Scores (m, k - 1), one for regression, of the local fits at the rows of X; NaN for an empty window."""
    data, window = state["_data"].state, state["_window"].state
    queries = (np.asarray(X, dtype=np.float64) - state["_centre"]) / state["scale_"] / data["unit"]
    rows, s = data["X"], data["s"]
    height = max(1, AT_ONCE // rows.shape[1])
    scores, met = np.full((len(queries), len(data["mix"])), np.nan), {"separated": 0, "undetermined": 0}
    for start in range(0, len(queries), height):
        piece = queries[start : start + height]
        values, nearest = weights_at(window, rows, s[:0] if data["equal"] else s, piece)
        for i, (x0, kernel) in enumerate(zip(piece, values)):
            w = s * kernel
            if not (w > 0.0).any():
                if state["empty"] == "raise":
                    raise _empty(start + i)
                continue
            with np.errstate(divide="ignore"):
                strength = min(state["alpha"] / nearest[i], HUGE) if state["alpha"] > 0.0 else 0.0
            fit = _Window(data, w, x0, strength, state["degree"], is_classes="classes_" in state)
            scores[start + i] = fit.score()
            met["separated"] += fit.separated
            met["undetermined"] += fit.undetermined
    _warn(met, len(queries))
    return scores


def _empty(row):
    return cannot(
        f"fit at row {row} of X",
        because="no training row lies inside its window",
        instead="a wider bandwidth, more n_neighbors, kernel='gaussian', or empty='nan' to get NaN there",
    )


def _warn(met, count):
    if any(met.values()):
        from separatrix.core.errors import LocallyUndetermined, NoLocalMaximum

        for name, warning in (("separated", NoLocalMaximum), ("undetermined", LocallyUndetermined)):
            if met[name]:
                warnings.warn(warning(met[name], count), stacklevel=5)


class _Window:
    """The fit at one query.

    Parameters
    ----------
    data : dict.  Rows X (p, n), targets y, mix (k - 1, k - 1) and the unit of X.
    w : (n,) array.  Weights of the rows.  x0 : (p,) array.  The query.
    strength : float.  Of the penalty on coefficients of monomials.  degree : int.
    is_classes : bool.  Whether y are codes of classes, the first of which has the score 0; else numbers.
    """

    def __init__(self, data, w, x0, strength, degree, *, is_classes):
        inside = w > 0.0
        self.w, self.y, self.mix = w[inside], data["y"][inside], data["mix"]
        self.total, self.is_classes = float(self.w.sum()), is_classes
        self.separated = self.undetermined = False
        self.U, self.point, size = self._basis(data["X"][:, inside], x0, data["unit"], degree)
        self.D = np.where(size > 0.0, np.minimum(strength / np.maximum(size * size, TINY), HUGE), 0.0)
        self.D[0] = 0.0

    def _basis(self, rows, x0, unit, degree):
        """Columns (q, n) of mean 0 and deviation 1, their values at x0, and their sizes in units of X."""
        columns, point, size = [np.ones(len(self.w))], [1.0], [1.0]
        linear = []
        for j in range(len(rows) if degree else 0):
            column, at, deviation = self._standardised(rows[j], x0[j])
            linear.append((column, at, deviation * unit))
        products = []
        for j in range(len(linear) if degree == 2 else 0):
            for l in range(j, len(linear)):
                column, at, deviation = self._standardised(linear[j][0] * linear[l][0], linear[j][1] * linear[l][1])
                products.append((column, at, deviation * linear[j][2] * linear[l][2]))
        for column, at, own in (*linear, *products):
            columns.append(column)
            point.append(at)
            size.append(own)
        return np.array(columns), np.array(point), np.array(size)

    def _standardised(self, column, at):
        mean = float(self.w @ column) / self.total
        centred = column - mean
        left = float(self.w @ centred) / self.total
        deviation = np.sqrt(max(float(self.w @ (centred * centred)) / self.total - left * left, 0.0))
        if deviation <= CONSTANT * (abs(mean) + deviation):
            return np.zeros_like(column), at - (mean + left), 0.0
        return (centred - left) / deviation, (at - (mean + left)) / deviation, deviation

    def score(self):
        """The scores at the query (k - 1,)."""
        theta, exists = self._null()
        patience, judge = (PATIENCE if exists else 0), True
        while True:
            theta, end = self._descend(theta, judge, patience)
            judge = False
            if end == "dependent":
                self.undetermined = True
                self.D[1:] += FAINT * self.total
            elif end == "settled" or self.separated:
                return theta @ self.point
            else:
                self.D[1:] += 0.0 if self.undetermined else FAINT * self.total
                self.D[0] += FAINT * self.total
                self.separated, patience = True, LIMIT
                theta = np.zeros_like(theta)

    def _null(self):
        """The best constant scores (k - 1, q), and whether there are such."""
        theta = np.zeros((len(self.mix), len(self.U)))
        if not self.is_classes:
            theta[0, 0] = self.w @ self.y / self.total
            return theta, True
        weights = np.bincount(self.y.astype(int), self.w, minlength=len(self.mix) + 1)
        exists = bool((weights > 0.0).all())
        if exists:
            theta[:, 0] = np.log(weights[1:] / weights[0])
        return theta, exists

    def _look(self, theta):
        """Gradient (k - 1) q and curvature of the objective."""
        eta = theta @ self.U
        q, k1 = len(self.U), len(theta)
        H = np.empty((k1 * q, k1 * q))
        if self.is_classes:
            P = probabilities(np.vstack([np.zeros(eta.shape[1]), eta]).T).T
            mu, codes = P[1:], self.y.astype(int)
            rest = np.array([np.delete(P, c + 1, axis=0).sum(axis=0) for c in range(k1)])  # 1 - mu would lose digits
            slopes = np.where(codes == np.arange(1, k1 + 1)[:, None], -rest, mu)
        else:
            mu, rest, slopes = None, None, eta - self.y
        g = (self.w * slopes) @ self.U.T + self.mix @ (theta * self.D)
        for c in range(k1):
            for d in range(c + 1):
                curvature = self.w if mu is None else self.w * mu[c] * (rest[c] if c == d else -mu[d])
                block = (self.U * curvature) @ self.U.T + self.mix[c, d] * np.diag(self.D)
                H[c * q : (c + 1) * q, d * q : (d + 1) * q] = block
                H[d * q : (d + 1) * q, c * q : (c + 1) * q] = block
        return g.ravel(), H

    def _descend(self, theta, judge, patience):
        """Newton's method from theta, its steps halved while the objective rises steeply at their end."""
        old, step = theta.ravel(), np.zeros(theta.size)
        slope_before, length, halved, steps, settled, previous = 0.0, 1.0, 0, 0, False, 0.0
        while True:
            here = old + length * step
            theta = here.reshape(theta.shape)
            g, H = self._look(theta)
            if settled:
                return theta, "settled"
            if not step @ g <= -0.5 * slope_before and halved < HALVINGS:
                length, halved = 0.5 * length, halved + 1
                continue
            L, scale, first = _factor(H, theta.shape[1])
            if judge and steps == 0 and first <= PIVOT:
                return theta, "dependent"
            if L is None or steps == patience:
                return theta, "unsettled"
            step = -_solve(L, scale, g)
            slope_before, length, halved, steps, old = float(step @ g), 1.0, 0, steps + 1, here
            largest, reach = float(np.abs(step).max()), max(1.0, float(np.abs(old).max()))
            settled = -slope_before <= GAIN * self.total and (largest <= FINE * reach or largest > 0.5 * previous)
            previous = largest


def _factor(H, q):
    """Cholesky's factor of H scaled to a diagonal of ones, the scales, and the least of its first q squared pivots.

    Without a factor None and, of the pivots, 0.
    """
    diagonal = H.diagonal()
    if not (diagonal > 0.0).all():
        return None, None, 0.0 if not (diagonal[:q] > 0.0).all() else _least(H[:q, :q])
    scale = 1.0 / np.sqrt(diagonal)
    try:
        L = np.linalg.cholesky(H * np.outer(scale, scale))
    except np.linalg.LinAlgError:
        return None, None, _least(H[:q, :q])
    return L, scale, float((L.diagonal()[:q] ** 2).min())


def _least(H):
    """The least squared pivot of a block; 0 where it has no factor."""
    try:
        return float((np.linalg.cholesky(H / np.sqrt(np.outer(H.diagonal(), H.diagonal()))).diagonal() ** 2).min())
    except np.linalg.LinAlgError:
        return 0.0


def _solve(L, scale, g):
    """``H⁻¹ g`` with the factor of the scaled H."""
    return scale * np.linalg.solve(L.T, np.linalg.solve(L, scale * g))
