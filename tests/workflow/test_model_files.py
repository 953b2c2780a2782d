"""Fit, predict, explain and verify on tables and model files, without a terminal."""

import io

import numpy as np
import pytest
from numpy.testing import assert_allclose

import separatrix
from separatrix.core.refusal import cannot
from separatrix.persist import about
from separatrix.tables import read
from separatrix.workflow.explain import explain_row
from separatrix.workflow.fit import fit_table
from separatrix.workflow.model_file import NotFinite, answering
from separatrix.workflow.predict import FilePredictor, predicted_columns, write_predictions
from separatrix.workflow.verify import verify_file


@pytest.fixture(scope="module")
def fitted(shop, tmp_path_factory):
    path = str(tmp_path_factory.mktemp("fit") / "model.sepx")
    return fit_table(shop, "bought", "LogisticRegression", path, exclude=["spent"], settings=["C=0.5"], command=["x"])


def test_the_fitted_pipeline_is_the_one_in_the_file(fitted, shop):
    assert (fitted.name, fitted.rows, fitted.model.C) == ("LogisticRegression", 150, 0.5)
    assert fitted.certificate.converged
    again = separatrix.load(fitted.path)
    assert again.predict(read(shop)).tolist() == fitted.pipeline.predict(read(shop)).tolist()


def test_predictions_as_columns_and_as_csv_agree(fitted, shop):
    predictor = FilePredictor(fitted.path, proba=True, keep=["id"])
    columns, file = predicted_columns(predictor, shop), io.StringIO()
    assert write_predictions(file, predictor, shop) == (150, 0)
    header, *lines = file.getvalue().splitlines()
    assert header == "id,prediction,probability_no,probability_yes" == ",".join(columns)
    assert lines[7] == ",".join(str(values[7]) for values in columns.values())


def test_the_contributions_of_a_row_add_up(fitted, shop):
    explained = explain_row(fitted.path, shop, 2)
    assert (explained.row, explained.target) == (2, "bought")
    explanation = explained.explanation
    total = sum(each.contribution for each in explanation.contributions)
    assert_allclose(total, explanation.score - explanation.mean_score, rtol=1e-12)


def test_a_changed_coefficient_and_other_data_are_both_detected(fitted, shop, tmp_path):
    genuine = verify_file(fitted.path, shop)
    assert genuine.certificate.converged and genuine.rows.same is True
    pipeline = separatrix.load(fitted.path)
    pipeline[-1].coef_ = pipeline[-1].coef_ + 0.01
    separatrix.save(pipeline, tmp_path / "forged.sepx", about=about(fitted.path))
    forged = verify_file(tmp_path / "forged.sepx", shop)
    assert not forged.certificate.converged and forged.rows.same is True
    (tmp_path / "other.csv").write_bytes(b"\n".join(shop.read_bytes().splitlines()[:-10]))
    assert verify_file(fitted.path, tmp_path / "other.csv").rows.same is False


@pytest.mark.parametrize("use", ["predict", "explain", "verify"])
def test_parts_that_do_not_fit_each_other_are_said_to_be_the_files(fitted, shop, tmp_path, use):
    pipeline = separatrix.load(fitted.path)
    model = pipeline[-1]
    if use == "explain":
        del model.classes_
    else:  # one column more than the steps before it give
        model.coef_, model.n_features_in_ = np.append(model.coef_, [[1.0]], axis=1), model.n_features_in_ + 1
    path = str(tmp_path / "crafted.sepx")
    separatrix.save(pipeline, path, about=about(fitted.path))
    with pytest.raises(ValueError, match=r"^Cannot use the model of '.*crafted\.sepx': it fails on these rows") as told:
        if use == "predict":
            predicted_columns(FilePredictor(path), shop)
        elif use == "explain":
            explain_row(path, shop, 2)
        else:
            verify_file(path, shop)
    assert told.value.__cause__ is not None  # for --debug


def test_answers_that_are_not_finite_are_told(shop, tmp_path):
    path = str(tmp_path / "crafted.sepx")
    ridge = fit_table(shop, "spent", "Ridge", path, exclude=["bought"], command=["x"])
    ridge.model.coef_ = np.full_like(ridge.model.coef_, 1e308)
    separatrix.save(ridge.pipeline, path, about=about(path))
    expected = pytest.warns(NotFinite, match=r"Some answers of '.*crafted\.sepx' are not finite")
    with np.errstate(over="ignore"), expected as told:
        columns = predicted_columns(FilePredictor(path), shop)
    assert not np.isfinite(columns["prediction"]).all()
    assert len(told) == 1


def test_a_fault_of_another_library_is_quoted_in_part(tmp_path):
    with pytest.raises(ValueError, match="it fails on these rows") as told, answering("x.sepx"):
        raise ValueError("all the data " * 10_000)
    assert len(str(told.value)) < 400
    with pytest.raises(ValueError, match=r"^Cannot predict: it has no rows\. Use some\.$"), answering("x.sepx"):
        raise cannot("predict", because="it has no rows", instead="some")


def test_nothing_is_printed(shop, tmp_path, capfd):
    path = str(tmp_path / "lasso.sepx")
    fit_table(shop, "spent", "lasso", path, exclude=["bought"], command=["x"])
    predicted_columns(FilePredictor(path), shop)
    explain_row(path, shop, 1)
    verify_file(path, shop)
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("family", ["logistic regression, L1", "logistic regression, L2", "lasso", "elastic net"])
def test_a_model_file_of_each_family_with_a_search_verifies(family, tmp_path):
    draw = np.random.default_rng(3)
    numbers = draw.standard_normal((120, 6)) @ (np.eye(6) + 0.5)
    response = numbers @ [2.0, -1.0, 0.5, 0.0, 0.0, 0.1] + draw.standard_normal(120)
    table = {f"x{j}": column for j, column in enumerate(numbers.T)}
    regression = family in ("lasso", "elastic net")
    table["y"] = response if regression else np.where(response > 0.0, "yes", "no")
    lines = [",".join(table), *(",".join(map(str, row)) for row in zip(*table.values(), strict=True))]
    (tmp_path / "table.csv").write_text("\n".join(lines))
    path = str(tmp_path / "model.sepx")
    made = fit_table(tmp_path / "table.csv", "y", family, path)
    assert made.certificate.tolerance <= 1e-8
    verified = verify_file(path, tmp_path / "table.csv")
    assert verified.certificate.converged, str(verified.certificate)


def forged(fitted, folder, change):
    """The model file with another record beside the model."""
    recorded = about(fitted.path)
    change(recorded)
    separatrix.save(separatrix.load(fitted.path), folder / "forged.sepx", about=recorded)
    return folder / "forged.sepx"


RECORDS = {
    "a list": lambda a: a.update(understanding=[1]),
    "a number for columns": lambda a: a["understanding"].update(columns=3),
    "a column with more": lambda a: a["understanding"]["columns"][0].update(more=1),
    "a column without a name": lambda a: a["understanding"]["columns"][0].update(name=7),
    "a target without a name": lambda a: a["understanding"].update(target=["y"]),
    "words for data": lambda a: a.update(data="digest"),
    "words for a split": lambda a: a.update(split={"seed": "x", "test": 0.5, "fitted_rows": 3}),
    "a split that lacks something": lambda a: a.update(split={"seed": 0, "test": 0.5}),
    "a list for a split": lambda a: a.update(split=[1]),
}
REFERENCES = {
    "a list": lambda a: a.update(reference=[1]),
    "a number for columns": lambda a: a["reference"].update(columns=5),
    "words for a range": lambda a: a["reference"]["columns"]["age"].update(low="x"),
    "very many levels": lambda a: a["reference"]["columns"]["city"].update(levels=[str(i) for i in range(10**5)]),
    "words for parts": lambda a: a["reference"].update(mean_parts=[["q"]]),
    "no parts": lambda a: a["reference"].update(mean_parts=[]),
    "other parts": lambda a: a["reference"].update(mean_parts=[[0.0]]),
}


@pytest.mark.parametrize("record", RECORDS)
def test_a_record_that_was_changed_is_refused_by_verify(fitted, shop, tmp_path, record):
    with pytest.raises(ValueError, match=r"^Cannot load .*what it says of its data"):
        verify_file(forged(fitted, tmp_path, RECORDS[record]), shop)


@pytest.mark.parametrize("reference", REFERENCES)
def test_a_reference_that_was_changed_is_refused_by_explain(fitted, shop, tmp_path, reference):
    with pytest.raises(ValueError, match=r"^Cannot (load .*what it says of its training rows|measure contributions)"):
        explain_row(forged(fitted, tmp_path, REFERENCES[reference]), shop, 1)
