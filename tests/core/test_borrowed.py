"""Loops that do not count the references of their arguments compute the same and leave their arrays alone."""

import gc
import sys
from typing import NamedTuple

import numpy as np
import pytest

from separatrix.core.borrowed import borrowed
from separatrix.core.jit import compiled, load, part_in_place


class Pair(NamedTuple):
    numbers: np.ndarray
    factor: float


@part_in_place
def scale(numbers, factor, i):
    numbers[i] *= factor


@compiled
def scale_all(pair, other):
    pair, other = borrowed(pair), borrowed(other)
    for i in range(pair.numbers.shape[0]):
        scale(pair.numbers, pair.factor, i)
        scale(other if i % 2 else pair.numbers, 2.0, i)


@pytest.mark.parametrize("loop", [scale_all, scale_all.py_func], ids=["compiled", "plain"])
def test_a_borrowed_array_is_the_array_and_is_nobody_elses(loop):
    load()
    pair, other = Pair(np.arange(6.0), 3.0), np.ones(6)
    before = sys.getrefcount(pair.numbers), sys.getrefcount(other)
    for _ in range(3):
        loop(pair, other)
    gc.collect()
    assert (sys.getrefcount(pair.numbers), sys.getrefcount(other)) == before
    assert pair.numbers.tolist() == [0.0, 27.0, 2.0 * 216.0, 81.0, 4.0 * 216.0, 135.0]
    assert other.tolist() == [1.0, 8.0, 1.0, 8.0, 1.0, 8.0]
