"""How a tree is grown: the parameters that single trees and forests share, as options of the grower."""

from math import log2, sqrt
from numbers import Integral

import numpy as np
from sklearn.base import MultiOutputMixin

from separatrix.core.errors import cannot
from separatrix.estimators.tree.coded_tree import CodedColumns
from separatrix.estimators.validation import check_choice, check_number
from separatrix.solvers.trees.grow import GrowOptions

MOST = 2**31 - 1  # no tree has as many rows: a larger number asks for the same, and loops take 64 bits


class GreedyGrowth(MultiOutputMixin, CodedColumns):
    """Trees that are grown greedily, split by split, on ranked columns."""

    splitter: str = "best"
    _criteria: dict[str, int]

    def _check_growth(self):
        """Check the parameters that can be checked without data."""
        check_choice(self, "criterion", tuple(self._criteria))
        check_choice(self, "splitter", ("best", "random"))
        check_choice(self, "split", ("binary", "multiway"))
        check_number(self, "max_depth", 1, integer=True, none=True)
        check_number(self, "max_leaf_nodes", 2, integer=True, none=True)
        check_number(self, "min_weight_fraction_leaf", 0.0, 0.5)
        check_number(self, "min_impurity_decrease", 0.0)
        check_number(self, "n_bins", 2, integer=True, none=True)
        if self.n_bins is not None and self.split != "multiway":
            raise cannot(
                f"cut columns of numbers into n_bins={self.n_bins} parts with split={self.split!r}",
                because="a binary split searches all thresholds",
                instead="split='multiway', or n_bins=None",
            )
        self._count_of("min_samples_split", 2, 100)
        self._count_of("min_samples_leaf", 1, 100)

    def _options(self, shape, target, s):
        n, p = shape
        n = n if s is None else np.count_nonzero(s)  # a row of weight 0 counts as none
        self.max_features_ = self._number_of_columns(p)
        min_leaf, min_split = self._count_of("min_samples_leaf", 1, n), self._count_of("min_samples_split", 2, n)
        limits = {name: getattr(self, name) for name in ("max_depth", "max_leaf_nodes")}
        limits = {name: None if value is None else min(value, MOST) for name, value in limits.items()}
        total = float(n) if s is None else float(s.sum())
        return GrowOptions(
            criterion=self.criterion,
            min_samples_split=min(min_split, MOST),
            min_samples_leaf=min(min_leaf, MOST),
            min_weight_leaf=self.min_weight_fraction_leaf * total,
            min_impurity_decrease=float(self.min_impurity_decrease),
            max_features=None if self.max_features_ >= p else self.max_features_,
            **limits,
            random_cuts=self.splitter == "random",
            multiway=self._multiway(),
            monotonic=self._monotonic(p, target),
        )

    def _multiway(self):
        return self._coded() if self.split == "multiway" else None

    def _number_of_columns(self, p):
        """`max_features` as a number of columns."""
        value = self.max_features
        if value is None:
            return p
        if isinstance(value, str):
            check_choice(self, "max_features", ("sqrt", "log2"))
            return max(1, int(sqrt(p) if value == "sqrt" else log2(p)))
        if isinstance(value, Integral) and not isinstance(value, bool):
            return check_number(self, "max_features", 1, integer=True)
        return max(1, int(check_number(self, "max_features", 0.0, 1.0, open_low=True) * p))

    def _signs(self, target):
        """Signs of the columns that clipped the values of the fitted nodes; None where there were none."""
        return self._monotonic(self.n_features_in_, target) if self._clipped else None

    def _monotonic(self, p, target):
        """Signs of the columns, checked; None where none is asked."""
        if self.monotonic_cst is None:
            return None
        signs = np.asarray(self.monotonic_cst)
        why = ""
        if signs.shape != (p,):
            why = f"it has shape {signs.shape} and X has {p} features"
        elif not np.isin(signs, (-1, 0, 1)).all():
            why = "a constraint is -1, 0 or 1"
        elif target.y.shape[1] > 1 or target.n_classes > 2:
            why = "only one output, or two classes, can be monotone"
        elif np.any((signs != 0) & self._coded()):
            why = "categories have no order"
        if why:
            raise cannot(f"use monotonic_cst={self.monotonic_cst!r}", because=why, instead="-1, 0 or 1 for each column")
        return signs.astype(np.int64)
