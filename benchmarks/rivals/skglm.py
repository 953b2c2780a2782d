"""skglm: Anderson-accelerated coordinate descent on working sets. It compiles in every process: see the warm-up."""

import numpy as np

from benchmarks.contestant import Answer, Contestant

LADDER = tuple(10.0**-k for k in range(2, 11))


def fit_lasso(data, settings):
    from skglm import Lasso

    model = Lasso(alpha=settings["alpha"], fit_intercept=settings["fit_intercept"], tol=settings["tolerance"])
    model.fit(data.X, data.y)
    return Answer(model.coef_, model.intercept_)


def fit_lasso_path(data, settings):
    from skglm import Lasso

    model = Lasso(fit_intercept=False, tol=settings["tolerance"])
    coefs = model.path(data.X, data.y, np.asarray(settings["alphas"]))[1]
    return Answer(coefs)


def fit_logistic_l1(data, settings):
    from skglm import SparseLogisticRegression

    model = SparseLogisticRegression(
        alpha=settings["alpha"], fit_intercept=settings["fit_intercept"], tol=settings["tolerance"], max_iter=100
    )
    model.fit(data.X, data.y)
    return Answer(model.coef_.ravel(), model.intercept_)


CONTESTANTS = {
    "lasso": [Contestant("skglm", "skglm", fit_lasso, tolerances=LADDER)],
    "lasso_path": [Contestant("skglm", "skglm", fit_lasso_path, tolerances=LADDER)],
    "logistic_l1": [Contestant("skglm", "skglm", fit_logistic_l1, tolerances=LADDER)],
}
