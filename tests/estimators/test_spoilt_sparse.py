"""A sparse X whose positions point outside of it is refused before anything is read there."""

import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse as sp

from separatrix.designs.sparse import refuse_positions_outside

# In a process of its own: without the check it may not survive.
USE = """
import numpy as np, scipy.sparse as sp
from separatrix.linear_model import {name} as Model
spoilt = sp.csr_matrix((np.ones(60), np.full(60, {position}), np.arange(61)), shape=(60, 3))
right = sp.csr_matrix(np.random.default_rng(0).standard_normal((60, 3)))
y = np.arange(60) % 2
for use in (lambda: Model().fit(spoilt, y), lambda: Model().fit(right, y).predict(spoilt)):
    try:
        use()
    except ValueError as error:
        print(error)
"""


@pytest.mark.parametrize("position", [7, 100_000_000, -5])
@pytest.mark.parametrize("name", ["LinearRegression", "Lasso", "LogisticRegression"])
def test_fits_and_predictions_refuse_it(name, position):
    program = USE.format(name=name, position=position)
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", program], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("point outside of it") == 2, done.stdout


def _changed(format, **arrays):
    X = sp.random_array((6, 4), density=0.5, format=format, rng=np.random.default_rng(0))
    for name, value in arrays.items():
        setattr(X, name, np.asarray(value))
    return X


@pytest.mark.parametrize("format", ["csr", "csc"])
def test_every_way_to_point_outside_is_seen(format):
    right = _changed(format)
    refuse_positions_outside(right)
    outer, stored = len(right.indptr) - 1, right.nnz
    falling = right.indptr.copy()
    falling[1], falling[2] = stored, 0
    spoilt = [
        _changed(format, indptr=falling),
        _changed(format, indptr=right.indptr + 1),
        _changed(format, indptr=np.append(right.indptr[:-1], stored + 9)),
        _changed(format, indptr=right.indptr[:outer]),
        _changed(format, indices=right.indices + 6),
        _changed(format, indices=right.indices - 6),
        _changed(format, data=right.data[:-1]),
    ]
    for X in spoilt:
        with pytest.raises(ValueError, match="point outside of it"):
            refuse_positions_outside(X)


def test_empty_arrays_and_unused_room_are_fine():
    for shape in [(0, 3), (3, 0), (4, 4)]:
        refuse_positions_outside(sp.csr_array(shape))
    X = sp.csr_array((np.ones(5), np.array([0, 1, 99, 99, 99]), np.array([0, 1, 2])), shape=(2, 2))
    refuse_positions_outside(X)  # what lies beyond the last row is not read
