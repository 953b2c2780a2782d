"""separatrix.linear_model.LinearRegression"""

from benchmarks.contestant import Answer, Contestant


def fit(data, settings):
    from separatrix.linear_model import LinearRegression

    model = LinearRegression(fit_intercept=settings["fit_intercept"]).fit(data.X, data.y)
    return Answer(model.coef_, model.intercept_, certificate=model.certificate_.value)


CONTESTANTS = {"ols": [Contestant("separatrix", "separatrix", fit)]}
