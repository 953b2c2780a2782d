"""scikit-learn-intelex (oneDAL), dense only."""

from benchmarks.contestant import Answer, Contestant

LADDER = tuple(10.0**-k for k in range(-3, 9))  # of the slope of the sum, not of the mean


def fit_ols(data, settings):
    from sklearnex.linear_model import LinearRegression

    model = LinearRegression(fit_intercept=settings["fit_intercept"]).fit(data.X, data.y)
    return Answer(model.coef_, model.intercept_)


def fit_ridge(data, settings):
    from sklearnex.linear_model import Ridge

    model = Ridge(alpha=settings["alpha"], fit_intercept=settings["fit_intercept"]).fit(data.X, data.y)
    return Answer(model.coef_, model.intercept_)


def fit_logistic(data, settings):
    from sklearnex.linear_model import LogisticRegression

    model = LogisticRegression(
        C=settings["C"], fit_intercept=settings["fit_intercept"], tol=settings["tolerance"], max_iter=10_000
    )
    model.fit(data.X, data.y)
    return Answer(model.coef_.T, model.intercept_)


def dense(settings):
    return not settings["sparse"]


CONTESTANTS = {
    "ols": [Contestant("sklearnex", "sklearnex", fit_ols)],
    "ridge": [Contestant("sklearnex", "sklearnex", fit_ridge)],
    # lbfgs only: its newton-cg hands such data to scikit-learn
    "logistic": [Contestant("sklearnex lbfgs", "sklearnex", fit_logistic, tolerances=LADDER, suits=dense)],
    "multinomial": [Contestant("sklearnex lbfgs", "sklearnex", fit_logistic, tolerances=LADDER)],
}
