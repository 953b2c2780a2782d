"""Files that appear under their name when they are complete, or not at all; devices and pipes are written to."""

import errno
import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import IO, Any

from separatrix.core.protocol import can
from separatrix.core.refusal import cannot

FilePath = str | os.PathLike[str]

# Names of what this process has open already. Replacing the file behind one would cut off whoever else writes there.
_OPEN_ALREADY = ("/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/fd/", "/proc/")
_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_unfinished: set[Path] = set()


@contextmanager
def atomic_file(path: FilePath, mode: str = "wb", **options: Any) -> Iterator[IO[Any]]:
    """Open a temporary file in the folder of `path`; rename it to `path` at the end of the block.

    If the block raises, the temporary file is deleted and a file that was there before is unchanged. A file that is
    replaced keeps its permissions and, where that is allowed, its owner; a new one gets those that ``open`` would give.
    Of a symbolic link the file that it points to is replaced. What is no regular file (a device, a named pipe) is
    opened and written to, as it comes.

    Parameters
    ----------
    path : str or path.
    mode : {"wb", "w"}, default "wb".
    options : of ``open``: encoding, newline.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> with atomic_file(folder / "a.txt", "w") as file:
    ...     _ = file.write("all or nothing")
    >>> [each.name for each in folder.iterdir()], (folder / "a.txt").read_text()
    (['a.txt'], 'all or nothing')
    """
    check_writable(path)
    way = _written_through if _is_special(path) else _replaced
    try:
        with way(path, mode, options) as file:
            yield file
    except BrokenPipeError:
        raise
    except OSError as error:
        if error.errno is None:  # an exception of ours, raised within the block
            raise
        raise _unwritable(path, (error.strerror or str(error)).lower(), error.errno) from None


def check_writable(path: FilePath, *, others: tuple[FilePath | None, ...] = ()) -> None:
    """Raise if `path` cannot be written to, or is one of the `others` that are read or written.

    >>> check_writable("a.csv", others=("b.csv", None))
    """
    if not os.fspath(path):
        raise _unwritable(path, "a file needs a name")
    if os.fspath(path).endswith(tuple(filter(None, (os.sep, os.altsep)))):  # realpath would leave it out
        raise _unwritable(path, "it is the name of a folder")
    try:
        if any(source is not None and _is_same_file(path, source) for source in others):
            raise cannot(
                f"write {_name(path)}",
                because="it is another file of this command",
                instead="another name",
                kind=OSError,
            )
        target = Path(path if _is_special(path) else os.path.realpath(path))
        if not _is_special(path) and target.is_symlink():  # with all links followed
            raise _unwritable(path, "its links go round in a circle")
        if target.is_dir():
            raise _unwritable(path, "it is a folder")
        if target.exists():
            if not os.access(target, os.W_OK):
                raise _unwritable(path, "this user may not write to it")
            if _is_special(path):
                return
        folder = target.parent
        if not folder.is_dir():
            raise _unwritable(path, f"the folder {_name(folder)} does not exist")
        if not os.access(folder, os.W_OK):
            raise _unwritable(path, f"the folder {_name(folder)} may not be written to")
    except OSError as error:
        if error.errno is None:
            raise
        raise _unwritable(path, (error.strerror or str(error)).lower(), error.errno) from None


def _is_same_file(path: FilePath, other: FilePath) -> bool:
    """Whether two names are of one file, which may be still to be made."""
    if _is_special(path):
        return False
    if os.path.exists(path) and os.path.exists(other):
        return os.path.samefile(path, other)
    return os.path.realpath(path) == os.path.realpath(other)


def remove_unfinished() -> None:
    """Delete the temporary files of blocks that have not ended: for a process that ends without leaving them."""
    for temporary in list(_unfinished):
        with suppress(OSError):
            temporary.unlink()


def _is_special(path: FilePath) -> bool:
    """Whether a path is that of a device, a pipe or a socket, or of something that this process has open."""
    if os.path.abspath(path).startswith(_OPEN_ALREADY):
        return True
    try:
        mode = os.stat(path).st_mode
    except OSError:
        return False
    return not stat.S_ISREG(mode) and not stat.S_ISDIR(mode)


@contextmanager
def _written_through(path: FilePath, mode: str, options: dict[str, Any]) -> Iterator[IO[Any]]:
    # O_APPEND: /dev/stdout may be a file that others have written to
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_APPEND), mode, **options) as file:
        yield file


@contextmanager
def _replaced(path: FilePath, mode: str, options: dict[str, Any]) -> Iterator[IO[Any]]:
    target = Path(os.path.realpath(path))
    before = target.stat() if target.exists() else None
    permissions = 0o666 if before is None else stat.S_IMODE(before.st_mode)  # the umask applies to the first
    temporary = target.with_name(f".separatrix-{secrets.token_hex(8)}")
    _unfinished.add(temporary)  # first: an interrupt may come at any time
    try:
        created = partial(os.open, mode=permissions)
        with open(temporary, mode.replace("w", "x"), opener=created, **options) as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if before is not None:
            _give_back(temporary, before)
        os.replace(temporary, target)
    finally:
        temporary.unlink(missing_ok=True)
        _unfinished.discard(temporary)


def _give_back(temporary: Path, before: os.stat_result) -> None:
    """The owner, where this user may give files away, and the permissions of the file that is replaced."""
    if can(os, "chown"):
        with suppress(PermissionError):
            os.chown(temporary, before.st_uid, before.st_gid)
    os.chmod(temporary, stat.S_IMODE(before.st_mode))


def _name(path: FilePath) -> str:
    return repr(os.fspath(path))


def _unwritable(path: FilePath, because: str, number: int | None = None) -> Exception:
    instead = "a folder that exists and that you may write to"
    if number in _NO_ROOM:
        instead = "a disk with more room"
    elif number == errno.ENAMETOOLONG:
        instead = "a shorter name"
    return cannot(f"write {_name(path)}", because=because, instead=instead, kind=OSError)
