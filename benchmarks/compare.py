"""Compare two result files: seconds of each contestant, and our ratio to the best rival, before and after.

python -m benchmarks.compare benchmarks/results/before.json benchmarks/results/after.json
"""

import argparse
import json
from pathlib import Path

from rich.console import Console
from rich.table import Table

from benchmarks.table import YARDSTICK


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="python -m benchmarks.compare", description=__doc__.splitlines()[0])
    parser.add_argument("before", type=Path)
    parser.add_argument("after", type=Path)
    options = parser.parse_args(arguments)
    before, after = (json.loads(path.read_text()) for path in (options.before, options.after))
    console = Console()
    if before["machine"]["processor"] != after["machine"]["processor"]:
        console.print("The processors differ: compare the ratios, not the seconds.", style="bold")
    show(console, "seconds where the target was reached", seconds(before), seconds(after))
    show(console, "our seconds / best rival's", ratios_to_best(before), ratios_to_best(after))
    show(console, "start-up, best seconds", startup(before), startup(after))


def seconds(result):
    return {(*_place(row), row["contestant"]): row["seconds"] for row in result["rows"] if row["reached"]}


def ratios_to_best(result):
    """Ours over the best rival of the same table, wherever both reached the target."""
    tables = {}
    for row in result["rows"]:
        if row["reached"] and row["contestant"] != YARDSTICK:
            sides = tables.setdefault(_place(row), {"ours": [], "rivals": []})
            sides[row["side"]].append(row["seconds"])
    return {
        place: min(sides["ours"]) / min(sides["rivals"])
        for place, sides in tables.items()
        if sides["ours"] and sides["rivals"]
    }


def startup(result):
    return {
        (table["threads"], name): row["best"]
        for table in result["startup"]
        for name, row in table["rows"].items()
        if row["best"] is not None
    }


def _place(row):
    return row["group"], row["variant"], "×".join(map(str, row["shape"])), row["threads"]


def show(console, title, before, after):
    """A line for each key of either file; a key of one alone shows a dash."""
    keys = list(dict.fromkeys([*before, *after]))
    if not keys:
        return
    table = Table(title=title, title_justify="left")
    table.add_column("what")
    for name in ("before", "after", "after / before"):
        table.add_column(name, justify="right")
    for key in keys:
        a, b = before.get(key), after.get(key)
        change = f"{b / a:.2f}" if a and b else "–"
        table.add_row(" ".join(map(str, key)), *("–" if v is None else f"{v:.4f}" for v in (a, b)), change)
    console.print(table)


if __name__ == "__main__":
    main()
