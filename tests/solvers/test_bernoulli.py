"""Random words held against the known answers of Random123, and draws against their probabilities."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from separatrix.solvers.compiled.bernoulli import BLOCK, draw_in_place, draw_units, two_words

# From kat_vectors of Random123, philox2x32 with 10 rounds: counter, key, words.
KNOWN = [
    (0x00000000, 0x00000000, 0x00000000, 0xFF1DAE59, 0x6CD10DF2),
    (0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0x2C3F628B, 0xAB4FD7AD),
    (0x243F6A88, 0x85A308D3, 0x13198A2E, 0xDD7CE038, 0xF62A4C12),
]


@pytest.mark.parametrize("low, high, key, first, second", KNOWN)
def test_words_are_those_of_philox(low, high, key, first, second):
    assert two_words(np.uint64(low), np.uint64(high), np.uint64(key)) == (first, second)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_draws_are_the_words_held_against_the_probabilities(dtype):
    n = 2 * BLOCK + 5  # the last block is short, and odd
    odds = np.exp(np.random.default_rng(0).standard_normal(n)).astype(dtype)
    p, drawn, alone = odds.copy(), np.empty_like(odds), odds.copy()
    work = np.empty(BLOCK, np.uint32)
    draw_units(7, 9, p, drawn, work)
    draw_in_place(7, 9, alone, work)
    assert_allclose(p, 1 / (1 + odds), rtol=4 * np.finfo(dtype).eps)
    u = np.empty(n)
    for start in range(0, n, BLOCK):
        half = (min(BLOCK, n - start) + 1) // 2
        pairs = [two_words(np.uint64(start // 2 + i), np.uint64(9), np.uint64(7)) for i in range(half)]
        words = np.array(pairs, dtype=np.uint64).T.ravel()
        u[start : start + BLOCK] = (words >> np.uint64(8))[: min(BLOCK, n - start)] * 2.0**-24
    assert_array_equal(drawn, u < p)
    clear = np.abs(u - p) > 1e-6  # the second loop multiplies where the first divides
    assert_array_equal(alone[clear], drawn[clear])


def test_calls_and_keys_draw_anew_and_shares_are_the_probabilities():
    n, work = 200_000, np.empty(BLOCK, np.uint32)
    draws = []
    for key, call in ((1, 0), (1, 1), (2, 0)):
        out = np.full(n, 3.0)  # the probability 1/4
        draw_in_place(key, call, out, work)
        draws.append(out)
    deviation = np.sqrt(3 / 16 / n)
    assert_allclose([out.mean() for out in draws], 0.25, atol=5 * deviation)
    assert np.abs(np.corrcoef(draws) - np.eye(3)).max() < 5 / np.sqrt(n)


def test_certain_units_are_certain():
    work, odds = np.empty(BLOCK, np.uint32), np.array([0.0, np.inf, 0.0, np.inf])
    drawn = np.empty(4)
    draw_units(0, 0, odds, drawn, work)
    assert_array_equal([odds, drawn], [[1, 0, 1, 0]] * 2)
