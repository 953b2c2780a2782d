"""Linear models, one textbook name a file; each is imported when it is first asked for."""

from separatrix.core.registry import lazily

_HOMES = {
    "BasicLinearClassifier": "basic_linear_classifier",
    "LeastSquaresClassifier": "least_squares_classifier",
    "LinearRegression": "least_squares",
    "Ridge": "ridge",
    "RidgeCV": "ridge",
    "RidgeClassifier": "ridge_classifier",
    "RidgeClassifierCV": "ridge_classifier",
    "Lasso": "lasso",
    "LassoCV": "lasso",
    "lasso_path": "lasso",
    "ElasticNet": "elastic_net",
    "ElasticNetCV": "elastic_net",
    "enet_path": "elastic_net",
    "FirthLogisticRegression": "firth",
    "LogisticRegression": "logistic",
    "LogisticRegressionCV": "logistic_cv",
    "QuantileRegressor": "quantile",
    "Perceptron": "perceptron",
    "PerceptronRegressor": "perceptron_regressor",
    "SGDClassifier": "sgd_classifier",
    "SGDRegressor": "sgd_regressor",
}

__all__, __getattr__, __dir__ = lazily(__name__, _HOMES)
