"""The style of all pictures and their text alternatives.

Colour is never the only cue: each colour has a marker and a line style.
"""

from contextlib import contextmanager
from functools import wraps
from inspect import signature
from weakref import WeakKeyDictionary

from separatrix.core.protocol import can

# Okabe and Ito's colours, which readers with any kind of colour vision can tell apart; yellow is too faint on white.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
WRITTEN = (
    "#0072B2",
    "#A84A00",
    "#00775A",
    "#9C4277",
    "#8A5F00",
    "#1F6F9E",
    "#000000",
)  # the same, dark enough for text
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
LINES = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)), (0, (8, 2)), (0, (1, 1)))
INK, FAINT, PALE = "#333333", "#767676", "#C8C8C8"  # text, what is beside the point (still 4.5:1 on white), grids

SETTINGS = {
    "axes.axisbelow": True,
    "axes.edgecolor": FAINT,
    "axes.facecolor": "white",
    "axes.grid": False,
    "axes.labelcolor": INK,
    "axes.labelsize": 9.5,
    "axes.linewidth": 0.8,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlecolor": INK,
    "axes.titlelocation": "left",
    "axes.titlesize": 10.5,
    "axes.titleweight": "normal",
    "figure.facecolor": "white",
    "font.family": ["sans-serif"],
    "font.size": 9.5,
    "legend.fontsize": 9.0,
    "legend.frameon": False,
    "lines.linewidth": 1.8,
    "lines.markersize": 4.5,
    "text.color": INK,
    "text.usetex": False,  # names of columns are no commands of TeX; a file of the current folder may turn it on
    "xtick.color": FAINT,
    "xtick.labelcolor": INK,
    "xtick.labelsize": 9.0,
    "ytick.color": FAINT,
    "ytick.labelcolor": INK,
    "ytick.labelsize": 9.0,
}
SIZE, SQUARE = (5.0, 3.6), (4.2, 4.0)  # inches: text of 9 points is then 10 pixels high in a picture 400 pixels wide

_ALTERNATIVES: WeakKeyDictionary = WeakKeyDictionary()


@contextmanager
def styled(**more):
    """A context in which matplotlib uses the style of this library.

    >>> import matplotlib
    >>> before = matplotlib.rcParams["font.size"]
    >>> with styled():
    ...     matplotlib.rcParams["font.size"]
    9.5
    >>> matplotlib.rcParams["font.size"] == before
    True
    """
    from matplotlib import rc_context

    with rc_context({**SETTINGS, **more}):
        yield


def axes(size=SIZE):
    """New axes on a figure outside pyplot's global state: it needs no window and no closing."""
    from matplotlib.figure import Figure

    with styled():
        return Figure(figsize=size, layout="constrained").add_subplot()


def picture(size=SIZE):
    """Decorate a function that draws on `ax` and returns the text alternative of the picture.

    The decorated function returns the axes, creates them if `ax` is None, and stores the text for :func:`describe`.
    `size`, in inches, is that of a new figure, or a function of the arguments with their defaults, by name.
    """

    def make(draw):
        order = signature(draw)

        @wraps(draw)
        def plot(*args, **kwargs):
            bound = order.bind(*args, **kwargs)
            bound.apply_defaults()
            if bound.arguments["ax"] is None:
                bound.arguments["ax"] = axes(size(bound.arguments) if callable(size) else size)
            ax = bound.arguments["ax"]
            with styled(), _plain_text(ax):
                _ALTERNATIVES[ax] = draw(*bound.args, **bound.kwargs)
            return ax

        return plot

    return make


@contextmanager
def _plain_text(ax):
    """A context whose new texts on `ax` are no formulas, so that a column may be called "$x$"."""
    from matplotlib.text import Text

    before = {text: text.get_text() for text in ax.findobj(Text)}
    yield
    for text in ax.findobj(Text):
        if before.get(text) != text.get_text():
            text.set_parse_math(False)


def rows_high(rows):
    """The size of a figure with a line of text for each row."""
    return SIZE[0], 0.9 + 0.26 * max(rows, 4)


def describe(drawn):
    """The text alternative of axes or of a whole figure.

    Parameters
    ----------
    drawn : Axes or Figure.  Of a figure, the sentences of all its axes.

    >>> from separatrix import plots
    >>> plots.describe(plots.roc([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]))
    'ROC curve of 4 rows, 2 of them positive. Area under the curve 0.750, where guessing has 0.50. ...'
    """
    several = drawn.axes if can(drawn, "axes") and isinstance(drawn.axes, list) else [drawn]
    return " ".join(_ALTERNATIVES[ax] for ax in several if ax in _ALTERNATIVES)
