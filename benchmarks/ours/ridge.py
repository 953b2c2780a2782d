"""separatrix.linear_model.Ridge; `tol` is a relative certified gap, so the target itself is the first tolerance."""

from benchmarks.contestant import Answer, Contestant


def fit(data, settings):
    from separatrix.linear_model import Ridge

    model = Ridge(alpha=settings["alpha"], fit_intercept=settings["fit_intercept"], tol=settings["tolerance"])
    model.fit(data.X, data.y)
    return Answer(model.coef_, model.intercept_, certificate=model.certificate_.value)


CONTESTANTS = {"ridge": [Contestant("separatrix", "separatrix", fit, tolerances=(1e-10, 1e-12))]}
