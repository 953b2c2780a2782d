"""The leaderboard as text of fixed width, as a frame, and as plain data for JSON."""

import math
import textwrap
from dataclasses import asdict
from importlib.util import find_spec

from separatrix.core.description import json_value
from separatrix.core.printable import printable
from separatrix.core.refusal import cannot

FRAMES = ("pandas", "polars", "pyarrow")
WIDTH = 110
NO_SPREAD = "its standard error is not known: resamples of these rows do not differ"


def text(comparison):
    """The whole result for a terminal: leaderboard, failures, recommendation, test."""
    understanding = comparison.understanding
    running = [standing for standing in comparison.standings if not standing.failed]
    failed = [standing for standing in comparison.standings if standing.failed]
    better = "higher" if comparison.higher_is_better else "lower"
    lines = [
        f"{printable(understanding.target)}: {understanding.task}, {len(comparison.y_train):,} rows for "
        f"{comparison.folds} folds × {comparison.repeats}, {len(comparison.y_test):,} for the test; "
        f"{comparison.score}, {better} is better",
        "",
        *_columns(comparison, running),
    ]
    groups = (
        "1 holds the best and all that are not shown to be worse; 2 is worse than the best of 1, and so on; ordered by "
        "score within a group"
    )
    for mark, title in (("*", "recommended"), ("group", groups)):
        lines.append(f"{mark:>9}  {title}")
    lines += _notes("Notes", [(standing.family, standing.note) for standing in running if standing.note])
    lines += _notes("Not on the board", [(standing.family, standing.reason) for standing in failed])
    for warning in comparison.question.warnings if comparison.question else ():
        lines += ["", *textwrap.wrap(f"Warning: {warning}", WIDTH)]
    lines += ["", *textwrap.wrap(f"Recommended: {comparison.why}", WIDTH)]
    if comparison.test_measures:
        lines += textwrap.wrap(f"On the test part, once: {tested(comparison)}.", WIDTH)
    return printable("\n".join(lines), lines=True)


def _columns(comparison, running):
    """The rows of the board, padded; numbers to the right."""
    sides = ("log_loss", "calibration") if comparison.understanding.task == "classification" else ("mae", "r2")
    titles = {"log_loss": "log loss", "calibration": "calibration (chance)", "mae": "MAE", "r2": "R²"}
    head = ["", "group", "model", comparison.measure, *(titles.get(side, side) for side in sides)]
    head += ["fit s", "predict s", "size", "certified"]
    rows = [head]
    for standing in running:
        rows.append(
            [
                "*" if standing.family == comparison.recommended else "",
                str(standing.group),
                standing.family,
                pair(standing.score, standing.error),
                *(_beside_chance(standing.measures, side) for side in sides),
                _number(standing.fit_seconds, 2),
                _number(standing.predict_seconds, 2),
                f"{standing.size:,}",
                standing.verdict,
            ]
        )
    widths = [max(map(len, column)) for column in zip(*rows)]
    left = {0, 2, len(head) - 1}
    for row in rows:
        cells = [
            cell.ljust(width) if place in left else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(row, widths))
        ]
        yield "  ".join(cells).rstrip()


def _notes(title, pairs):
    if not pairs:
        return []
    width = max(len(name) for name, _ in pairs)
    lines = ["", f"{title}:"]
    for name, note in pairs:
        lines += textwrap.wrap(note, WIDTH, initial_indent=f"  {name:<{width}}  ", subsequent_indent=" " * (width + 4))
    return lines


def _beside_chance(measures, name):
    chance = _number(measures.get(f"{name}_by_chance"))
    return _number(measures.get(name)) + (f" ({chance})" if chance else "")


def _number(value, digits=4):
    """A number with `digits` decimals, fewer where it is large; "" for NaN and None.

    >>> _number(0.123456), _number(12345.678), _number(float("nan"))
    ('0.1235', '12,346', '')
    """
    if value is None or not math.isfinite(value):
        return ""
    return f"{value:,.0f}" if abs(value) >= 1000.0 else f"{value:.{digits if abs(value) < 10.0 else 2}f}"


def pair(value, error):
    """A number and its standard error, rounded to two digits of the error.

    >>> pair(0.99571, 0.00321), pair(54.472, 3.58), pair(12345.0, 678.0), pair(0.5, 0.0)
    ('0.9957 ± 0.0032', '54.5 ± 3.6', '12,345 ± 678', '0.5000 ± 0.0000')
    """
    if not math.isfinite(error):
        return _number(value)
    digits = 4 if error == 0.0 else min(max(1 - math.floor(math.log10(error)), 0), 8)
    return f"{value:,.{digits}f} ± {error:,.{digits}f}"


def tested(comparison):
    """The score on the test part with its standard error, or why that is not known."""
    shown = pair(comparison.test_score, comparison.test_error)
    if math.isfinite(comparison.test_score) and not math.isfinite(comparison.test_error):
        shown += f" ({NO_SPREAD})"
    return shown


def rows(comparison):
    """One dict for each standing, all with the same keys."""
    names = dict.fromkeys(name for standing in comparison.standings for name in standing.measures)
    board = []
    for standing in comparison.standings:
        board.append(
            {
                "family": standing.family,
                "group": standing.group,
                "score": standing.score,
                "error": standing.error,
                **{name: standing.measures.get(name, math.nan) for name in names},
                "fit_seconds": standing.fit_seconds,
                "predict_seconds": standing.predict_seconds,
                "size": standing.size,
                "certified": standing.verdict,
                "certificate": standing.certificate,
                "rows": standing.rows,
                "note": standing.note,
                "reason": standing.reason,
                "recommended": standing.family == comparison.recommended,
            }
        )
    return board


def frame(comparison):
    """The leaderboard as a frame of the kind given to `compare`, else of the first installed one of FRAMES."""
    import narwhals as nw

    kind = comparison.kind or next((name for name in FRAMES if find_spec(name)), "")
    if not kind:
        raise cannot(
            "show the leaderboard as a frame",
            because="neither pandas, polars nor pyarrow is installed",
            instead="pip install 'separatrix[frames]', or as_dict(), or print the comparison",
            kind=ImportError,
        )
    board = rows(comparison)
    return nw.from_dict({name: [row[name] for row in board] for name in board[0]}, backend=kind).to_native()


def plain(comparison):
    """A comparison without its data and its model, ready for JSON: NaN is None."""
    kept = (
        "score", "measure", "higher_is_better", "recommended", "why", "beats_baseline", "feature_names", "folds",
        "repeats", "seed", "seconds", "budget", "test_measures", "test_score", "test_error", "unfinished", "not_tried",
        "partly_tried",
    )  # fmt: skip
    document = {name: getattr(comparison, name) for name in kept}
    document["understanding"] = comparison.understanding.as_dict()
    document["standings"] = [asdict(standing) for standing in comparison.standings]
    document["p_values"] = [{"families": list(pair), "p": p} for pair, p in comparison.p_values.items()]
    question = comparison.question
    document["question"] = {"sentences": question.lines(), "warnings": list(question.warnings)} if question else None
    document["rows"] = {"train": len(comparison.y_train), "test": len(comparison.y_test)}
    return json_value(document)
