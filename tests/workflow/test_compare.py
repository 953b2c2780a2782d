"""Comparing on a table without a terminal: files, budget, progress, and the training rows rebuilt from the file."""

import pytest
from numpy.testing import assert_allclose

import separatrix
from separatrix.assess import compare
from separatrix.core.family import Family
from separatrix.linear_model import LogisticRegression
from separatrix.persist import about
from separatrix.tables import read
from separatrix.workflow import compare as workflow
from separatrix.workflow.provenance import provenance, training_rows

FAMILIES = ["logistic regression, L2", "linear discriminant"]


@pytest.fixture(scope="module")
def run(shop, tmp_path_factory):
    path = tmp_path_factory.mktemp("compare") / "model.sepx"
    understood = []
    run = workflow.compare_table(
        shop, "bought", exclude=["spent"], families=FAMILIES, seed=3, folds=3, repeats=1, model=path,
        command=["separatrix", "compare"], understood=lambda *said: understood.append(said),
    )  # fmt: skip
    assert [(each.target, question.measure.name) for each, question in understood] == [("bought", "roc_auc")]
    return run


def test_only_the_files_asked_for_are_written(run):
    assert run.written["report"] is None and run.written["model"].is_file()


def test_the_training_rows_of_the_comparison_are_rebuilt_from_the_model_file(run, shop):
    path = run.written["model"]
    rows = training_rows(read(shop), about(path))
    assert rows.same is True and len(rows.y) == 120
    model, again = separatrix.load(path), separatrix.load(path)
    again.fit(rows.table, rows.y)  # the same rows give the same coefficients, any others would not
    assert_allclose(again[-1].coef_, model[-1].coef_, rtol=1e-9)


@pytest.mark.parametrize("seed", [1, 5])
def test_the_rows_of_a_model_fitted_to_a_sample_are_rebuilt(shop, seed):
    table = read(shop)
    few = Family("few rows", "classification", lambda _: LogisticRegression(), 1, "", most_rows=60)
    comparison = compare(table, "bought", exclude=["spent"], families=[few], folds=3, repeats=1, seed=seed)
    assert (comparison.recommended, comparison.fitted_rows) == ("few rows", 60)
    split = {"test": 0.2, "seed": seed, "fitted_rows": comparison.fitted_rows}
    record = provenance(table, comparison.understanding, family="few rows", split=split, command=["x"])
    rows = training_rows(table, record)
    assert len(rows.y) == 60 and rows.same is True
    prepare, model = comparison.model[:-1], comparison.model[-1]
    assert separatrix.verify(model, prepare.transform(rows.table), rows.y).converged
    assert not separatrix.verify(model, prepare.transform(comparison.train), comparison.y_train).converged


def test_a_budget_leaves_time_for_the_report(monkeypatch):
    now = [100.0]
    monkeypatch.setattr(workflow.time, "monotonic", lambda: now[0])
    timer, plain = workflow.BudgetTimer(120.0, report=True), workflow.BudgetTimer(120.0, report=False)
    now[0] += 20.0  # for reading
    assert timer.for_comparison() == 120.0 - 20.0 - 24.0
    assert plain.for_comparison() == 100.0
    now[0] += 85.0
    assert timer.left() == 15.0 and timer.for_fits() == 5.0
    now[0] += 90.0
    assert timer.left() < 0.0 and timer.for_fits() == 0.0
    assert timer.for_comparison() == 12.0
    assert workflow.BudgetTimer(None, report=True).for_comparison() is None


def test_a_budget_counts_from_the_start_of_the_command_and_a_busy_machine_draws_slowly(monkeypatch):
    monkeypatch.setattr(workflow.time, "monotonic", lambda: 104.0)
    monkeypatch.setattr(workflow.time, "process_time", lambda: 1.0)  # four seconds for one of the processor
    timer = workflow.BudgetTimer(20.0, report=True, started=100.0)
    assert timer.seconds == 4.0 and timer.reserved == 4.0 * workflow.DRAWING
    assert timer.for_comparison() == 20.0 - 4.0 - timer.reserved
    assert workflow.BudgetTimer(10.0, report=True, started=100.0).reserved == workflow.LARGEST_SHARE * 10.0
