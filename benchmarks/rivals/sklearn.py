"""scikit-learn: every solver that may win."""

from benchmarks.contestant import Answer, Contestant, held_out, predict_held_out, predicted, scored_by, trained
from benchmarks.machines import coefficients, fit_classes, fit_numbers, predict_scores
from benchmarks.problems.storage import by_rows, in_single_precision

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


def fit_kernel_ridge(data, settings):
    from sklearn.kernel_ridge import KernelRidge

    model = KernelRidge(alpha=settings["alpha"], kernel="rbf", gamma=settings["gamma"]).fit(data.X, data.y)
    return Answer(model.dual_coef_)


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


def fit_logistic(solver, l1_ratio=0.0):
    def fit(data, settings):
        from sklearn.linear_model import LogisticRegression

        model = LogisticRegression(
            C=settings["C"],
            l1_ratio=l1_ratio,
            fit_intercept=settings["fit_intercept"],
            solver=solver,
            tol=settings["tolerance"],
            max_iter=10_000,
            random_state=0,
        )
        model.fit(data.X, data.y)
        return Answer(model.coef_.T, model.intercept_)

    return fit


def fit_likelihood(solver):
    """scikit-learn has no standard errors: the few lines that its users write follow the fit."""

    def fit(data, settings):
        import numpy as np
        from sklearn.linear_model import LogisticRegression

        X = data.X
        model = LogisticRegression(C=np.inf, solver=solver, tol=settings["tolerance"], max_iter=10_000).fit(X, data.y)
        mu = model.predict_proba(X)[:, 1]
        weighted = X * (mu * (1.0 - mu))[:, None]
        information = np.empty((X.shape[1] + 1, X.shape[1] + 1))
        information[0, 0] = mu @ (1.0 - mu)
        information[0, 1:] = information[1:, 0] = weighted.sum(axis=0)
        information[1:, 1:] = X.T @ weighted
        return Answer(model.coef_.ravel(), model.intercept_, errors=np.sqrt(np.diag(np.linalg.inv(information))))

    return fit


def fit_one_pass(data, settings):
    from sklearn.linear_model import Perceptron, SGDClassifier

    once = {"max_iter": 1, "tol": None, "shuffle": settings["shuffle"], "random_state": 0}
    if settings["model"] == "perceptron":
        model = Perceptron(**once)
    else:
        model = SGDClassifier(loss="log_loss", alpha=settings["alpha"], **once)
    model.fit(data.X, data.y)
    return Answer(model.coef_.ravel(), model.intercept_, passes=model.n_iter_)


def fit_lda(solver):
    def fit(data, settings):
        from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

        return LinearDiscriminantAnalysis(solver=solver).fit(data.X, data.y)

    return fit


def fit_qda(solver):
    def fit(data, settings):
        from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis

        return QuadraticDiscriminantAnalysis(solver=solver).fit(data.X, data.y)

    return fit


def end_of_path(alpha):
    """It has no path: one fit at one end of it stands in, and is judged there."""

    def answer(model, data):
        return Answer(model.decision_function(data.X[: data.settings["sample"]]), alpha=alpha)

    return answer


def fit_gaussian_nb(data, settings):
    from sklearn.naive_bayes import GaussianNB

    return GaussianNB(var_smoothing=0.0).fit(data.X, data.y)


def fit_bernoulli_nb(data, settings):
    from sklearn.naive_bayes import BernoulliNB

    return BernoulliNB(binarize=None).fit(data.X, data.y)


def fit_multinomial_nb(data, settings):
    from sklearn.naive_bayes import MultinomialNB

    return MultinomialNB().fit(data.X, data.y)


def fit_pca(solver):
    def fit(data, settings):
        from sklearn.decomposition import PCA

        return Answer(PCA(settings["components"], svd_solver=solver, random_state=0).fit(data.X).components_.T)

    return fit


def find_neighbours(algorithm):
    def fit(data, settings):
        from sklearn.neighbors import KNeighborsClassifier

        model = KNeighborsClassifier(settings["neighbours"], algorithm=algorithm, n_jobs=settings["threads"])
        return Answer(model.fit(data.X, data.y).kneighbors(data.queries)[1][: settings["sample"]])

    return fit


def fit_local_logistic(data, settings):
    """A Python loop over weighted fits; columns centred at the query, so that the intercept is what is asked for."""
    import numpy as np
    from sklearn.linear_model import LogisticRegression

    model = LogisticRegression(C=np.inf, solver="newton-cholesky", tol=settings["tolerance"], max_iter=1_000)
    found = np.empty(len(data.queries))
    for q, query in enumerate(data.queries):
        away = data.X - query
        kernel = np.exp(-0.5 * np.sum(away * away, axis=1) / settings["bandwidth"] ** 2)
        found[q] = model.fit(away, data.y, sample_weight=kernel).intercept_[0]
    return Answer(found)


def fit_committee(module, name, parallel=False, **options):
    """A fit of the classifier or the regressor of that name, whichever the problem asks for."""

    def fit(data, settings):
        from importlib import import_module

        kind = "Classifier" if settings["classes"] else "Regressor"
        more = {"n_jobs": settings["threads"]} if parallel else {}
        model = getattr(import_module(f"sklearn.{module}"), name + kind)(random_state=0, **options, **more)
        return model.fit(data.X, data.y)

    return fit


def tall(settings):
    return settings["variant"] == "tall"


def long(settings):
    return settings["variant"] == "long"


def dense(settings):
    return not settings["sparse"]


def always(settings):
    return True


SCORES, JOINT = scored_by("decision_function"), scored_by("predict_joint_log_proba")

FOREST = fit_committee("ensemble", "RandomForest", True)


def fit_margin(dual):
    def fit(data, settings):
        from sklearn.svm import LinearSVC

        model = LinearSVC(
            loss="hinge" if settings["power"] == 1 else "squared_hinge",
            C=settings["C"],
            dual=dual,
            fit_intercept=False,
            tol=settings["tolerance"],
            max_iter=10_000,
            random_state=0,
        )
        model.fit(data.X, data.y)
        return Answer(model.coef_.ravel())

    return fit


SVC = fit_classes("sklearn.svm")


def fit_tree(data, settings):
    """Its score of each pair of columns, and the tree of scipy."""
    import numpy as np
    from scipy.sparse.csgraph import minimum_spanning_tree
    from sklearn.metrics import mutual_info_score

    X = data.X.astype(np.int64)
    p = X.shape[1]
    negative = np.zeros((p, p))
    for j in range(p):
        for l in range(j):
            negative[j, l] = -1.0 - mutual_info_score(X[:, j], X[:, l])
    return Answer(np.column_stack(minimum_spanning_tree(negative).tocoo().coords))


def fit_network(data, settings):
    from sklearn.neural_network import MLPClassifier

    model = MLPClassifier(
        settings["units"],
        batch_size=settings["batch"],
        max_iter=settings["epochs"],
        learning_rate_init=settings["rate"],
        alpha=settings["alpha"],
        random_state=0,
    )
    return model.fit(data.X, data.y)


CONTESTANTS = {
    "chow_liu": [Contestant("sklearn", "sklearn", fit_tree)],
    "linear_svm": [Contestant("sklearn", "sklearn", fit_margin(True), tolerances=LADDER, prepare=by_rows)],
    "linear_svm_squared": [
        Contestant("sklearn primal", "sklearn", fit_margin(False), tolerances=LADDER, prepare=by_rows),
        Contestant(
            "sklearn dual", "sklearn", fit_margin(True), LADDER, slow=lambda s: not s["sparse"], prepare=by_rows
        ),
    ],
    "ols": [Contestant("sklearn", "sklearn", fit_ols)],
    "ridge": [
        Contestant("sklearn auto", "sklearn", fit_ridge("auto")),
        Contestant("sklearn cholesky", "sklearn", fit_ridge("cholesky")),
        Contestant("sklearn lsqr", "sklearn", fit_ridge("lsqr"), tolerances=LADDER),
    ],
    "kernel_ridge": [Contestant("sklearn", "sklearn", fit_kernel_ridge)],
    "ridgecv": [
        Contestant("sklearn auto", "sklearn", fit_ridge_cv("auto")),
        Contestant("sklearn eigen", "sklearn", fit_ridge_cv("eigen"), suits=lambda s: s["variant"] == "wide"),
    ],
    "lasso": [
        Contestant("sklearn", "sklearn", fit_lasso(False), tolerances=LADDER),
        Contestant("sklearn gram", "sklearn", fit_lasso(True), tolerances=LADDER, suits=tall),
    ],
    "lasso_path": [Contestant("sklearn", "sklearn", fit_lasso_path, tolerances=LADDER)],
    "logistic": [
        Contestant("sklearn lbfgs", "sklearn", fit_logistic("lbfgs"), tolerances=LADDER),
        Contestant("sklearn newton-cg", "sklearn", fit_logistic("newton-cg"), tolerances=LADDER),
        # its Hessian of 100,000 words would take 80 GB
        Contestant(
            "sklearn newton-cholesky", "sklearn", fit_logistic("newton-cholesky"), tolerances=LADDER, suits=dense
        ),
        Contestant(
            "sklearn liblinear",
            "sklearn",
            fit_logistic("liblinear"),
            tolerances=LADDER,
            slow=lambda s: s["variant"] == "long",
        ),
        Contestant("sklearn sag", "sklearn", fit_logistic("sag"), tolerances=LADDER, slow=always),
        Contestant("sklearn saga", "sklearn", fit_logistic("saga"), tolerances=LADDER, slow=always),
    ],
    "multinomial": [
        Contestant("sklearn lbfgs", "sklearn", fit_logistic("lbfgs"), tolerances=LADDER),
        Contestant("sklearn newton-cg", "sklearn", fit_logistic("newton-cg"), tolerances=LADDER),
        Contestant("sklearn newton-cholesky", "sklearn", fit_logistic("newton-cholesky"), tolerances=LADDER),
        Contestant("sklearn sag", "sklearn", fit_logistic("sag"), tolerances=LADDER, slow=always),
        Contestant("sklearn saga", "sklearn", fit_logistic("saga"), tolerances=LADDER, slow=always),
    ],
    "logistic_l1": [
        Contestant("sklearn liblinear", "sklearn", fit_logistic("liblinear", 1.0), tolerances=LADDER, prepare=by_rows),
        Contestant(
            "sklearn saga", "sklearn", fit_logistic("saga", 1.0), tolerances=LADDER, slow=always, prepare=by_rows
        ),
    ],
    "likelihood": [
        Contestant(f"sklearn {solver} + numpy", "sklearn", fit_likelihood(solver), tolerances=LADDER)
        for solver in ("newton-cholesky", "lbfgs")
    ],
    "one_pass": [Contestant("sklearn", "sklearn", fit_one_pass)],
    "lda": [
        Contestant(f"sklearn {solver}", "sklearn", fit_lda(solver), answer=SCORES)
        for solver in ("svd", "lsqr", "eigen")
    ],
    "qda": [Contestant(f"sklearn {solver}", "sklearn", fit_qda(solver), answer=SCORES) for solver in ("svd", "eigen")],
    "rda_path": [
        Contestant("sklearn LDA, one fit", "sklearn", fit_lda("lsqr"), answer=end_of_path(0.0)),
        Contestant("sklearn QDA, one fit", "sklearn", fit_qda("eigen"), answer=end_of_path(1.0)),
    ],
    "lda_predict": [Contestant("sklearn", "sklearn", predicted, prepare=trained(fit_lda("lsqr")))],
    "qda_predict": [Contestant("sklearn", "sklearn", predicted, prepare=trained(fit_qda("eigen")))],
    "gaussian_nb": [Contestant("sklearn", "sklearn", fit_gaussian_nb, answer=JOINT)],
    "bernoulli_nb": [Contestant("sklearn", "sklearn", fit_bernoulli_nb, answer=JOINT)],
    "multinomial_nb": [Contestant("sklearn", "sklearn", fit_multinomial_nb, answer=JOINT)],
    "gaussian_nb_predict": [Contestant("sklearn", "sklearn", predicted, prepare=trained(fit_gaussian_nb))],
    "pca": [
        Contestant("sklearn auto", "sklearn", fit_pca("auto")),
        Contestant("sklearn covariance_eigh", "sklearn", fit_pca("covariance_eigh")),
        Contestant("sklearn full", "sklearn", fit_pca("full"), slow=long),
        Contestant("sklearn arpack", "sklearn", fit_pca("arpack"), slow=long),
        Contestant("sklearn randomized", "sklearn", fit_pca("randomized")),
    ],
    "knn": [
        Contestant(f"sklearn {algorithm}{suffix}", "sklearn", find_neighbours(algorithm), prepare=prepare)
        for algorithm in ("brute", "auto")
        for suffix, prepare in (("", by_rows), (" float32", in_single_precision))
    ]
    # "auto" takes no tree above 15 columns, though one pays where rows lie in clusters
    + [Contestant("sklearn kd_tree", "sklearn", find_neighbours("kd_tree"), slow=lambda s: s["variant"] == "iid20")],
    "local_logistic": [Contestant("sklearn loop", "sklearn", fit_local_logistic, tolerances=LADDER)],
    "tree": [Contestant("sklearn", "sklearn", fit_committee("tree", "DecisionTree"), answer=held_out)],
    "forest": [Contestant("sklearn", "sklearn", FOREST, answer=held_out)],
    "extra_trees": [Contestant("sklearn", "sklearn", fit_committee("ensemble", "ExtraTrees", True), answer=held_out)],
    "adaboost": [
        Contestant("sklearn", "sklearn", fit_committee("ensemble", "AdaBoost", n_estimators=200), answer=held_out)
    ],
    "hist_boosting": [
        Contestant(
            "sklearn",
            "sklearn",
            fit_committee("ensemble", "HistGradientBoosting", early_stopping=False),
            answer=held_out,
        )
    ],
    "forest_predict": [Contestant("sklearn", "sklearn", predict_held_out, prepare=trained(FOREST))],
    "mlp": [Contestant("sklearn", "sklearn", fit_network, answer=held_out)],
    "svc": [Contestant("sklearn", "sklearn", SVC, answer=coefficients)],
    "svr": [Contestant("sklearn", "sklearn", fit_numbers("sklearn.svm"), answer=coefficients)],
    "svc_predict": [Contestant("sklearn", "sklearn", predict_scores, prepare=trained(SVC))],
}
