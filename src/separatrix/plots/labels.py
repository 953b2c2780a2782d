"""Labels of a picture: shortened to fit, and placed so that none covers another."""

from math import floor, log10

import numpy as np

from separatrix.core.printable import shortened

_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def short(name, most=24):
    """A name that fits: its beginning and its end, where it is long.

    >>> short("petal width (cm)"), short("a_rather_long_name_of_a_column_2", most=12)
    ('petal width (cm)', 'a_rather…n_2')
    """
    return shortened(name, most)


def number(x, digits=3):
    """A number for a sentence or a label: three digits, a true minus sign, an exponent only outside 1e-4 to 1e7.

    >>> number(0.12345), number(-1234.5), number(2e-9), number(0.5), number(float("nan"))
    ('0.123', '−1,234', '2e−9', '0.5', 'nan')
    """
    size = abs(float(x))
    if not np.isfinite(size) or size == 0.0:
        text = f"{x:g}" if size else "0"
    elif 1e-4 <= size < 1e7:
        places = max(digits - 1 - floor(log10(size)), 0)
        text = f"{x:,.{places}f}"
        text = text.rstrip("0").rstrip(".") if "." in text else text
    else:
        mantissa, power = f"{x:.{digits - 1}e}".split("e")
        text = f"{mantissa.rstrip('0').rstrip('.') if '.' in mantissa else mantissa}e{int(power)}"
    return text.replace("-", "−")


def percent(share):
    """A share in per cent; a decimal only where it would else read 0 or 100.

    >>> percent(0.123), percent(0.9987), percent(1.0)
    ('12 %', '99.9 %', '100 %')
    """
    plain = f"{100.0 * share:.0f}"
    rounded_away = plain in ("0", "100") and share not in (0.0, 1.0)
    return f"{100.0 * share:.1f} %" if rounded_away else f"{plain} %"


def counted(n, word):
    """A number of things.

    >>> counted(1, "row"), counted(1200, "row")
    ('1 row', '1,200 rows')
    """
    return f"{n:,} {word}" if n == 1 else f"{n:,} {word}s"


def listed(words):
    """Items as an enumeration in a sentence.

    >>> listed(["a"]), listed(["a", "b", "c"])
    ('a', 'a, b and c')
    """
    words = [str(word) for word in words]
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def powers_of_ten(axis):
    """Label a logarithmic axis 0.01, 1, 100, or 10⁻⁸ where that is shorter: plain text, so that an SVG can keep it.

    To be called once the data are drawn: an axis of less than two decades is labelled at 1, 2 and 5.
    """
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    def text(x, position=None):
        power = floor(log10(x) + 1e-9) if x > 0.0 else 0
        if -3 <= power <= 4:
            return f"{x:g}"
        first = f"{x / 10.0**power:.0f}"
        return f"{'' if first == '1' else first + '·'}10{str(power).translate(_RAISED)}"

    low, high = sorted(axis.get_view_interval())
    few = low > 0.0 and high / low < 100.0
    axis.set_major_locator(LogLocator(base=10.0, subs=(1.0, 2.0, 5.0) if few else (1.0,), numticks=7))
    axis.set_major_formatter(FuncFormatter(text))
    axis.set_minor_formatter(NullFormatter())


def apart(wanted, gap, low, high):
    """Heights near the wanted ones, `gap` or more from each other and between `low` and `high` if there is room.

    Neighbours that are too close are merged into a block about their mean, until none are: the least-squares solution.

    >>> apart([0.5, 0.52, 0.9], 0.1, 0.0, 1.0).round(2)
    array([0.46, 0.56, 0.9 ])
    """
    wanted = np.asarray(wanted, dtype=np.float64)
    order = np.argsort(wanted, kind="stable")
    gap = min(gap, (high - low) / max(len(wanted) - 1, 1))
    blocks = []  # each [sum of (wanted - offset), members]
    for k, target in enumerate(wanted[order]):
        blocks.append([target - gap * k, 1])
        while len(blocks) > 1 and blocks[-2][0] / blocks[-2][1] >= blocks[-1][0] / blocks[-1][1]:
            total, members = blocks.pop()
            blocks[-1] = [blocks[-1][0] + total, blocks[-1][1] + members]
    bases = np.concatenate([[], *(np.full(members, total / members) for total, members in blocks)])
    bases = np.clip(bases, low, high - gap * (len(wanted) - 1))
    heights = np.empty(len(wanted))
    heights[order] = bases + gap * np.arange(len(wanted))
    return heights


def at_line_ends(ax, heights, names, colours, right=True):
    """Write a name beside the end of each line, in a colour, spread so that none covers another.

    `heights` are data values at the edge of the axes; a thin leader joins a label to its line. A line that ends in
    NaN has no label.
    """
    ended = np.flatnonzero(np.isfinite(heights))
    heights, names, colours = ([values[k] for k in ended] for values in (heights, names, colours))
    low, high = ax.get_ylim()
    height = 0.8 * ax.get_figure().get_size_inches()[1] * ax.get_position().height / 0.77 * 72.0  # points, about
    places = apart((np.asarray(heights) - low) / (high - low), 11.5 / height, 0.0, 1.0)
    edge, side = (1.0, 1.0) if right else (0.0, -1.0)
    for at, place, name, colour in zip(heights, places, names, colours):
        ax.annotate(
            short(name),
            xy=(edge, (at - low) / (high - low)),
            xycoords="axes fraction",
            xytext=(edge + 0.05 * side, place),
            textcoords="axes fraction",
            color=colour,
            fontsize=8.5,
            va="center",
            ha="left" if right else "right",
            arrowprops={"arrowstyle": "-", "color": colour, "linewidth": 0.6, "shrinkA": 1, "shrinkB": 0},
            annotation_clip=False,
        )
