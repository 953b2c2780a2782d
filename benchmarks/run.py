"""Run ours and the rivals, one process after another, and print a table per problem.

python -m benchmarks.run lasso
python -m benchmarks.run all --threads 1 --only wide,tall --rivals sklearn,celer --scale 0.01
"""

import argparse
import json
import sys
import tempfile
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

import numpy as np

from benchmarks import ours, rivals, startup
from benchmarks.child import ROOT, Child
from benchmarks.machine import describe
from benchmarks.problems import GROUPS, problems
from benchmarks.problems.storage import load_answer, megabytes, save_data, tidy
from benchmarks.table import show, show_startup

RESULTS = ROOT / "benchmarks" / "results"
WARM_UP_SCALE = 1e-3


@dataclass
class Row:
    """One contestant on one problem with one number of threads."""

    group: str
    variant: str
    shape: tuple
    threads: int
    side: str
    contestant: str
    target: float
    tolerance: float | None = None
    seconds: float | None = None
    all_seconds: list = field(default_factory=list)
    suboptimality: float | None = None
    certificate: float | None = None
    extra_mb: float | None = None
    extra_percent: float | None = None
    note: str = ""
    yardstick: bool = False
    values: np.ndarray | None = field(default=None, repr=False)  # of the objective; not written to the file

    @property
    def reached(self):
        return self.suboptimality is not None and self.suboptimality <= self.target

    def record(self):
        kept = {name: value for name, value in vars(self).items() if name != "values"}
        return {**kept, "reached": self.reached}


def main(arguments=None):
    options = parse(arguments)
    groups = [*GROUPS, "startup"] if options.group == "all" else [options.group]
    result = {"machine": describe(), "options": vars(options), "rows": [], "startup": []}
    RESULTS.mkdir(exist_ok=True)
    path = options.output or RESULTS / f"{options.group}-{datetime.now():%Y%m%d-%H%M%S}.json"
    for group in groups:
        if group == "startup":
            for threads in options.threads:
                result["startup"].append(startup.measure(threads))
                show_startup(result["startup"][-1])
            write(path, result)
            continue
        for problem in problems(group):
            if options.only is None or problem.variant in options.only:
                for table in contest(problem, options):
                    result["rows"] += [row.record() for row in table]
                    write(path, result)
    print(f"written to {path}")
    return result


def write(path, result):
    Path(path).write_text(json.dumps(result, indent=1, default=str))


def contest(problem, options):
    """All contestants on one problem: a list of rows, and a table on the screen, per number of threads."""
    with tempfile.TemporaryDirectory(prefix="separatrix-benchmark-") as folder:
        folder = Path(folder)
        data = problem.make(options.scale, strength=options.strength)
        settings = save_data(folder / "data", data)
        save_data(folder / "small", problem.make(WARM_UP_SCALE, strength=options.strength))
        judge = problem.judge(data)
        reference = tidy(judge.reference())
        reference_values = judge.values(reference)
        proof = judge.gap(reference) if hasattr(judge, "gap") else None
        for threads in options.threads:
            rows, place = [], (problem.group, problem.variant, data.X.shape, threads)
            entrants, slow = line_up(problem.group, settings, options)
            for side, contestant in entrants:
                row = Row(*place, side, contestant.name, problem.target, yardstick=contestant.yardstick)
                compete(row, contestant, judge, reference_values, folder, options)
                rows.append(row)
            best = np.min([reference_values] + [row.values for row in rows if row.values is not None], axis=0)
            for row in rows:
                if row.values is not None:
                    row.suboptimality = judge.suboptimality(row.values, best)
            show(rows, megabytes(data.X), proof, slow)
            yield rows


def line_up(group, settings, options):
    """Ours first, then the rivals in the order of their files; and the names of those left out as slow."""
    entrants = [] if options.without_ours else [("ours", contestant) for contestant in ours.contestants(group)]
    entrants += [("rivals", contestant) for contestant in rivals.contestants(group, options.rivals)]
    entrants = [(side, contestant) for side, contestant in entrants if contestant.suits(settings)]
    slow = [contestant.name for _, contestant in entrants if contestant.slow(settings)]
    return [(side, contestant) for side, contestant in entrants if contestant.name not in slow], slow


def compete(row, contestant, judge, best, folder, options):
    """Climb the ladder of tolerances to the first that reaches the target, then repeat that one."""
    python = sys.executable if row.side == "ours" else options.rivals_python
    inputs = (folder / "small", folder / "data", folder / "log.txt")
    with Child(python, row.side, row.group, contestant.name, row.threads, *inputs) as child:
        reply = child.ask(None, options.timeout)
        if reply["state"] != "ready":
            row.note = reply["reason"]
            return
        size = reply["megabytes"]
        for tolerance in contestant.tolerances:
            request = {"tolerance": tolerance, "answer": str(folder / "answer.npz"), "patience": options.patience}
            reply = child.ask({**request, "repeat": 1}, options.timeout)
            if reply["state"] != "fitted":
                row.note = reply["reason"]
                return
            _take(row, reply, tolerance, judge, best, request["answer"], size)
            if row.reached or row.seconds > options.patience:
                break
        if (row.reached or row.yardstick) and options.repeat > 1 and row.seconds < options.patience:
            request["patience"] = options.patience - row.seconds
            reply = child.ask({**request, "repeat": options.repeat - 1}, options.timeout)
            if reply["state"] == "fitted":
                row.all_seconds += reply["seconds"]
                row.seconds = min(row.all_seconds)


def _take(row, reply, tolerance, judge, best, path, size):
    row.tolerance, row.all_seconds, row.seconds = tolerance, reply["seconds"], min(reply["seconds"])
    row.certificate, row.extra_mb = reply["certificate"], reply["extra_mb"]
    row.extra_percent = 100.0 * row.extra_mb / size
    if not row.yardstick:
        row.values = judge.values(load_answer(path))
        row.suboptimality = judge.suboptimality(row.values, best)


def parse(arguments=None):
    parser = argparse.ArgumentParser(prog="python -m benchmarks.run", description=__doc__.splitlines()[0])
    names = lambda text: text.split(",")  # noqa: E731
    parser.add_argument("group", choices=[*GROUPS, "startup", "all"])
    parser.add_argument("--threads", type=lambda text: [int(part) for part in text.split(",")], default=[1, 2])
    parser.add_argument("--repeat", type=int, default=3, help="fits per contestant; the best counts")
    parser.add_argument("--scale", type=float, default=1.0, help="part of the entries of X, for a quick look")
    parser.add_argument("--only", type=names, help="variants, such as wide,tall")
    parser.add_argument("--strength", type=float, help="λ of the lasso and of L1 logistic, as a part of λmax")
    parser.add_argument("--rivals", type=names, help=f"contestants, or files of them: {','.join(rivals.FILES)}")
    parser.add_argument("--rivals-python", default=sys.executable, help="an interpreter that has the rivals")
    parser.add_argument("--without-ours", action="store_true")
    parser.add_argument("--patience", type=float, default=60.0, help="seconds after which nothing is repeated")
    parser.add_argument("--timeout", type=float, default=900.0, help="seconds after which a fit is given up")
    parser.add_argument("--output", type=Path, help="file for the results (default: benchmarks/results/)")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    main()
