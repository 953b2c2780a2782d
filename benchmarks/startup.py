"""Start-up: `import` plus a small Lasso fit in a fresh process with warm caches, ours and scikit-learn's in turn."""

import statistics
import subprocess
import sys

from benchmarks.child import ROOT, environment

ROUNDS = 5

FIT = """
import time
started = time.perf_counter()
import numpy as np
from {package}.linear_model import Lasso
rng = np.random.default_rng(0)
X = rng.standard_normal((200, 50))
y = X[:, :5].sum(axis=1) + rng.standard_normal(200)
Lasso(alpha=0.1).fit(X, y)
print(time.perf_counter() - started)
"""
IMPORT = """
import time
started = time.perf_counter()
import {package}
print(time.perf_counter() - started)
"""
PROGRAMS = {
    "separatrix: import + fit": FIT.format(package="separatrix"),
    "sklearn: import + fit": FIT.format(package="sklearn"),
    "separatrix: import": IMPORT.format(package="separatrix"),
}


def measure(threads, programs=PROGRAMS, rounds=ROUNDS):
    """Best and median seconds per program; one round before, uncounted, fills the caches of code and of files."""
    seconds = {name: [] for name in programs}
    for program in programs.values():
        _seconds(program, threads)
    for _ in range(rounds):  # in turn, so that a busy minute of the machine hits all alike
        for name, program in programs.items():
            seconds[name].append(_seconds(program, threads))
    rows = {name: _summary([time for time in times if time is not None]) for name, times in seconds.items()}
    return {"threads": threads, "rows": rows}


def _summary(times):
    return {"best": min(times, default=None), "median": statistics.median(times) if times else None}


def _seconds(program, threads):
    """Seconds that the program says it took; None if it failed."""
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, env=environment(threads), capture_output=True, text=True
    )
    return float(done.stdout.split()[-1]) if done.returncode == 0 else None
