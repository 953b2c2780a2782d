"""Polynomials of degree 0 to 9 through ten noisy points of sin(2πx): fit, overfit, and two cures.

More data and a ridge penalty both tame the ninth degree; each ridge fit is least squares on the rows
[powers of x; sqrt(λ) I], in which the constant is one of the powers and is shrunk like the others.
"""

from pathlib import Path

import numpy as np

from separatrix.datasets import sine
from separatrix.linear_model import LinearRegression, Ridge
from separatrix.preprocessing import PolynomialFeatures

SEED = 3
LOG_STRENGTHS = np.linspace(-40.0, 5.0, 46)


def sample(rng, n, spacing="even"):
    data = sine(n, rng, spacing=spacing)
    return data.X[:, 0], data.y


def powers(x, degree):
    """Columns 1, x, …, x^degree."""
    return PolynomialFeatures(degree).fit_transform(x[:, None])


def rms(t, prediction):
    return float(np.sqrt(np.mean((t - prediction) ** 2)))


def compute():
    """Errors and coefficients: by degree, with more data, and by strength of a ridge."""
    rng = np.random.default_rng(SEED)
    x, t = sample(rng, 10)
    x_new, t_new = sample(rng, 200, "uniform")

    fits = [LinearRegression(fit_intercept=False).fit(powers(x, M), t) for M in range(10)]
    x_many, t_many = sample(rng, 100)
    many = LinearRegression(fit_intercept=False).fit(powers(x_many, 9), t_many)
    ridges = [Ridge(np.exp(s), fit_intercept=False).fit(powers(x, 9), t) for s in LOG_STRENGTHS]
    return {
        "x": x,
        "t": t,
        "fits": fits,
        "train_rms": [rms(t, fit.predict(powers(x, M))) for M, fit in enumerate(fits)],
        "test_rms": [rms(t_new, fit.predict(powers(x_new, M))) for M, fit in enumerate(fits)],
        "largest_weight": [float(np.abs(fit.coef_).max()) for fit in fits],
        "test_rms_of_100_points": rms(t_new, many.predict(powers(x_new, 9))),
        "many": many,
        "x_many": x_many,
        "t_many": t_many,
        "ridges": ridges,
        "ridge_test_rms": [rms(t_new, fit.predict(powers(x_new, 9))) for fit in ridges],
    }


def draw(path):
    """Three fits beside the truth; errors by degree; errors by ridge strength."""
    import matplotlib.pyplot as plt

    found = compute()
    with plt.style.context(Path(__file__).with_name("gallery.mplstyle")):
        figure, (top, bottom) = plt.subplots(2, 3, figsize=(10, 6.2))
        grid = np.linspace(0.0, 1.0, 400)
        for axes, degree, words in zip(top, (1, 3, 9), ("too stiff", "about right", "through every point")):
            _draw_fit(axes, found["x"], found["t"], grid, found["fits"][degree], degree)
            axes.set_title(f"M = {degree}: {words}")
        top[0].annotate("sin(2πx)", (0.30, 1.02), color="C2", ha="left")
        _draw_fit(bottom[0], found["x_many"], found["t_many"], grid, found["many"], 9)
        bottom[0].set_title("M = 9, from 100 points")
        _draw_degrees(bottom[1], found)
        _draw_strengths(bottom[2], found)
        figure.savefig(path)
        plt.close(figure)


def _draw_fit(axes, x, t, grid, fit, degree):
    axes.plot(grid, np.sin(2.0 * np.pi * grid), color="C2", linewidth=1.2)
    axes.plot(grid, fit.predict(powers(grid, degree)), color="C1")
    axes.plot(x, t, "o", color="C0", markersize=5 if len(x) < 20 else 2.5, zorder=3 if len(x) < 20 else 1)
    axes.set(ylim=(-1.9, 1.9), xlabel="x", ylabel="t")


def _draw_degrees(axes, found):
    degrees = np.arange(10)
    axes.plot(degrees, found["train_rms"], "o-", color="C0", clip_on=False)
    axes.plot(degrees, found["test_rms"], "s-", color="C1")
    axes.annotate("training", (5.6, 0.08), color="C0", ha="center")
    axes.annotate("test", (6.5, 0.51), color="C1", ha="center")
    axes.set(xlabel="degree M", ylabel="root mean square error", ylim=(0, 1.05), xticks=degrees)
    axes.set_title("The test error turns back")


def _draw_strengths(axes, found):
    errors = np.array(found["ridge_test_rms"])
    best = int(errors.argmin())
    axes.plot(LOG_STRENGTHS, errors, color="C1")
    axes.plot(LOG_STRENGTHS[best], errors[best], "o", color="0.2")
    axes.annotate(
        f"best: log λ = {LOG_STRENGTHS[best]:.0f}",
        (LOG_STRENGTHS[best], errors[best]),
        (0, -18),
        textcoords="offset points",
        ha="center",
    )
    axes.set(xlabel="log λ", ylabel="test error", ylim=(0, 1.05))
    axes.set_title("Ridge, M = 9")


if __name__ == "__main__":
    found = compute()
    for degree in range(10):
        print(f"M={degree}  train {found['train_rms'][degree]:.3f}  test {found['test_rms'][degree]:.3f}")
