"""Blocks on threads: in order, nested, and never waiting for each other."""

import os
import subprocess
import sys
import threading
from unittest import mock

import pytest
import scipy.linalg  # noqa: F401  (brings a BLAS of its own)
from threadpoolctl import threadpool_info, threadpool_limits

from separatrix.core import threads
from separatrix.core.threads import one_blas_thread, parallel_map


def blas_threads():
    return [library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"]


@pytest.fixture
def two_blas_threads(monkeypatch):
    monkeypatch.setenv("SEPARATRIX_THREADS", "2")
    before = threadpool_limits(2, user_api="blas")
    with threadpool_limits(2, user_api="blas"):
        pass  # threadpoolctl heeds the first thread that sets a number until its last `with` ends
    assert set(blas_threads()) == {2}
    yield
    with before:
        pass


@pytest.mark.parametrize("threads", ["1", "2", "7"])
def test_results_come_in_the_order_of_the_items(threads, monkeypatch):
    monkeypatch.setenv("SEPARATRIX_THREADS", threads)
    assert parallel_map(lambda i: i * i, range(20)) == [i * i for i in range(20)]


def test_tasks_within_tasks_end():
    code = (
        "from separatrix.core.threads import parallel_map\n"
        "print(parallel_map(lambda i: sum(parallel_map(lambda j: i * j, range(5))), range(5)))"
    )
    env = {"SEPARATRIX_THREADS": "2", "PYTHONPATH": ":".join(filter(None, sys.path))}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, env=env)
    assert done.stdout == "[0, 10, 20, 30, 40]\n", done.stderr


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are not forked here")
def test_a_forked_process_makes_threads_of_its_own():
    code = (
        "import os\n"
        "from separatrix.core.threads import parallel_map\n"
        "parallel_map(abs, range(4))\n"  # threads that a fork does not copy
        "child = os.fork()\n"
        "if child == 0:\n"
        "    os._exit(sum(parallel_map(abs, range(4))))\n"
        "print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))\n"
    )
    env = {"SEPARATRIX_THREADS": "2", "PYTHONPATH": ":".join(filter(None, sys.path))}
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, timeout=60, env=env
    )
    assert done.stdout == "6\n", done.stderr


def test_the_last_thread_to_leave_restores_the_threads_of_blas(two_blas_threads):
    inside, leave = threading.Event(), threading.Event()

    def other():
        with one_blas_thread():
            inside.set()
            leave.wait(60)

    thread = threading.Thread(target=other)
    with one_blas_thread():
        thread.start()
        inside.wait(60)
        assert set(blas_threads()) == {1}
    assert set(blas_threads()) == {1}, "the other thread is still inside"
    leave.set()
    thread.join(60)
    assert set(blas_threads()) == {2}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are not forked here")
@pytest.mark.parametrize("who", ["this thread", "another"])
def test_a_process_that_is_forked_while_blas_is_held_has_its_threads_again(who):
    """Of another thread that is inside a fork leaves nothing; this one is inside in both processes, and leaves both."""
    code = (
        "import os, sys, threading\n"
        "import scipy.linalg\n"
        "from threadpoolctl import threadpool_info\n"
        "from separatrix.core.threads import one_blas_thread\n"
        "def blas(): return sorted(e['num_threads'] for e in threadpool_info() if e['user_api'] == 'blas')\n"
        "before = blas()\n"
        "assert 2 in before\n"
        "inside, leave = threading.Event(), threading.Event()\n"
        "def other():\n"
        "    with one_blas_thread():\n"
        "        inside.set(); leave.wait(60)\n"
        "def fork():\n"
        "    child = os.fork()\n"
        "    return None if child == 0 else os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])\n"
        "if sys.argv[1] == 'another':\n"
        "    thread = threading.Thread(target=other); thread.start(); inside.wait(60)\n"
        "    ended = fork()\n"
        "else:\n"
        "    with one_blas_thread():\n"
        "        ended = fork()\n"
        "        assert set(blas()) == {1}\n"
        "if ended is None: os._exit(7 if blas() == before else 1)\n"
        "leave.set()\n"
        "print(ended)\n"
    )
    env = {**os.environ, "SEPARATRIX_THREADS": "2", "OPENBLAS_NUM_THREADS": "2"}
    env["PYTHONPATH"] = ":".join(filter(None, sys.path))
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code, who], capture_output=True, text=True, timeout=120, env=env
    )
    assert done.stdout == "7\n", done.stderr


@pytest.mark.parametrize("call", range(1, 8))
def test_an_interrupt_while_threads_are_set_leaves_nobody_inside(two_blas_threads, call):
    controller, calls = threads._controller(), []

    def interrupted(library, number):
        calls.append(number)
        if len(calls) == call:
            raise KeyboardInterrupt
        return type(library).set_num_threads(library, number)

    with mock.patch.object(threads, "_one_blas_thread", threads._OneBlasThread()):
        for library in controller.lib_controllers:
            library.set_num_threads = interrupted.__get__(library)
        try:
            with one_blas_thread():
                pass
        except KeyboardInterrupt:
            pass
        finally:
            for library in controller.lib_controllers:
                del library.set_num_threads
        assert threads._one_blas_thread._inside == 0
        assert set(blas_threads()) == {2}
        with one_blas_thread():
            assert set(blas_threads()) == {1}
        assert set(blas_threads()) == {2}
