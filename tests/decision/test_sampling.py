"""Balanced sampling and its undoing: DEC-08."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.linear_model import LogisticRegression

from separatrix.decision import balanced_sample, shift_priors


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(1)
    y = np.array([0] * 50 + [1] * 7 + [2] * 20)
    return rng.standard_normal((77, 3)), rng.permutation(y)


@pytest.mark.mission("DEC-08")
def test_over_sampling_brings_every_class_to_the_size_of_the_largest_and_forgets_no_row(data):
    X, y = data
    sample = balanced_sample(X, y, random_state=0)
    assert np.bincount(sample.y).tolist() == [50, 50, 50]
    times = np.bincount(sample.indices, minlength=77)
    for c, fraction in zip(sample.classes, sample.fractions):
        own = times[y == c]
        assert own.mean() == pytest.approx(fraction, rel=1e-15)
        assert own.max() - own.min() <= 1, "no row is repeated twice more often than another of its class"
    assert times.min() >= 1
    assert_array_equal(sample.X, X[sample.indices])


@pytest.mark.mission("DEC-08")
def test_under_sampling_brings_every_class_to_the_size_of_the_smallest_without_repeating_a_row(data):
    X, y = data
    sample = balanced_sample(X, y, strategy="under", random_state=0)
    assert np.bincount(sample.y).tolist() == [7, 7, 7]
    assert len(set(sample.indices.tolist())) == 21
    assert_allclose(sample.fractions, [7 / 50, 1.0, 7 / 20], rtol=1e-15)


@pytest.mark.mission("DEC-08", "DEC-09")
def test_the_fractions_are_kept_and_undo_the_sampling(data):
    """G060: one in a thousand; 90 % after balancing is 0.89 % in truth."""
    y = np.array([0] + [1] * 999)
    sample = balanced_sample(np.zeros((1000, 1)), y, random_state=0)
    assert sample.original_priors.tolist() == [0.001, 0.999]
    assert sample.sampled_priors.tolist() == [0.5, 0.5]
    assert sample.fractions.tolist() == [999.0, 1.0]
    expected = [[0.008928571428571428, 0.9910714285714286]]
    assert_allclose(sample.compensate([[0.9, 0.1]]), expected, rtol=1e-9)
    assert_array_equal(sample.compensate([[0.9, 0.1]]), shift_priors([[0.9, 0.1]], [0.5, 0.5], [0.001, 0.999]))
    assert np.mean(y == 1) == 0.999, "the accuracy of calling everyone well"


@pytest.mark.mission("DEC-08")
def test_a_model_of_the_balanced_sample_is_calibrated_again_after_compensation():
    rng = np.random.default_rng(5)
    y = (rng.random(20_000) < 0.03).astype(int)
    X = rng.standard_normal((20_000, 2)) + 1.2 * y[:, None]
    sample = balanced_sample(X, y, random_state=0)
    model = LogisticRegression(C=np.inf).fit(sample.X, sample.y)
    raw = model.predict_proba(X)
    assert raw[:, 1].mean() > 0.15, "the balanced model overrates the rare class"
    assert sample.compensate(raw)[:, 1].mean() == pytest.approx(y.mean(), rel=0.05)
    assert np.mean(raw.argmax(axis=1)[y == 1]) > 0.7, "and finds most of it"


@pytest.mark.parametrize("strategy", ["over", "under"])
def test_the_same_seed_draws_the_same_rows(data, strategy):
    first, second, third = (balanced_sample(*data, strategy=strategy, random_state=s).indices for s in (3, 3, 4))
    assert_array_equal(first, second)
    assert (first != third).any()


@pytest.mark.parametrize(
    "hold",
    [pd.DataFrame, pl.DataFrame, lambda X: pa.table({f"x{j}": X[:, j] for j in range(3)})],
    ids=["pandas", "polars", "arrow"],
)
def test_a_frame_comes_back_as_a_frame(data, hold):
    X, y = data
    held = hold(X)
    sample = balanced_sample(held, y, random_state=0)
    assert type(sample.X) is type(held)
    assert_array_equal(np.asarray(sample.X), X[sample.indices])


@pytest.mark.parametrize("storage", ["csr", "csc", "coo", "lil"])
def test_a_sparse_array_stays_sparse(data, storage):
    X, y = data
    sample = balanced_sample(sp.csr_array(X).asformat(storage), y, random_state=0)
    assert sp.issparse(sample.X)
    assert_array_equal(sample.X.toarray(), X[sample.indices])


def test_series_and_lists_of_labels_come_back_with_their_rows(data):
    X, y = data
    shifted = pd.Series(y, index=np.arange(100, 177))
    sample = balanced_sample(X, shifted, random_state=0)
    assert isinstance(sample.y, pd.Series)
    assert_array_equal(sample.y.to_numpy(), y[sample.indices])
    assert isinstance(balanced_sample(X, pl.Series(y), random_state=0).y, pl.Series)
    assert_array_equal(balanced_sample(X.tolist(), y.tolist(), random_state=0).y, y[sample.indices])


@pytest.mark.parametrize(
    "change, said",
    [
        ({"strategy": "both"}, "not one of 'over', 'under'"),
        ({"y": np.zeros(77)}, "at least two classes"),
        ({"y": np.zeros(5)}, "there are 77 rows"),
        ({"y": np.zeros((77, 2))}, r"y of shape \(77, 2\)"),
    ],
)
def test_what_cannot_be_balanced_is_refused(data, change, said):
    X, y = data
    with pytest.raises(ValueError, match=said):
        balanced_sample(X, change.pop("y", y), **change)
