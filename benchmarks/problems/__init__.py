"""The problems by group, one file per family."""

GROUPS = {
    "ols": "least_squares",
    "ridge": "ridge",
    "ridgecv": "ridge_cv",
    "kernel_ridge": "kernel_ridge",
    "lasso": "lasso",
    "lasso_path": "lasso_path",
    "logistic": "logistic",
    "multinomial": "multinomial",
    "logistic_l1": "logistic_l1",
    "linear_svm": "linear_svm",
    "linear_svm_squared": "linear_svm",
    "likelihood": "likelihood",
    "one_pass": "one_pass",
    "lda": "discriminants",
    "qda": "discriminants",
    "rda_path": "discriminants",
    "lda_predict": "discriminants",
    "qda_predict": "discriminants",
    "gaussian_nb": "naive_bayes",
    "bernoulli_nb": "naive_bayes",
    "multinomial_nb": "naive_bayes",
    "gaussian_nb_predict": "naive_bayes",
    "chow_liu": "chow_liu",
    "pca": "principal_components",
    "knn": "neighbours",
    "local_logistic": "local_logistic",
    "tree": "trees",
    "forest": "trees",
    "extra_trees": "trees",
    "adaboost": "trees",
    "hist_boosting": "trees",
    "forest_predict": "trees",
    "mlp": "networks",
    "svc": "support_vectors",
    "svr": "support_vectors",
    "svc_predict": "support_vectors",
}


def problems(group):
    """The size variants of a group; imported on demand, for a measured process reads this package too."""
    from importlib import import_module

    family = import_module(f"benchmarks.problems.{GROUPS[group]}").PROBLEMS
    return [problem for problem in family if problem.group == group]
