"""Compiled loops on disk, from one process to the next: what is damaged, or in another user's hands, is never run.

numba keeps the code of a loop as an index and a file for each signature. It takes them on trust, and processes that
write at the same time may mix them up. So numba works in a folder of this process alone, and what is kept is one file a
loop: all of numba's files for it behind a SHA-256 of their bytes and of the loop's name. Owner and hash are compared
before numba sees a byte, and the file is replaced as a whole. A process that is about to compile looks whether another
one has done so since. Of two that compile a loop at the same time the file of the last one stays; what the other
compiled is compiled again when it is next needed.

The folder must be private (:mod:`separatrix.core.private_folder`). Where no such folder can be had or written to, loops
are compiled in memory, and one warning says so.
"""

import atexit
import functools
import hashlib
import io
import os
import shutil
import stat
import tempfile
import threading
import time
import warnings
import zipfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from separatrix.core.private_folder import OTHERS_WRITE, NotPrivate, belongs_to_others, private_folder
from separatrix.core.protocol import can
from separatrix.core.refusal import cannot

ENDING, NUMBAS = ".loop", (".nbi", ".nbc")
HASH = hashlib.sha256().digest_size
RUN = "run-"  # how the names of folders of single processes begin; then comes the number of the process
HALF = "half-"  # how the names of files begin that are not complete
A_DAY = 86_400.0
ANEW = "compiled anew in every process; name a folder of your own by SEPARATRIX_CACHE."


class LoopsNotKept(UserWarning):
    """Compiled loops cannot be kept, or what was kept is damaged: fits are right, and wait for the compiler."""


_said: list[str] = []
_given_up: list[str] = []


def trouble() -> str | None:
    """What keeps compiled loops from being kept where they should be, in a sentence; None where nothing does."""
    return _said[0] if _said else None


def given_up() -> list[str]:
    """Loops of this process that a folder could not take, because the disk is full, say."""
    return _given_up


def _say(sentence: str) -> None:
    """Warn, once in a process: every further loop would repeat it."""
    if not _said:
        _said.append(sentence)
        warnings.warn(sentence, LoopsNotKept, stacklevel=2)


# ------------------------------------------------------------------ where


@functools.cache
def store(name: str) -> Path | None:
    """The folder `name` in ``$SEPARATRIX_CACHE``, else in the user's cache folder; None where neither is private."""
    wanted = os.environ.get("SEPARATRIX_CACHE") or _user_cache()
    try:
        if wanted is not None:
            return _inside(wanted, name)
        refused = "Compiled loops are not kept in a home folder, because this user has none"
    except (NotPrivate, OSError) as error:
        refused = f"Compiled loops are not kept in {wanted!r}, because {_reason(error)}"
    try:
        folder = _inside(_temporary(), name)
    except (NotPrivate, OSError):
        _say(f"{refused}: they are {ANEW}")
        return None
    _say(f"{refused}: they are kept in {str(folder.parent)!r}; name a folder of your own by SEPARATRIX_CACHE.")
    return folder


def _inside(root: str, name: str) -> Path:
    """A folder in a private folder: whoever may read the one may read the other, which its owner decides."""
    outer = private_folder(root)
    inner = outer / name
    if not inner.is_dir():
        inner.mkdir(mode=0o700, exist_ok=True)
        inner.chmod(outer.stat().st_mode & 0o777 & ~OTHERS_WRITE)
    return private_folder(inner)


def _user_cache() -> str | None:
    given = os.environ.get("XDG_CACHE_HOME", "")
    home = given if os.path.isabs(given) else os.path.join(os.path.expanduser("~"), ".cache")
    return os.path.join(home, "separatrix") if os.path.isabs(home) else None


def _temporary() -> str:
    return os.path.join(tempfile.gettempdir(), f"separatrix-{os.getuid()}" if can(os, "getuid") else "separatrix")


def _reason(error: Exception) -> str:
    if isinstance(error, OSError):
        return (error.strerror or str(error)).lower()
    return str(error)


# ------------------------------------------------------------------ one loop


class _Called(threading.local):
    """The loop that this thread called last, until numba has no code for its arguments."""

    loop: "KeptLoop | None" = None


_called = _Called()


@functools.cache
def _listen() -> None:
    """Have a loop look for new files before numba does, which takes its lock where it has no code for arguments."""
    from numba.core import event

    class BeforeCompiling(event.Listener):
        def on_start(self, event: Any) -> None:
            loop, _called.loop = _called.loop, None
            if loop is not None:
                loop.look_again()

        def on_end(self, event: Any) -> None:
            pass

    event.register("numba:compiler_lock", BeforeCompiling())


class KeptLoop:
    """A dispatcher of numba's whose code is kept: `compile_in` makes it, with a folder for its cache or None."""

    def __init__(self, name: str, kept: Path, compile_in: Callable[[str | None], Any]) -> None:
        self._name, self._file, self._compile_in = name, kept / f"{name}{ENDING}", compile_in
        self._folder: Path | None = None
        self._missed, self._stamp = 0, (0, 0)
        try:
            self._folder = _workplace(kept) / name
            self._folder.mkdir(exist_ok=True)
            self._unpack(self._folder)
        except (NotPrivate, OSError) as error:
            self._stop_keeping(error)
        self._loop = compile_in(None if self._folder is None else str(self._folder))
        self._known = 0
        _listen()

    def __call__(self, *args: Any) -> Any:
        _called.loop = self
        try:
            answer = self._loop(*args)
        except OSError as error:  # of numba's files; a loop itself opens none
            _refuse_without_a_current_folder()
            self._stop_keeping(error)
            self._loop = self._compile_in(None)
            answer = self._loop(*args)
        if self._known != len(self._loop.overloads):
            self._known = len(self._loop.overloads)
            self._keep()
        return answer

    def look_again(self) -> None:
        """Take the files that another process has kept since they were read, in the place of this one's."""
        from numba.core.compiler_lock import global_compiler_lock

        try:
            if self._folder is None or _stamp(os.stat(self._file)) == self._stamp:
                return
            with global_compiler_lock:  # another thread may have numba write there
                self._unpack(self._folder)
        except FileNotFoundError:
            return
        except OSError as error:
            self._stop_keeping(error)

    def _unpack(self, folder: Path) -> None:
        """Give numba the files that were kept, if they are ours and as they were written."""
        try:
            with open(self._file, "rb", opener=_without_waiting) as file:
                about = os.fstat(file.fileno())
                self._stamp = _stamp(about)
                content = file.read() if stat.S_ISREG(about.st_mode) else b""  # a device may have no end
        except FileNotFoundError:
            return
        except OSError as error:
            return _say(f"A compiled loop cannot be read from {str(self._file)!r} ({_reason(error)}): it is {ANEW}")
        if belongs_to_others(about):
            return _say(f"A compiled loop in {str(self._file)!r} belongs to another user: it is compiled anew.")
        if content[:HASH] != self._hash(content[HASH:]):
            return _say(f"A compiled loop in {str(self._file)!r} is damaged: it is compiled anew.")
        with zipfile.ZipFile(io.BytesIO(content[HASH:])) as packed:
            packed.extractall(folder)

    def _keep(self) -> None:
        """Write numba's files where the next process finds them, if numba has written some."""
        missed = sum(self._loop.stats.cache_misses.values())
        if self._folder is None or missed == self._missed:
            return
        self._missed = missed
        try:
            packed = io.BytesIO()
            with zipfile.ZipFile(packed, "w") as file:
                for path in sorted(self._folder.rglob("*")):
                    if path.suffix in NUMBAS:
                        file.write(path, path.relative_to(self._folder))
            content = packed.getvalue()
            self._stamp = _replace(self._file, self._hash(content) + content)
        except OSError as error:
            self._stop_keeping(error)

    def _stop_keeping(self, error: Exception) -> None:
        self._folder = None
        _given_up.append(self._name)
        _say(f"Compiled loops cannot be kept in {str(self._file.parent)!r} ({_reason(error)}): they are {ANEW}")

    def _hash(self, content: bytes) -> bytes:
        return hashlib.sha256(self._name.encode() + b"\0" + content).digest()


def _refuse_without_a_current_folder() -> None:
    """numba asks for the current folder while it compiles, wherever its files are."""
    try:
        os.getcwd()
    except FileNotFoundError:
        raise cannot(
            "compile a loop",
            because="the current folder of this process has been removed",
            instead="a folder that exists (cd, or os.chdir)",
            kind=OSError,
        ) from None


def _without_waiting(path: str, flags: int) -> int:
    """Open a file; a pipe in its place would wait for a writer."""
    return os.open(path, flags | (os.O_NONBLOCK if can(os, "O_NONBLOCK") else 0))


def _stamp(about: os.stat_result) -> tuple[int, int]:
    """What changes when a file is replaced."""
    return about.st_mtime_ns, about.st_ino


def _replace(path: Path, content: bytes) -> tuple[int, int]:
    """Write a file under its name when it is complete; whoever may read the folder may read it. Return its stamp."""
    handle, temporary = tempfile.mkstemp(prefix=HALF, dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        os.chmod(temporary, path.parent.stat().st_mode & 0o666 & ~OTHERS_WRITE)
        stamp = _stamp(os.stat(temporary))
        os.replace(temporary, path)
        return stamp
    finally:
        Path(temporary).unlink(missing_ok=True)


# ------------------------------------------------------------------ where numba works


_workplaces: dict[int, Path] = {}  # of this process; a forked one has a folder of its own


def _workplace(kept: Path) -> Path:
    """A folder for numba's files that only this process uses, until it ends."""
    process = os.getpid()
    if process not in _workplaces:
        try:
            base = private_folder(_temporary())
        except (NotPrivate, OSError):  # somebody else took the name
            base = kept
        _remove_abandoned(base)
        _remove_half_written(kept)
        _workplaces[process] = Path(tempfile.mkdtemp(prefix=f"{RUN}{process}-", dir=base))
        atexit.register(_remove, process)
    return _workplaces[process]


def _remove(process: int) -> None:
    if process == os.getpid():  # not in a process that was forked since
        shutil.rmtree(_workplaces[process], ignore_errors=True)


def _remove_abandoned(base: Path) -> None:
    """Remove what processes left that did not come to their end. One that loses its folder compiles in memory."""
    for folder in base.glob(f"{RUN}*"):
        number = folder.name.removeprefix(RUN).partition("-")[0]
        if number.isdigit() and not _may_live(int(number), folder):
            shutil.rmtree(folder, ignore_errors=True)


def _remove_half_written(kept: Path) -> None:
    """Remove files of processes that were killed while they wrote; one that is in the work of a moment stays.

    Computers that share the folder do not know of each other's processes: the time decides.
    """
    for file in kept.glob(f"{HALF}*"):
        if not _is_recent(file):
            with suppress(OSError):
                file.unlink()


def _may_live(process: int, folder: Path) -> bool:
    if not can(os, "getuid"):  # on Windows the question would end the process
        return _is_recent(folder)
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    return True


def _is_recent(path: Path) -> bool:
    """Whether a file or folder was changed within a day, as far as that can be said."""
    try:
        return time.time() - path.stat().st_mtime < A_DAY
    except OSError:
        return True
