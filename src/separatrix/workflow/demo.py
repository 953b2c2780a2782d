"""``separatrix demo``: one data set, fitted, certified, summarised and shrunk, on one screen."""

from itertools import groupby

import numpy as np
from rich import box
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from separatrix.datasets import load_longley
from separatrix.linear_model import LinearRegression, RidgeCV, lasso_path


def show(console):
    """Print the demonstration."""
    data = load_longley()
    model = LinearRegression().fit(data.X, data.y)
    model.feature_names_in_ = np.array(data.feature_names, dtype=object)  # names for the summary; X is a bare array

    def say(title, sentence, shown):
        console.print(Padding(Text.assemble((f"{title}  ", "bold cyan"), sentence), (1, 1, 0, 1)))
        console.print(shown)

    say("1 Fit", "Sixteen years of the US economy, in six columns that nearly repeat each other.", _digits(data, model))
    certificate = Text(f" {model.certificate_}; {model.certificate_.message}", style="green")
    say(
        "2 Certify",
        "No other coefficients have a squared error less by more than this share of the mean's.",
        certificate,
    )
    say("3 Summarise", "The last column: digits that rounding of the data could not have changed.", model.summary())
    edf = _ridge(data).evidence_.edf
    sentence = f"Ridge, tuned by exact leave-one-out, spends {edf:.1f} of 7 degrees of freedom; a lasso picks."
    say("4 Shrink", sentence, _path(data))


def numbers():
    """The first two parts as plain data: coefficients beside NIST's, with digits that agree, and the certificate."""
    data = load_longley()
    model = LinearRegression().fit(data.X, data.y)
    found = np.concatenate([[model.intercept_], model.coef_])
    certified = np.array([estimate for estimate, _ in data.certified.values()])
    digits = data.correct_digits(found, certified)
    rows = zip(data.certified, found, certified, digits)
    return {
        "coefficients": {n: {"estimate": e, "certified": c, "digits": d} for n, e, c, d in rows},
        "certificate": {"verdict": str(model.certificate_), "certified": model.certificate_.converged},
    }


def by_hand(X, y):
    """The normal equations as they stand in textbooks, intercept first: what a few lines of numpy get right."""
    Z = np.column_stack([np.ones(len(y)), X])
    return np.linalg.solve(Z.T @ Z, Z.T @ y)


def _digits(data, model):
    """Our coefficients beside NIST's, with the digits that agree, and those of the textbook formula."""
    found = np.concatenate([[model.intercept_], model.coef_])
    certified = np.array([estimate for estimate, _ in data.certified.values()])
    ours = data.correct_digits(found, certified)
    textbook = data.correct_digits(by_hand(data.X, data.y), certified)
    table = Table(box=box.SIMPLE_HEAD, show_edge=False)
    table.add_column("", no_wrap=True)
    table.add_column("separatrix", justify="right", no_wrap=True)
    table.add_column("certified by NIST", justify="right", no_wrap=True)
    table.add_column("digits right", justify="right", style="bold green")
    table.add_column("textbook formula", justify="right", style="yellow")
    for name, value, truth, good, poor in zip(data.certified, found, certified, ours, textbook):
        table.add_row(name, f"{value:#.15g}", f"{truth:#.15g}", f"{good:.1f}", f"{poor:.1f}")
    return table


def _standardised(data):
    return (data.X - data.X.mean(axis=0)) / data.X.std(axis=0)


def _ridge(data):
    return RidgeCV(alphas=np.geomspace(1e-4, 10.0, 50)).fit(_standardised(data), data.y)


def _path(data):
    """The lasso's path on standardised columns, one row for each set of columns it passes through."""
    Z, y = _standardised(data), data.y - data.y.mean()
    alphas, coefs, _ = lasso_path(Z, y, alphas=100)
    table = Table(box=box.SIMPLE_HEAD, show_edge=False)
    table.add_column("lasso alpha", justify="right", no_wrap=True)
    table.add_column("R² up to", justify="right", style="bold green")
    table.add_column("columns in the model")
    for support, group in groupby(range(len(alphas)), key=lambda step: tuple(np.flatnonzero(coefs[:, step]))):
        if support:
            steps = list(group)
            first, last = steps[0], steps[-1]
            r = y - Z @ coefs[:, last]
            names = ", ".join(data.feature_names[j] for j in support)
            table.add_row(f"{alphas[first]:.0f} to {alphas[last]:.0f}", f"{1.0 - (r @ r) / (y @ y):.3f}", names)
    return table
