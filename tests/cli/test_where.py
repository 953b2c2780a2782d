"""`separatrix where` finds the files and formulas of whatever has a name."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from separatrix.cli import main
from separatrix.core import registry
from separatrix.workflow import where as guide
from separatrix.workflow.latex import readable


def run(*arguments):
    return CliRunner(env={"COLUMNS": "400"}).invoke(main.main, ["where", *arguments])  # long paths are not broken


@pytest.mark.parametrize("kind", ["estimator", "loss", "joint loss", "penalty"])
def test_everything_in_the_registry_is_found_by_its_name_in_its_file(kind):
    for name, cls in registry.members(kind).items():
        entries = [entry for entry in guide.find(name) if entry.name == name]
        assert cls.__module__.split(".")[-1] in {Path(entry.file).stem for entry in entries}
        for entry in entries:
            line = Path(entry.path).read_text().splitlines()[entry.line - 1 :]
            assert any(part.startswith(f"class {name}") for part in line[:5]), name


def test_every_model_of_the_linear_room_tells_its_solver():
    for name, cls in registry.members("estimator").items():
        if ".linear." in cls.__module__:
            (entry,) = [entry for entry in guide.find(name) if entry.name == name and entry.kind == "model"]
            assert any(part.kind == "solver" for part in entry.parts), name


def test_lasso_is_found_with_its_loss_penalty_solver_and_formula():
    found = run("lasso")
    assert found.exit_code == 0, found.output
    for words in (
        "estimators/linear/lasso.py",
        "losses/squared.py",
        "penalties/elastic_net.py",
        "solvers/proximal_newton.py",
    ):
        assert words in found.output
    assert "α ‖w‖₁" in found.output
    assert "Tibshirani (1996)" in found.output


@pytest.mark.parametrize(
    "spelling", ["LogisticRegression", "logistic regression", "logistic-regression", "logisticreg"]
)
def test_spelling_does_not_matter(spelling):
    assert "estimators/linear/logistic.py" in run(spelling).output


def test_a_slip_of_the_pen_gets_a_suggestion():
    found = run("lasoo")
    assert found.exit_code == 1
    assert "Lasso" in found.stderr


def test_json_has_paths_that_exist():
    found = json.loads(run("huber", "--json").stdout)
    assert found["found"][0]["name"] == "Huber"
    assert Path(found["found"][0]["path"]).is_file()


def test_without_a_name_all_names_are_listed():
    output = run().output
    for kind in ("estimator", "loss", "penalty"):
        assert all(name in output for name in registry.members(kind))


@pytest.mark.parametrize("kind", ["estimator", "loss", "joint loss", "penalty"])
def test_no_formula_keeps_a_backslash(kind):
    for cls in registry.members(kind).values():
        formula = guide.formula_of(cls.__doc__ or "")
        assert "\\" not in formula and "{" not in formula, formula


@pytest.mark.parametrize(
    "latex, text",
    [
        (r"\tfrac12 (\eta - y)^2", "½ (η - y)²"),
        (r"\frac{a + b}{c}", "(a + b)/c"),
        (r"\sqrt{n}\,\sigma_{ij}", "√(n) σᵢⱼ"),
        (r"\hat\beta_j^{2}", "β̂ⱼ²"),
        (r"x^{\alpha + 1}", "x^(α + 1)"),
    ],
)
def test_latex_becomes_characters(latex, text):
    assert readable(latex) == text
