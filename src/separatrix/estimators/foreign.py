"""Classes of scikit-learn that are known here: what is inside them, what they predict by, what inference may compute.

A class that is not in this table is not guessed at: its description lists its settings, and a summary is refused.
"""

from operator import attrgetter

from separatrix.core.declaration import (
    CLASSES,
    COEFFICIENTS,
    IMPORTANCES,
    LEAST_SQUARES,
    LOGISTIC,
    ROWS,
    SHARES,
    Declaration,
    Search,
    best_found,
    declare_foreign,
)
from separatrix.estimators import verification
from separatrix.prediction import forms

NOT_OURS = "it is scikit-learn's, whose fits are not certified here"
LINEAR_MODEL = "sklearn.linear_model"


def _transformers(pipeline):
    return [step for _, step in pipeline.steps[:-1] if step not in (None, "passthrough")]


def _last_step(pipeline):
    return pipeline.steps[-1][1]


def _linear(form, **facts):
    task = "regression" if form is forms.LINEAR else "classification"
    return Declaration(task, prediction=form, description=COEFFICIENTS, verification=NOT_OURS, **facts)


def _search(plain, *chosen):
    """scikit-learn's searches are refitted at their choice by our model of the same problem."""
    return Search(f"linear_model:{plain}", {name: f"{name}_" for name in chosen})


def _described_by(task, description):
    return Declaration(task, description=description, verification=NOT_OURS)


declare_foreign(
    "sklearn.pipeline",
    ("Pipeline",),
    Declaration("transformation", inside=_last_step, before=_transformers, prediction=forms.PIPELINE),
)
declare_foreign("sklearn.compose", ("ColumnTransformer",), Declaration("transformation", prediction=forms.SIDE_BY_SIDE))
declare_foreign(
    "sklearn.model_selection",
    ("GridSearchCV", "RandomizedSearchCV", "HalvingGridSearchCV", "HalvingRandomSearchCV"),
    Declaration("transformation", inside=best_found),
)
declare_foreign("sklearn.frozen", ("FrozenEstimator",), Declaration("transformation", inside=attrgetter("estimator")))
declare_foreign(LINEAR_MODEL, ("LinearRegression", "Ridge"), _linear(forms.LINEAR, likelihood=LEAST_SQUARES))
declare_foreign(
    LINEAR_MODEL,
    (
        "ARDRegression",
        "BayesianRidge",
        "ElasticNet",
        "HuberRegressor",
        "Lars",
        "Lasso",
        "LassoLars",
        "OrthogonalMatchingPursuit",
        "QuantileRegressor",
        "SGDRegressor",
        "TheilSenRegressor",
    ),
    _linear(forms.LINEAR),
)
for _name, *_chosen in (("Lasso", "alpha"), ("ElasticNet", "alpha", "l1_ratio"), ("Ridge", "alpha")):
    declare_foreign(LINEAR_MODEL, (f"{_name}CV",), _linear(forms.LINEAR, search=_search(_name, *_chosen)))
declare_foreign("sklearn.svm", ("LinearSVR",), _linear(forms.LINEAR))
_logistic = {"likelihood": LOGISTIC, "equivalent": "linear_model:LogisticRegression"}
declare_foreign(LINEAR_MODEL, ("LogisticRegression",), _linear(forms.LOG_ODDS, **_logistic))
declare_foreign(
    LINEAR_MODEL,
    ("LogisticRegressionCV",),
    _linear(forms.LOG_ODDS, search=_search("LogisticRegression", "C", "l1_ratio"), **_logistic),
)
declare_foreign(
    LINEAR_MODEL, ("PassiveAggressiveClassifier", "Perceptron", "SGDClassifier"), _linear(forms.LINEAR_CLASSES)
)
declare_foreign(LINEAR_MODEL, ("RidgeClassifier",), _linear(forms.LINEAR_CLASSES))
declare_foreign(
    LINEAR_MODEL, ("RidgeClassifierCV",), _linear(forms.LINEAR_CLASSES, search=_search("RidgeClassifier", "alpha"))
)
declare_foreign("sklearn.svm", ("LinearSVC",), _linear(forms.LINEAR_CLASSES))
declare_foreign(
    "sklearn.discriminant_analysis",
    ("LinearDiscriminantAnalysis",),
    Declaration("classification", prediction=forms.LOG_ODDS, description=CLASSES, verification=NOT_OURS),
)
declare_foreign(
    "sklearn.discriminant_analysis", ("QuadraticDiscriminantAnalysis",), _described_by("classification", CLASSES)
)
declare_foreign(
    "sklearn.naive_bayes",
    ("BernoulliNB", "CategoricalNB", "ComplementNB", "GaussianNB", "MultinomialNB"),
    _described_by("classification", CLASSES),
)
declare_foreign(
    "sklearn.neighbors", ("KNeighborsClassifier", "RadiusNeighborsClassifier"), _described_by("classification", ROWS)
)
declare_foreign(
    "sklearn.neighbors", ("KNeighborsRegressor", "RadiusNeighborsRegressor"), _described_by("regression", ROWS)
)
for _names, _verified in (("Voting", verification.OF_VOTERS), ("Stacking", verification.OF_STACKED)):
    declare_foreign("sklearn.ensemble", (f"{_names}Classifier",), Declaration("classification", verification=_verified))
    declare_foreign("sklearn.ensemble", (f"{_names}Regressor",), Declaration("regression", verification=_verified))
declare_foreign("sklearn.dummy", ("DummyClassifier",), _described_by("classification", SHARES))
for _module, _names in (
    ("sklearn.tree", ("DecisionTree", "ExtraTree")),
    ("sklearn.ensemble", ("AdaBoost", "ExtraTrees", "GradientBoosting", "RandomForest")),
):
    declare_foreign(
        _module, tuple(f"{name}Classifier" for name in _names), _described_by("classification", IMPORTANCES)
    )
    declare_foreign(_module, tuple(f"{name}Regressor" for name in _names), _described_by("regression", IMPORTANCES))
