"""Labels become codes, in the same way whether they are sorted or counted."""

import numpy as np
import pytest

from separatrix.estimators.labels import MANY_LABELS, encode


class Anyone:
    """Something that learns classes."""


@pytest.mark.parametrize("n", [50, MANY_LABELS + 1])
@pytest.mark.parametrize("dtype", [np.int64, np.int8, np.uint64, np.uint8, bool, float, str])
def test_codes_are_places_among_the_sorted_classes(dtype, n):
    y = np.random.default_rng(0).choice([0, 7, 3, 101], n).astype(dtype)
    someone = Anyone()
    codes = encode(someone, y, reset=True)
    classes, places = np.unique(y, return_inverse=True)
    np.testing.assert_array_equal(someone.classes_, classes)
    assert someone.classes_.dtype == classes.dtype
    np.testing.assert_array_equal(codes, places)


def test_negative_labels_far_from_zero_and_far_apart():
    for labels in ([-128, 127, -5], [10**12, 10**12 + 3], [0, 10**15]):
        y = np.random.default_rng(1).choice(labels, MANY_LABELS + 5)
        y = y.astype(np.int8) if -128 in labels else y
        someone = Anyone()
        codes = encode(someone, y, reset=True)
        np.testing.assert_array_equal(someone.classes_[codes], y)
        assert someone.classes_.tolist() == sorted(labels)
