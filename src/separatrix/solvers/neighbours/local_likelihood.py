r"""A likelihood at each of many queries: pieces of queries on threads, each a window of weights and a compiled sweep.

Solves   max over beta of  Σ_i s_i K_λ(x0, x_i) log-likelihood(y_i, beta_0 + beta'(x_i - x0)) - ½ alpha |beta|².
Returns  for each query: the scores beta_0, the slopes beta, on request the covariance of the scores, a certificate.
Cost     distances n p, then about six looks at the rows of the window, for each query.
"""

from dataclasses import dataclass, fields
from math import comb

import numpy as np

from separatrix.core.jit import load, read_only
from separatrix.core.registry import register
from separatrix.core.threads import parallel_map
from separatrix.core.types import Array, Loss
from separatrix.solvers.compiled import local_likelihood as compiled
from separatrix.solvers.neighbours.windows import Window

# Kernel values of this many rows are held at once by each thread.
AT_ONCE = 1 << 18
# Interpreted loops handle about this many numbers while a compiler is loaded.
WORTH_COMPILING = 1 << 15


@register("record")
@dataclass(frozen=True)
class LocalData:
    """Rows (p, n) in units of their largest coordinate, targets, weights; what the classes' penalty couples."""

    loss: Loss
    X: np.ndarray
    y: np.ndarray
    s: np.ndarray
    equal: bool
    unit: float
    mix: np.ndarray
    floor: float


@dataclass(frozen=True)
class LocalFits:
    """What is known at each of m queries, for k - 1 scores (one for regression)."""

    scores: np.ndarray
    slopes: np.ndarray
    covariance: np.ndarray
    widths: np.ndarray
    facts: np.ndarray

    @property
    def gradient(self) -> Array:
        return self.facts[:, compiled.GRADIENT]

    @property
    def rows(self) -> Array:
        return self.facts[:, compiled.ROWS].astype(int)

    @property
    def leverage(self) -> Array:
        return self.facts[:, compiled.LEVERAGE]

    @property
    def empty(self) -> Array:
        return self._is(compiled.EMPTY)

    @property
    def separated(self) -> Array:
        return self._is(compiled.SEPARATED)

    @property
    def undetermined(self) -> Array:
        return self._is(compiled.UNDETERMINED)

    def _is(self, state: float) -> Array:
        return (self.facts[:, compiled.STATE].astype(int) & int(state)) > 0


def n_columns(p: int, degree: int) -> int:
    """Polynomials of a degree in p coordinates."""
    return comb(p + degree, degree)


def fit_locally(
    data: LocalData, window: Window, queries: Array, *, degree: int, alpha: float, errors: bool = False
) -> LocalFits:
    """Fit at each row of `queries` (m, p), in the units of the data's rows."""
    n = data.X.shape[1]
    q = n_columns(data.X.shape[0], degree)
    if len(queries) * n * q > WORTH_COMPILING:
        load()
    height = max(1, AT_ONCE // n)
    pieces = [queries[start : start + height] for start in range(0, len(queries), height)]
    fits = parallel_map(lambda piece: _piece(data, window, piece, q, alpha, errors), pieces)
    return LocalFits(*(np.concatenate([getattr(one, f.name) for one in fits]) for f in fields(LocalFits)))


def _piece(data: LocalData, window: Window, queries: Array, q: int, alpha: float, errors: bool) -> LocalFits:
    (m, p), k1 = queries.shape, len(data.mix)
    values, widths, nearest = window.weigh(data.X, data.s[:0] if data.equal else data.s, queries)
    with np.errstate(divide="ignore"):  # against weights that are next to nothing, any penalty is overwhelming
        strengths = np.minimum(alpha / nearest, 1e100) if alpha > 0.0 else np.zeros(m)
    scores, slopes = np.full((m, k1), np.nan), np.full((m, k1, p), np.nan)
    covariance = np.full((m if errors else 0, k1, k1), np.nan)
    facts = np.zeros((m, 4))
    X, y, s, mix, queries = map(read_only, (data.X, data.y, data.s, data.mix, np.ascontiguousarray(queries)))
    compiled.sweep(
        data.loss, X, y, s, values, queries, q, data.unit, strengths, mix, data.floor,
        scores, slopes, facts, covariance,
    )  # fmt: skip
    return LocalFits(scores, slopes, covariance, widths * data.unit, facts)
