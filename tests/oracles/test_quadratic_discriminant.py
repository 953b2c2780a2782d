"""R's MASS::qda on iris and vowels (numbers and script beside this file)."""

import json
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_iris

from separatrix.discriminant_analysis import QuadraticDiscriminantAnalysis

ORACLE = json.loads((Path(__file__).parent / "quadratic_discriminant.json").read_text())
VOWELS = Path(__file__).resolve().parents[3] / "shared" / "data" / "esl"


def same(model, X, name):
    theirs = ORACLE[name]
    assert_array_equal(np.searchsorted(model.classes_, model.predict(X)) + 1, theirs["classes"])
    wanted = np.array(theirs["posterior"])
    found = model.predict_proba(X[:: theirs["every"]])
    # R subtracts logarithms of the size of the distances before it exponentiates, which costs some of its digits
    assert_allclose(found, wanted, rtol=1e-8, atol=1e-12)


@pytest.mark.mission("DA-04")
@pytest.mark.parametrize(
    "name, options",
    [
        ("iris N-K", {"denominator": "N-K"}),
        ("iris N", {}),
        ("iris priors", {"denominator": "N-K", "priors": [0.2, 0.3, 0.5]}),
    ],
)
def test_posteriors_of_iris_are_those_of_mass(name, options):
    X, y = load_iris(return_X_y=True)
    same(QuadraticDiscriminantAnalysis(**options).fit(X, y), X, name)


@pytest.mark.mission("DA-04")
@pytest.mark.skipif(not VOWELS.is_dir(), reason="the vowel data are not in the repository")
@pytest.mark.parametrize("denominator", ["N", "N-K"])
def test_posteriors_of_vowels_are_those_of_mass(denominator):
    train, test = (np.loadtxt(VOWELS / f"vowel.{part}.csv", delimiter=",", skiprows=1) for part in ("train", "test"))
    model = QuadraticDiscriminantAnalysis(denominator=denominator).fit(train[:, 1:], train[:, 0])
    same(model, test[:, 1:], f"vowel {denominator}")
