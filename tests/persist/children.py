"""Work on numbered files in child processes: a crash, a hang or a lack of memory names the number of the file.

``run(task, start, stop)`` calls ``task(i)`` for each number in a forked process, and counts what it returns. Where it
raises, or the process ends, the failure is kept and a new process goes on with the next number.
"""

import multiprocessing
import os
import resource
import signal
import sys
import time
import warnings

import numpy as np

SECONDS = 60  # of processor time for one file: loops are compiled meanwhile
PATIENCE = 300  # seconds by the wall clock: other processes may want the processor, too
MEMORY = 6 << 30
KINDS = 8  # different answers of a task
MOST_FAILURES = 20  # in one run, which ends then: each may have taken all of its time


def run(task, start, stop, say=lambda text: None):
    """(failures by number of the file, how often each answer was given); a task answers a number below `KINDS`."""
    fork = multiprocessing.get_context("fork")
    place, counts, words = fork.Value("q", start), fork.Array("q", KINDS), fork.SimpleQueue()
    failures, at = {}, start
    while at < stop and len(failures) < MOST_FAILURES:
        child = fork.Process(target=_work, args=(task, at, stop, place, counts, words))
        child.start()
        _watch(child, place)
        if child.exitcode == 0:
            break
        at = place.value
        failures[at] = signal.Signals(-child.exitcode).name if child.exitcode < 0 else "an exception"
        if not words.empty():
            failures[at] += f" {words.get()}"
        say(f"file {at}: {failures[at]}")
        at += 1
    return failures, list(counts)


def _work(task, start, stop, place, counts, words):
    """`place` holds the number of the file at hand, `words` what went wrong."""
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    sys.stderr = sys.stdout = open(os.devnull, "w")  # noqa: SIM115
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    for i in range(start, stop):
        place.value = i
        limit = int(time.process_time()) + SECONDS
        resource.setrlimit(resource.RLIMIT_CPU, (limit, resource.RLIM_INFINITY))  # a signal, even in a loop
        try:
            counts[task(i)] += 1
        except BaseException as error:
            words.put(repr(error)[:300])
            os._exit(1)
    place.value = stop
    os._exit(0)  # without waiting for processes that a model may have started


def _watch(child, place):
    """Wait for a child; end one that neither works nor comes to an end, as where processes wait for each other."""
    last, since = place.value, time.monotonic()
    while child.is_alive():
        child.join(1.0)
        if place.value != last:
            last, since = place.value, time.monotonic()
        if time.monotonic() - since > PATIENCE:
            child.kill()
            child.join()


def at_length(task, start, stop, at_once, names):
    """Run a task on very many files, say how far it is, and return whether nothing failed."""
    failures, counts = {}, np.zeros(KINDS, int)
    for first in range(start, stop, at_once):
        last = min(first + at_once, stop)
        failed, more = run(task, first, last, lambda text: print(text, flush=True))
        failures, counts = failures | failed, counts + more
        answers = ", ".join(f"{count} {name}" for name, count in zip(names, counts))
        print(f"{last - start} files: {answers}; {len(failures)} failures", flush=True)
    return not failures
