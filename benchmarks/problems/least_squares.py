"""Ordinary least squares:  P(beta, b) = ||y - X beta - b||², dense, with intercept; ridge with alpha = 0."""

from functools import partial

from benchmarks.problems import ridge
from benchmarks.problems.base import Problem

generate = partial(ridge.generate, alpha=0.0)

PROBLEMS = [
    Problem("ols", "long", 1_000_000, 50, 1e-10, generate, ridge.RidgeJudge),
    Problem("ols", "tall", 100_000, 500, 1e-10, generate, ridge.RidgeJudge),
]
