"""Compiled loops on disk: what is damaged or another user's is never run, and every fit is right all the same.

Each test runs a process that compiles one small loop, and says what it answered and of what it warned.
"""

import hashlib
import io
import json
import os
import pickle
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

import pytest

import separatrix
from separatrix.core import kept_loops
from separatrix.core.private_folder import belongs_to_others, private_folder

SOURCE = Path(separatrix.__file__).parents[1]
STRANGER = 12345
IS_ROOT = hasattr(os, "getuid") and os.getuid() == 0
needs_root = pytest.mark.skipif(not IS_ROOT, reason="only root can give files to another user")
needs_owners = pytest.mark.skipif(not hasattr(os, "getuid"), reason="files have no such owners here")

LOOP = """
from separatrix.core.jit import compiled

@compiled
def total(x):
    \"\"\"The sum of some numbers.\"\"\"
    out = 0.0
    for i in range(x.size):
        out += x[i]
    return out
"""
# A user without rights is this process after it has imported what it needs: the interpreter may be out of reach later.
RUN = """
import json, os, sys, warnings
import numba, numpy as np
numba.njit(lambda x: x.sum())(np.ones(2)), "".encode("cp437")
from separatrix.core import jit, kept_loops
from tiny import total
jit.load()
if sys.argv[1] != "0":
    os.setgroups([]); os.setgid(int(sys.argv[1])); os.setuid(int(sys.argv[1]))
with warnings.catch_warnings(record=True) as said:
    warnings.simplefilter("always")
    answers = [total(np.arange(4.0))]
    exec(os.environ.get("BETWEEN", ""))
    answers.append(total(np.arange(4.0, dtype=np.float32)))
hits = sum(total._compiled[False]._loop.stats.cache_hits.values()) if jit.cache_folder() else 0
said = [str(each.message) for each in said if issubclass(each.category, kept_loops.LoopsNotKept)]
print(json.dumps([answers, said, hits, jit.cache_folder()]))
"""


@pytest.fixture
def place():
    """A folder that all may enter, with the loop in it."""
    yield from made_place()


@pytest.fixture(scope="module")
def compiled_place():
    """Such a folder in which the loop was compiled, and the bytes that were kept of it."""
    for place in made_place():
        run(place)
        yield place, kept(place)[0].read_bytes()


def made_place():
    folder = Path(os.path.realpath(tempfile.mkdtemp()))
    folder.chmod(0o755)
    (folder / "tiny.py").write_text(LOOP)
    (folder / "home").mkdir(mode=0o700)
    yield folder
    shutil.rmtree(folder)


def run(place, *, user=0, without=(), cwd=None, **environment):
    """(warnings, signatures that were found on disk, folder of loops) of a process; its answers are right."""
    given = {**os.environ, "HOME": str(place / "home")}
    given["PYTHONPATH"] = os.pathsep.join([str(place), str(SOURCE), os.environ.get("PYTHONPATH", "")])
    given.pop("XDG_CACHE_HOME", None)
    given |= {"SEPARATRIX_CACHE": str(place / "cache"), "TMPDIR": str(place / "temporary"), **environment}
    (place / "temporary").mkdir(exist_ok=True)
    (place / "temporary").chmod(0o1777)
    done = subprocess.run(
        [sys.executable, "-c", RUN, str(user)],
        capture_output=True,
        text=True,
        cwd=cwd or place,
        timeout=600,
        env={name: value for name, value in given.items() if name not in without},
    )
    assert done.returncode == 0, done.stderr
    answers, said, hits, folder = json.loads(done.stdout)
    assert answers == [6.0, 6.0]
    return said, hits, folder


def kept(place):
    return [path for path in (place / "cache").rglob("*") if path.is_file()]


class Payload:
    """Code that runs when it is unpickled, and leaves a mark."""

    def __init__(self, mark):
        self._mark = mark

    def __reduce__(self):
        return Path.touch, (self._mark,)


def poison(path, mark):
    """Put code into a file of the cache, with a hash that is right."""
    if path.suffix != ".loop":  # numba's own
        return path.write_bytes(pickle.dumps(Payload(mark)))
    packed, poisoned = io.BytesIO(path.read_bytes()[32:]), io.BytesIO()
    with zipfile.ZipFile(packed) as old, zipfile.ZipFile(poisoned, "w") as new:
        for name in old.namelist():
            new.writestr(name, pickle.dumps(Payload(mark)))
    content = poisoned.getvalue()
    path.write_bytes(hashlib.sha256(path.stem.encode() + b"\0" + content).digest() + content)
    return None


def test_a_second_process_finds_both_signatures(place):
    assert run(place)[:2] == ([], 0)
    assert [path.suffix for path in kept(place)] == [".loop"]
    before = kept(place)[0].read_bytes()
    assert run(place)[:2] == ([], 2)
    assert kept(place)[0].read_bytes() == before


MEANWHILE = """
import subprocess
both = "import numpy as np; from separatrix.core import jit; from tiny import total; jit.load(); total(np.arange(4.0))"
both += "; total(np.arange(4.0, dtype=np.float32))"
subprocess.run([sys.executable, "-c", both], check=True)
"""


def test_what_another_process_has_compiled_meanwhile_is_not_compiled_again(place):
    said, hits, _ = run(place, BETWEEN=MEANWHILE)
    assert said == [] and hits == 1
    assert run(place)[1] == 2


def test_a_poisoned_file_would_run(place):
    """The tests below rest on it."""
    run(place)
    for path in kept(place):
        poison(path, place / "mark")
    run(place)
    assert (place / "mark").exists()


@needs_root
@pytest.mark.parametrize("whose", ["folder", "file"])
def test_code_of_another_user_is_not_run(place, whose):
    run(place)
    for path in kept(place):
        poison(path, place / "mark")
        os.chown(path, STRANGER, STRANGER)
    if whose == "folder":
        os.chown(place / "cache", STRANGER, STRANGER)
    said, hits, _ = run(place)
    assert not (place / "mark").exists()
    assert hits == 0
    assert len(said) == 1 and "another user" in said[0]


@needs_owners
@pytest.mark.parametrize("mode", [0o777, 0o775, 0o757, 0o1777], ids=oct)
def test_a_folder_that_others_can_write_to_is_not_used(place, mode):
    run(place)
    for path in kept(place):
        poison(path, place / "mark")
    (place / "cache").chmod(mode)
    said, hits, folder = run(place)
    assert not (place / "mark").exists()
    assert (len(said), hits) == (1, 0)
    assert f"others can write to '{place / 'cache'}'" in said[0]
    assert folder.startswith(str(place / "temporary"))


@needs_owners
def test_a_folder_above_that_others_can_write_to_counts_unless_it_is_sticky(place):
    (place / "open").mkdir()
    inner = str(place / "open" / "cache")
    (place / "open").chmod(0o777)
    assert "others can write to" in run(place, SEPARATRIX_CACHE=inner)[0][0]
    (place / "open").chmod(0o1777)
    assert run(place, SEPARATRIX_CACHE=inner)[0] == []


@needs_owners
def test_a_link_leads_where_its_owner_may_lead_us(place):
    (place / "mine").symlink_to(place / "cache")
    assert run(place, SEPARATRIX_CACHE=str(place / "mine"))[0][0].endswith("SEPARATRIX_CACHE.")  # it leads nowhere
    (place / "cache").mkdir(mode=0o700)
    assert run(place, SEPARATRIX_CACHE=str(place / "mine"))[0] == []
    (place / "open").mkdir()
    (place / "open").chmod(0o777)
    (place / "open" / "link").symlink_to(place / "cache")
    (place / "chain").symlink_to(Path("open", "..", "open", "link"))
    assert "others can write to" in run(place, SEPARATRIX_CACHE=str(place / "chain"))[0][0]
    if IS_ROOT:
        os.lchown(place / "mine", STRANGER, STRANGER)
        assert "another user" in run(place, SEPARATRIX_CACHE=str(place / "mine"))[0][0]


@needs_owners
def test_new_folders_are_private_whatever_the_mask(place):
    before = os.umask(0)
    try:
        assert run(place, SEPARATRIX_CACHE=str(place / "a" / "b" / "c"))[0] == []
        assert run(place, SEPARATRIX_CACHE=str(place / "a" / "b" / "c"))[:2] == ([], 2)
    finally:
        os.umask(before)
    modes = {path.name: path.stat().st_mode & 0o777 for path in (place / "a").rglob("*")}
    assert {mode & 0o077 for mode in modes.values()} == {0}


@needs_root
def test_loops_that_root_has_compiled_serve_everyone(place):
    (place / "cache").mkdir(mode=0o755)
    (place / "cache").chmod(0o755)
    assert run(place)[0] == []
    assert run(place, user=STRANGER)[:2] == ([], 2)


@needs_root
def test_a_user_without_a_home_has_a_temporary_folder_and_none_in_the_current_one(place):
    (place / "current").mkdir()
    (place / "current").chmod(0o777)
    said, _, folder = run(place, user=STRANGER, without={"HOME", "SEPARATRIX_CACHE"}, cwd=place / "current")
    assert list((place / "current").iterdir()) == []
    assert len(said) == 1 and "this user has none" in said[0]
    assert folder.startswith(str(place / "temporary" / f"separatrix-{STRANGER}"))
    assert run(place, user=STRANGER, without={"HOME", "SEPARATRIX_CACHE"}, cwd=place / "current")[1] == 2


@needs_owners
def test_without_any_private_folder_loops_are_compiled_in_memory(place):
    (place / "cache").mkdir()
    (place / "cache").chmod(0o777)
    (place / "temporary").mkdir()
    taken = place / "temporary" / f"separatrix-{os.getuid()}"
    taken.mkdir()
    taken.chmod(0o777)
    said, hits, folder = run(place)
    assert (len(said), hits, folder) == (1, 0, None)
    assert "compiled anew in every process" in said[0]
    assert list(taken.iterdir()) == []


def test_a_file_in_the_place_of_the_folder_is_told(place):
    (place / "cache").write_text("")
    said, _, folder = run(place)
    assert len(said) == 1 and "not a directory" in said[0]
    assert folder.startswith(str(place / "temporary"))


# ------------------------------------------------------------------ damage


def flipped(content, at):
    return content[:at] + bytes([content[at] ^ 64]) + content[at + 1 :]


DAMAGES = {
    "empty": lambda content: b"",
    "truncated hash": lambda content: content[:20],
    "truncated": lambda content: content[: len(content) // 2],
    "longer": lambda content: content + b"\0",
    "flipped hash": lambda content: flipped(content, 3),
    "flipped name": lambda content: flipped(content, 70),
    "flipped code": lambda content: flipped(content, len(content) // 2),
    "flipped end": lambda content: flipped(content, len(content) - 1),
    "zeros": lambda content: bytes(len(content)),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_file_is_compiled_anew_and_replaced(compiled_place, damage):
    place, content = compiled_place
    (path,) = kept(place)
    path.write_bytes(DAMAGES[damage](content))
    said, hits, _ = run(place)
    assert (len(said), hits) == (1, 0)
    assert "is damaged: it is compiled anew" in said[0]
    anew = path.read_bytes()
    assert hashlib.sha256(b"tiny.total\0" + anew[32:]).digest() == anew[:32]


def test_what_was_compiled_anew_serves_the_next_process(compiled_place):
    place, content = compiled_place
    (path,) = kept(place)
    path.write_bytes(content[:100])
    assert run(place)[1] == 0
    assert run(place)[:2] == ([], 2)


def test_the_code_of_another_loop_under_this_name_is_not_run(place):
    run(place)
    (path,) = kept(place)
    other = path.with_name("tiny.other.loop")
    path.rename(other)
    content = other.read_bytes()
    path.write_bytes(hashlib.sha256(b"tiny.other\0" + content[32:]).digest() + content[32:])
    assert run(place)[1] == 0


LIMIT = "import resource; resource.setrlimit(resource.RLIMIT_AS, (1 << 33, 1 << 33))"


@pytest.mark.skipif(os.name != "posix", reason="there are no such files here")
@pytest.mark.parametrize("made", [os.mkfifo, lambda path: path.symlink_to("/dev/full")], ids=["pipe", "device"])
def test_a_pipe_or_a_device_in_the_place_of_a_file_is_not_read(place, made):
    run(place)
    (path,) = kept(place)
    path.unlink()
    made(path)
    (place / "sitecustomize.py").write_text(LIMIT)  # the device has no end
    said, hits, _ = run(place)
    assert (len(said), hits) == (1, 0)
    assert said[0].endswith("it is compiled anew.")
    assert path.is_file() and not path.is_symlink()


def test_a_folder_in_the_place_of_a_file_is_told(place):
    run(place)
    (path,) = kept(place)
    path.unlink()
    path.mkdir()
    said, hits, _ = run(place)
    assert (len(said), hits) == (1, 0)
    assert "cannot be read" in said[0]


@needs_owners
@pytest.mark.parametrize("what, mode", [("file", 0o000), ("folder", 0o000), ("folder", 0o500)])
def test_what_may_not_be_read_or_written_is_told(place, what, mode):
    user = STRANGER if IS_ROOT else 0
    (place / "cache").mkdir()
    if IS_ROOT:
        os.chown(place / "cache", STRANGER, STRANGER)
    assert run(place, user=user)[0] == []
    if mode == 0o500:
        shutil.rmtree(place / "cache")
        (place / "cache").mkdir()
    locked = kept(place)[0] if what == "file" else place / "cache"
    locked.chmod(mode)
    try:
        said, hits, _ = run(place, user=user)
        assert (len(said), hits) == (1, 0)
    finally:
        locked.chmod(0o700)


@needs_root
@pytest.mark.parametrize("full", ["cache", "temporary"])
def test_a_full_disk_is_told(place, full):
    """The disk has room for folders and for none of the code."""
    disk = place / full
    disk.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=16k,mode=700", "tmpfs", str(disk)], check=False)
    if mounted.returncode:
        pytest.skip("no disk can be mounted here")
    try:
        said, hits, _ = run(place)
        assert (len(said), hits) == (1, 0)
        assert "no space left on device" in said[0]
        assert not [path for path in disk.rglob("*") if path.is_file()]
    finally:
        subprocess.run(["umount", str(disk)], check=True)


@pytest.mark.skipif(os.name != "posix", reason="files have no limit here")
def test_loops_that_no_file_can_take_are_named(place):
    """What is compiled ahead is then not said to be kept."""
    limit = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))\nassert not kept_loops.given_up()"
    names = "\ntotal(np.arange(4.0, dtype=np.float32))\nassert kept_loops.given_up() == ['tiny.total']"
    said = run(place, BETWEEN=limit + names)[0]
    assert len(said) == 1
    assert "(file too large)" in said[0]


def test_an_index_of_another_numba_is_not_read(place):
    run(place)
    (path,) = kept(place)
    packed, other = io.BytesIO(path.read_bytes()[32:]), io.BytesIO()
    with zipfile.ZipFile(packed) as old, zipfile.ZipFile(other, "w") as new:
        for name in old.namelist():
            new.writestr(name, pickle.dumps("0.1") + b"of another form" if name.endswith(".nbi") else old.read(name))
    content = other.getvalue()
    path.write_bytes(hashlib.sha256(path.stem.encode() + b"\0" + content).digest() + content)
    assert run(place)[:2] == ([], 0)
    assert run(place)[:2] == ([], 2)


def test_a_process_that_loses_its_folder_goes_on(place):
    lose = "import shutil; [shutil.rmtree(each) for each in kept_loops._workplaces.values()]"
    assert run(place, BETWEEN=lose)[:2] == ([], 0)


def test_without_a_current_folder_a_loop_is_not_compiled_and_the_next_call_is_right(place):
    between = """
os.mkdir("gone"); os.chdir("gone"); os.rmdir(os.getcwd())
try:
    total(np.arange(4))
except OSError as error:
    words = str(error)
os.chdir(os.path.dirname(jit.cache_folder()))
assert words.startswith("Cannot compile a loop: the current folder of this process has been removed"), words
total(np.arange(4))
"""
    assert run(place, BETWEEN=between)[:2] == ([], 0)


def test_folders_of_processes_that_were_killed_are_removed(place):
    base = place / "temporary"
    run(place)
    (home,) = base.iterdir()
    assert list(home.iterdir()) == []
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    (home / f"run-{gone.pid}-x").mkdir()
    (home / f"run-{os.getpid()}-x").mkdir()
    run(place)
    assert [path.name for path in home.iterdir()] == [f"run-{os.getpid()}-x"]


def test_files_that_were_left_half_written_are_removed_after_a_day(place):
    """A process that is killed while it writes cannot remove them."""
    run(place)
    (path,) = kept(place)
    left, at_work = path.with_name(f"{kept_loops.HALF}a"), path.with_name(f"{kept_loops.HALF}b")
    for half in (left, at_work):
        half.write_bytes(b"half")
    os.utime(left, (0, 0))
    assert run(place)[:2] == ([], 2)
    assert set(kept(place)) == {path, at_work}


def test_a_process_that_is_killed_while_it_writes_leaves_a_half_and_the_whole(place):
    run(place)
    (path,) = kept(place)
    whole = path.read_bytes()
    kill = "import signal; os.replace = lambda *names: os.kill(os.getpid(), signal.SIGKILL); kept_loops._replace("
    kill += f"__import__('pathlib').Path({str(path)!r}), b'other')"
    with pytest.raises(AssertionError):
        run(place, BETWEEN=kill)
    assert path.read_bytes() == whole
    assert sorted(each.name[: len(kept_loops.HALF)] for each in kept(place) if each != path) == [kept_loops.HALF]


def test_systems_without_owners_of_files_are_served(tmp_path, monkeypatch):
    """As Windows, where os has no getuid."""
    monkeypatch.delattr(os, "getuid", raising=False)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    assert private_folder(tmp_path / "a" / "b") == tmp_path / "a" / "b"
    assert not belongs_to_others(os.stat(tmp_path))
    assert kept_loops._temporary() == str(tmp_path / "separatrix")
    (tmp_path / "run-1-x").mkdir()
    kept_loops._remove_abandoned(tmp_path)
    assert (tmp_path / "run-1-x").exists()
    os.utime(tmp_path / "run-1-x", (0, 0))
    kept_loops._remove_abandoned(tmp_path)
    assert not (tmp_path / "run-1-x").exists()
