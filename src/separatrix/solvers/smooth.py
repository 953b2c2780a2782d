"""What gradient methods ask of a problem: a loss whose slope is continuous, and a penalty that is a ridge.

The ridge may differ by coefficient: ``Σ_j ½ ridge_j beta_j²``, with zeros for coefficients that are not penalised.
"""

import numpy as np

from separatrix.core.errors import cannot
from separatrix.core.problem import Problem
from separatrix.core.types import Loss
from separatrix.core.verbs import is_joint, is_smooth


def ridge_of(problem: Problem, doing: str) -> np.ndarray:
    """The strength of the half square of each coefficient, of shape (p,).

    A penalty that is more than that is refused: `doing` says what cannot be done with it.
    """
    parts = problem.parts
    because = None
    if parts.kink.any():
        because = "a penalty with a kink at 0 has no gradient there"
    elif np.isfinite(parts.low).any() or np.isfinite(parts.high).any():
        because = "a step against the gradient may leave the bounds of the coefficients"
    if because:
        raise cannot(
            f"{doing} with the penalty {problem.penalty}",
            because=because,
            instead="L2 or no penalty, or coordinate descent",
        )
    return parts.ridge


def refuse_misfits(problem: Problem, doing: str) -> None:
    """Raise where the slope of a loss jumps, or the target has other outputs than the loss takes."""
    name, outputs, because = type(problem.loss).__name__, problem.target.outputs, None
    if not is_smooth(problem.loss):
        because = f"the slope of the loss {name} jumps"
    elif bool(outputs) != is_joint(problem.loss):
        because = f"{name} does not fit targets of shape {outputs} in each row"
    if because:
        instead = "a smooth loss (Logistic, Squared) with one output, or Softmax with k"
        raise cannot(doing, because=because, instead=instead)


def refuse_jumps(loss: Loss, doing: str) -> None:
    """Raise where the slope of a loss jumps."""
    if not is_smooth(loss):
        raise cannot(
            f"{doing} with the loss {type(loss).__name__}",
            because="its slope jumps",
            instead="a smooth loss, or stochastic_descent, which takes any",
        )
