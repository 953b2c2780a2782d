"""The demonstration is least squares; warming up covers every storage and reports its progress."""

import pytest

from separatrix.core.declaration import SmallFit
from separatrix.workflow import demo, warmup


def test_the_textbook_formula_of_the_demo_is_least_squares():
    assert demo.normal_equations([[0.0], [1.0], [2.0]], [1.0, 3.0, 5.0]).round(12).tolist() == [1.0, 2.0]


def test_the_demo_agrees_with_nist_where_the_textbook_formula_does_not():
    for name, _, _, digits, textbook in demo.demonstrate().coefficients:
        assert digits >= 12.0 > 11.0 > textbook, name


def test_warmup_covers_every_storage_and_the_compiled_estimators():
    names = [called for _, called, _ in warmup.jobs()]
    for storage in SmallFit().storages:
        for estimator in (
            "Lasso",
            "SGDRegressor huber l1",
            "LogisticRegression L1",
            "LogisticRegression unpenalised",
            "SGDClassifier hinge l2",
            "Perceptron None batch",
            "LinearRegression stochastic",
            "PolynomialFeatures",
        ):
            assert f"{estimator}, {storage}" in names


class Record:
    """A Progress that keeps every report."""

    def __init__(self):
        self.reports = []

    def begin(self, total):
        self.reports.append(("begin", total))

    def step(self, name, done, seconds_left):
        self.reports.append((name, done))

    def end(self):
        self.reports.append("end")


def test_progress_is_reported_before_each_fit_and_at_the_end(monkeypatch):
    record = Record()
    monkeypatch.setattr(warmup, "jobs", lambda models: [("A", f"job {k}", lambda: None) for k in range(4)])
    assert warmup.compile_all(record) == 4
    steps = [(f"job {k}", k / 4) for k in range(4)]
    assert record.reports == [("begin", 4), *steps, ("all loops compiled", 1.0), "end"]


def test_a_fit_that_fails_is_not_hidden(monkeypatch):
    def fail():
        raise ZeroDivisionError

    monkeypatch.setattr(warmup, "jobs", lambda models: [("A", "job", fail)])
    with pytest.raises(ZeroDivisionError):
        warmup.compile_all()
