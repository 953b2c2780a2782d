"""The command line does what it says, quickly, and speaks kindly of errors."""

import subprocess
import sys

from click.testing import CliRunner

from separatrix import __version__
from separatrix.cli import demo, main, warmup


def run(*arguments, **options):
    return CliRunner().invoke(main.main, list(arguments), **options)


def test_version_is_the_version_of_the_package():
    found = run("--version")
    assert found.exit_code == 0
    assert __version__ in found.output


def test_help_names_every_command():
    found = run("--help")
    assert found.exit_code == 0
    assert all(command in found.output for command in ("demo", "warmup"))


def test_help_imports_nothing_heavy():
    code = (
        "import sys\nfrom separatrix.cli.main import main\n"
        "try:\n    main(['--help'])\nexcept SystemExit:\n    pass\n"
        "print('heavy:', sorted({'numpy', 'scipy', 'numba', 'sklearn', 'rich'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip().endswith("heavy: []")


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


def test_the_textbook_formula_of_the_demo_is_least_squares():
    assert demo.by_hand([[0.0], [1.0], [2.0]], [1.0, 3.0, 5.0]).round(12).tolist() == [1.0, 2.0]


def test_warmup_runs_every_job_and_says_where_the_loops_are(monkeypatch):
    done = []
    monkeypatch.setattr(warmup, "jobs", lambda: [(f"job {k}", lambda k=k: done.append(k)) for k in range(3)])
    found = run("warmup")
    assert found.exit_code == 0, found.output
    assert done == [0, 1, 2]
    assert "3/3" in found.output
    assert "Compiled loops are kept in" in found.output.replace("\n", " ")


def test_warmup_covers_every_storage_and_the_compiled_estimators():
    names = [name for name, _ in warmup.jobs()]
    for storage in warmup.STORAGES:
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


def test_an_error_is_a_sentence_and_with_debug_a_traceback(monkeypatch):
    def fail(console):
        raise ValueError("Cannot fit: the moon is full. Use patience.")

    monkeypatch.setattr(demo, "show", fail)
    found = run("demo")
    assert found.exit_code == 1
    assert "the moon is full" in found.output
    assert "Traceback" not in found.output
    assert isinstance(run("--debug", "demo").exception, ValueError)


def test_an_unknown_command_is_refused():
    found = run("dance")
    assert found.exit_code == 2
    assert "dance" in found.output
