"""Formulas of counts, positive numbers and shares agree with R's glm (made by formula_families.R)."""

import json
from pathlib import Path

import pytest
from numpy.testing import assert_allclose

pytest.importorskip("formulaic")

from separatrix.tables import Table
from separatrix.workflow.formula import fit_formula
from separatrix.workflow.summary import summary_of

ORACLE = json.loads((Path(__file__).parent / "formula_families.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    "case", ORACLE["cases"], ids=lambda case: f"{case['family']} {case['link'] or ''} {case['set']}"
)
def test_a_formula_of_a_family_gives_the_table_of_glm(case):
    """glm stops at a relative change of the deviance of 1e-15, so that estimates are right to about its root."""
    table = Table.of(ORACLE["sets"][case["set"]])
    fit = fit_formula(table, case["formula"], case["family"], link=case["link"])
    summary = summary_of(fit)
    rows = summary.tables[0].rows
    assert [row.name for row in rows][1:] == case["names"][1:]
    assert_allclose([row.estimate for row in rows], case["estimates"], rtol=1e-7, atol=1e-9)
    assert_allclose([row.error for row in rows], case["errors"], rtol=1e-7)
    assert_allclose(fit.predict(table)[:5], case["fitted"], rtol=1e-7)
