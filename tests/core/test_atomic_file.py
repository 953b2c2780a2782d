"""Files are replaced whole or not at all; what is no file is written to and stays what it is.

No test names a device of the machine: code that fails here, run by root, would replace it.
"""

import os
import stat
import subprocess
import sys
import threading

import pytest

from separatrix.core.atomic_file import atomic_file, check_writable, remove_unfinished


def put(path, text="new"):
    with atomic_file(path, "w") as file:
        file.write(text)


def test_a_device_stays_a_device():
    reader, device = os.openpty()  # in a file system in which nothing can be created
    put(os.ttyname(device))
    assert os.read(reader, 10) == b"new"
    assert stat.S_ISCHR(os.stat(os.ttyname(device)).st_mode)
    os.close(reader)
    os.close(device)


def test_a_named_pipe_is_written_to_and_stays(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    received = []
    reader = threading.Thread(target=lambda: received.append((tmp_path / "pipe").read_text()))
    reader.start()
    put(tmp_path / "pipe")
    reader.join(10)
    assert received == ["new"]
    assert stat.S_ISFIFO(os.stat(tmp_path / "pipe").st_mode)
    assert os.listdir(tmp_path) == ["pipe"]


@pytest.mark.parametrize("exists", [True, False])
def test_of_a_link_the_target_is_replaced(tmp_path, exists):
    (tmp_path / "inner").mkdir()
    if exists:
        (tmp_path / "inner" / "file").write_text("old")
    (tmp_path / "link").symlink_to("inner/file")
    put(tmp_path / "link")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "inner" / "file").read_text() == "new"
    assert sorted(os.listdir(tmp_path)) == ["inner", "link"]


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o664, 0o755])
def test_a_file_that_is_replaced_keeps_its_permissions(tmp_path, mode):
    (tmp_path / "file").write_text("old")
    os.chmod(tmp_path / "file", mode)
    put(tmp_path / "file")
    assert stat.S_IMODE(os.stat(tmp_path / "file").st_mode) == mode


@pytest.mark.parametrize("mask", [0o022, 0o077, 0o002])
def test_a_new_file_obeys_the_umask(tmp_path, mask):
    before = os.umask(mask)
    try:
        put(tmp_path / "file")
    finally:
        os.umask(before)
    assert stat.S_IMODE(os.stat(tmp_path / "file").st_mode) == 0o666 & ~mask


@pytest.mark.skipif(os.name != "posix" or os.geteuid() != 0, reason="only root may give files away")
def test_a_file_that_is_replaced_keeps_its_owner(tmp_path):
    (tmp_path / "file").write_text("old")
    os.chown(tmp_path / "file", 12345, 23456)
    put(tmp_path / "file")
    after = os.stat(tmp_path / "file")
    assert (after.st_uid, after.st_gid) == (12345, 23456)


@pytest.mark.parametrize("stop", [ValueError, KeyboardInterrupt])
def test_what_fails_leaves_the_old_file_and_nothing_else(tmp_path, stop):
    (tmp_path / "file").write_text("old")
    with pytest.raises(stop), atomic_file(tmp_path / "file", "w") as file:
        file.write("half")
        raise stop
    assert os.listdir(tmp_path) == ["file"]
    assert (tmp_path / "file").read_text() == "old"


def test_a_process_that_ends_at_once_can_clear_away(tmp_path):
    with pytest.raises(OSError), atomic_file(tmp_path / "file", "w") as file:
        file.write("half")
        assert len(os.listdir(tmp_path)) == 1
        remove_unfinished()
        assert os.listdir(tmp_path) == []


def test_a_name_as_long_as_the_system_allows_can_be_written(tmp_path):
    put(tmp_path / ("n" * 255))
    assert os.listdir(tmp_path) == ["n" * 255]


def test_a_full_disk_is_a_sentence_and_leaves_nothing(tmp_path):
    (tmp_path / "file").write_text("old")
    code = (
        "import resource\nfrom separatrix.core.atomic_file import atomic_file\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))\n"
        "with atomic_file('file', 'w') as file:\n    file.write('x' * 10000)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert "OSError: Cannot write 'file': file too large. Use a disk with more room." in done.stderr
    assert os.listdir(tmp_path) == ["file"]
    assert (tmp_path / "file").read_text() == "old"


def test_what_cannot_be_written_is_said_before_anything_is_done(tmp_path):
    (tmp_path / "file").write_text("old")
    (tmp_path / "loop").symlink_to("loop")
    for path, because in (
        (tmp_path / "none" / "file", "does not exist"),
        (tmp_path / "file" / "file", "does not exist|not a directory"),
        (tmp_path, "it is a folder"),
        (tmp_path / ("n" * 5000), "too long"),
        (tmp_path / "loop", "go round in a circle"),
        ("", "a file needs a name"),
        (f"{tmp_path / 'none'}{os.sep}", "it is the name of a folder"),
    ):
        with pytest.raises(OSError, match=rf"^Cannot write .*(?:{because})"):
            put(path)
        with pytest.raises(OSError, match=r"^Cannot write "):
            check_writable(path)
    assert sorted(os.listdir(tmp_path)) == ["file", "loop"]


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may write everywhere")
def test_a_file_or_folder_that_may_not_be_written_to_is_refused(tmp_path):
    (tmp_path / "file").write_text("old")
    os.chmod(tmp_path / "file", 0o444)
    with pytest.raises(OSError, match="may not write to it"):
        put(tmp_path / "file")
    os.chmod(tmp_path, 0o555)
    with pytest.raises(OSError, match="may not be written to"):
        put(tmp_path / "other")


def test_another_file_of_the_command_is_not_replaced(tmp_path):
    (tmp_path / "file").write_text("old")
    os.link(tmp_path / "file", tmp_path / "same")
    for other in (tmp_path / "file", tmp_path / "same"):
        with pytest.raises(OSError, match="it is another file of this command"):
            check_writable(tmp_path / "file", others=(None, other))
    check_writable(tmp_path / "file", others=("-", tmp_path / "other", None))
    with pytest.raises(OSError, match="it is another file of this command"):
        check_writable(tmp_path / "new", others=(tmp_path / "none" / ".." / "new",))


def test_what_stdout_is_redirected_to_is_added_to(tmp_path):
    (tmp_path / "log").write_text("first\n")
    code = (
        "from separatrix.core.atomic_file import atomic_file\n"
        "with atomic_file('/proc/self/fd/1', 'w') as file:\n    file.write('x')\n"
    )
    with open(tmp_path / "log", "a") as log:
        subprocess.run([sys.executable, "-c", code], stdout=log, check=True)
    assert (tmp_path / "log").read_text() == "first\nx"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout == b"x"
