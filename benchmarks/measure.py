"""One contestant in one fresh process, driven by lines of JSON on standard input and output.

    python -m benchmarks.measure --side rivals --group lasso --contestant celer --threads 1 --small DIR --data DIR

It pins itself to its cores, warms up on the small data, loads the data, and says {"state": "ready"}. Then each line
{"tolerance": 1e-6, "repeat": 3, "answer": "file.npz"} is answered by {"state": "fitted", "seconds": [...], ...}, or by
{"state": "failed", "reason": ...}. It never computes an objective: that is the parent's business.
"""

import argparse
import gc
import importlib.util
import json
import os
import resource
import shutil
import sys
import time
import warnings


def main():
    arguments = _arguments()
    replies = _claim_standard_output()

    def reply(**message):
        replies.write(json.dumps(message) + "\n")
        replies.flush()

    contestant = _contestant(arguments)
    if importlib.util.find_spec(contestant.needs) is None and shutil.which(contestant.needs) is None:
        reply(state="absent", reason=f"{contestant.needs} is not installed")
        return
    _pin(arguments.threads)
    warnings.simplefilter("ignore")  # a rung of the ladder that is too loose or too tight for a package is no news

    from benchmarks.problems.storage import load_data, megabytes, save_answer

    try:
        small = load_data(arguments.small)
        small.settings.update(threads=arguments.threads, tolerance=contestant.tolerances[0])
        small = contestant.prepare(small)
        contestant.answer(contestant.fit(small, small.settings), small)
        data = load_data(arguments.data)
        size = megabytes(data.X)
        data.settings.update(threads=arguments.threads)
        data = contestant.prepare(data)
        reply(state="ready", megabytes=size)
        for line in sys.stdin:
            request = json.loads(line)
            data.settings.update(tolerance=request["tolerance"])
            answer, measured = measure(contestant, data, request["repeat"], request["patience"])
            save_answer(request["answer"], answer)
            del answer
            reply(state="fitted", **measured)
    except Exception as error:  # whatever a rival raises is a result, to be shown in its row
        reply(state="failed", reason=f"{type(error).__name__}: {str(error)[:300]}")


def measure(contestant, data, repeat, patience):
    """The last answer, seconds of each fit, and the memory that the first one needed beyond what was there before."""
    seconds, extra, fitted, answer = [], 0.0, None, None
    while len(seconds) < repeat and sum(seconds) < patience:
        fitted = answer = None
        gc.collect()
        before = _restart_peak()
        started = time.perf_counter()
        fitted = contestant.fit(data, data.settings)
        elapsed = time.perf_counter() - started
        grown = _peak() - before
        answer = contestant.answer(fitted, data)
        seconds.append(elapsed if answer.seconds is None else answer.seconds)
        extra = max(extra, grown if answer.extra_mb is None else answer.extra_mb)
    return answer, {"seconds": seconds, "extra_mb": extra, "certificate": answer.certificate}


def _restart_peak():
    """Let the peak start from the present; returns the present size in MB.

    ``ru_maxrss`` alone will not do: Linux hands it down from the parent process, and a large parent hides any growth.
    """
    try:
        with open("/proc/self/clear_refs", "w") as file:
            file.write("5")
        return _status("VmRSS")
    except OSError:
        return _peak()


def _peak():
    try:
        return _status("VmHWM")
    except OSError:
        unit = 1.0 if sys.platform == "darwin" else 1024.0
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6


def _status(field):
    with open("/proc/self/status") as file:
        line = next(line for line in file if line.startswith(field))
    return int(line.split()[1]) * 1024 / 1e6


def _pin(threads):
    """Some runtimes read no variable; none can use a core that the process may not run on."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[-threads:])


def _claim_standard_output():
    """Our replies keep the pipe; what packages print goes to standard error, also from C."""
    replies = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    return replies


def _contestant(arguments):
    if arguments.side == "ours":
        from benchmarks.ours import contestants
    else:
        from benchmarks.rivals import contestants
    return next(c for c in contestants(arguments.group) if c.name == arguments.contestant)


def _arguments():
    parser = argparse.ArgumentParser(prog="python -m benchmarks.measure", description=__doc__.splitlines()[0])
    parser.add_argument("--side", choices=("ours", "rivals"), required=True)
    parser.add_argument("--group", required=True)
    parser.add_argument("--contestant", required=True)
    parser.add_argument("--threads", type=int, required=True)
    parser.add_argument("--small", required=True)
    parser.add_argument("--data", required=True)
    return parser.parse_args()


if __name__ == "__main__":
    main()
