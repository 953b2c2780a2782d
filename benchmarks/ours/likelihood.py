"""separatrix.linear_model.LogisticRegression(C=inf), and the covariance of its estimates, the intercept first."""

from benchmarks.contestant import Answer, Contestant

LADDER = (1e-8, 1e-10, 1e-12, 1e-14)  # from the target on: the standard errors may ask for more


def fit(data, settings):
    import numpy as np

    from separatrix.linear_model import LogisticRegression

    model = LogisticRegression(C=np.inf, tol=settings["tolerance"]).fit(data.X, data.y)
    errors = np.sqrt(np.diag(model.evidence_.covariance))
    return Answer(model.coef_.ravel(), model.intercept_, errors=errors, certificate=model.certificate_.value)


CONTESTANTS = [Contestant("separatrix", "separatrix", fit, tolerances=LADDER)]
