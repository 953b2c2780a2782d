"""Two numbers raised at once are the same sums as one after the other."""

import numpy as np
from numpy.testing import assert_array_equal

from separatrix.core.jit import compiled, load
from separatrix.core.pair_sum import add_pair


@compiled
def sum_pairs(places, pairs, out):
    for i in range(places.shape[0]):
        add_pair(out, places[i], pairs[i, 0], pairs[i, 1])


def test_compiled_pairs_are_the_sums_of_numpy_also_where_they_overlap():
    load()
    rng = np.random.default_rng(0)
    places, pairs = rng.integers(0, 9, 1000), rng.integers(-(1 << 40), 1 << 40, (1000, 2))
    out, plain, expected = (np.zeros(10, np.int64) for _ in range(3))
    sum_pairs(places, pairs, out)
    sum_pairs.py_func(places, pairs, plain)
    np.add.at(expected, places, pairs[:, 0])
    np.add.at(expected, places + 1, pairs[:, 1])
    assert_array_equal(out, expected)
    assert_array_equal(plain, expected)
