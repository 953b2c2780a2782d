"""scikit-learn's own test suites, with our classes in the place of its own: whatever fails is listed, with its reason.

Run on demand: ``pytest -m slow tests/sklearn_suites``. It takes about half an hour of one core.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import sklearn

import separatrix

sys.path.insert(0, str(Path(__file__).parent))
from known_failures import KNOWN, OURS, listed, reason

HERE = Path(__file__).parent
MOST = 20  # failures that are ours to answer for


def failures(module, folder):
    """(test, message) of the tests of a module of scikit-learn that fail with our classes."""
    outcomes = folder / "outcomes.jsonl"
    places = [str(Path(separatrix.__file__).parents[1]), str(HERE)]
    environment = {**os.environ, "SEPARATRIX_OUTCOMES": str(outcomes), "PYTHONPATH": os.pathsep.join(places)}
    (folder / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")  # not ours, and not scikit-learn's
    command = [sys.executable, "-m", "pytest", "-q", "-p", "substitute", "-p", "no:cacheprovider"]
    command += ["-c", str(folder / "pytest.ini")]
    command += [f"--rootdir={Path(sklearn.__file__).parents[1]}", "--pyargs", f"sklearn.{module}"]
    subprocess.run(command, cwd=folder, env=environment, capture_output=True, check=False)
    lines = [json.loads(line) for line in outcomes.read_text(encoding="utf-8").splitlines()]
    assert lines[-1]["passed"] > 0
    return [(line["test"], line["message"]) for line in lines[:-1]]


@pytest.mark.slow
@pytest.mark.parametrize("module", KNOWN)
def test_every_failure_has_a_reason_and_every_reason_a_failure(module, tmp_path):
    failed = failures(module, tmp_path)
    assert [(test, message) for test, message in failed if reason(module, test, message) is None] == []
    assert set(KNOWN[module]) - {listed(module, test) for test, _ in failed} == set()


def test_few_failures_are_ours():
    assert sum(list(module.values()).count(OURS) for module in KNOWN.values()) <= MOST
