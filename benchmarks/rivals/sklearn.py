"""scikit-learn: every solver that may win."""

from benchmarks.contestant import Answer, Contestant

LADDER = tuple(10.0**-k for k in range(2, 11))


def fit_ols(data, settings):
    from sklearn.linear_model import LinearRegression

    model = LinearRegression(fit_intercept=settings["fit_intercept"]).fit(data.X, data.y)
    return Answer(model.coef_, model.intercept_)


def fit_ridge(solver):
    def fit(data, settings):
        from sklearn.linear_model import Ridge

        tolerance = settings["tolerance"]
        more = {} if tolerance is None else {"tol": tolerance, "max_iter": 10_000}
        model = Ridge(alpha=settings["alpha"], fit_intercept=settings["fit_intercept"], solver=solver, **more)
        model.fit(data.X, data.y)
        return Answer(model.coef_, model.intercept_)

    return fit


def fit_ridge_cv(gcv_mode):
    def fit(data, settings):
        from sklearn.linear_model import RidgeCV

        model = RidgeCV(alphas=settings["alphas"], fit_intercept=settings["fit_intercept"], gcv_mode=gcv_mode)
        model.fit(data.X, data.y)
        return Answer(model.coef_, model.intercept_, alpha=float(model.alpha_))

    return fit


def fit_lasso(precompute):
    def fit(data, settings):
        from sklearn.linear_model import Lasso

        model = Lasso(
            alpha=settings["alpha"],
            fit_intercept=settings["fit_intercept"],
            precompute=precompute,
            tol=settings["tolerance"],
            max_iter=100_000,
        )
        model.fit(data.X, data.y)
        return Answer(model.coef_, model.intercept_)

    return fit


def fit_lasso_path(data, settings):
    from sklearn.linear_model import lasso_path

    _, coefs, _ = lasso_path(
        data.X, data.y, alphas=settings["alphas"], precompute="auto", tol=settings["tolerance"], max_iter=100_000
    )
    return Answer(coefs)


def tall(settings):
    return settings["variant"] == "tall"


CONTESTANTS = {
    "ols": [Contestant("sklearn", "sklearn", fit_ols)],
    "ridge": [
        Contestant("sklearn auto", "sklearn", fit_ridge("auto")),
        Contestant("sklearn cholesky", "sklearn", fit_ridge("cholesky")),
        Contestant("sklearn lsqr", "sklearn", fit_ridge("lsqr"), tolerances=LADDER),
    ],
    "ridgecv": [
        Contestant("sklearn auto", "sklearn", fit_ridge_cv("auto")),
        Contestant("sklearn eigen", "sklearn", fit_ridge_cv("eigen"), suits=lambda s: s["variant"] == "wide"),
    ],
    "lasso": [
        Contestant("sklearn", "sklearn", fit_lasso(False), tolerances=LADDER),
        Contestant("sklearn gram", "sklearn", fit_lasso(True), tolerances=LADDER, suits=tall),
    ],
    "lasso_path": [Contestant("sklearn", "sklearn", fit_lasso_path, tolerances=LADDER)],
}
