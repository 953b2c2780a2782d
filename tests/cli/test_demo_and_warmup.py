"""The demonstration shows certified digits; warming up runs every small fit."""

import json

from click.testing import CliRunner

from separatrix.cli import main
from separatrix.workflow import warmup


def run(*arguments, **options):
    return CliRunner().invoke(main.main, list(arguments), **options)


def test_demo_shows_certified_digits_a_certificate_a_summary_and_a_path():
    found = run("demo", "--width", "100")
    assert found.exit_code == 0, found.output
    lines = found.output.splitlines()
    (gnp,) = [line for line in lines if line.startswith(" gnp") and "0.0358191792925910" in line]
    ours, textbook = map(float, gnp.split()[-2:])
    assert ours >= 13.0 > 10.0 > textbook
    assert "certified: relative gap" in found.output
    assert "residual scale" in found.output
    assert "gnp, unemployed, armed_forces" in found.output
    assert "of 7 degrees of freedom" in found.output


def test_demo_fits_one_screen():
    lines = run("demo", "--width", "100").output.splitlines()
    assert len(lines) <= 50
    assert max(map(len, lines)) <= 100


def test_warmup_runs_every_job_and_says_where_the_loops_are(monkeypatch):
    done = []
    monkeypatch.setattr(
        warmup, "jobs", lambda models: [("A", f"job {k}", lambda k=k: done.append(k)) for k in range(3)]
    )
    found = run("warmup")
    assert found.exit_code == 0, found.output
    assert done == [0, 1, 2]
    assert "3/3" in found.output
    assert "Compiled loops are kept in" in found.output.replace("\n", " ")


def test_demo_as_json_has_the_certified_digits():
    found = json.loads(run("demo", "--json").stdout)
    assert found["coefficients"]["gnp"]["digits"] >= 13.0
    assert found["certificate"]["certified"] is True
