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


def with_ones(data):
    data.X = np.column_stack([np.ones(len(data.y)), data.X])
    return data


CONTESTANTS = {
    "likelihood": [
        Contestant("statsmodels Logit", "statsmodels", fit_logit, tolerances=LADDER, prepare=with_ones),
        Contestant("statsmodels GLM", "statsmodels", fit_glm, tolerances=LADDER, prepare=with_ones),
    ],
}
