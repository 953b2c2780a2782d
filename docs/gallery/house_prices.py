"""What is a house of 150 m² worth? The average of its neighbours in size, a line, or a parabola.

The average looks at the few sales in a range and forgets all others; least squares uses every sale.
The sales are made up: prices rise with size, and faster for large houses.
"""

from pathlib import Path

import numpy as np

from separatrix.linear_model import LinearRegression
from separatrix.preprocessing import PolynomialFeatures

WANTED, RANGE = 150.0, 6.0  # m²


def sales():
    """Sizes in m² and prices in thousands, none of exactly the size wanted."""
    rng = np.random.default_rng(16)
    size = np.sort(
        np.round(np.concatenate([rng.uniform(60.0, 140.0, 14), [146.0, 155.0], rng.uniform(160.0, 260.0, 10)]))
    )
    price = 90.0 + 0.6 * size + 0.008 * size**2 + 25.0 * rng.standard_normal(len(size))
    return size, np.round(price)


def compute():
    """Three predictions for the size wanted, and the training errors of the two fits."""
    size, price = sales()
    near = np.abs(size - WANTED) <= RANGE
    average, used = float(price[near].mean()), int(near.sum())
    found = {"size": size, "price": price, "near": near, "average": average, "used": used}
    for name, degree in (("line", 1), ("parabola", 2)):
        expand = PolynomialFeatures(degree, include_bias=False)
        model = LinearRegression().fit(expand.fit_transform(size[:, None]), price)
        (prediction,) = model.predict(expand.transform([[WANTED]]))
        error = np.mean((price - model.predict(expand.transform(size[:, None]))) ** 2)
        found[name] = {"expand": expand, "model": model, "mse": float(error)}
        found[name]["prediction"] = float(prediction)
    return found


def draw(path):
    """The sales, the range, the two fits, and what each says of the house wanted."""
    import matplotlib.pyplot as plt

    found = compute()
    size, price, near = found["size"], found["price"], found["near"]
    with plt.style.context(Path(__file__).with_name("gallery.mplstyle")):
        figure, axes = plt.subplots(figsize=(7.2, 4.6))
        axes.axvspan(WANTED - RANGE, WANTED + RANGE, color="C4", alpha=0.18, linewidth=0)
        axes.plot(size[~near], price[~near], "o", color="0.55", markersize=6)
        axes.plot(size[near], price[near], "o", color="C4", markersize=8, markeredgecolor="0.2")
        grid = np.linspace(55.0, 265.0, 300)
        for name, colour, offset in (("line", "C0", (6, -12)), ("parabola", "C1", (6, 4))):
            curve = found[name]["model"].predict(found[name]["expand"].transform(grid[:, None]))
            axes.plot(grid, curve, color=colour)
            error = np.sqrt(found[name]["mse"])
            axes.annotate(
                f"{name}\nRMSE {error:.1f}",
                (grid[-1], curve[-1]),
                offset,
                textcoords="offset points",
                color=colour,
                va="center",
            )
        axes.hlines(found["average"], WANTED - RANGE, WANTED + RANGE, color="0.2", linewidth=2.5)
        axes.annotate(
            f"average of {found['used']} sales\nnear {WANTED:.0f} m²",
            (WANTED, found["average"]),
            (-16, 52),
            textcoords="offset points",
            ha="right",
            arrowprops={"arrowstyle": "-", "color": "0.4"},
        )
        axes.set(xlabel="size (m²)", ylabel="price (thousands)", xlim=(50, 300))
        axes.set_title("Two neighbours, or everything that was sold")
        figure.savefig(path)
        plt.close(figure)


if __name__ == "__main__":
    found = compute()
    print(found["average"], found["line"]["prediction"], found["parabola"]["prediction"])
