"""A model that is written outside the package, with a declaration of its own, takes part in everything."""

import copy
import io
import subprocess
import sys

import numpy as np
import pytest

import separatrix
from separatrix.assess import compare
from separatrix.core import declaration, family, registry
from separatrix.core.declaration import COEFFICIENTS, SmallFit, declares
from separatrix.core.problem import Problem
from separatrix.core.solution import Certificate
from separatrix.estimators import verification
from separatrix.estimators.base import LinearRegressor
from separatrix.estimators.preparation.compose import pipeline
from separatrix.estimators.validation import enter
from separatrix.inference import describe, summary
from separatrix.losses import Squared
from separatrix.penalties import L2
from separatrix.persist import light
from separatrix.prediction import forms
from separatrix.tables.table import Table
from separatrix.tables.understanding import ColumnFacts, Understanding
from separatrix.workflow import warmup, where

RNG = np.random.default_rng(0)
X = RNG.standard_normal((60, 3))
Y = X @ [1.0, -2.0, 0.5] + 0.1 * RNG.standard_normal(60)


@pytest.fixture
def halved(monkeypatch):
    """Declare a ridge regression of a fixed strength; afterwards the registry is as it was."""
    registry.members("estimator")  # what a room registers when it is first imported must not be lost
    monkeypatch.setattr(registry, "_MEMBERS", copy.deepcopy(registry._MEMBERS))
    monkeypatch.setattr(declaration, "_DECLARATIONS", dict(declaration._DECLARATIONS))
    monkeypatch.setattr(family, "_FAMILIES", dict(family._FAMILIES))
    where.everything.cache_clear()

    @declares(
        task="regression",
        losses=(Squared,),
        penalties=(L2,),
        solvers=("solvers.direct",),
        prediction=forms.LINEAR,
        verification=verification.OF_PROBLEMS,
        description=COEFFICIENTS,
        small_fits=(SmallFit({"strength": 0.5}),),
    )
    class HalvedRidge(LinearRegressor):
        """Ridge by the normal equations of centred data."""

        def __init__(self, strength=0.5):
            self.strength = strength
            self.fit_intercept = True

        def fit(self, X, y, sample_weight=None):
            design, target = enter(self, X, y, sample_weight)
            B, t = np.asarray(design.block(slice(None)), dtype=float), target.y
            centre, mean = B.mean(axis=0), t.mean()
            M = (B - centre).T @ (B - centre) / len(t) + self.strength * np.eye(B.shape[1])
            beta = np.linalg.solve(M, (B - centre).T @ (t - mean) / len(t))
            self.certificate_ = Certificate("gap", 0.0, 1e-12)
            return self._publish(beta, mean - centre @ beta)

        def _problem(self, design, target):
            return Problem(design, target, Squared(), L2(self.strength), True)

    HalvedRidge.__qualname__ = "HalvedRidge"
    family.declare(
        family.Family(
            "halved ridge", "regression", lambda facts: HalvedRidge(), 20, "Ridge at one half.", model=HalvedRidge
        )
    )
    yield HalvedRidge
    where.everything.cache_clear()


def test_it_is_found_with_its_file_and_parts(halved):
    (entry,) = [entry for entry in where.find("HalvedRidge") if entry.name == "HalvedRidge"]
    assert entry.file.endswith("tests/core/test_outside.py") and entry.called == ("halved ridge",)
    assert {part.file for part in entry.parts} == {"losses/squared.py", "penalties/l2.py", "solvers/direct.py"}


def test_it_is_warmed_up(halved):
    run = {called: fit for _, called, fit in warmup.jobs()}["HalvedRidge, float64"]
    assert run().coef_.shape == (5,)


def test_it_is_described_summarised_and_verified(halved):
    model = halved().fit(X, Y)
    assert "weighted sum of all 3" in describe(model, ["a", "b", "c"]).words
    assert [row.estimate for row in summary(model).rows[1:]] == model.coef_.tolist()
    assert separatrix.verify(model, X, Y).converged
    model.coef_ = model.coef_ * 1.001
    assert not separatrix.verify(model, X, Y).converged


def test_it_is_saved_and_loaded_only_while_it_is_declared(halved):
    model, file = halved().fit(X, Y), io.BytesIO()
    separatrix.save(model, file)
    assert (separatrix.load(file).predict(X) == model.predict(X)).all()
    del registry._MEMBERS["estimator"]["HalvedRidge"]
    with pytest.raises(separatrix.persist.CannotLoad, match="HalvedRidge"):
        separatrix.load(file)


def test_its_file_predicts_without_scikit_learn_and_without_its_class(halved, tmp_path):
    table = Table(("a", "b"), (X[:, 0], X[:, 1]))
    facts = tuple(ColumnFacts(name, "number", 0, 60) for name in "ab")
    whole = pipeline(Understanding("t.csv", 60, 0, "y", "regression", facts), "standard", halved()).fit(table, Y)
    path = tmp_path / "model.sepx"
    separatrix.save(whole, path)
    assert (light(path).predict(table) == whole.predict(table)).all()
    code = (
        "import sys; from separatrix.persist import light\n"
        f"print(light({str(path)!r}).predict({{'a': [0.5], 'b': [1.0]}})[0], 'sklearn' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == [str(whole.predict({"a": [0.5], "b": [1.0]})[0]), "False"]


def test_it_takes_part_in_a_comparison(halved):
    table = {"a": X[:, 0], "b": X[:, 1], "y": Y}
    comparison = compare(table, "y", families=["halved ridge"], folds=3, repeats=1)
    assert "halved ridge" in {standing.family for standing in comparison.standings}
