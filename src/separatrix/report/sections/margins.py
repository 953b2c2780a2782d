"""The margin of a support vector machine: its geometry, who holds it, and how many rows are within."""

from separatrix import plots
from separatrix.core.declaration import declaration
from separatrix.inference.margins import LABELS, shown_facts, summarise_margins
from separatrix.report.blocks import Facts, Text, grid, picture
from separatrix.report.registry import Inapplicable, section

OF_EACH = ("support", "on_margin", "margin_errors", "misclassified", "margin_width", "slack")
MARGIN = (
    "The machine looks for the boundary that leaves the widest empty band on its two sides, the margin. Rows within it "
    "or on the wrong side pay C for {unit}. The support vectors alone hold the boundary: with the same kernel "
    "and prices it would be the same without any other row."
)
TUBE = (
    "The machine looks for the flattest function whose predictions are off by less than epsilon. Rows outside this "
    "tube pay C for {unit}. The support vectors, on its edge and outside, alone hold the function."
)


@section("margins", "The margin", order=51)
def margins(context):
    """Counts of rows, widths and objectives of each machine; over two prepared columns, the picture."""
    model = context.model
    if not declaration(model).has_margins:
        raise Inapplicable
    summary = summarise_margins(model)
    tables = summary.tables
    is_squared = str(model.get_params(deep=False).get("loss")).startswith("squared")
    text = MARGIN if context.is_classification else TUBE
    parts = [Text(text.format(unit="the square of their slack" if is_squared else "each unit of slack"))]
    if len(tables) == 1:
        parts.append(Facts((("rows", f"{tables[0].statistics['n']:,}"), *shown_facts(tables[0].statistics))))
    else:
        rows = [(table.output, *_cells(table.statistics)) for table in tables]
        heads = ("machine", *(LABELS[key] for key in OF_EACH))
        parts.append(grid(heads, rows, f"Each of the {len(tables)} machines, which see their own classes only."))
    return [*parts, *map(Text, summary.notes), *_picture(context)]


def _cells(statistics):
    shown = dict(shown_facts(statistics))
    return [shown.get(LABELS[key], "") for key in OF_EACH]


def _picture(context):
    """The margin in the plane of two prepared columns; nothing where there are more or fewer."""
    names = context.comparison.feature_names
    if len(names) != 2 or not context.is_classification:
        return []
    ax = plots.margins(context.model, context.prepared, context.comparison.y_train, names=names)
    caption = (
        "The margin over the two columns as they reach the model (standardised, as a rule), with the training rows."
    )
    return [picture(ax, caption)]
