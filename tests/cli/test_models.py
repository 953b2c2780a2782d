"""fit, predict, explain and verify, on a messy file, as a shell user would call them."""

import csv
import io
import json
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

import separatrix
from separatrix.estimators.verify import NothingToVerify
from separatrix.persist import about, light
from separatrix.tables import read


def rows_of(text):
    return list(csv.DictReader(io.StringIO(text)))


def test_fit_says_what_it_understood_and_prints_the_certificate(shell):
    found = shell.ok("fit", "shop.csv", "-t", "spent", "--exclude", "bought", "-f", "lasso", "-o", "lasso.sepx")
    for words in ("150 rows", "The target is spent, a number", "Left out: id", "certified: relative gap", "lasso.sepx"):
        assert words in found.output
    assert (shell.folder / "lasso.sepx").is_file()


def test_the_file_remembers_what_it_was_made_of(shell, linear):
    told = about(shell.folder / linear)
    assert set(told) == {
        "understanding", "target", "task", "family", "score", "data", "split", "command", "versions", "reference",
    }  # fmt: skip
    assert told["target"] == "bought"
    assert told["command"] == "separatrix fit shop.csv -t bought --exclude spent -f LogisticRegression -o linear.sepx"


def test_settings_reach_the_model_and_unknown_ones_are_refused(shell):
    common = ("fit", "shop.csv", "-t", "bought", "--exclude", "spent", "-f", "LogisticRegression", "-o", "c.sepx")
    assert json.loads(shell.ok(*common, "--set", "C=0.25", "--json").stdout)["parameters"]["C"] == 0.25
    assert separatrix.load(shell.folder / "c.sepx")[-1].C == 0.25
    found = shell(*common, "--set", "c=0.25")
    assert found.exit_code == 1 and "'c'" in found.stderr
    assert "NAME=VALUE" in shell(*common, "--set", "C").stderr


@pytest.mark.parametrize(
    "family, words",
    [
        ("lasso", "not for classification"),
        ("logistc", "logistic regression"),
        ("naive", "families have that in their name"),
        ("OneVsRestClassifier", "Cannot fit"),
    ],
)
def test_a_family_that_cannot_be_meant_is_refused_with_a_hint(shell, family, words):
    found = shell("fit", "shop.csv", "-t", "bought", "-f", family)
    assert found.exit_code == 1
    assert words in found.stderr


@pytest.mark.parametrize("model", ["linear", "neighbours"])
def test_predictions_are_those_of_the_loaded_model_row_by_row(shell, model, request):
    path = request.getfixturevalue(model)
    found = rows_of(shell.ok("predict", path, "shop.csv", "--proba", "--keep", "id").stdout)
    table, whole = read(shell.folder / "shop.csv"), separatrix.load(shell.folder / path)
    assert [row["id"] for row in found] == [str(i) for i in range(1, 151)]
    assert [row["prediction"] for row in found] == whole.predict(table).tolist()
    assert_allclose([float(row["probability_yes"]) for row in found], whole.predict_proba(table)[:, 1], rtol=1e-15)


def test_blocks_make_no_difference(shell, linear, monkeypatch):
    from separatrix.workflow import predict

    whole = shell.ok("predict", linear, "shop.csv", "--proba").stdout
    monkeypatch.setattr(predict, "ROWS", 7)
    assert shell.ok("predict", linear, "shop.csv", "--proba").stdout == whole


def test_a_file_is_written_whole_and_stdin_is_read(shell, linear):
    assert "150 rows written" in shell.ok("predict", linear, "shop.csv", "-o", "out.csv").stderr
    piped = shell.ok("predict", linear, "-", input=(shell.folder / "shop.csv").read_bytes())
    assert (shell.folder / "out.csv").read_text() == piped.stdout
    assert len(piped.stdout.splitlines()) == 151
    found = shell("predict", linear, "shop.csv", "-o", "nowhere/out.csv")
    assert found.exit_code == 1 and "nowhere" in found.stderr


def test_unseen_levels_and_missing_cells_are_fine_and_missing_columns_are_named(shell, linear):
    (shell.folder / "new.csv").write_text("age,city,pay\n40,Paris,\n,Ulm,20\n")
    assert len(rows_of(shell.ok("predict", linear, "new.csv").stdout)) == 2
    (shell.folder / "lacking.csv").write_text("age,pay\n40,1\n")
    found = shell("predict", linear, "lacking.csv")
    assert found.exit_code == 1 and "'city'" in found.stderr and found.stdout == ""
    assert "'nothing'" in shell("predict", linear, "new.csv", "--keep", "nothing").stderr


def test_a_table_without_rows_gives_a_header(shell, linear):
    (shell.folder / "none.csv").write_text("age,city,pay\n")
    assert shell.ok("predict", linear, "none.csv").stdout == "prediction\n"


def test_a_bare_model_saved_from_python_predicts_columns_by_order(shell):
    X = np.random.default_rng(0).standard_normal((20, 2))
    model = separatrix.linear_model.LinearRegression().fit(X, X @ [1.0, 2.0])
    separatrix.save(model, shell.folder / "bare.sepx")
    (shell.folder / "two.csv").write_text("a,b\n1,1\n2,0.5\n")
    found = rows_of(shell.ok("predict", "bare.sepx", "two.csv").stdout)
    assert_allclose([float(row["prediction"]) for row in found], [3.0, 3.0], rtol=1e-12)
    (shell.folder / "three.csv").write_text("a,b,c\n1,1,1\n")
    assert "2 columns" in shell("predict", "bare.sepx", "three.csv").stderr
    assert "does not say which column" in shell("verify", "bare.sepx", "two.csv").stderr


def test_probabilities_of_a_number_are_refused(shell):
    shell.ok("fit", "shop.csv", "-t", "spent", "--exclude", "bought", "-f", "ridge", "-o", "ridge.sepx")
    found = shell("predict", "ridge.sepx", "shop.csv", "--proba")
    assert found.exit_code == 1 and "predicts a number" in found.stderr


def test_a_linear_model_predicts_without_scikit_learn_or_numba(shell, linear):
    code = (
        "import sys\nfrom separatrix.cli.main import main\n"
        f"try:\n    main(['predict', {linear!r}, 'shop.csv', '--proba'])\nexcept SystemExit:\n    pass\n"
        "sys.stderr.write(' '.join(sorted({'sklearn', 'numba', 'rich', 'pandas', 'narwhals'} & set(sys.modules))))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=shell.folder, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    assert len(done.stdout.splitlines()) == 151


def test_a_reader_that_takes_one_line_is_no_error(shell, linear):
    with open(shell.folder / "long.csv", "w") as file:
        file.write("age,city,pay\n")
        file.writelines("40,Ulm,20\n" for _ in range(60_000))
    command = [sys.executable, "-m", "separatrix.cli.main", "predict", linear, "long.csv"]
    writer = subprocess.Popen(command, cwd=shell.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert writer.stdout.readline() == b"prediction\n"
    writer.stdout.close()
    assert writer.stderr.read() == b""
    assert writer.wait() in (0, 141)


def test_explain_tells_the_probability_the_contributions_and_a_flip(shell, linear):
    output = shell.ok("explain", linear, "shop.csv", "--row", 2).output
    for words in ("Row 2: bought is predicted to be", "Signed distance", "all columns", "Smallest changes", "boundary"):
        assert words in output
    found = json.loads(shell.ok("explain", linear, "shop.csv", "--row", 2, "--json").stdout)
    total = sum(each["contribution"] for each in found["contributions"])
    assert_allclose(total, found["score"] - found["mean_score"], rtol=1e-12)


def test_explain_of_another_model_is_honest(shell, neighbours):
    output = shell.ok("explain", neighbours, "shop.csv").output
    assert "not a weighted sum" in output


def test_a_row_that_is_not_there_is_refused(shell, linear):
    found = shell("explain", linear, "shop.csv", "--row", 151)
    assert found.exit_code == 1 and "150 rows" in found.stderr
    assert shell("explain", linear, "shop.csv", "--row", 0).exit_code == 2


def test_verify_recomputes_the_certificate(shell, linear):
    output = shell.ok("verify", linear, "shop.csv").output
    assert "certified: relative gap" in output and "digest agrees" in output


def test_verify_finds_out_a_model_that_was_tampered_with(shell, linear):
    model = separatrix.load(shell.folder / linear)
    model[-1].coef_ = model[-1].coef_ + 0.01
    separatrix.save(model, shell.folder / "forged.sepx", about=about(shell.folder / linear))
    found = shell("verify", "forged.sepx", "shop.csv")
    assert found.exit_code == 1
    assert "NOT certified" in found.output


def test_verify_takes_no_tolerance_from_the_file(shell, linear):
    model = separatrix.load(shell.folder / linear)
    model[-1].coef_ = 1000.0 + model[-1].coef_
    model[-1].tol = 1e300
    model[-1].certificate_ = replace(model[-1].certificate_, value=0.0, tolerance=1e300)
    separatrix.save(model, shell.folder / "loose.sepx", about=about(shell.folder / linear))
    for words in ((), ("--tol", 1e300)):
        found = shell("verify", "loose.sepx", "shop.csv", *words)
        assert found.exit_code == 1 and "NOT certified" in found.output


def test_a_verifier_may_hold_a_model_to_less(shell, linear):
    assert shell("verify", linear, "shop.csv", "--tol", 1e-8).exit_code == 0
    tight = shell("verify", linear, "shop.csv", "--tol", 0)
    assert tight.exit_code == 1 and "NOT certified" in tight.output and "tolerance 0" in tight.output
    assert shell("verify", linear, "shop.csv", "--tol", -1).exit_code == 2


def test_verify_says_if_the_data_are_others(shell, linear):
    lines = (shell.folder / "shop.csv").read_bytes().decode("utf-8-sig").splitlines()
    (shell.folder / "other.csv").write_text("\n".join(lines[:-10]))
    found = shell("verify", linear, "other.csv")
    assert found.exit_code == 1
    assert "not the data of the fit" in found.output


def test_verify_of_neighbours_compares_the_stored_rows(shell, neighbours):
    done = shell("verify", neighbours, "shop.csv")
    assert done.exit_code == 0, done.output
    assert "KNeighborsClassifier is certified" in done.output


def test_local_models_are_verified_by_their_rows_and_predicted_without_scikit_learn(shell):
    left_out = [word for name in ("spent", "city", "id", "pay") for word in ("--exclude", name)]
    shell.ok("fit", "shop.csv", "-t", "bought", *left_out, "-f", "local logistic regression", "-o", "local.sepx")
    assert "LocalLogisticRegression is certified" in shell.ok("verify", "local.sepx", "shop.csv").output
    assert light(shell.folder / "local.sepx") is not None


def test_verify_of_a_model_with_nothing_to_verify_has_a_code_of_its_own(shell, linear, monkeypatch):
    def nothing(model, X, y, tol=None):
        raise NothingToVerify("it is empty")

    monkeypatch.setattr("separatrix.estimators.verify.verify", nothing)
    done = shell("verify", linear, "shop.csv")
    assert done.exit_code == 3, done.output
    assert "Nothing to verify: it is empty" in done.output


def test_a_file_that_is_no_model_is_refused(shell):
    for command in ("predict", "explain", "verify"):
        found = shell(command, "shop.csv", "shop.csv")
        assert found.exit_code == 1, found.output
        assert "Cannot load" in found.stderr


def test_every_command_takes_the_name_of_a_bundled_table(shell):
    shell.ok("fit", "wine", "-f", "linear discriminant", "-o", "wine.sepx")
    assert "digest agrees" in shell.ok("verify", "wine.sepx", "wine").output
    assert len(rows_of(shell.ok("predict", "wine.sepx", "wine").stdout)) == 178
    assert json.loads(shell.ok("predict", "wine.sepx", "Wine", "--json").stdout)["rows"] == 178
    assert "cultivar is predicted" in shell.ok("explain", "wine.sepx", "wine", "--row", "2").output
    assert "178 rows" in shell.ok("summary", "wine", "alcohol ~ ash + magnesium").output
    (shell.folder / "iris").write_text((shell.folder / "shop.csv").read_text())  # a file of that name goes first
    assert "shop" not in shell.ok("fit", "iris", "-t", "bought", "-f", "naive Bayes, mixed", "-o", "i.sepx").output
    (shell.folder / "iris").unlink()
    assert shell("fit", "shop.csv", "-f", "LogisticRegression").exit_code == 2  # a file has no target of its own
    assert "whine" in shell("predict", "wine.sepx", "whine").stderr


@pytest.mark.parametrize("size", [1e307, 1e308, 1.7e308])
def test_contributions_near_the_largest_number_are_shown(shell, linear, size):
    pipeline = separatrix.load(shell.folder / linear)
    pipeline[-1].coef_ = np.full_like(pipeline[-1].coef_, size)
    separatrix.save(pipeline, shell.folder / "huge.sepx", about=about(shell.folder / linear))
    with np.errstate(all="ignore"):
        result = shell.ok("explain", "huge.sepx", "shop.csv", "--row", 3)
    assert "e+30" in result.output or "inf" in result.output or "nan" in result.output
