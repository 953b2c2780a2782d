"""Every model declares what it is, of parts that exist; what is not declared is not guessed."""

import ast
import inspect
import warnings

import numpy as np
import pytest
from sklearn.base import is_classifier, is_regressor
from sklearn.linear_model import LogisticRegression as TheirLogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.utils import get_tags

from separatrix import verify
from separatrix.core import registry
from separatrix.core.declaration import LOGISTIC, UNKNOWN, declaration, resolved, unwrap
from separatrix.core.family import DataFacts, families
from separatrix.estimators.verify import NothingToVerify
from separatrix.inference import describe, summary

MODELS = registry.members("estimator")
# What learns from one row or one batch at a time may end before its optimum, and says so.
STOP_EARLY = (
    "Autoencoder",
    "MLPClassifier",
    "MLPRegressor",
    "Perceptron",
    "PerceptronRegressor",
    "SGDClassifier",
    "SGDRegressor",
)
RNG = np.random.default_rng(0)
X = RNG.poisson(2.0, (40, 3)).astype(float)
AMOUNT = X @ [1.0, -1.0, 0.5] + RNG.standard_normal(40)
TWO = (np.median(AMOUNT) < AMOUNT).astype(int)
NOTHING = {name for name, cls in MODELS.items() if isinstance(declaration(cls).verification, str)}


def fitted(cls):
    try:
        model = cls()
    except TypeError:
        model = cls(MODELS["LogisticRegression"]())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(rows_of(cls.__name__), amount_for(model) if declaration(cls).task == "regression" else TWO)


def amount_for(model):
    """AMOUNT, or positive numbers where a model takes no others."""
    return np.exp(0.2 * AMOUNT) if get_tags(model).target_tags.positive_only else AMOUNT


def rows_of(name):
    """What the model is fitted to: zeros and ones, one score for each row where it calibrates, else X."""
    if name in ("IsingModel", "BoltzmannMachine"):
        return (X > 1.0).astype(float)
    return X[:, 0] if name == "LogisticCalibrator" else X


def test_every_part_of_a_declaration_exists():
    for name, cls in MODELS.items():
        known = declaration(cls)
        for part in resolved((*known.losses, *known.penalties, *known.solvers, *known.sums)):
            assert part is not None, name


def test_the_declared_task_is_that_of_scikit_learn():
    for cls in MODELS.values():
        task = declaration(cls).task
        if task != "transformation":
            made = fitted(cls)
            assert (is_regressor(made), is_classifier(made)) == (task == "regression", task == "classification")


def test_a_family_makes_the_model_that_it_declares():
    for task, classes in (("classification", 2), ("regression", 0)):
        for family in families(task):
            model = family.make(DataFacts(100, 3, classes, 50 if classes else 0))
            while type(model) is not family.model:
                model = model.estimator


@pytest.mark.parametrize("name", sorted(set(MODELS) - NOTHING))
def test_every_model_with_something_to_verify_is_verified(name):
    model = fitted(MODELS[name])
    labels = amount_for(model) if declaration(model).task == "regression" else TWO
    certificate = verify(model, rows_of(name), labels)
    loose = name in STOP_EARLY
    assert certificate.converged or loose, certificate


@pytest.mark.parametrize("name", ["GaussianNB", "LinearDiscriminantAnalysis", "QuadraticDiscriminantAnalysis"])
def test_forged_sums_are_not_confirmed(name):
    model = fitted(MODELS[name])
    attribute = "theta_" if name == "GaussianNB" else "means_"
    setattr(model, attribute, getattr(model, attribute) * (1.0 + 1e-9))
    assert not verify(model, X, TWO).converged


def test_rows_that_are_not_those_of_the_data_are_found():
    model = fitted(MODELS["KNeighborsClassifier"])
    assert verify(model, X, TWO).converged
    assert not verify(model, X + 1e-9, TWO).converged


@pytest.mark.parametrize("name", ["Numbers", "NaturalSpline"])
def test_where_there_is_nothing_to_verify_the_reason_is_said(name):
    with pytest.raises(NothingToVerify, match=f"Cannot verify {name}: it"):
        verify(fitted(MODELS[name]), X, AMOUNT)


def test_a_support_vector_machine_with_probabilities_is_no_logistic_regression():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = SVC(kernel="linear", probability=True).fit(X, TWO)
    assert declaration(model) is UNKNOWN
    with pytest.raises(TypeError, match="Cannot summarise SVC: it is not known to be a linear model"):
        summary(model)
    with pytest.raises(TypeError, match="Cannot summarise SVC"):
        summary(model, X, TWO)
    described = describe(model, ["a", "b", "c"], X, TWO)
    assert "odds" not in str(described.as_dict())


def test_their_logistic_regression_is_known_by_its_class():
    model = TheirLogisticRegression().fit(X, TWO)
    assert declaration(model).likelihood == LOGISTIC
    assert "odds ratio" in str(describe(model, ["a", "b", "c"]).as_dict())


def test_one_function_looks_inside_pipelines_searches_and_calibrations():
    plain = MODELS["RidgeClassifier"]()
    calibrated = MODELS["CalibratedLinearClassifier"](make_pipeline(StandardScaler(), plain))
    search = GridSearchCV(calibrated, {"method": ["platt"]}, cv=2)
    whole = make_pipeline(StandardScaler(), search).fit(X, TWO)
    assert type(unwrap(whole)) is MODELS["RidgeClassifier"]
    assert unwrap(plain) is plain


def test_two_estimators_of_one_name_are_refused():
    other = type("Lasso", (), {"__module__": "elsewhere"})
    with pytest.raises(ValueError, match="has an estimator called Lasso already"):
        registry.register("estimator")(other)


def test_a_declaration_does_not_repeat_what_its_base_class_declares():
    for name, cls in MODELS.items():
        inherited = next((known for known in map(declaration, cls.__mro__[1:]) if known is not UNKNOWN), None)
        (node,) = ast.parse(inspect.getsource(cls)).body
        given = {each.arg for call in node.decorator_list for each in getattr(call, "keywords", ())} - {"task"}
        repeated = [each for each in given if inherited and getattr(inherited, each) == getattr(declaration(cls), each)]
        assert not repeated, (name, repeated)
