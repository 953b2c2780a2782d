"""The scripts of the gallery on discriminants compute what their pages say."""

import numpy as np
import pytest
from numpy.testing import assert_allclose


@pytest.fixture(scope="module")
def vowel(gallery):
    try:
        return gallery("vowel").compute()
    except FileNotFoundError as absent:
        pytest.skip(str(absent))


@pytest.mark.mission("EX-13", "DA-05")
def test_the_vowel_table_is_the_golden_one(vowel):
    """G082."""
    assert_allclose(vowel["errors"]["linear regression"], [0.4772727273, 0.6666666667], atol=1e-9)
    assert_allclose(vowel["errors"]["linear discriminant analysis"], [0.3162878788, 0.5562770563], atol=1e-9)
    assert_allclose(vowel["errors"]["quadratic discriminant analysis"], [0.0113636364, 0.5281385281], atol=1e-9)
    assert_allclose(vowel["errors"]["logistic regression"], [0.2234848485, 0.512987013], atol=1e-9)


@pytest.mark.mission("EX-13", "DA-11")
def test_two_variates_are_best_for_other_speakers_and_ten_are_the_whole_model(vowel):
    unseen = [errors[1] for errors in vowel["by_rank"].values()]
    assert np.argmin(unseen) == 1 and round(unseen[1], 3) == 0.491
    assert vowel["by_rank"][10] == vowel["errors"]["linear discriminant analysis"]


@pytest.mark.mission("EX-13", "DA-06")
def test_between_linear_and_quadratic_other_speakers_are_best_understood(vowel):
    known, unseen = vowel["by_alpha"]
    assert_allclose([known[0], unseen[0]], vowel["errors"]["linear discriminant analysis"], atol=1e-12)
    assert_allclose([known[-1], unseen[-1]], vowel["errors"]["quadratic discriminant analysis"], atol=1e-12)
    assert round(unseen.min(), 3) == 0.452
    assert 0.87 < np.argmin(unseen) / 50 < 0.93


@pytest.mark.mission("EX-13", "PR-06")
def test_the_two_variates_shown_have_the_identity_within_classes(vowel):
    centred = vowel["variates"] - vowel["means"][vowel["y"] - 1]
    assert_allclose(centred.T @ centred / (528 - 11), np.eye(2), atol=1e-10)


@pytest.fixture(scope="module")
def classes(gallery):
    return gallery("gaussian_classes")


@pytest.mark.mission("EX-22")
def test_on_a_line_the_threshold_nears_that_of_the_bayes_rule(classes):
    found = classes.compute()
    assert abs(found["threshold"]) < 0.5
    assert abs(found["threshold_of_many"]) < 0.03
    assert found["line_rate"] == pytest.approx(0.10564977, abs=1e-8)  # the normal distribution at -1.25


@pytest.mark.mission("EX-22")
def test_in_the_plane_the_boundaries_are_recovered(classes):
    found = classes.compute()
    for (a, b), (normal, offset) in classes.true_boundaries().items():
        fitted = found["of_many"].boundary(a, b)
        cosine = fitted.normal @ normal / np.linalg.norm(fitted.normal) / np.linalg.norm(normal)
        assert cosine > 0.999
        assert_allclose(fitted.offset / np.linalg.norm(fitted.normal), offset / np.linalg.norm(normal), atol=0.03)
    for errors in found["errors"].values():
        assert errors < found["bayes_error"] + 0.02
