"""separatrix.linear_model.lasso_path; the certificate shown is the worst gap on the path, relative to P(null)."""

import numpy as np

from benchmarks.contestant import Answer, Contestant


def fit(data, settings):
    from separatrix.linear_model import lasso_path

    _, coefs, gaps = lasso_path(data.X, data.y, alphas=settings["alphas"], tol=settings["tolerance"])
    null = float(data.y @ data.y) / (2 * len(data.y))
    return Answer(coefs, 0.0, certificate=float(np.max(gaps)) / null)


CONTESTANTS = {"lasso_path": [Contestant("separatrix", "separatrix", fit, tolerances=(1e-6, 1e-8))]}
