"""Files of past versions load, and the models answer as they did when they were saved.

The files and the script that made them, run with that version, are in ``past/``.
"""

import io
import json
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

import separatrix
from separatrix.core.solution import Certificate
from separatrix.core.statistics import LeastSquaresStatistics, LikelihoodStatistics
from separatrix.persist import CannotLoad, about, light
from separatrix.persist.files import SCHEMA
from separatrix.persist.past import FORMS, NAMES
from separatrix.prediction.forms import form_named

PAST = Path(__file__).parent / "past"
FILES = sorted(PAST.rglob("*.sepx"))
# Sums of at most 30 products of numbers below 100: their rounding, in any order.
ROUNDING = 30 * 100.0 * np.finfo(float).eps


def test_there_are_files_of_every_past_schema():
    assert len(FILES) >= 20
    schemas = {json.loads(zipfile.ZipFile(file).read("manifest.json"))["schema"] for file in FILES}
    assert schemas - {SCHEMA} == set(NAMES)


@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parent.name}/{file.stem}")
def test_the_answers_are_those_of_the_day_it_was_saved(file):
    model, kept = separatrix.load(file), about(file)
    rows = kept["rows"] if isinstance(kept["rows"], dict) else np.array(kept["rows"])
    assert kept["answers"]
    for method, expected in kept["answers"].items():
        answers = getattr(model, method)(rows)
        if np.asarray(expected).dtype.kind == "f":
            assert_allclose(answers, expected, rtol=ROUNDING, atol=ROUNDING)
        else:
            assert answers.tolist() == expected


def test_records_that_were_renamed_are_what_they_are_called_now():
    assert isinstance(separatrix.load(PAST / "0.1.0" / "least_squares.sepx").evidence_, LeastSquaresStatistics)
    logistic = separatrix.load(PAST / "0.1.0" / "logistic.sepx")
    assert isinstance(logistic.evidence_, LikelihoodStatistics)
    assert isinstance(logistic.certificate_, Certificate)
    assert "z value" in str(logistic.summary()) or "odds ratio" in str(logistic.summary())


def test_a_file_that_named_no_forms_still_predicts_without_scikit_learn():
    file = PAST / "0.1.0" / "table.sepx"
    code = (
        "import sys; from separatrix.persist import about, light\n"
        f"model, kept = light({str(file)!r}), about({str(file)!r})\n"
        "import numpy as np\n"
        "expected = np.array(kept['answers']['predict_proba'])\n"
        "assert np.allclose(model.predict_proba(kept['rows']), expected, rtol=1e-12, atol=0)\n"
        "print(*sorted({'sklearn', 'numba'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""


def test_the_forms_of_the_past_are_still_known():
    assert all(form_named(name) is not None for name in FORMS.values())


def test_a_past_file_may_not_call_a_class_by_a_name_that_nobody_ever_had():
    content = (PAST / "0.1.0" / "elastic_net.sepx").read_bytes()
    with zipfile.ZipFile(io.BytesIO(content)) as file:
        members = {name: file.read(name) for name in file.namelist()}
    members["manifest.json"] = members["manifest.json"].replace(b'"ElasticNet"', b'"os.system"')
    changed = io.BytesIO()
    with zipfile.ZipFile(changed, "w") as file:
        for name, part in members.items():
            file.writestr(name, part)
    with pytest.raises(CannotLoad, match=r"os\.system"):
        separatrix.load(changed)
    assert light(changed) is None
