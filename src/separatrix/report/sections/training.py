"""How the training of a network went: its loss by epoch, and the gradients of its layers."""

from separatrix import plots
from separatrix.core.protocol import fitted_attribute
from separatrix.core.solution import Trace
from separatrix.report.blocks import Text, picture
from separatrix.report.registry import Inapplicable, section

VANISHED = 0.01  # a first layer with less of a gradient than this share of the last one's hardly learns


@section("training", "How training went", order=52)
def training(context):
    """The loss of each epoch, the held-out scores, and the length of the gradient in the weights of each layer."""
    model = context.model
    trace = fitted_attribute(model, "trace_")
    if not (isinstance(trace, Trace) and trace.layer_norms):
        raise Inapplicable
    losses = trace.objective
    text = f"In {len(losses):,} passes over the rows the loss went from {losses[0]:.3g} to {losses[-1]:.3g}. "
    if model.validation_scores_:
        best = model.validation_scores_.index(max(model.validation_scores_)) + 1
        text += f"Some rows were held out; the weights are those of pass {best}, which scored best on them. "
    first, last = trace.layer_norms[-1][0], trace.layer_norms[-1][-1]
    if len(trace.layer_norms[-1]) > 1 and first < VANISHED * last:
        text += (
            f"The gradient in the first layer is {first / last:.1%} of that in the last: it vanishes on its way back. "
            "ReLU units, batch normalisation or fewer layers would help."
        )
    caption = "The loss, with its penalty, and the length of the gradient in the weights of each layer."
    return [Text(text), picture(plots.trace(model), caption)]
