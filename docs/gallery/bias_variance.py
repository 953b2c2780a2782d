"""Twenty-four Gaussian bumps and a hundred samples: what a ridge penalty trades.

100 data sets of 25 points of sin(2πx) with noise 0.3; each is fitted by 24 Gaussian basis functions with a ridge
penalty λ on all weights, for λ from e⁻⁶ to e⁴. The points are the same in all data sets, the noise is not. A strong
penalty makes all fits alike and wrong, a weak one makes them right on average and wild one by one.
"""

from pathlib import Path

import numpy as np
from sklearn.pipeline import Pipeline

from separatrix.assess import bias_variance
from separatrix.linear_model import Ridge
from separatrix.preprocessing import GaussianBasis

DATASETS, ROWS, BUMPS, WIDTH, NOISE, SEED = 100, 25, 24, 0.1, 0.3, 0
LOG_STRENGTHS = np.array([-6.0, -4.0, -2.0, 0.0, 2.0, 4.0])
SHOWN = (4.0, -2.0, -6.0)
POINTS = np.linspace(0.0, 1.0, ROWS)[:, None]


def truth(X):
    return np.sin(2.0 * np.pi * X[:, 0])


def generate(rng):
    """One data set: the 25 points, with new noise."""
    return POINTS, truth(POINTS) + NOISE * rng.standard_normal(ROWS)


def model(log_strength=0.0):
    bumps = GaussianBasis(np.linspace(0.0, 1.0, BUMPS), width=WIDTH)
    return Pipeline([("bumps", bumps), ("ridge", Ridge(np.exp(log_strength), fit_intercept=False))])


def compute():
    """Bias², variance and noise by strength, at the points of the data."""
    settings = {"noise": NOISE**2, "datasets": DATASETS, "seed": SEED}
    return {log: bias_variance(model(log), generate, truth, POINTS, **settings) for log in LOG_STRENGTHS}


def draw(path):
    """Twenty fits of each of three strengths, their average beside the truth, and the trade between the two."""
    import matplotlib.pyplot as plt

    found = compute()
    with plt.style.context(Path(__file__).with_name("gallery.mplstyle")):
        figure = plt.figure(figsize=(10, 6.4))
        rows = figure.add_gridspec(2, 3, height_ratios=(1, 1.15))
        for k, log in enumerate(SHOWN):
            _draw_fits(figure.add_subplot(rows[0, k]), found[log], log)
        _draw_trade(figure.add_subplot(rows[1, :]), list(found.values()))
        figure.savefig(path)
        plt.close(figure)


def _draw_fits(axes, fits, log):
    axes.plot(POINTS, fits.predictions[:20].T, color="C0", alpha=0.25, linewidth=0.8)
    axes.plot(POINTS, fits.truth, color="C2")
    axes.plot(POINTS, fits.average, color="C1", linestyle="--")
    axes.set(ylim=(-1.5, 1.5), xticks=[0, 1], yticks=[-1, 0, 1])
    axes.set_title(f"ln λ = {log:.0f}: bias² {fits.bias2:.3f}, variance {fits.variance:.3f}".replace("-", "−"))


def _draw_trade(axes, found):
    for name, words, colour, style in (
        ("bias2", "bias²", "C1", "o-"),
        ("variance", "variance", "C0", "s-"),
        ("expected_loss", "bias² + variance + noise", "0.2", "^-"),
        ("noise", "noise: no model goes below", "0.6", ":"),
    ):
        values = [getattr(each, name) for each in found]
        axes.plot(LOG_STRENGTHS, values, style, color=colour, markersize=5)
        at, lift = {"bias2": (0, -14), "noise": (1, -14)}.get(name, (0, 6))
        axes.annotate(words, (LOG_STRENGTHS[at], values[at]), (0, lift), textcoords="offset points", color=colour)
    axes.set(xlabel="ln λ", ylabel="mean squared error", ylim=(-0.035, None), xlim=(-6.2, 4.2))


if __name__ == "__main__":
    for log, found in compute().items():
        print(f"ln λ = {log:2.0f}  {found}")
