"""scikit-learn-intelex (oneDAL), dense only."""

from benchmarks.contestant import Answer, Contestant


def fit_ols(data, settings):
    from sklearnex.linear_model import LinearRegression

    model = LinearRegression(fit_intercept=settings["fit_intercept"]).fit(data.X, data.y)
    return Answer(model.coef_, model.intercept_)


def fit_ridge(data, settings):
    from sklearnex.linear_model import Ridge

    model = Ridge(alpha=settings["alpha"], fit_intercept=settings["fit_intercept"]).fit(data.X, data.y)
    return Answer(model.coef_, model.intercept_)


CONTESTANTS = {
    "ols": [Contestant("sklearnex", "sklearnex", fit_ols)],
    "ridge": [Contestant("sklearnex", "sklearnex", fit_ridge)],
}
