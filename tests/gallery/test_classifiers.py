"""The scripts of the gallery that classify compute what their pages say."""

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression as Reference


@pytest.fixture(scope="module")
def far(gallery):
    return gallery("far_cluster").compute()


@pytest.mark.mission("EX-07", "LS-21", "LG-20")
def test_without_the_far_cluster_both_separate(far):
    assert far["least squares"]["errors_before"] == far["logistic"]["errors_before"] == 0


@pytest.mark.mission("EX-07", "LS-21", "LG-20")
def test_a_far_cluster_makes_least_squares_err_and_not_logistic_regression(far):
    assert far["least squares"]["errors"] > 0
    assert far["logistic"]["errors"] == 0
    assert far["least squares"]["turned"] > 3.0 * far["logistic"]["turned"]


@pytest.mark.mission("EX-07", "LS-20")
def test_six_points_have_the_golden_weights_and_errors(far):
    """G029."""
    six = far["six points"]
    np.testing.assert_allclose(six["weights"], [0.03523067705, -0.2172558418], atol=1e-8)
    assert (six["least squares"], six["logistic"]) == (2, 0)


@pytest.fixture(scope="module")
def iris(gallery):
    return gallery("iris_two_classes").compute()


@pytest.mark.mission("EX-08", "LG-20")
def test_two_species_are_told_apart_by_both_without_an_error(iris):
    assert iris["logistic"] == iris["perceptron"] == 1.0
    assert iris["petal errors"] == {"logistic": 0, "perceptron": 0}


@pytest.mark.mission("EX-08", "LG-20")
def test_three_species_need_three_machines_and_keep_a_few_errors(iris):
    assert iris["machines"] == 3
    assert 0.93 < iris["three"] < 1.0


@pytest.mark.mission("EX-08", "LG-20")
def test_the_boundary_in_the_plane_of_petals_is_the_most_likely_one(iris):
    X, y = load_iris(return_X_y=True)
    theirs = Reference(tol=1e-10, max_iter=10_000).fit(X[:100, 2:], y[:100])
    ours = iris["models"]["logistic"]
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-4)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, rtol=1e-4)
