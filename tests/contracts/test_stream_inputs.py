"""What a stream is given: names of columns, labels, weights and files are checked, and refused in plain words."""

import os
import warnings

import numpy as np
import pandas as pd
import pytest
import sklearn.linear_model
from numpy.testing import assert_allclose
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from separatrix.decomposition import PCA
from separatrix.designs import MemoryMappedDesign, ParquetDesign
from separatrix.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from separatrix.estimators.verify import verify
from separatrix.linear_model import Lasso, LinearRegression, LogisticRegression, Ridge
from separatrix.naive_bayes import GaussianNB
from separatrix.neighbors import KNeighborsClassifier
from separatrix.preprocessing import PolynomialFeatures


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.standard_normal((60, 2)), columns=["x", "z"])
    table["y"] = table.x - table.z + rng.standard_normal(60)
    return table.assign(word=np.where(table.y > 0.0, "yes", "no"), w=rng.integers(0, 4, 60).astype(float))


@pytest.fixture
def design(table, tmp_path):
    """A design over the table, or over another in its place."""

    def make(columns=("x", "z"), rows=table):
        rows.to_parquet(tmp_path / "table.parquet")
        return ParquetDesign(tmp_path / "table.parquet", columns=columns, block_rows=7)

    return make


def test_columns_of_other_names_or_in_another_order_are_refused(table, design):
    on_stream = LinearRegression().fit(design(), "y")
    on_frame = LinearRegression().fit(table[["x", "z"]], table.y)
    for model in (on_stream, on_frame):
        for names in (["z", "x"], ["x", "w"]):
            with pytest.raises(ValueError, match=r"was fitted to \['x', 'z'\]"):
                model.predict(design(names))
        with pytest.raises(ValueError, match=r"was fitted to \['x', 'z'\]"):
            verify(model, design(["z", "x"]), "y")
        assert_allclose(model.predict(design()), model.predict(table[["x", "z"]]), rtol=1e-13)


MODELS = [LogisticRegression(), LinearDiscriminantAnalysis(), QuadraticDiscriminantAnalysis(), GaussianNB()]


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_labels_that_are_words_may_have_weights(model, table, design, tmp_path):
    np.save(tmp_path / "X.npy", table[["x", "z"]])
    X = MemoryMappedDesign(tmp_path / "X.npy")
    wanted = model.fit(table[["x", "z"]].to_numpy(), table.word, table.w).predict(table[["x", "z"]].to_numpy())
    for rows, *given in ((design(), "word", "w"), (design(), table.word, table.w), (X, table.word, table.w)):
        model.fit(rows, *given)
        vars(model).pop("feature_names_in_", None)
        assert np.array_equal(model.predict(table[["x", "z"]].to_numpy()), wanted)


@pytest.mark.parametrize("missing", [["a", None] * 30, pd.array([1, None] * 30, dtype="Int64"), [1.0, np.nan] * 30])
def test_missing_labels_are_said_to_be_missing(missing, table, design):
    with warnings.catch_warnings(), pytest.raises(ValueError, match="y has missing values"):
        warnings.simplefilter("error")
        LogisticRegression().fit(design(rows=table.assign(label=missing)), "label")


def test_words_are_no_numbers(table, design):
    with pytest.raises(ValueError, match=r"Cannot use y of type object: '(yes|no)' is not a number"):
        LinearRegression().fit(design(), "word")
    with pytest.raises(ValueError, match=r"Cannot use sample_weight of type object: '(yes|no)' is not a number"):
        LinearRegression().fit(design(), "y", "word")
    with pytest.raises(ValueError, match=r"datetime64.* is not a number"):
        LinearRegression().fit(design(rows=table.assign(day=pd.Timestamp("2020-01-01"))), "day")


@pytest.mark.parametrize("model", [LinearRegression(), Lasso(), LogisticRegression(), GaussianNB(), PCA()], ids=str)
def test_a_file_without_rows_is_named(model, table, design):
    with pytest.raises(ValueError, match=r"Cannot read .*table\.parquet: it has no rows"):
        model.fit(design(rows=table[:0]), "y")


def test_predictions_for_a_file_without_rows_are_refused(table, design):
    model = LinearRegression().fit(design(), "y")
    with pytest.raises(ValueError, match="it has no rows"):
        model.predict(design(rows=table[:0]))


def test_what_is_not_one_matrix_of_numbers_is_not_mapped(table, tmp_path):
    np.savez(tmp_path / "X.npz", X=np.eye(2))
    table.to_csv(tmp_path / "X.csv")
    np.save(tmp_path / "objects.npy", np.array([[None]]), allow_pickle=True)
    for name in ("X.npz", "X.csv", "objects.npy"):
        with pytest.raises(ValueError, match=rf"Cannot map .*{name}': it is not a .npy file of numbers"):
            MemoryMappedDesign(tmp_path / name)
    np.save(tmp_path / "X.npy", np.eye(3))
    with pytest.raises(ValueError, match=r"Cannot read the column 'y': .*X\.npy is one matrix without names"):
        LinearRegression().fit(MemoryMappedDesign(tmp_path / "X.npy"), "y")


def test_columns_named_twice_and_text_in_one_of_the_files_are_refused(table, design, tmp_path):
    with pytest.raises(ValueError, match="'x' is there twice"):
        design(["x", "x"])
    design()
    table.assign(x=table.x.astype(str)).to_parquet(tmp_path / "text.parquet")
    with pytest.raises(ValueError, match=r"'x' is of type \w*string in .*text\.parquet"):
        LinearRegression().fit(ParquetDesign([tmp_path / "table.parquet", tmp_path / "text.parquet"], columns="x"), "y")


def test_scores_of_a_stream_are_those_of_scikit_learn(table, design):
    X = table[["x", "z"]]
    line, classes = sklearn.linear_model.LinearRegression(), sklearn.linear_model.LogisticRegression()
    ours = LinearRegression().fit(design(), "y", "w"), LogisticRegression().fit(design(), "word", "w")
    for theirs, mine, y in zip((line, classes), ours, ("y", "word"), strict=True):
        theirs.fit(X, table[y], table.w)
        for weights, named in ((None, None), (table.w, "w")):
            # R² is stationary at the fit, and no row lies so near the boundary that the digits of a fit decide
            assert_allclose(mine.score(design(), y, named), theirs.score(X, table[y], weights), rtol=1e-7)


def test_models_that_hold_all_rows_refuse_a_stream(design):
    models = KNeighborsClassifier(), make_pipeline(StandardScaler(), LogisticRegression()), PolynomialFeatures()
    for model in models:
        with pytest.raises(TypeError, match="Cannot hold all rows of ParquetDesign in an array"):
            model.fit(design(), "word")


def test_a_mapped_file_that_was_cut_off_is_refused(tmp_path):
    path = tmp_path / "X.npy"
    np.save(path, np.random.default_rng(0).standard_normal((20_000, 5)))
    design = MemoryMappedDesign(path)
    os.truncate(path, 1000)
    with pytest.raises(ValueError, match="shorter than when it was opened"):
        Ridge().fit(design, np.arange(20_000.0))
