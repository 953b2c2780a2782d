"""How many threads to use, and a pool that runs blocks on them in a fixed order."""

import functools
import os
import threading
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from contextvars import copy_context
from functools import cache
from typing import Any, TypeVar, cast

from separatrix.core.protocol import can
from separatrix.core.time_limit import stop_if_over

Item = TypeVar("Item")
Result = TypeVar("Result")
F = TypeVar("F", bound=Callable[..., Any])

_NAME = "separatrix"
# Fits to fewer numbers are mostly interpreter, and threads of one interpreter take turns (measured: a third slower).
FEW_NUMBERS = 1 << 16


def n_threads() -> int:
    """Threads to use: ``$SEPARATRIX_THREADS``, else ``$OMP_NUM_THREADS``, else the cores this process may run on."""
    for name in ("SEPARATRIX_THREADS", "OMP_NUM_THREADS"):
        value = os.environ.get(name, "")
        if value.isdigit() and int(value) > 0:
            return int(value)
    if can(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@cache
def _pool(size: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(size, thread_name_prefix=_NAME)


def _start_afresh() -> None:
    """In a forked process: the threads of a pool do not exist there, nor any other thread that is inside."""
    _pool.cache_clear()
    _one_blas_thread.leave_others()


@cache
def _controller() -> Any:
    from threadpoolctl import ThreadpoolController  # comes with scikit-learn

    return ThreadpoolController().select(user_api="blas")


class _OneBlasThread:
    """BLAS on one thread for as long as anyone is inside, on any thread; then as many as there were before.

    Each fit that restored what it had met would leave the others' limit behind, where several run side by side.
    """

    def __init__(self) -> None:
        self._lock, self._inside = threading.RLock(), 0
        self._by_thread: Counter[int] = Counter()
        self._before: Any = None

    def __enter__(self) -> None:
        counted = False
        try:
            with self._lock:
                self._inside, counted = self._inside + 1, True
                self._by_thread[threading.get_ident()] += 1
                if self._inside == 1:
                    self._before = _controller().limit()  # remembers the numbers of threads, and changes none
                    _controller().limit(limits=1)
                    _let_others_set_threads()
        except BaseException:  # an interrupt, after which nobody calls __exit__
            if counted:
                self.__exit__()
            raise

    def __exit__(self, *raised: object) -> None:
        with self._lock:
            self._inside -= 1
            self._by_thread[threading.get_ident()] -= 1
            if self._inside == 0 and self._before is not None:
                try:
                    self._restore()
                except BaseException:  # an interrupt on the way
                    self._restore()
                    raise

    def hold(self) -> None:
        """Before a fork: let other threads finish setting numbers of threads, which they do under a lock of BLAS."""
        self._lock.acquire()

    def release(self) -> None:
        """After a fork, in the process that goes on as it was."""
        self._lock.release()

    def leave_others(self) -> None:
        """Count this thread alone, which is the only one of a forked process."""
        mine, before = self._by_thread[threading.get_ident()], self._inside
        self._lock, self._inside = threading.RLock(), mine
        if before and not mine and self._before is not None:
            self._restore()

    def _restore(self) -> None:
        with self._before:  # whose end sets the numbers that it remembers
            pass


def _let_others_set_threads() -> None:
    """Let the thread that leaves last set the number of threads, which may be another than the first that entered.

    Of an OpenBLAS with threads of its own threadpoolctl heeds one thread, from the first number it sets to the end of
    its last ``with``: others set nothing, without a word, while that thread lives.
    """
    with _controller().limit():
        pass


_one_blas_thread = _OneBlasThread()

if can(os, "register_at_fork"):
    os.register_at_fork(
        before=_one_blas_thread.hold, after_in_parent=_one_blas_thread.release, after_in_child=_start_afresh
    )


def one_blas_thread(*, always: bool = False) -> AbstractContextManager[Any]:
    """A context in which BLAS runs on one thread; `always` also where ours is one, but BLAS may have more.

    For solvers whose passes over X run on our threads and whose small factors are solved in between: numpy and scipy
    each bring a BLAS, and the idle threads of one would spin on the cores that ours need.
    """
    return _one_blas_thread if always or n_threads() > 1 else nullcontext()


def on_one_blas_thread(function: F) -> F:
    """A function that runs in :func:`one_blas_thread`."""

    @functools.wraps(function)
    def held(*args: Any, **options: Any) -> Any:
        with one_blas_thread():
            return function(*args, **options)

    return cast(F, held)


def parallel_map(task: Callable[[Item], Result], items: Iterable[Item], *, numbers: int = FEW_NUMBERS) -> list[Result]:
    """``[task(item) for item in items]`` on threads; BLAS is held to one thread: we are the parallel layer.

    `numbers` is how many each task works on, where that is known: few are not worth a thread.
    A task that calls this again, from one of our threads, runs its items there: a thread that waited for the pool it
    belongs to would wait for ever. A limit of time (:mod:`separatrix.core.time_limit`) is heeded before each item.
    """
    items = list(items)
    size = min(n_threads(), len(items))

    def timely(item: Item) -> Result:
        stop_if_over()
        return task(item)

    if size <= 1 or numbers < FEW_NUMBERS or threading.current_thread().name.startswith(_NAME):
        return [timely(item) for item in items]
    with _one_blas_thread:
        # a limit of time holds on other threads, too; a context cannot be entered by two of them at once
        contexts = [copy_context() for _ in items]
        return list(_pool(size).map(lambda context, item: context.run(timely, item), contexts, items))


def map_ahead(task: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
    """``map(task, items)`` on threads, in order, for a stream: only a few items are taken before their turn."""
    size = n_threads()
    if size <= 1 or threading.current_thread().name.startswith(_NAME):
        yield from map(task, items)
        return
    waiting: deque[Future[Result]] = deque()
    try:
        for item in items:
            waiting.append(_pool(size).submit(task, item))
            if len(waiting) > size:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        for future in waiting:
            future.cancel()
