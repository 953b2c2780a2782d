"""Predictions against the truth, and residuals, of rows that were held out."""

import numpy as np

from separatrix import plots
from separatrix.report.blocks import Text, picture
from separatrix.report.numbers import short
from separatrix.report.registry import section


@section("residuals", "How far off are the predictions?", order=60, task="regression")
def residuals(context):
    """Predicted and true values, residuals against predictions, residuals against normal quantiles."""
    y, predicted = context.held_out
    off = np.abs(np.asarray(y, dtype=np.float64) - predicted)
    half, most = np.quantile(off, [0.5, 0.9])
    text = (
        f"Half of the predictions are off by less than {short(half)}, nine in ten by less than {short(most)} (in units "
        f"of {context.understanding.target}). Every row was predicted by a model that had not seen it."
    )
    return [
        Text(text),
        picture(plots.predicted_vs_true(y, predicted), "Predictions against the truth; on the line they are right."),
        picture(
            plots.residuals(y, predicted),
            "Residuals against predictions. A smooth line that bends away from zero is something left to learn; a "
            "cloud that widens means that large values are predicted less surely.",
        ),
        picture(
            plots.residual_quantiles(y, predicted),
            "Residuals against a normal distribution. Points off the line at the ends are rows missed by much.",
        ),
    ]
