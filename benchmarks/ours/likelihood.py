"""separatrix.linear_model.LogisticRegression(C=inf), and the covariance of its estimates, the intercept first."""

from benchmarks.contestant import Answer, Contestant

LADDER = (1e-3, 1e-4, 1e-6, 1e-8)


def fit(data, settings):
    import numpy as np

    from separatrix.linear_model import LogisticRegression

    model = LogisticRegression(C=np.inf, tol=settings["tolerance"]).fit(data.X, data.y)
    errors = np.sqrt(np.diag(model.evidence_.covariance))
    return Answer(model.coef_.ravel(), model.intercept_, errors=errors, certificate=model.certificate_.value)


CONTESTANTS = {
    "likelihood": [
        Contestant("separatrix", "separatrix", fit, tolerances=LADDER),
        Contestant("separatrix default", "separatrix", fit, tolerances=(1e-8,)),
    ]
}
