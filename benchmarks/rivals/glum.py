"""glum: iteratively reweighted least squares on tabmat matrices; its Hessian is dense, so no 100,000 words."""

import numpy as np

from benchmarks.contestant import Answer, Contestant
from benchmarks.problems.storage import by_columns

LADDER = tuple(10.0**-k for k in range(2, 11))


def _model(settings, alpha):
    from glum import GeneralizedLinearRegressor

    return GeneralizedLinearRegressor(
        family="binomial",
        alpha=alpha,
        fit_intercept=settings["fit_intercept"],
        gradient_tol=settings["tolerance"],
        max_iter=1_000,
        copy_X=False,
    )


def fit_logistic(data, settings):
    model = _model(settings, settings["alpha"]).fit(data.X, data.y.astype(np.float64))
    return Answer(model.coef_, model.intercept_)


def fit_likelihood(data, settings):
    """glum multiplies the covariance by n / (n - q), as for a dispersion that was estimated; that is undone here."""
    y = data.y.astype(np.float64)
    model = _model(settings, 0.0).fit(data.X, y)
    errors = model.std_errors(data.X, y, robust=False, dispersion=1.0)
    return Answer(model.coef_, model.intercept_, errors=errors * np.sqrt(1.0 - len(errors) / len(y)))


def dense(settings):
    return not settings["sparse"]


CONTESTANTS = {
    "logistic": [
        Contestant("glum", "glum", fit_logistic, tolerances=LADDER, suits=dense),
        Contestant("glum by columns", "glum", fit_logistic, tolerances=LADDER, suits=dense, prepare=by_columns),
    ],
    "likelihood": [
        Contestant("glum", "glum", fit_likelihood, tolerances=LADDER),
        Contestant("glum by columns", "glum", fit_likelihood, tolerances=LADDER, prepare=by_columns),
    ],
}
