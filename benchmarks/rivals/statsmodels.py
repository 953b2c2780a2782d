"""statsmodels: Logit by Newton's method, GLM by reweighted least squares; the ones are added before the clock."""

import numpy as np

from benchmarks.contestant import Answer, Contestant

LADDER = tuple(10.0**-k for k in range(6, 13))


def fit_logit(data, settings):
    from statsmodels.api import Logit

    found = Logit(data.y, data.X).fit(method="newton", tol=settings["tolerance"], maxiter=100, disp=False)
    return Answer(found.params[1:], found.params[0], errors=found.bse)


def fit_glm(data, settings):
    from statsmodels.api import GLM, families

    found = GLM(data.y, data.X, families.Binomial()).fit(tol=settings["tolerance"], maxiter=100)
    return Answer(found.params[1:], found.params[0], errors=found.bse)


def fit_local_logistic(data, settings):
    """A Python loop over weighted fits; columns centred at the query, so that the intercept is what is asked for."""
    from statsmodels.api import GLM, families

    D, found = np.ones((len(data.y), data.X.shape[1] + 1)), np.empty(len(data.queries))
    for q, query in enumerate(data.queries):
        D[:, 1:] = data.X - query
        kernel = np.exp(-0.5 * np.sum(D[:, 1:] ** 2, axis=1) / settings["bandwidth"] ** 2)
        model = GLM(data.y, D, families.Binomial(), freq_weights=kernel)
        found[q] = model.fit(tol=settings["tolerance"], maxiter=100).params[0]
    return Answer(found)


def with_ones(data):
    data.X = np.column_stack([np.ones(len(data.y)), data.X])
    return data


CONTESTANTS = {
    "likelihood": [
        Contestant("statsmodels Logit", "statsmodels", fit_logit, tolerances=LADDER, prepare=with_ones),
        Contestant("statsmodels GLM", "statsmodels", fit_glm, tolerances=LADDER, prepare=with_ones),
    ],
    "local_logistic": [Contestant("statsmodels GLM loop", "statsmodels", fit_local_logistic, tolerances=LADDER)],
}
