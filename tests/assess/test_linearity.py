"""Two letters for every model: is it linear, is its boundary; and how far a neighbourhood reaches."""

import inspect

import numpy as np
import pytest
from sklearn.base import is_classifier, is_regressor
from sklearn.pipeline import make_pipeline

from separatrix import assess
from separatrix.core import registry
from separatrix.discriminant_analysis import (
    DiagonalLinearDiscriminantAnalysis,
    FisherDiscriminant,
    LinearDiscriminantAnalysis,
    QuadraticDiscriminantAnalysis,
)
from separatrix.kernel_ridge import KernelRidge, KernelRidgeCV
from separatrix.linear_model import (
    GammaRegressor,
    LeastSquaresClassifier,
    LinearRegression,
    LogisticRegression,
    PoissonRegressor,
)
from separatrix.naive_bayes import BernoulliNB, GaussianNB, MultinomialNB
from separatrix.neighbors import KNeighborsClassifier
from separatrix.preprocessing import PolynomialFeatures

# ------------------------------------------------------------------ the curse of dimensionality


@pytest.mark.mission("EV-17")
def test_edges_are_the_golden_ones():
    """G037: 63 % of the range for a hundredth of the data in ten dimensions."""
    found = assess.edge_length([0.01, 0.1, 0.01, 0.01], [10, 10, 1, 2])
    np.testing.assert_allclose(found, [0.6309573444801932, 0.7943282347242815, 0.01, 0.1], rtol=1e-12)


@pytest.mark.mission("EV-17")
def test_a_cube_of_that_edge_holds_that_share_of_uniform_points():
    X = np.random.default_rng(0).uniform(size=(200_000, 6))
    inside = (assess.edge_length(0.05, 6) > X).all(axis=1).mean()
    assert abs(inside - 0.05) < 3.0 * np.sqrt(0.05 * 0.95 / 200_000)


def test_shares_and_dimensions_have_bounds():
    with pytest.raises(ValueError, match=r"share=1\.5"):
        assess.edge_length(1.5, 2)
    with pytest.raises(ValueError, match="dimensions=0"):
        assess.edge_length(0.5, 0)


# ------------------------------------------------------------------ L and N


@pytest.fixture(scope="module")
def classes():
    """Two overlapping clouds of different shape and size, and points around them; all coordinates positive."""
    rng = np.random.default_rng(1)
    y = np.arange(240) % 2
    X = rng.standard_normal((240, 2)) * np.where(y[:, None] == 1, [0.6, 1.4], [1.3, 0.8]) + 1.2 * y[:, None]
    points = rng.uniform(-4.0, 4.0, (1500, 2))
    return X + 6.0, y, points + 6.6


@pytest.fixture(scope="module")
def words():
    rng = np.random.default_rng(2)
    y = np.arange(200) % 2
    X = (rng.uniform(size=(200, 6)) < np.where(y[:, None] == 1, [0.8, 0.6, 0.3, 0.5, 0.2, 0.7], 0.4)).astype(float)
    return X, y, np.array(np.meshgrid(*[[0.0, 1.0]] * 6)).reshape(6, -1).T


NOTES = {
    "indicator regression": (LeastSquaresClassifier(), "LL"),
    "LDA (Fisher)": (FisherDiscriminant(), "LL"),
    "logistic regression": (LogisticRegression(), "NL"),
    "k-nearest neighbors": (KNeighborsClassifier(7), "NN"),
    "GDA": (LinearDiscriminantAnalysis(), "NL"),
    "QDA": (QuadraticDiscriminantAnalysis(), "NN"),
    "Gaussian naive Bayes": (GaussianNB(), "NN"),
    "DLDA": (DiagonalLinearDiscriminantAnalysis(), "NL"),
}


@pytest.mark.mission("EV-24")
@pytest.mark.parametrize("name", NOTES)
def test_the_letters_of_the_notes_are_found_from_what_the_models_say(name, classes):
    """G053."""
    model, letters = NOTES[name]
    X, y, points = classes
    assert assess.linearity(model.fit(X, y), points).letters == letters


@pytest.mark.mission("EV-24")
def test_regression_is_linear_and_with_basis_functions_linear_in_its_weights_only(classes):
    """G053: LL and LN."""
    X, _, points = classes
    y = X[:, 0] + X[:, 1] ** 2
    assert assess.linearity(LinearRegression().fit(X, y), points).letters == "LL"
    curved = make_pipeline(PolynomialFeatures(2), LinearRegression(fit_intercept=False)).fit(X, y)
    assert assess.linearity(curved, points).letters == "LN"


@pytest.mark.mission("EV-24")
@pytest.mark.parametrize("model", [BernoulliNB(), MultinomialNB()], ids=str)
def test_discrete_naive_bayes_divides_words_by_a_hyperplane(model, words):
    """G053: NL, on all 64 possible texts."""
    X, y, texts = words
    assert assess.linearity(model.fit(X, y), texts).letters == "NL"


# what has no letters of its own: needs another kind of X or y, or another model inside
OTHERWISE = {"ChowLiuClassifier", "CategoricalNB", "BernoulliNB", "MultinomialNB", "MixedNB", "LogisticCalibrator"}


def made_alone(kind):
    """The estimators of the registry that are of a kind and can be made without another model."""
    found = [cls for name, cls in registry.members("estimator").items() if name not in OTHERWISE]
    alone = [cls for cls in found if not _missing(cls)]
    return [cls for cls in alone if kind(cls())]


def _missing(cls):
    wanted = list(inspect.signature(cls.__init__).parameters.values())[1:]
    return [p for p in wanted if p.default is p.empty and p.kind is p.POSITIONAL_OR_KEYWORD]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.mission("EV-24")
@pytest.mark.parametrize("cls", made_alone(is_classifier), ids=lambda cls: cls.__name__)
def test_every_classifier_of_the_registry_has_the_boundary_that_its_kind_promises(cls, classes):
    """What publishes one row of coefficients has a linear boundary, and what does not has not."""
    X, y, points = classes
    model = cls().fit(X, y)
    if len(np.unique(model.predict(points))) < 2:
        pytest.skip("a constant answer has no boundary")
    found = assess.linearity(model, points[:600])
    assert found.boundary == hasattr(model, "coef_")
    assert found.model == (found.boundary and not hasattr(model, "predict_proba"))


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning", "ignore::UserWarning")
@pytest.mark.mission("EV-24")
@pytest.mark.parametrize("cls", made_alone(is_regressor), ids=lambda cls: cls.__name__)
def test_every_regressor_of_the_registry_is_linear_if_it_publishes_coefficients(cls, classes):
    X, _, points = classes
    model = cls().fit(X[:100], np.sin(X[:100, 0]) + X[:100, 1] ** 2)
    inside = points[(np.abs(points - X.mean(axis=0)) < 1.0).all(axis=1)][:60]
    found = assess.linearity(model, inside)
    constant = np.ptp(model.predict(inside)) == 0.0  # linear, though there is no coefficient to publish
    linked = cls in (PoissonRegressor, GammaRegressor)  # by default the logarithm of their mean is linear
    of_linear_kernel = cls in (KernelRidge, KernelRidgeCV)  # by default, and they publish coefficients of rows
    linear = (hasattr(model, "coef_") and not linked) or constant or of_linear_kernel
    assert found.letters == ("LL" if linear else "NN")


def test_points_on_one_side_say_nothing_about_a_boundary(classes):
    X, y, _ = classes
    with pytest.raises(ValueError, match="points on both sides"):
        assess.linearity(LogisticRegression().fit(X, y), np.full((3, 2), 6.0))
