"""Objective and certificate of a fit, iteration by iteration."""

import numpy as np

from separatrix.core.declaration import certificate_of
from separatrix.core.protocol import fitted_attribute
from separatrix.core.refusal import cannot
from separatrix.core.solution import Trace
from separatrix.plots.labels import counted, number, powers_of_ten
from separatrix.plots.style import COLOURS, FAINT, LINES, MARKERS, picture

MOST = 4
DOTS = 40  # iterations up to which each has its marker


@picture()
def trace(model_or_trace, ax=None):
    """Objective above its lowest value, and the certificate, on a logarithmic scale.

    Of a network: the loss of each epoch itself, and the length of the gradient in the weights of each layer.

    Parameters
    ----------
    model_or_trace : a model fitted with ``trace=True``, its ``trace_``, or a list of those.
    ax : Axes or None.

    >>> from separatrix.core.solution import Trace
    >>> ax = trace(Trace([1.0, 0.5, 0.25], [0.1, 0.01, 0.001]))
    >>> [line.get_label() for line in ax.lines]
    ['objective above its lowest', 'certificate']
    """
    given = fitted_attribute(model_or_trace, "trace_", model_or_trace)
    traces = [given] if isinstance(given, Trace) else list(given) if isinstance(given, list | tuple) else []
    if not traces or not all(isinstance(one, Trace) and len(one) for one in traces):
        raise cannot(
            f"draw the trace of {type(model_or_trace).__name__}",
            because="it kept none",
            instead="a model made with trace=True and fitted by a solver that iterates",
        )
    several = len(traces) > 1
    for k, one in enumerate(traces[:MOST]):
        whose = f" {k + 1}" if several else ""
        objective = np.array(one.objective)
        certificate = np.array([np.nan if c is None else c for c in one.certificate], dtype=np.float64)
        if one.layer_norms and not several:
            _draw_training(ax, objective, np.array(one.layer_norms))
            continue
        _line(ax, objective - np.nanmin(objective), f"objective{whose} above its lowest", k)
        if (certificate > 0.0).any():
            _line(ax, certificate, f"certificate{whose}", k if several else 1, dashed=True)
    proof = None if given is model_or_trace else certificate_of(model_or_trace)
    tolerance = 0.0 if proof is None else proof.tolerance
    ax.set_yscale("log")
    of_epochs = len(traces) == 1 and bool(traces[0].layer_norms)
    if ax.lines and tolerance and not of_epochs:
        ax.axhline(tolerance, color=FAINT, linewidth=0.8, linestyle=":")
        ax.annotate("tolerance", (1.0, tolerance), (0, 3), xycoords=("axes fraction", "data"), ha="right", color=FAINT,
                    textcoords="offset points", fontsize=8)  # fmt: skip
    powers_of_ten(ax.yaxis)
    ax.xaxis.get_major_locator().set_params(integer=True)
    longest = max(map(len, traces))
    room = max(0.5, 0.03 * longest)
    ax.set(xlabel="epoch" if of_epochs else "iteration", xlim=(1.0 - room, longest + room))
    if ax.get_legend_handles_labels()[0]:
        ax.legend()
    else:
        ax.annotate("nothing moved", (0.5, 0.5), xycoords="axes fraction", ha="center", color=FAINT)
    return " ".join(_sentence(one, f"Trace {k + 1}" if several else "Trace") for k, one in enumerate(traces[:MOST]))


def _draw_training(ax, loss, lengths):
    """The loss, and the first and the last layers' gradients: where a network has many, those between are left out."""
    count = lengths.shape[1]
    shown = range(count) if count < len(COLOURS) else (0, 1, count - 2, count - 1)
    _line(ax, loss, "loss", 0)
    for place, j in enumerate(shown, 1):
        _line(ax, lengths[:, j], f"gradient of layer {j + 1}", place, dashed=True)


def _line(ax, heights, label, k, dashed=False):
    """A line over the iterations; zero, missing and infinite values have no place on a logarithmic axis."""
    at = np.flatnonzero((heights > 0.0) & np.isfinite(heights))
    if not len(at):
        return
    marker = MARKERS[k % len(MARKERS)] if len(heights) <= DOTS else None
    style = "--" if dashed else LINES[0]
    ax.plot(at + 1, heights[at], color=COLOURS[k], linestyle=style, marker=marker, label=label)


def _sentence(one, name):
    first, last = one.objective[0], one.objective[-1]
    text = (
        f"{name} of {counted(len(one), 'iteration')}: the objective goes from {number(first, 4)} to {number(last, 4)}"
    )
    known = [c for c in one.certificate if c is not None]
    return f"{text}, the certificate from {number(known[0])} to {number(known[-1])}." if known else f"{text}."
