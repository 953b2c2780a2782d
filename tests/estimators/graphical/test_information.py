"""Entropy, divergence and mutual information against exact numbers, mpmath, scipy and scikit-learn."""

import json
from itertools import combinations
from pathlib import Path

import mpmath
import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import entropy as scipy_entropy
from sklearn.metrics import mutual_info_score

from separatrix.graphical import entropy, kl_divergence, mutual_information

GOLDEN = Path(__file__).resolve().parents[4] / "shared" / "golden" / "golden.json"
EPS = np.finfo(np.float64).eps
JOINT = np.array([20, 4, 6, 10, 3, 12, 5, 40.0]).reshape(2, 2, 2) / 100.0


def golden(name):
    if not GOLDEN.exists():
        pytest.skip("the worked numbers are not here")
    return next(e for e in json.loads(GOLDEN.read_text(encoding="utf-8"))["entries"] if e["id"] == name)["correct"]


def exact_entropy(P):
    with mpmath.workdps(40):
        return float(-mpmath.fsum(mpmath.mpf(p) * mpmath.log(p) for p in P.ravel() if p > 0))


@pytest.mark.mission("GM-02", "GM-03")
def test_entropies_and_informations_are_the_worked_ones():
    correct = golden("G089")
    margins = [JOINT.sum(axis=tuple({0, 1, 2} - {j})) for j in range(3)]
    assert_allclose([entropy(P) for P in margins], correct["entropies"], rtol=1e-9)
    assert_allclose(entropy(JOINT), correct["joint_entropy"], rtol=1e-9)
    for pair in combinations(range(3), 2):
        (third,) = {0, 1, 2} - {*pair}
        assert_allclose(mutual_information(JOINT.sum(axis=third)), correct["mutual_information"][str(pair)], rtol=1e-9)


@pytest.mark.mission("GM-02")
def test_entropy_is_that_of_forty_digits():
    P = np.random.default_rng(0).dirichlet(np.full(60, 0.3)).reshape(3, 4, 5)
    # each of 60 terms is rounded three times, relative to itself, and all terms have one sign; so is their sum
    assert_allclose(entropy(P), exact_entropy(P), rtol=70 * EPS)
    assert_allclose(entropy(P, unit="bits"), scipy_entropy(P.ravel(), base=2), rtol=70 * EPS)


@pytest.mark.mission("GM-01")
def test_a_divergence_is_zero_only_for_equal_distributions():
    rng = np.random.default_rng(1)
    P, Q = rng.dirichlet(np.ones(8), 2)
    assert kl_divergence(P, P) == 0.0
    assert_allclose(kl_divergence(P, Q), scipy_entropy(P, Q), rtol=1e-12)
    assert kl_divergence(P, Q) > 0.0 and kl_divergence(P, Q) != pytest.approx(kl_divergence(Q, P))


@pytest.mark.mission("GM-01")
def test_a_divergence_is_infinite_where_q_excludes_what_p_does_not():
    assert kl_divergence([0.5, 0.5], [1.0, 0.0]) == np.inf
    assert_allclose(kl_divergence([1.0, 0.0], [0.5, 0.5], unit="bits"), 1.0, rtol=4 * EPS)


@pytest.mark.mission("GM-03")
def test_information_is_the_divergence_from_independence_and_symmetric():
    P = np.random.default_rng(2).dirichlet(np.ones(12)).reshape(3, 4)
    independent = np.outer(P.sum(axis=1), P.sum(axis=0))
    assert_allclose(mutual_information(P), kl_divergence(P, independent), atol=20 * EPS)
    assert_allclose(mutual_information(P), mutual_information(P.T), atol=20 * EPS)
    assert_allclose(mutual_information(P), entropy(P.sum(axis=0)) + entropy(P.sum(axis=1)) - entropy(P), atol=40 * EPS)


@pytest.mark.mission("GM-03")
def test_samples_give_what_their_table_gives():
    rng = np.random.default_rng(3)
    x = rng.integers(0, 3, 200)
    y = np.where(rng.random(200) < 0.6, x, rng.integers(0, 3, 200))
    assert_allclose(mutual_information(samples=(x, y)), mutual_info_score(x, y), rtol=1e-12)
    words = np.array(["low", "mid", "high"], dtype=object)[y]
    assert_allclose(mutual_information(samples=(x, words)), mutual_info_score(x, y), rtol=1e-12)
    s = rng.integers(0, 4, 200)
    weighted, repeated = ((x, y), s), ((np.repeat(x, s), np.repeat(y, s)), None)
    for function in (mutual_information, entropy):
        one, other = (function(samples=pair, sample_weight=w) for pair, w in (weighted, repeated))
        assert_allclose(one, other, rtol=1e-13)
    assert_allclose(kl_divergence(samples=(x, x)), 0.0)
    assert kl_divergence(samples=([0, 1], [0, 0])) == np.inf
    assert_allclose(kl_divergence(samples=(["a", "a"], ["a", "b"]), unit="bits"), 1.0)


def test_one_and_the_word_one_are_two_values():
    assert_allclose(entropy(samples=np.array([1, "1"], dtype=object), unit="bits"), 1.0)


@pytest.mark.parametrize(
    "task, message",
    [
        (lambda: entropy([0.5, 0.6]), r"sum to 1.1, not to 1. Use table / table.sum\(\)"),
        (lambda: entropy([1.5, -0.5]), r"the value -0.5 in the cell \(1,\)"),
        (lambda: entropy([[0.5, np.nan]]), r"the value nan in the cell \(0, 1\)"),
        (lambda: entropy([]), "it has no cells"),
        (lambda: entropy(["a"]), "not all of its cells are numbers"),
        (lambda: entropy(), "either of a table, or of samples"),
        (lambda: entropy([1.0], sample_weight=[1.0]), "either of a table, or of samples"),
        (lambda: entropy([1.0], unit="bans"), "no unit of information"),
        (lambda: entropy(samples=["a", None]), "row 1 has none"),
        (lambda: entropy(samples=[1.0, np.nan]), "row 1 has none"),
        (lambda: entropy(samples=([1, 2], [1])), "columns of one length"),
        (lambda: entropy(samples=[1], sample_weight=[-1.0]), "Negative weights"),
        (lambda: mutual_information([0.5, 0.5]), "between two variables"),
        (lambda: kl_divergence([1.0]), "neither by P and Q nor by samples"),
        (lambda: kl_divergence([1.0], [0.5, 0.5]), "tables of one shape"),
    ],
)
def test_what_cannot_be_measured_is_refused(task, message):
    with pytest.raises(ValueError, match=message):
        task()


def test_a_table_of_more_cells_than_memory_is_refused_before_it_is_made():
    column = np.arange(2000)
    with pytest.raises(MemoryError, match="of 8,000,000,000 cells"):
        entropy(samples=(column, column, column))
