"""scikit-learn-intelex (oneDAL), dense only."""

from benchmarks.contestant import Answer, Contestant, held_out, predict_held_out, trained
from benchmarks.problems.storage import in_single_precision

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


def fit_pca(solver):
    def fit(data, settings):
        from sklearnex.decomposition import PCA

        return Answer(PCA(settings["components"], svd_solver=solver).fit(data.X).components_.T)

    return fit


def find_neighbours(algorithm):
    def fit(data, settings):
        from sklearnex.neighbors import KNeighborsClassifier

        model = KNeighborsClassifier(settings["neighbours"], algorithm=algorithm, n_jobs=settings["threads"])
        return Answer(model.fit(data.X, data.y).kneighbors(data.queries)[1][: settings["sample"]])

    return fit


def fit_forest(name):
    def fit(data, settings):
        from sklearnex import ensemble

        kind = "Classifier" if settings["classes"] else "Regressor"
        return getattr(ensemble, name + kind)(random_state=0, n_jobs=settings["threads"]).fit(data.X, data.y)

    return fit


def dense(settings):
    return not settings["sparse"]


CONTESTANTS = {
    "ols": [Contestant("sklearnex", "sklearnex", fit_ols)],
    "ridge": [Contestant("sklearnex", "sklearnex", fit_ridge)],
    # lbfgs only: its newton-cg hands such data to scikit-learn
    "logistic": [Contestant("sklearnex lbfgs", "sklearnex", fit_logistic, tolerances=LADDER, suits=dense)],
    "multinomial": [Contestant("sklearnex lbfgs", "sklearnex", fit_logistic, tolerances=LADDER)],
    # it has neither discriminants nor naive Bayes
    "pca": [
        Contestant("sklearnex covariance_eigh", "sklearnex", fit_pca("covariance_eigh")),
        Contestant("sklearnex full", "sklearnex", fit_pca("full")),
    ],
    "knn": [
        Contestant("sklearnex brute", "sklearnex", find_neighbours("brute")),
        Contestant("sklearnex brute float32", "sklearnex", find_neighbours("brute"), prepare=in_single_precision),
        Contestant("sklearnex kd_tree", "sklearnex", find_neighbours("kd_tree")),
    ],
    # it bins the columns
    "forest": [Contestant("sklearnex", "sklearnex", fit_forest("RandomForest"), answer=held_out)],
    "extra_trees": [Contestant("sklearnex", "sklearnex", fit_forest("ExtraTrees"), answer=held_out)],
    "forest_predict": [
        Contestant("sklearnex", "sklearnex", predict_held_out, prepare=trained(fit_forest("RandomForest")))
    ],
}
