"""A problem: sizes, a seeded generator, a target, and a judge that measures answers by the objective alone."""

from collections.abc import Callable
from dataclasses import dataclass
from math import sqrt
from typing import Any


@dataclass
class Data:
    """A design, a target, and the settings that every contestant receives (λ, intercept, variant).

    `queries` are rows to be answered for, where that is the task; `model` is what a contestant fitted before the clock
    started, where prediction alone is. `unseen` is the target of the queries, where the judge alone may know it.
    """

    X: Any
    y: Any
    settings: dict
    queries: Any = None
    model: Any = None
    unseen: Any = None


@dataclass(frozen=True)
class Problem:
    """One size variant of one group of problems.

    Parameters
    ----------
    group, variant : str.  As on the command line: ``lasso``, ``wide``.
    rows, columns : int.  At ``--scale 1``.
    target : float, (0, 1).  Relative suboptimality at which a time counts.
    generate : function of (rows, columns, rng) that returns `Data`; of a strength too, if there is one.
    judge : function of `Data` that returns a `Judge`.
    strength : float, (0, 1), or None.  λ as a part of the λ at which every coefficient is zero.
    """

    group: str
    variant: str
    rows: int
    columns: int
    target: float
    generate: Callable
    judge: Callable
    strength: float | None = None

    def make(self, scale=1.0, seed=0, strength=None):
        """The data with about `scale` times as many entries, both sides shrunk alike; at least 60×10, if so many."""
        import numpy as np

        rows = max(60, round(self.rows * sqrt(scale)))
        columns = max(min(10, self.columns), round(self.columns * sqrt(scale)))
        more = {} if self.strength is None else {"strength": strength or self.strength}
        data = self.generate(rows, columns, np.random.default_rng(seed), **more)
        data.settings["variant"] = self.variant
        return data


class Judge:
    """Measures answers on one data set.

    `values(answer)` is an array of objective values (one per λ of a path), `null` the same for the model without
    features, `reference()` an answer that no contestant had a hand in, as exact as the judge can make it.
    """

    null: Any

    def values(self, answer):
        raise NotImplementedError

    def reference(self):
        raise NotImplementedError

    def suboptimality(self, values, best):
        """``max (P(beta) - P_best) / P(null)``."""
        import numpy as np

        excess = (np.asarray(values) - best) / self.null
        # nan is the worst answer, not the best one
        return float(np.nan_to_num(excess, nan=np.inf).max())
