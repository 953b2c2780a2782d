"""Training a multilayer perceptron 784-256-128-10 for three epochs of Adam, judged by rows that it has not seen.

All contestants make the same number of steps on batches of 128 rows in single precision, from random weights of their
own. A time counts where the share of wrong classes exceeds the least of all by at most two hundredths of that of the
most frequent class.
"""

import numpy as np

from benchmarks.problems.base import Data, Problem
from benchmarks.problems.trees import HELD_OUT, TARGET, HeldOutJudge

CLASSES, CENTRES = 10, 4  # centres of each class
SETTINGS = {"classes": CLASSES, "units": (256, 128), "epochs": 3, "batch": 128, "rate": 1e-3, "alpha": 1e-4}


def generate(rows, columns, rng):
    """Cells of pictures: faint random centres, several for each class, under noise."""
    total = rows + int(rows * HELD_OUT)
    centres = rng.random((CLASSES * CENTRES, columns), dtype=np.float32) * (rng.random(columns) < 0.3)
    which = rng.integers(0, len(centres), total)
    X = rng.random((total, columns), dtype=np.float32)
    for first in range(0, total, 4096):  # no second array of the size of X in double precision
        part = slice(first, first + 4096)
        X[part] = 0.8 * X[part] + 0.2 * centres[which[part]]
    y = which % CLASSES
    return Data(X[:rows].copy(), y[:rows].copy(), dict(SETTINGS), queries=X[rows:].copy(), unseen=y[rows:])


PROBLEMS = [Problem("mlp", "60k", 60_000, 784, TARGET, generate, HeldOutJudge)]
