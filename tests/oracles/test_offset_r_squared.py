"""R² and F of least squares with an offset, against the deviances of R's glm; R's lm counts the offset as explained."""

import json
from pathlib import Path

import pytest

pytest.importorskip("formulaic")

from separatrix.tables import Table
from separatrix.workflow.formula import fit_formula
from separatrix.workflow.summary import summary_of

ORACLE = json.loads((Path(__file__).parent / "offset_r_squared.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("name", "formula"),
    [("with", "dist ~ speed + offset(2 * speed)"), ("without", "dist ~ 0 + speed + offset(2 * speed)")],
)
def test_an_offset_is_not_counted_as_explained_and_the_summary_says_so(name, formula):
    cars = Table.of({key: [float(value) for value in ORACLE[key]] for key in ("speed", "dist")})
    summary, expected = summary_of(fit_formula(cars, formula, "gaussian")), ORACLE[name]
    for key in ("r_squared", "f"):
        assert summary.statistics[key] == pytest.approx(expected[key], rel=1e-10)
        assert summary.statistics[key] != pytest.approx(expected[f"lm_{key}"], rel=0.1)
    assert summary.statistics["f"] == pytest.approx(summary["speed"].t ** 2)  # one slope: F is the square of its t
    assert any("R² and F are of the difference" in note for note in summary.notes)
