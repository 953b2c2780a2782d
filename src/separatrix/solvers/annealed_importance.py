r"""Annealed importance sampling of a partition function, for models too large to be summed.

    w = Π_t p_t(x_{t-1}) / p_{t-1}(x_{t-1}),     x_t drawn by a step that keeps p_t,     E w = Z / Z_0

where p_0, whose Z_0 is known, and ``x_0 ~ p_0``, changes to the model in small steps. The mean of w over chains has no
bias; the standard error is that of its logarithm, ``sd(w) / (mean(w) sqrt(chains))``, and says nothing of states that
no chain has found.

From     Neal (2001), Statistics and Computing 11(2); Salakhutdinov and Murray (2008), ICML, for Boltzmann machines.
"""

from collections.abc import Callable

import numpy as np
from scipy.special import expit

from separatrix.core.types import Array
from separatrix.solvers.binary_states import LogPartition, refuse_none
from separatrix.solvers.compiled.gibbs import sweep


def annealed(
    log_start: float,
    start: Array,
    value: Callable[[Array, float], Array],
    move: Callable[[Array, float], Array],
    n: int,
) -> LogPartition:
    """``log Z`` from n temperatures; `value` is the logarithm of p_t without its Z, `move` a step that keeps it."""
    at, logs = start, np.zeros(len(start))
    for t in range(1, n + 1):
        logs += value(at, t / n) - value(at, (t - 1) / n)
        at = move(at, t / n)
    top = float(logs.max())
    w = np.exp(logs - top)
    error = float(w.std(ddof=1) / (w.mean() * np.sqrt(len(w)))) if len(w) > 1 else np.inf
    return LogPartition(log_start + top + float(np.log(w.mean())), error)


def of_restricted(
    W: Array, b: Array, c: Array, *, chains: int, temperatures: int, random: np.random.RandomState
) -> LogPartition:
    """``log Z`` of ``e^{b'v + c'h + h'Wv}``, W (k, p), from visible units that are independent with the same b.

    At the temperature t it is ``e^{b'v + t(c'h + h'Wv)}``, whose hidden units are summed in closed form.
    """
    refuse_none(n_chains=chains, n_temperatures=temperatures)

    def value(V: Array, t: float) -> Array:
        return np.logaddexp(0.0, t * (V @ W.T + c)).sum(axis=1)  # b'v is the same at all t

    def move(V: Array, t: float) -> Array:
        H = random.random_sample((len(V), len(c))) < expit(t * (V @ W.T + c))
        return np.where(random.random_sample(V.shape) < expit(b + t * (H @ W)), 1.0, 0.0)

    start = np.where(random.random_sample((chains, len(b))) < expit(b), 1.0, 0.0)
    log_start = float(np.logaddexp(0.0, b).sum() + len(c) * np.log(2.0))
    return annealed(log_start, start, value, move, temperatures)


def of_pairs(a: Array, C: Array, *, chains: int, temperatures: int, random: np.random.RandomState) -> LogPartition:
    """``log Z`` of ``e^{a'x + ½ x'Cx}``, C with a zero diagonal, from nodes that are independent with the same a."""
    refuse_none(n_chains=chains, n_temperatures=temperatures)
    key = int(random.randint(1 << 32, dtype=np.uint64))

    def value(X: Array, t: float) -> Array:
        return 0.5 * t * ((X @ C) * X).sum(axis=1)

    def move(X: Array, t: float) -> Array:
        sweep(key, round(t * temperatures), 1, a, t * C, X)
        return X

    start = np.where(random.random_sample((chains, len(a))) < expit(a), 1.0, 0.0)
    return annealed(float(np.logaddexp(0.0, a).sum()), start, value, move, temperatures)
