"""Blocks on threads: in order, nested, and never waiting for each other."""

import os
import subprocess
import sys

import pytest

from separatrix.core.threads import parallel_map


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
