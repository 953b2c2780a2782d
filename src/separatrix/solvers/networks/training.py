"""Training by batches: a pass over random batches of the rows is an epoch; each batch makes a step.

Lowers   the objective of a network (solvers/networks/objective.py), no convex one.
Given    an Objective whose network holds the start, a step rule, and when to stop.
Returns  the parameters in the network, and the mean of the objectives met in each epoch.
From     Robbins and Monro (1951); LeCun, Bottou, Orr and Mueller (1998), Efficient BackProp.
Cost     an epoch reads X once.

Batches, their order and every sum depend on the seed alone, not on the number of threads.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.utils import shuffle as shuffled

from separatrix.core.errors import cannot
from separatrix.core.solution import Trace
from separatrix.core.threads import one_blas_thread
from separatrix.core.time_limit import should_end
from separatrix.core.types import Array
from separatrix.solvers.networks.network import Network
from separatrix.solvers.networks.objective import Objective


@dataclass
class Progress:
    """What training has come to, as plain data.

    ``losses`` and ``scores`` are of each epoch, ``best_theta`` the parameters of the best score, ``settled`` whether
    the rule for stopping was met.
    """

    trace: Trace
    losses: list[float] = field(default_factory=list)
    scores: list[float] = field(default_factory=list)
    best_loss: float = np.inf
    best_score: float = -np.inf
    best_theta: Array | None = None
    idle: int = 0
    examples: float = 0.0
    settled: bool = False


def train(
    objective: Objective,
    step_rule: Any,
    progress: Progress,
    *,
    batch_size: int,
    max_iter: int,
    tol: float,
    n_iter_no_change: float,
    random: np.random.RandomState | None,
    score: Callable[[Network], float] | None = None,
) -> None:
    """Train for `max_iter` epochs, or until the loss no longer falls.

    Parameters
    ----------
    objective : Objective.  Its network is moved.
    step_rule : Momentum or Adam.
    progress : Progress.  Filled; that of an earlier call goes on.
    batch_size : int, [1, n].     max_iter : int, [1, inf).
    tol : float, [0, inf).  An epoch that lowers the least loss (or raises the best score) by less is idle.
    n_iter_no_change : number, [1, inf].  More idle epochs than this in a row end the training.
    random : RandomState or None.  Draws the order of the rows; None takes them as they are.
    score : callable or None.  Higher is better; judged in place of the loss. The best parameters are then restored.
    """
    order = np.arange(objective.n)
    network = objective.network
    with one_blas_thread(always=True):  # by two threads sums are rounded otherwise
        for _ in range(max_iter):
            if random is not None:
                order = shuffled(order, random_state=random)
            before = network.theta.copy()
            with np.errstate(all="ignore"):  # what overflows is seen at the end of the epoch
                loss, lengths = _epoch(objective, step_rule, order, batch_size, random is not None)
            if not (np.isfinite(loss) and np.isfinite(network.theta).all()):
                network.theta[:] = before
                raise _exploded(len(progress.losses) + 1, step_rule.rate)
            progress.examples += objective.n
            progress.losses.append(loss)
            progress.trace.append(loss)
            progress.trace.layer_norms.append(lengths)
            _judge(progress, network, tol, score)
            step_rule.end_epoch(progress.examples)
            if progress.idle > n_iter_no_change:
                if not step_rule.goes_on():
                    progress.settled = True
                    break
                progress.idle = 0
            if should_end():
                break
    if progress.best_theta is not None:
        network.theta[:] = progress.best_theta


def _epoch(
    objective: Objective, step_rule: Any, order: Array, batch_size: int, drawn: bool
) -> tuple[float, list[float]]:
    """The mean objective of the batches, and the mean length of the gradient of each layer."""
    network, total, lengths = objective.network, 0.0, np.zeros(len(objective.network.layers))
    for first in range(0, len(order), batch_size):
        rows = slice(first, min(first + batch_size, len(order)))
        share = (rows.stop - first) / len(order)
        total += share * objective.of_batch(order[rows] if drawn else rows)
        lengths += share * np.array(network.layer_norms())
        step_rule.step(network.theta, network.gradient)
    return total, lengths.tolist()


def _judge(progress: Progress, network: Network, tol: float, score: Callable[[Network], float] | None) -> None:
    """Count epochs without improvement, by the loss or by the score of rows held out."""
    if score is None:
        loss = progress.losses[-1]
        progress.idle = progress.idle + 1 if loss > progress.best_loss - tol else 0
        progress.best_loss = min(loss, progress.best_loss)
        return
    now = score(network)
    progress.scores.append(now)
    progress.idle = progress.idle + 1 if now < progress.best_score + tol else 0
    if now > progress.best_score:
        progress.best_score, progress.best_theta = now, network.theta.copy()


def _exploded(epoch: int, rate: float) -> Exception:
    return cannot(
        f"go on training in epoch {epoch} with steps of size {rate:g}",
        because="the loss or the weights are no longer finite numbers",
        instead="a smaller learning_rate_init, standardised columns, or batch_norm=True",
    )
