"""Write model files into the folder of the version that is installed; run once, before that version changes.

Each file keeps, in its ``about``, some rows and what the model that was saved answered for them.
"""

from pathlib import Path

import numpy as np
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import separatrix
from separatrix.calibration import CalibratedLinearClassifier
from separatrix.decomposition import PCA
from separatrix.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from separatrix.estimators.baseline import ConstantClassifier
from separatrix.estimators.preparation.compose import pipeline
from separatrix.linear_model import (
    ElasticNet,
    LassoCV,
    LinearRegression,
    LogisticRegression,
    Perceptron,
    Ridge,
    RidgeClassifier,
    SGDRegressor,
)
from separatrix.local import LocalLinearRegression
from separatrix.multiclass import OneVsOneClassifier
from separatrix.naive_bayes import CategoricalNB, GaussianNB, MixedNB
from separatrix.neighbors import KNeighborsClassifier
from separatrix.preprocessing import PolynomialFeatures
from separatrix.tables.table import Table
from separatrix.tables.understanding import ColumnFacts, Understanding

HERE = Path(__file__).parent / separatrix.__version__
random = np.random.default_rng(3)
X = random.integers(0, 5, size=(30, 2)).astype(float)
AMOUNT = X @ [1.0, -2.0] + random.standard_normal(30)
TWO = np.where(AMOUNT + random.standard_normal(30) > np.median(AMOUNT), "yes", "no")
THREE = np.digitize(AMOUNT, np.quantile(AMOUNT, [0.33, 0.67]))
ROWS = X[:6] + 0.0

MODELS = {
    "baseline": (ConstantClassifier(), TWO),
    "calibrated": (CalibratedLinearClassifier(RidgeClassifier()), TWO),
    "categorical_nb": (CategoricalNB(), THREE),
    "elastic_net": (ElasticNet(0.1), AMOUNT),
    "gaussian_nb": (GaussianNB(), THREE),
    "lasso_cv": (LassoCV(cv=3, alphas=5), AMOUNT),
    "least_squares": (LinearRegression(), AMOUNT),
    "linear_discriminant": (LinearDiscriminantAnalysis(), THREE),
    "local_linear": (LocalLinearRegression(), AMOUNT),
    "logistic": (LogisticRegression(C=np.inf), TWO),
    "mixed_nb": (MixedNB({0: "categorical"}), TWO),
    "multinomial": (LogisticRegression(), THREE),
    "nearest": (KNeighborsClassifier(3), TWO),
    "one_vs_one": (OneVsOneClassifier(RidgeClassifier()), THREE),
    "pca": (PCA(1), None),
    "perceptron": (Perceptron(random_state=0), TWO),
    "pipeline": (make_pipeline(StandardScaler(), PolynomialFeatures(2), Ridge(0.1)), AMOUNT),
    "quadratic_discriminant": (QuadraticDiscriminantAnalysis(), TWO),
    "sgd": (SGDRegressor(random_state=0), AMOUNT),
}


def answers(model, rows):
    return {
        method: np.asarray(getattr(model, method)(rows)).tolist()
        for method in ("predict", "predict_proba", "decision_function", "transform")
        if hasattr(model, method)
    }


def table_model():
    """A pipeline that begins with the columns of a table, which can answer without scikit-learn."""
    facts = (ColumnFacts("size", "number", 0, 5), ColumnFacts("town", "category", 0, 3, levels=("Ulm", "Bonn", "Köln")))
    columns = {"size": X[:, 0], "town": np.array(["Ulm", "Bonn", "Köln"], dtype=object)[(X[:, 1] % 3).astype(int)]}
    table = Table(tuple(columns), tuple(columns.values()))
    understood = Understanding("t.csv", len(table), 0, "y", "classification", facts)
    model = pipeline(understood, "standard", LogisticRegression()).fit(table, TWO)
    rows = {name: column[:6].tolist() for name, column in columns.items()}
    return model, rows


def dated_model():
    """A pipeline with dates of which the time of day varies; its file is older than the use of times of day."""
    since = np.array([f"2024-0{1 + i % 7}-1{i % 9}T{i % 24:02}:30" for i in range(30)], dtype=object)
    table = Table(("since",), (since,))
    understood = Understanding("t.csv", 30, 0, "y", "regression", (ColumnFacts("since", "date", 0, 30, form="iso"),))
    return pipeline(understood, "standard", Ridge()).fit(table, AMOUNT), {"since": since[:6].tolist()}


if __name__ == "__main__":
    HERE.mkdir(exist_ok=True)
    for name, (model, y) in MODELS.items():
        model.fit(X, y)
        separatrix.save(model, HERE / f"{name}.sepx", about={"rows": ROWS.tolist(), "answers": answers(model, ROWS)})
    for name, (model, rows) in {"table": table_model(), "dates": dated_model()}.items():
        separatrix.save(model, HERE / f"{name}.sepx", about={"rows": rows, "answers": answers(model, rows)})
