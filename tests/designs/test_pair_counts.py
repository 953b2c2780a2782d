"""Counts of pairs against the product of all indicators, by every way of counting."""

import numpy as np
import pytest

from separatrix.designs import pair_counts as room
from separatrix.designs.pair_counts import pair_counts, whole_numbers

SIZES = ([2, 2, 2], [2, 3, 4], [1, 2, 5], [9, 12, 3], [1], [4])


@pytest.mark.parametrize("weights", ["none", "whole", "fractions"])
@pytest.mark.parametrize("few", [0.0, 100.0], ids=["loop", "product"])
@pytest.mark.parametrize("sizes", SIZES, ids=str)
def test_every_way_of_counting_gives_the_same_counts(sizes, few, weights, monkeypatch):
    monkeypatch.setattr(room, "FEW_LEVELS", few)
    rng = np.random.default_rng(0)
    sizes = np.array(sizes)
    codes = np.column_stack([rng.integers(0, size, 50) for size in sizes])
    s = {"none": None, "whole": rng.integers(0, 4, 50).astype(float), "fractions": rng.integers(0, 9, 50) / 8.0}[
        weights
    ]
    E = np.hstack([np.eye(size)[codes[:, j]] for j, size in enumerate(sizes)])
    assert (pair_counts(codes, sizes, s) == (E.T * (np.ones(50) if s is None else s)) @ E).all()  # sums of eighths


def test_blocks_and_codes_of_one_byte_change_nothing(monkeypatch):
    rng = np.random.default_rng(1)
    codes, sizes = rng.integers(0, 3, (500, 4)), np.full(4, 3)
    whole = pair_counts(codes, sizes)
    monkeypatch.setattr(room, "row_blocks", lambda n, width, **_: [slice(i, i + 7) for i in range(0, n, 7)])
    for few in (0.0, 100.0):
        monkeypatch.setattr(room, "FEW_LEVELS", few)
        assert (pair_counts(codes.astype(np.uint8), sizes) == whole).all()


def test_fractions_of_weights_leave_no_dust_where_nothing_was_met():
    codes = np.array([[0, 0], [0, 0], [1, 1]])
    counts = pair_counts(codes, np.array([2, 2]), np.array([0.1, 0.2, 0.7]))
    assert counts[0, 3] == counts[1, 2] == 0.0


def test_whole_numbers_are_codes_and_others_are_not():
    codes, met = whole_numbers(np.array([[0.0, 254.0], [3.0, np.nan]], dtype=np.float32))
    assert codes.tolist() == [[0, 254], [3, 255]]
    assert [np.flatnonzero(row).tolist() for row in met] == [[0, 3], [254, 255]]
    for stranger in (-1.0, 0.5, 255.0, np.inf, -np.inf):
        assert whole_numbers(np.array([[0.0], [stranger]])) is None
    assert whole_numbers(np.array([[True], [False]]))[0].tolist() == [[1], [0]]
    assert whole_numbers(np.asfortranarray(np.eye(3)))[0].tolist() == np.eye(3).tolist()


def test_a_table_of_too_many_cells_names_the_widest_column():
    sizes = np.array([2, 100_000])
    with pytest.raises(MemoryError, match=r"10,000,400,004 cells; column 1 alone has 100,000 levels"):
        pair_counts(np.zeros((1, 2), dtype=int), sizes)
