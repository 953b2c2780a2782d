"""separatrix.linear_model.Ridge"""

from benchmarks.contestant import Answer, Contestant


def fit(data, settings):
    from separatrix.linear_model import Ridge

    model = Ridge(alpha=settings["alpha"], fit_intercept=settings["fit_intercept"]).fit(data.X, data.y)
    return Answer(model.coef_, model.intercept_, certificate=model.certificate_.value)


CONTESTANTS = [Contestant("separatrix", "separatrix", fit)]
