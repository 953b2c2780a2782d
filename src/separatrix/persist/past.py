"""What model files of past versions called things: names of classes, and forms of prediction that were not written.

Schema 1, of version 0.1.0, named no forms: the classes that could predict without scikit-learn were in a list.
"""

# Names of classes that have changed since, by schema.
NAMES = {1: {"Evidence": "LeastSquaresStatistics", "LikelihoodEvidence": "LikelihoodStatistics"}, 2: {}}

_LINEAR = (
    "ElasticNet",
    "ElasticNetCV",
    "Lasso",
    "LassoCV",
    "LinearRegression",
    "PerceptronRegressor",
    "QuantileRegressor",
    "Ridge",
    "RidgeCV",
    "SGDRegressor",
)
_LINEAR_CLASSES = ("BasicLinearClassifier", "FisherDiscriminant", "Perceptron", "RidgeClassifier", "RidgeClassifierCV")
_LOG_ODDS = (
    "DiagonalLinearDiscriminantAnalysis",
    "FirthLogisticRegression",
    "LinearDiscriminantAnalysis",
    "LogisticRegression",
    "LogisticRegressionCV",
)
# Forms of the classes of files that name none.
FORMS = {
    "sklearn:Pipeline": "pipeline",
    "sklearn:ColumnTransformer": "side by side",
    "TableColumns": "table columns",
    "Numbers": "numbers",
    "Curves": "curves",
    "Thresholds": "thresholds",
    "Counts": "counts",
    "Categories": "categories",
    "Codes": "codes",
    "Dates": "dates",
    "Words": "words",
    **dict.fromkeys(_LINEAR, "linear"),
    **dict.fromkeys(_LINEAR_CLASSES, "linear classes"),
    **dict.fromkeys(_LOG_ODDS, "log-odds"),
}
