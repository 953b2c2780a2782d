"""celer: working sets with dual extrapolation."""

import numpy as np

from benchmarks.contestant import Answer, Contestant

LADDER = tuple(10.0**-k for k in range(2, 11))


def fit_lasso(data, settings):
    from celer import Lasso

    model = Lasso(alpha=settings["alpha"], fit_intercept=settings["fit_intercept"], tol=settings["tolerance"])
    model.fit(data.X, data.y)
    return Answer(model.coef_, model.intercept_)


def fit_lasso_path(data, settings):
    from celer import celer_path

    alphas = np.asarray(settings["alphas"])
    _, coefs, _ = celer_path(
        data.X, data.y, "lasso", alphas=alphas, tol=settings["tolerance"], prune=True, max_iter=100
    )
    return Answer(coefs)


def fit_logistic_l1(data, settings):
    from celer import LogisticRegression

    model = LogisticRegression(C=settings["C"], tol=settings["tolerance"]).fit(data.X, data.y)
    return Answer(model.coef_.ravel())


CONTESTANTS = {
    "lasso": [Contestant("celer", "celer", fit_lasso, tolerances=LADDER)],
    "lasso_path": [Contestant("celer", "celer", fit_lasso_path, tolerances=LADDER)],
    "logistic_l1": [Contestant("celer", "celer", fit_logistic_l1, tolerances=LADDER)],
}
