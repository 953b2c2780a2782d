"""Calibration: predicted probabilities against observed shares."""

from separatrix import plots
from separatrix.assess import calibration_by_chance, calibration_error
from separatrix.report.blocks import Text, picture
from separatrix.report.numbers import short
from separatrix.report.registry import section


@section("calibration", "Are the probabilities right?", order=60, task="classification")
def calibration(context):
    """Predicted probabilities of rows that were held out against what happened."""
    y, P = context.held_out
    error, chance = calibration_error(y, P, classes=context.classes), calibration_by_chance(P)
    ax = plots.calibration(y, P, classes=context.classes)
    off = _points(error)
    read = (
        "If the model says 30 % of many rows, about 30 in 100 of them should turn out so: then the dots lie on the "
        f"dotted line. Here predicted and observed shares differ by {off} on average; right probabilities would differ "
        f"by {_points(chance)}, by chance, on so many rows. Every row was predicted by a model not fitted to it."
    )
    caption = "Bars are 95 % intervals of the observed shares; the grey bars below count the rows at each probability."
    return [Text(read), picture(ax, caption)]


def _points(share):
    return f"{short(100 * share, 2)} percentage points" if share >= 0.001 else "less than 0.1 percentage points"
