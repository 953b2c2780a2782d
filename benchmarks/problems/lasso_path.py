"""The lasso down 100 λ from λmax to λmax/100; the worst suboptimality on the path counts.

Without intercept, for scikit-learn's ``lasso_path`` and celer's ``celer_path`` have none; y is centred.
"""

import numpy as np

from benchmarks.problems.base import Data, Problem
from benchmarks.problems.lasso import LassoJudge, dense_data, largest_alpha, sparse_data

LENGTH, EPS = 100, 1e-2


def _path(make):
    def generate(rows, columns, rng):
        X, y = make(rows, columns, rng, centre=0.0)
        y = y - y.mean()
        top = largest_alpha(X, y)
        alphas = np.geomspace(top, EPS * top, LENGTH)
        return Data(X, y, {"alphas": alphas.tolist(), "fit_intercept": False})

    return generate


PROBLEMS = [
    Problem("lasso_path", "wide", 1_000, 20_000, 1e-6, _path(dense_data), LassoJudge),
    Problem("lasso_path", "tall", 100_000, 500, 1e-6, _path(dense_data), LassoJudge),
    Problem("lasso_path", "sparse", 20_000, 200_000, 1e-6, _path(sparse_data), LassoJudge),
]
