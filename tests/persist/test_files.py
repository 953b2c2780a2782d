"""Files: written all or nothing, the same bytes for the same model, and refused with a sentence that says why."""

import io
import json
import os
import pickle
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import separatrix
from separatrix.linear_model import LogisticRegression, Ridge
from separatrix.persist import CannotLoad, CannotSave, about
from separatrix.persist.archive import LARGEST_MANIFEST
from separatrix.persist.files import OtherVersion, to_bytes
from separatrix.preprocessing import PolynomialFeatures

sys.path.insert(0, str(Path(__file__).parent))
from mutations import ARRAYS, MANIFEST, closed, load, opened, save

X = np.array([[0.0, 1.0], [1.0, 0.0], [2.0, 3.0], [3.0, 1.0]])
MODEL = LogisticRegression().fit(X, ["no", "no", "yes", "yes"])
CONTENT = to_bytes(MODEL, {"target": "answer"})


def loaded(content):
    return separatrix.load(io.BytesIO(content))


def edited(change, content=CONTENT):
    """The file with a change to its manifest, and every check sum right."""
    manifest, arrays = opened(content)
    change(manifest)
    return closed(manifest, arrays)


def test_a_model_goes_to_a_path_and_comes_back(tmp_path):
    path = tmp_path / "model.sepx"
    separatrix.save(MODEL, path, about={"target": "answer", "rows": np.int64(4), "classes": ("no", "yes")})
    again = separatrix.load(str(path))
    assert (again.predict_proba(X) == MODEL.predict_proba(X)).all()
    assert about(path) == {"target": "answer", "rows": 4, "classes": ["no", "yes"]}
    assert [p.name for p in tmp_path.iterdir()] == ["model.sepx"]


def test_a_file_can_be_read_by_others():
    with zipfile.ZipFile(io.BytesIO(CONTENT)) as file:
        assert file.namelist() == [MANIFEST, ARRAYS]
        assert file.testzip() is None
        manifest = json.loads(file.read(MANIFEST))
    assert (manifest["format"], manifest["schema"]) == ("separatrix model", 3)
    model = manifest["objects"][manifest["model"]]
    assert model["class"] == "LogisticRegression"
    assert "separatrix." not in json.dumps(manifest["objects"])


def test_equal_models_make_equal_files():
    again = LogisticRegression().fit(X, ["no", "no", "yes", "yes"])
    again.certificate_ = MODEL.certificate_  # the seconds of a fit differ
    assert to_bytes(again, {"target": "answer"}) == CONTENT


def test_a_failed_write_leaves_the_old_file_and_no_other(tmp_path, monkeypatch):
    path = tmp_path / "model.sepx"
    separatrix.save(MODEL, path)
    before = path.read_bytes()

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="no space left on device"):
        separatrix.save(Ridge().fit(X, X[:, 0]), path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_a_model_that_cannot_be_saved_leaves_the_old_file(tmp_path):
    path = tmp_path / "model.sepx"
    separatrix.save(MODEL, path)
    before = path.read_bytes()
    with pytest.raises(CannotSave):
        separatrix.save(make_pipeline(object(), Ridge()), path)
    assert path.read_bytes() == before


def test_permissions_are_those_of_a_plain_file(tmp_path):
    plain, path = tmp_path / "plain", tmp_path / "model.sepx"
    plain.write_text("")
    separatrix.save(MODEL, path)
    assert path.stat().st_mode == plain.stat().st_mode
    path.chmod(0o600)
    separatrix.save(MODEL, path)
    assert path.stat().st_mode & 0o777 == 0o600


def test_missing_folders_and_files_are_named(tmp_path):
    with pytest.raises(OSError, match=r"Cannot write .*model.sepx.*: the folder .*nowhere.* does not exist"):
        separatrix.save(MODEL, tmp_path / "nowhere" / "model.sepx")
    with pytest.raises(FileNotFoundError, match=r"Cannot load .*absent\.sepx.*there is no such file"):
        separatrix.load(tmp_path / "absent.sepx")
    with pytest.raises(IsADirectoryError, match="Cannot load"):
        separatrix.load(tmp_path)
    (tmp_path / "table.csv").write_text("a,b\n1,2\n")
    with pytest.raises(CannotLoad, match=r"table\.csv.*not a zip"):
        separatrix.load(tmp_path / "table.csv")


@pytest.mark.parametrize("said", [{"x": float("nan")}, {"x": object()}, {1: "x"}, ["x"], {"x": np.zeros(2)}])
def test_only_plain_json_is_kept_beside_a_model(said):
    if isinstance(said, list):
        said = {"x": {2: said}}
    with pytest.raises(CannotSave, match="only plain JSON"):
        to_bytes(MODEL, said)


EDITS = {
    "not a model of separatrix": lambda m: m.update(format="another model"),
    "written by a newer separatrix": lambda m: m.update(schema=99),
    "does not name forms of prediction": lambda m: m.update(forms=["linear"]),
    "does not name the form of prediction of a LogisticRegression": lambda m: m.update(forms={}),
    "its schema is not a number": lambda m: m.update(schema="3"),
    "other keys than it should": lambda m: m.update(extra=1),
    "of the wrong type": lambda m: m.update(objects={}),
    "does not know": lambda m: m["objects"][-1].update({"class": "os.system"}),
    "does not say which object": lambda m: m.update(model="0"),
    "does not come before": lambda m: m.update(model=99),
    "part of a model, not a model": lambda m: m.update(model=0),
    "has no 'predict'": lambda m: m["objects"][-1]["state"].update(predict=1),
    "has no '__class__'": lambda m: m["objects"][-1]["state"].update(__class__="x"),
    "has no 'a b'": lambda m: m["objects"][-1]["state"].update({"a b": 1}),
    "its LogisticRegression has no 'C'": lambda m: m["objects"][-1]["state"].pop("C"),
    "its Certificate has no 'kind'": lambda m: m["objects"][0]["state"].pop("kind"),
    "a Certificate has no 'more'": lambda m: m["objects"][0]["state"].update(more=1),
    "unknown kind 'code'": lambda m: m["objects"][-1]["state"].update(C={"is": "code", "text": "1"}),
    "keys that are not known": lambda m: m["objects"][-1]["state"]["coef_"].update(extra=1),
    "missing or of the wrong type": lambda m: m["objects"][-1]["state"]["coef_"].update(at="0"),
    "an array that it does not hold": lambda m: m["objects"][-1]["state"]["coef_"].update(at=40),
    "another kind or shape": lambda m: m["objects"][-1]["state"]["coef_"].update(shape=[2, 1]),
    "a shape is not one": lambda m: m["objects"][-1]["state"]["coef_"].update(shape=[1, -2]),
    "array of the unknown kind": lambda m: m["objects"][-1]["state"]["coef_"].update(dtype="|O"),
    "described in two ways": lambda m: m["objects"][-1]["state"].update(C=again(m, axes=[0, 1])),
    "nested too deep": lambda m: m["objects"][-1]["state"].update(C=nested(100)),
    "not plain JSON": lambda m: m["objects"][-1]["state"].update(C=float("nan")),
    "does not fit into its array": lambda m: m["objects"][-1]["state"]["classes_"].update(dtype="<U1"),
    "not one, or too large": lambda m: m["objects"][-1]["state"]["classes_"].update(dtype="<U9999999"),
    "shape is not one": lambda m: m["objects"][-1]["state"].update(C=empty([0, 1 << 48, 1 << 48])),
    "a shape": lambda m: m["objects"][-1]["state"].update(C=empty([0, 1 << 48, 1 << 48], "words", dtype="<U1")),
    "another shape": lambda m: m["objects"][-1]["state"]["classes_"].update(shape=[3]),
}


def empty(shape, kind="objects", **more):
    return {"is": kind, "shape": shape, "items": [], **more}


def again(manifest, **changes):
    return manifest["objects"][-1]["state"]["coef_"] | changes


def nested(depth):
    value = 1
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize("because", EDITS)
def test_a_file_that_says_what_is_not_known_is_refused(because):
    with pytest.raises(CannotLoad, match=because) as refusal:
        loaded(edited(EDITS[because]))
    assert refusal.value.__cause__ is None


def test_a_long_chain_of_objects_is_refused():
    def chained(manifest):
        objects = manifest["objects"] = manifest["objects"][-1:]
        objects[0]["state"].pop("certificate_")
        for at in range(500):
            step = {"is": "tuple", "items": ["step", {"is": "object", "at": at}]}
            state = {"steps": [step], "memory": None, "verbose": False, "transform_input": None}
            objects.append({"class": "sklearn:Pipeline", "state": state})
        manifest["model"], manifest["forms"]["sklearn:Pipeline"] = 500, "pipeline"

    with pytest.raises(CannotLoad, match="nested too deep"):
        loaded(edited(chained))


def test_very_deep_json_is_refused():
    with pytest.raises(CannotLoad, match="not plain JSON"):
        loaded(closed(None, b"", [(MANIFEST, "[" * 200_000 + "]" * 200_000), (ARRAYS, b"")]))


@pytest.mark.parametrize("number", ["1e999", "-1e999", "NaN", "Infinity", "9" * 100_000])
def test_a_number_that_is_none_or_too_long_is_refused(number):
    text = json.dumps(opened(CONTENT)[0]).replace('"answer"', number)
    with pytest.raises(CannotLoad, match="not plain JSON"):
        loaded(closed(None, b"", [(MANIFEST, text), (ARRAYS, opened(CONTENT)[1])]))


def test_a_key_that_occurs_twice_is_refused():
    text, arrays = json.dumps(opened(CONTENT)[0]), opened(CONTENT)[1]
    twice = '{"schema":3,' + text[1:]
    with pytest.raises(CannotLoad, match="not plain JSON"):
        loaded(closed(None, b"", [(MANIFEST, twice), (ARRAYS, arrays)]))


def test_a_changed_number_is_noticed():
    manifest, arrays = opened(CONTENT)
    changed = arrays[:-1] + bytes([arrays[-1] ^ 1])
    with pytest.raises(CannotLoad, match="hash differs"):
        loaded(closed(None, b"", [(MANIFEST, json.dumps(manifest)), (ARRAYS, changed)]))


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize("names", [[], [MANIFEST], [MANIFEST, ARRAYS, "more"], [MANIFEST, MANIFEST, ARRAYS]])
def test_other_members_are_refused(names):
    content = dict(zip((MANIFEST, ARRAYS), opened(CONTENT)))
    members = [(name, json.dumps(content[name]) if name == MANIFEST else content.get(name, b"")) for name in names]
    with pytest.raises(CannotLoad, match=r"exactly manifest\.json and"):
        loaded(closed(None, b"", members or [("x", b"")]))


@pytest.mark.parametrize("name", ["../manifest.json", "/manifest.json", "a/../manifest.json", "./manifest.json"])
def test_members_with_paths_are_refused(name):
    manifest, arrays = opened(CONTENT)
    with pytest.raises(CannotLoad, match="exactly"):
        loaded(closed(None, b"", [(name, json.dumps(manifest)), (ARRAYS, arrays)]))


def test_a_bomb_is_not_unfolded():
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as bomb:
        with bomb.open(MANIFEST, "w") as member:
            for _ in range(LARGEST_MANIFEST // (1 << 20) + 1):
                member.write(b" " * (1 << 20))
        bomb.writestr(ARRAYS, b"")
    assert len(file.getvalue()) < LARGEST_MANIFEST // 500
    with pytest.raises(CannotLoad, match="claims"):
        separatrix.load(file)
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as bomb:
        bomb.writestr(MANIFEST, json.dumps(opened(CONTENT)[0]))
        bomb.writestr(ARRAYS, b"\0" * (1 << 20))
    with pytest.raises(CannotLoad, match="packed"):
        separatrix.load(file)


def test_scikit_learns_parts_of_another_version_are_mentioned():
    content = to_bytes(make_pipeline(StandardScaler(), Ridge()).fit(X, X[:, 0]))
    with pytest.warns(OtherVersion, match=r"written by version 0\.1"):
        loaded(edited(lambda m: m["with"].update({"scikit-learn": "0.1"}), content))


def test_what_was_said_is_read_without_scikit_learn(tmp_path):
    path = tmp_path / "model.sepx"
    path.write_bytes(CONTENT)
    code = (
        f"import sys; from separatrix.persist import about; print(about({str(path)!r})['target'])\n"
        "print(*sorted({'sklearn', 'numba', 'scipy', 'pandas'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "answer\n\n"


def test_every_byte_is_covered_by_a_hash():
    for at in range(0, len(CONTENT), 7):
        changed = CONTENT[:at] + bytes([CONTENT[at] ^ 1]) + CONTENT[at + 1 :]
        with pytest.raises(CannotLoad):
            loaded(changed)


def test_a_file_without_its_hash_is_refused():
    plain = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(CONTENT)) as file, zipfile.ZipFile(plain, "w") as copy:
        for name in file.namelist():
            copy.writestr(name, file.read(name))
    with pytest.raises(CannotLoad, match="its hash is missing"):
        separatrix.load(plain)


def counted(manifest):
    manifest["arrays"].update(count=1 << 48)


def doubled(manifest):
    """Each of sixty pipelines holds the one before it twice."""
    objects = manifest["objects"]
    for _ in range(60):
        before = {"is": "object", "at": len(objects) - 1}
        steps = [{"is": "tuple", "items": [name, before]} for name in "ab"]
        state = {"steps": steps, "memory": None, "verbose": False, "transform_input": None}
        objects.append({"class": "sklearn:Pipeline", "state": state})
    manifest["model"], manifest["forms"]["sklearn:Pipeline"] = len(objects) - 1, "pipeline"


def unfolding():
    """A few hundred kB of text that are twelve million lists."""
    many, file = json.dumps(opened(CONTENT)[0])[:-1] + ',"more":[' + "[]," * 12_000_000 + "[]]}", io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as members:
        members.writestr(MANIFEST, many)
        members.writestr(zipfile.ZipInfo(ARRAYS), opened(CONTENT)[1])
    return file.getvalue()


def colliding():
    """Whole numbers that have one hash: a dict of n of them takes n^2 comparisons."""

    def change(manifest):
        numbers = [{"is": "int", "hex": hex(i * (2**61 - 1))} for i in range(1, 60_000)]
        manifest["objects"][-1]["state"]["class_weight"] = {"is": "dict", "items": [[n, 1] for n in numbers]}

    return edited(change)


def colliding_categories():
    """The same numbers in an array of which a dict may be made later."""

    def change(manifest):
        numbers = [{"is": "int", "hex": hex(i * (2**61 - 1))} for i in range(1, 60_000)]
        node = {"is": "objects", "shape": [len(numbers)], "items": numbers}
        manifest["objects"][-1]["state"]["class_weight"] = node

    return edited(change)


def expanding():
    """Ten thousand polynomials of no column and a degree of a million."""

    def change(manifest):
        node = manifest["objects"][-1]
        node["state"].update(degree=1 << 20, n_features_in_=0, n_output_features_=1)
        manifest.update(objects=[node] * 10_000, model=9_999)

    return edited(change, to_bytes(PolynomialFeatures(2).fit(X)))


def looked_at():
    """Many models that hold one large array, which the checks of each look at."""
    manifest, arrays = opened(to_bytes(Ridge().fit(X, X[:, 0])))
    wide = np.zeros(1 << 20)
    kept = [tensor for _, tensor in sorted(load(arrays).items(), key=lambda pair: int(pair[0]))] + [wide]
    node = next(each for each in manifest["objects"] if each["class"] == "Ridge")
    state = {name: part for name, part in node["state"].items() if not isinstance(part, dict)}
    state["coef_"] = {"is": "array", "at": len(kept) - 1, "dtype": "<f8", "shape": [1 << 20]}
    node["state"] = state | {"n_features_in_": 1 << 20}
    manifest.update(objects=[node] * 40_000, model=39_999)
    manifest["arrays"]["count"] = len(kept)
    return closed(manifest, save({str(i): tensor for i, tensor in enumerate(kept)}))


def crowd():
    """A zip of a hundred thousand members."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as members:
        for i in range(100_000):
            members.writestr(zipfile.ZipInfo(str(i)), b"")
    return file.getvalue()


def test_small_files_that_would_fill_the_memory_or_run_for_ever_are_refused_at_once():
    bombs = [edited(counted), edited(doubled), unfolding(), crowd()]
    bombs += [colliding(), colliding_categories(), looked_at(), expanding()]
    code = (
        "import io, pickle, resource, sys, time\n"
        "import separatrix; from separatrix.persist import CannotLoad\n"
        "def said(content):\n"
        "    try: separatrix.load(io.BytesIO(content))\n"
        "    except CannotLoad as error: return str(error)\n"
        "first, *bombs = pickle.load(sys.stdin.buffer)\n"
        "separatrix.load(io.BytesIO(first))  # imports what is needed\n"
        "memory, clock = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.process_time()\n"
        "resource.setrlimit(resource.RLIMIT_CPU, (int(clock) + 20, -1))\n"
        "print(*map(said, bombs), sep='\\n')\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - memory)\n"
    )
    given = pickle.dumps([CONTENT, *bombs])
    done = subprocess.run([sys.executable, "-c", code], input=given, capture_output=True, check=True)
    many, deep, values, members, keys, cells, shared, powers, grown = done.stdout.decode().splitlines()
    assert "not the 281474976710656" in many
    assert "nested too deep" in deep
    assert "more than 2097152 values" in values
    assert "not a zip" in members
    assert "make a table of them slow" in keys
    assert "make a table of them slow" in cells
    assert "shared too often" in shared
    assert powers == "None"  # a model that answers at once
    assert int(grown) < 300 << 10  # kB: the text of 36 MB, twice, and what else there is


class Endless(io.RawIOBase):
    """A device: it gives as many bytes as it is asked for, and says that it has none."""

    def seek(self, place, whence=os.SEEK_SET):
        return 0

    def tell(self):
        return 0

    def read(self, size=-1):
        assert 0 <= size <= 1 << 18, "all of it was asked for"
        return bytes(size)


@pytest.mark.parametrize("read", [separatrix.load, about])
def test_a_device_without_an_end_is_no_model(read):
    with pytest.raises(CannotLoad, match="it is not a zip"):
        read(Endless())
