"""The parent's end of the protocol of `benchmarks.measure`."""

import json
import os
import subprocess
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
THREAD_VARIABLES = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "NUMBA_NUM_THREADS",
    "SEPARATRIX_THREADS",
)


def environment(threads):
    """The variables of this process, with every thread count that a package may read before it is imported.

    Bytecode is kept: installed packages have theirs, and so has a source tree only if Python may write it.
    """
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {**kept, **dict.fromkeys(THREAD_VARIABLES, str(threads))}


class Child:
    """A measured process; `ask` sends a request and waits for its answer, at most until the timeout."""

    def __init__(self, python, side, group, contestant, threads, small, data, log):
        self.log = open(log, "w+")  # noqa: SIM115  closed in __exit__
        command = [python, "-m", "benchmarks.measure", "--side", side, "--group", group]
        command += ["--contestant", contestant, "--threads", threads, "--small", small, "--data", data]
        self.process = subprocess.Popen(
            list(map(str, command)),
            cwd=ROOT,
            env=environment(threads),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.log,
            text=True,
        )

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        try:
            self.process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()
        self.log.close()

    def ask(self, request, timeout):
        if request is not None:
            time.sleep(0.2)  # our own BLAS threads spin for a while after judging; let them rest
            self.process.stdin.write(json.dumps(request) + "\n")
            self.process.stdin.flush()
        overdue = threading.Timer(timeout, self.process.kill)
        overdue.start()
        line = self.process.stdout.readline()
        late = not overdue.is_alive()
        overdue.cancel()
        if line:
            return json.loads(line)
        if late:
            return {"state": "failed", "reason": f"not done after {timeout:.0f} s"}
        self.log.seek(0)
        said = self.log.read().strip().splitlines() or ["the process ended without a word"]
        return {"state": "failed", "reason": said[-1][:300]}
