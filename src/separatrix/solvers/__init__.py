"""Solvers: from a Problem to a Solution; each is imported when it is first asked for."""

from separatrix.core.registry import lazily

_HOMES = {
    "descend": "descent",
    "gradient_descent": "descent",
    "run_perceptron": "perceptron",
    "newton": "newton_raphson",
    "separation_of": "separation.existence",
    "stochastic_descent": "stochastic",
}

__all__, __getattr__, __dir__ = lazily(__name__, _HOMES)
