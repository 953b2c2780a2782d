"""separatrix.linear_model.LogisticRegression, with L2; `tol` is a relative certified gap: it starts at the target."""

from benchmarks.contestant import Answer, Contestant


def fit(data, settings):
    from separatrix.linear_model import LogisticRegression

    model = LogisticRegression(C=settings["C"], fit_intercept=settings["fit_intercept"], tol=settings["tolerance"])
    model.fit(data.X, data.y)
    return Answer(model.coef_.ravel(), model.intercept_, certificate=model.certificate_.value)


CONTESTANTS = [Contestant("separatrix", "separatrix", fit, tolerances=(1e-6, 1e-8))]
