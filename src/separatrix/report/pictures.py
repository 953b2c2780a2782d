"""From axes to a picture of the page: inline SVG, its caption, and the same in words."""

from separatrix.report.blocks import Picture


def picture(ax, caption):
    """A picture with its text alternative, which :mod:`separatrix.plots` writes when it draws."""
    from matplotlib.ticker import AutoLocator

    from separatrix import plots

    if isinstance(ax.xaxis.get_major_locator(), AutoLocator):
        ax.locator_params(axis="x", nbins=5)  # long numbers must not run into each other on a phone
    said = plots.describe(ax)
    return Picture(plots.svg(ax, title=said), said, caption)


def wide(height=3.2, width=5.6):
    """Axes for a picture that takes the whole width of the page."""
    from separatrix.plots.style import axes

    return axes((width, height))
