"""The report as one self-contained HTML page without scripts, below one megabyte."""

from datetime import UTC, datetime
from pathlib import Path

from separatrix.core.atomic_file import atomic_file
from separatrix.core.printable import printable, shortened
from separatrix.report.blocks import Note, Picture
from separatrix.report.context import ReportContext
from separatrix.report.registry import blocks_of, sections

MOST_BYTES = 1_000_000
LONGEST = 20_000  # letters of a text: names of columns and categories may be as long as anything
# Nothing may be loaded or run; only the inline styles of the page apply.
POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
LEFT_OUT = "A picture was left out to keep the report below 1 MB. Its description: "


def render(comparison, *, command=None, costs=None, seconds=8.0, left=None):
    """The report of a comparison as one HTML page.

    Parameters
    ----------
    comparison : Comparison.  From :func:`separatrix.assess.compare.compare`.
    command : str or None, default None.  The command that made it, to be printed.
    costs : (k, k) array or None, default None.  L[true class, predicted class] for the section on decisions, classes in
        sorted order; None: every mistake costs 1.
    seconds : float, default 8.0.  Time for each section that fits models again (learning curve, path, effects of
        columns); one that takes longer is left out, with a sentence that says so.
    left : callable or None, default None.  Gives the seconds left for the whole report. When none are left, only the
        answer, the leaderboard, the certificate and what is needed to repeat the comparison are shown.

    Returns
    -------
    str.  A page below 1 MB without scripts, links to elsewhere or anything to be loaded.
    """
    context = ReportContext(comparison, command, costs, seconds, left)
    made = [(section, blocks_of(section, context)) for section in sections(comparison.understanding.task)]
    made = [(section, blocks) for section, blocks in made if blocks]
    page = _rendered(context, made)
    while len(page.encode()) > MOST_BYTES and _drop_largest_picture(made):
        page = _rendered(context, made)
    return page


def write(comparison, path, *, command=None, costs=None, seconds=8.0, left=None):
    """Write the report of a comparison to a file, completely or not at all.

    Parameters
    ----------
    comparison, command, costs, seconds, left : as in :func:`render`.
    path : str or Path.  "report.html", say; a file of that name is replaced.

    Returns
    -------
    Path.
    """
    page = render(comparison, command=command, costs=costs, seconds=seconds, left=left)
    with atomic_file(path) as file:
        file.write(page.encode())
    return Path(path)


def _rendered(context, made):
    from jinja2 import Environment, PackageLoader, StrictUndefined

    # autoescape: no text of a table is markup
    environment = Environment(
        loader=PackageLoader("separatrix.report"),
        autoescape=True,
        finalize=_shown,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    facts = context.understanding
    return environment.get_template("page.html").render(
        policy=POLICY,
        title=f"{facts.target} in {facts.source}" if facts.source else str(facts.target),
        facts=facts,
        recommended=context.comparison.recommended,
        made=made,
        now=datetime.now(UTC),
    )


def _shown(value):
    """Text without characters that would reverse or hide other text; pictures are markup and stay."""
    if type(value) is not str:
        return value
    return shortened(value, LONGEST) if len(value) > LONGEST else printable(value, lines=True)


def _drop_largest_picture(made):
    """Replace the largest picture by its description; return whether there was one."""
    places = [(len(p.svg), parts, k) for _, parts in made for k, p in enumerate(parts) if isinstance(p, Picture)]
    if not places:
        return False
    _, parts, k = max(places, key=lambda place: place[0])
    parts[k] = Note(LEFT_OUT + parts[k].alternative, missing=True)
    return True
