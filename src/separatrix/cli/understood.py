"""What was understood of a table, said in a few lines before anything is fitted."""

from collections import Counter

PLURAL = {"number": "numbers", "category": "categories", "flag": "flags", "date": "dates", "text": "texts"}
MOST_CLASSES = 6
MOST_LEFT_OUT = 8


def sentences(understanding):
    """The lines: table, target, what is left out, and what deserves a second look."""
    yield from (_table(understanding), _target(understanding))
    left_out = [column for column in understanding.columns if not column.used]
    if left_out:
        named = [f"{c.name} ({c.why or c.kind})" for c in left_out[:MOST_LEFT_OUT]]
        more = len(left_out) - MOST_LEFT_OUT
        yield f"Left out: {'; '.join(named)}{f'; and {more} more' if more > 0 else ''}."
    yield from (f"Note: {note}" for note in understanding.notes)
    doubts = [f"{column.name}: {column.why}" for column in understanding.used if column.why]
    yield from (f"Note: {doubt}" for doubt in doubts[:MOST_LEFT_OUT])


def _table(found):
    kinds = Counter(column.kind for column in found.used)
    made = ", ".join(f"{count} {PLURAL[kind] if count > 1 else kind}" for kind, count in kinds.items())
    missing = sum(column.missing for column in found.used)
    cells = found.rows * len(found.used)
    gaps = f"{missing:,} of {cells:,} cells missing" if missing else "no cell missing"
    return f"{found.source}: {found.rows:,} rows, {len(found.used)} columns to learn from ({made}); {gaps}."


def _target(found):
    words = f"Target {found.target}: {found.task}"
    if found.task == "classification":
        total = sum(found.counts) or 1
        order = sorted(range(len(found.classes)), key=lambda c: -found.counts[c])
        if len(found.classes) <= MOST_CLASSES:
            order = sorted(order)
        shown = [
            f"{found.classes[c]} ({found.counts[c]:,}, {100 * found.counts[c] / total:.0f} %)"
            for c in order[:MOST_CLASSES]
        ]
        more = f" and {len(found.classes) - MOST_CLASSES} more" if len(found.classes) > MOST_CLASSES else ""
        words += f", {len(found.classes)} classes: {', '.join(shown)}{more}"
    if found.unlabelled:
        words += f"; {found.unlabelled:,} rows without a target are set aside"
    return words + "."


def show(out, understanding):
    """Print the lines."""
    from separatrix.cli.screen import say

    for place, line in enumerate(sentences(understanding)):
        say(out, line, "dim" if line.startswith(("Left out", "Note")) else None, gap=place == 0)
