"""Solvers: from a Problem to a Solution."""

from separatrix.solvers.descent import descend, gradient_descent
from separatrix.solvers.newton import newton
from separatrix.solvers.stochastic import stochastic_descent

__all__ = ["descend", "gradient_descent", "newton", "stochastic_descent"]
