"""The one decorator for compiled loops, and the disk cache behind it.

A loop that inlined an overloaded verb is not recompiled by numba when the verb's text changes. So the cache lives in
a folder named by the digest of every source that loops are made of: an edited loss can never run from a stale file.
:mod:`separatrix.core.kept_loops` says where the folder is, and sees to it that nothing else is run from it.

numba itself takes half a second to import and to load its first loop from disk. A process that only fits something
small should not wait for that: until loops have handled `SMALL_WORK` numbers they run as the plain Python they are
written in. Overloads of verbs and parts of loops wait in a list, and are registered when numba is imported.

The digest does not see losses and penalties written outside this package. A loop that is called with one of them is
compiled in memory, in every process anew, and leaves nothing on disk.
"""

import functools
import hashlib
import os
import re
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

import numpy as np

from separatrix.core.protocol import can
from separatrix.core.refusal import cannot

F = TypeVar("F", bound=Callable[..., Any])

# A tenth to a third of a second of interpreted loops.
SMALL_WORK = 1 << 19
# What a loop that numpy can do as well is worth calling for, and worth loading for; see `loops_pay`.
SMALL_LOOP, VERY_MANY = 1 << 16, 1 << 24
# Sums may be reassociated: that is what lets them use vector registers, and it makes long sums more accurate, not
# less. NaN and infinity keep their meaning.
REASSOCIATE = frozenset({"reassoc", "contract"})
SETTINGS = ".numba_config.yaml"  # of numba

_COMPILES = re.compile(r"^from separatrix\.core\.(?:jit|dispatch) import .*\b(compiled|part|implements|generic)", re.M)
_IMPORTS = re.compile(r"^ *from (separatrix[\w.]*) import (\([^)]*\)|[^\n]*)", re.M)

_LOCK = threading.RLock()
_LOADING = threading.Lock()  # taken after the other one, by threads in which nothing is interrupted
_waiting: list[Callable[[], None]] = []
_state: dict[str, int] = {"loaded": False, "work": 0}
_foreign: set[type] = set()
_in_use: list["Loop"] = []


_held_over_a_fork: list[Any] = []


def _wait_for_compiler() -> None:
    """Before a fork: let other threads finish what they compile or load.

    numba has a lock of its own. In the new process it would stay with a thread that does not exist there.
    """
    for lock in (_LOCK, _LOADING):  # in the order in which a loop that is called takes them
        lock.acquire()
        _held_over_a_fork.append(lock)
    if "numba.core.compiler_lock" in sys.modules:
        lock = sys.modules["numba.core.compiler_lock"].global_compiler_lock
        lock.acquire()
        _held_over_a_fork.append(lock)


def _go_on() -> None:
    """After a fork, on both sides."""
    while _held_over_a_fork:
        _held_over_a_fork.pop().release()


def _start_afresh() -> None:
    """In a forked process: numba's files are those of the parent."""
    _go_on()
    for loop in _in_use:
        loop.leave_files()


if can(os, "register_at_fork"):
    os.register_at_fork(before=_wait_for_compiler, after_in_parent=_go_on, after_in_child=_start_afresh)


def when_loaded(tell: Callable[[], None]) -> None:
    """Call `tell` once numba is imported: now, or when the first loop is compiled."""
    if _state["loaded"]:
        tell()
    else:
        _waiting.append(tell)


def load() -> None:
    """Import numba, and run the registrations that waited for it. An interrupt leaves that to the next call."""
    if _state["loaded"] and not _waiting:
        return
    with _LOCK:  # the first loop may be called by several threads at once
        _without_interrupts(_load)


def _without_interrupts(task: Callable[[], None]) -> None:
    """Run what imports numba in a thread, which no interrupt reaches: an import that is cut short cannot be repeated.

    After an interrupt the thread goes on, and the next one waits for its end.
    """
    failed: list[BaseException] = []

    def run() -> None:
        try:
            with _LOADING:
                task()
        except BaseException as error:
            failed.append(error)

    thread = threading.Thread(target=run, name="separatrix-load")
    thread.start()
    thread.join()
    if failed:
        raise failed[0]


def _load() -> None:
    _import_numba()
    while _waiting:
        _waiting[0]()
        del _waiting[0]
    _state["loaded"] = True


def _import_numba() -> None:
    """Import numba without settings from the current folder, by which anybody could have it write files or run modules.

    numba looks for them when it is imported, and whenever it compiles. Who imports numba beforehand may use them.
    """
    if "numba" in sys.modules:
        return
    if os.path.exists(SETTINGS):
        raise cannot(
            "load numba here",
            because=f"it would obey {SETTINGS} in the current folder, which can have it write files and run code",
            instead="another current folder, or import numba yourself beforehand if these settings are yours",
        )
    import numba.core.config

    numba.core.config._config_fname = ""


def note_implementation(cls: type, implementation: Callable[..., Any]) -> None:
    """Remember the classes of losses and penalties of which some verb is implemented outside this package."""
    home = implementation.__module__ or ""  # text that is executed without a module has none
    if home.partition(".")[0] != __name__.partition(".")[0]:
        _foreign.add(cls)


def _is_foreign(argument: Any) -> bool:
    """Whether an argument is an instance of such a class, or a tuple that holds one."""
    return isinstance(argument, tuple) and (type(argument) in _foreign or any(map(_is_foreign, argument)))


class Loop:
    """A function that is compiled when there is enough for it to do; ``py_func`` is the plain one."""

    def __init__(self, function: Callable[..., Any], fastmath: set[str] | bool) -> None:
        functools.update_wrapper(self, function)
        self.py_func = function
        self._fastmath = fastmath
        self._compiled: list[Callable[..., Any] | None] = [None, None]  # for atoms of this package, for others

    def __call__(self, *args: Any) -> Any:
        foreign = bool(_foreign) and any(map(_is_foreign, args))
        compiled_loop = self._compiled[foreign]
        if compiled_loop is None:
            if not _worth_compiling(args):
                with np.errstate(all="ignore"):  # compiled loops do not speak of overflow either
                    return self.py_func(*args)
            with _LOCK:
                load()
                compile_loop = _compile_in_memory if foreign else _compile
                compiled_loop = self._compiled[foreign] or compile_loop(self.py_func, self._fastmath)
                self._compiled[foreign] = compiled_loop
                _in_use.append(self)
        return compiled_loop(*args)

    def leave_files(self) -> None:
        """Forget code that came from files; it is read again when it is needed. Code in memory stays."""
        from separatrix.core.kept_loops import KeptLoop

        if isinstance(self._compiled[False], KeptLoop):
            self._compiled[False] = None


def read_only(array: np.ndarray) -> np.ndarray:
    """The same numbers as a view that cannot be written to: for what loops read, and users hand in.

    numba compiles a loop once for arrays that may be written to, and once more for those that may not, as columns of
    data frames and files mapped into memory. All as read-only, they are compiled for once.
    """
    view = array.view()
    view.flags.writeable = False
    return view


def loops_pay(numbers: int) -> bool:
    """Whether a loop over so many numbers should take the place of numpy's: loops are loaded, or there are very many.

    Loading them takes as long as such a loop saves on about 2^28 numbers, a few reads of 2^24.
    """
    return (bool(_state["loaded"]) and numbers > SMALL_LOOP) or numbers >= VERY_MANY


def _worth_compiling(args: tuple[Any, ...]) -> bool:
    """Whether numba is loaded, or the numbers handled so far, with these, are worth loading it."""
    if _state["loaded"]:
        return True
    _state["work"] += 64 + sum(getattr(a, "size", 0) for a in args)
    return _state["work"] > SMALL_WORK


def compiled(function: F) -> F:
    """Compile a loop: cached on disk, GIL released, sums reassociated. To callers it is the function it is made of."""
    return cast(F, Loop(function, set(REASSOCIATE)))


def compiled_exactly(function: F) -> F:
    """Compile a loop whose every operation is rounded as written: for error-free transformations."""
    return cast(F, Loop(function, False))


def part(function: F) -> F:
    """Let compiled loops call a small function, which stays plain Python itself."""
    return _part(function, set(REASSOCIATE))


def part_exactly(function: F) -> F:
    """The same, with every operation rounded as written."""
    return _part(function, False)


def part_in_place(function: F) -> F:
    """The same, written into each loop that calls it: arrays are not handed over, and their references not counted.

    For parts that are called for small nodes or single columns, where counting takes longer than the work.
    """
    return _part(function, set(REASSOCIATE), forceinline=True)


def _part(function: F, fastmath: set[str] | bool, **options: bool) -> F:
    def tell() -> None:
        from numba.extending import register_jitable

        register_jitable(fastmath=fastmath, **options)(function)

    when_loaded(tell)
    return function


def _compile(function: Callable[..., Any], fastmath: set[str] | bool) -> Callable[..., Any]:
    """A loop whose code is kept on disk, or where no folder may be trusted in memory."""
    import numba

    from separatrix.core.kept_loops import KeptLoop, store

    if numba.config.DISABLE_JIT:
        return function
    folder = store(cache_name())
    if folder is None:
        return _compile_in_memory(function, fastmath)
    name = f"{function.__module__}.{function.__qualname__}".replace("<", "").replace(">", "")
    return KeptLoop(name, folder, functools.partial(_compile_in, function, fastmath))


def _compile_in(function: Callable[..., Any], fastmath: set[str] | bool, folder: str | None) -> Callable[..., Any]:
    """A dispatcher whose cache is in a folder, or that has none."""
    import numba

    if folder is None:
        return _compile_in_memory(function, fastmath)
    config: Any = numba.config
    before, config.CACHE_DIR = config.CACHE_DIR, folder
    try:
        dispatcher: Any = numba.njit(cache=True, nogil=True, fastmath=fastmath)(function)
    except RuntimeError:  # the text of the function is in no file
        return _compile_in_memory(function, fastmath)
    finally:
        config.CACHE_DIR = before
    # where that folder does not suit numba it takes another, which nobody has looked at
    return dispatcher if dispatcher.stats.cache_path.startswith(folder) else _compile_in_memory(function, fastmath)


def _compile_in_memory(function: Callable[..., Any], fastmath: set[str] | bool) -> Callable[..., Any]:
    from numba import njit

    dispatcher: Callable[..., Any] = njit(nogil=True, fastmath=fastmath)(function)
    return dispatcher


def cache_folder() -> str | None:
    """Where compiled loops are kept; None where they are compiled in memory."""
    from separatrix.core.kept_loops import store

    folder = store(cache_name())
    return None if folder is None else str(folder)


@functools.cache
def cache_name() -> str:
    """What the folder is called: the sources that loops are made of, and who compiled them."""
    _without_interrupts(_import_numba)
    import numba

    return f"{_digest()}-{sys.implementation.cache_tag}-numba-{numba.__version__}"


def _digest() -> str:
    """Twelve hexadecimal digits that change with any source file that a compiled loop may be made of."""
    root = Path(__file__).resolve().parent.parent
    total = hashlib.sha256()
    for path in sorted(sources_of_loops(root)):
        total.update(path.read_bytes())
    return total.hexdigest()[:12]


def sources_of_loops(root: Path) -> set[Path]:
    """The files that define loops, parts of loops or verbs, and whatever they import from this package."""
    waiting = [path for path in root.rglob("*.py") if _COMPILES.search(path.read_text(encoding="utf-8"))]
    sources = set(waiting)
    while waiting:
        for module, names in _IMPORTS.findall(waiting.pop().read_text(encoding="utf-8")):
            base = root.joinpath(*module.split(".")[1:])
            near = [base.with_suffix(".py"), base / "__init__.py"]
            near += [base / f"{name}.py" for name in re.findall(r"\w+", names)]
            new = {path for path in near if path.is_file()} - sources
            sources |= new
            waiting += new
    return sources
