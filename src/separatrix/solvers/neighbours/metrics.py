"""What "near" means: a power of the coordinates' differences, an angle, or anything that SciPy or the user measures."""

from collections.abc import Callable
from typing import Any, NamedTuple, cast

import numpy as np
from scipy.spatial.distance import cdist

from separatrix.core.errors import cannot
from separatrix.core.protocol import can
from separatrix.core.registry import register
from separatrix.core.types import Array, Matrix
from separatrix.designs import as_dense
from separatrix.designs.pairs import inner_products, power_sums, squared_norms, unit_rows

EPS = np.finfo(np.float64).eps
POWERS = {"euclidean": 2.0, "l2": 2.0, "manhattan": 1.0, "cityblock": 1.0, "l1": 1.0, "chebyshev": np.inf}
POWERS |= {"infinity": np.inf}
NAMES = {2.0: "euclidean", 1.0: "manhattan", np.inf: "chebyshev"}
# Those that SciPy would estimate from the very rows it is handed, so that a distance would depend on the block.
LEARNED = {"seuclidean": "V", "mahalanobis": "VI"}
FOREIGN = {"braycurtis", "canberra", "correlation", "dice", "hamming", "jaccard", "jensenshannon", "mahalanobis"}
FOREIGN |= {"rogerstanimoto", "russellrao", "seuclidean", "sokalsneath", "sqeuclidean", "yule"}
# Of scikit-learn: on a sphere, and of rows with missing numbers.
PAIRWISE = {"haversine": "haversine_distances", "nan_euclidean": "nan_euclidean_distances"}
KNOWN = FOREIGN | {*POWERS, *PAIRWISE, "cosine"}


@register("record")
class Metric(NamedTuple):
    """A distance between rows.

    ``name`` is scikit-learn's ``effective_metric_``; ``power`` is that of the differences, None where there is none;
    ``unit`` says that rows are brought to length 1 first (cosine); ``options`` are handed to ``measure``, a name or a
    function for ``scipy.spatial.distance.cdist``.

    Rows are ranked by a *reduced* distance: for the Euclidean one its square, which needs no root. It is always the sum
    of :func:`~separatrix.designs.pairs.power_sums`, so that every way of searching ranks alike.
    """

    name: str | Callable[..., float]
    power: float | None
    unit: bool
    options: dict[str, Any]
    measure: str | Callable[..., float] | None

    def enter(self, X: Matrix, mark: int) -> Matrix:
        """Rows as this metric wants them; `mark` is 0 for training rows, 1 for queries."""
        return unit_rows(X, mark) if self.unit else X

    def exact(self, Q: Matrix, X: Matrix, i: Array, j: Array) -> Array:
        """Reduced distances of the pairs (i, j) of rows."""
        power = cast(float, self.power)  # a metric without one is measured by `bounds`
        total = power_sums(Q, X, i, j, power)
        return total if power in NAMES else total ** (1.0 / power)

    def bounds(self, Q: Matrix, X: Matrix, stored: bool) -> tuple[Array, Array]:
        """Reduced distances between all rows of two blocks, from below and from above: (m, n) each."""
        if self.power is None:
            D = self._measured(as_dense(Q), as_dense(X))
            if np.isnan(D).any():
                raise cannot(
                    f"compare rows by metric={self.measure!r}",
                    because="it gives NaN for some of them",
                    instead="a metric that is defined for every pair of rows",
                )
            return D, D
        if self.power == 2.0 and stored:
            return self._from_products(Q, X)
        kind, options = {2.0: "sqeuclidean", 1.0: "cityblock", np.inf: "chebyshev"}.get(self.power, "minkowski"), {}
        if kind == "minkowski":
            options = {"p": self.power}
        D = cdist(as_dense(Q), as_dense(X), kind, **options)
        # p terms of at most four roundings each, a power and a root; the constant is for squares that underflow
        slack = (4.0 * Q.shape[1] + 64.0) * EPS
        return D * (1.0 - slack) - 1e-300, D * (1.0 + slack) + 1e-300

    def _measured(self, Q: Array, X: Array) -> Array:
        """All distances, by a name or function for SciPy, a name of scikit-learn's, or one of its DistanceMetrics."""
        if can(self.measure, "pairwise"):
            return cast(Array, cast(Any, self.measure).pairwise(Q, X))
        if isinstance(self.measure, str) and self.measure in PAIRWISE:
            from sklearn.metrics import pairwise  # 0.2 s that other metrics need not spend

            return cast(Array, vars(pairwise)[PAIRWISE[self.measure]](Q, X, **self.options))
        return cdist(Q, X, self.measure, **self.options)

    def _from_products(self, Q: Matrix, X: Matrix) -> tuple[Array, Array]:
        """``|q|² + |x|² - 2 q'x``, for sparse rows: off by at most a few roundings of |q|² + |x|²."""
        size = np.add.outer(squared_norms(Q), squared_norms(X))
        D = size - 2.0 * inner_products(Q, X)
        size *= (2.0 * Q.shape[1] + 16.0) * EPS
        return D - size - 1e-300, D + size + 1e-300

    def published(self, reduced: Array) -> Array:
        """Distances from reduced ones."""
        if self.unit:
            return np.minimum(0.5 * reduced, 2.0)
        return np.sqrt(reduced) if self.power == 2.0 else reduced

    def reduced(self, distance: float) -> float:
        """A little more than the reduced distance that belongs to a distance."""
        value = 2.0 * distance if self.unit else distance**2 if self.power == 2.0 else distance
        return value * (1.0 + 8.0 * EPS) + 1e-300


def metric_of(
    metric: str | Callable[..., float] = "minkowski", p: float = 2.0, metric_params: dict[str, Any] | None = None
) -> Metric:
    """The metric that scikit-learn's three parameters ask for.

    >>> metric_of("minkowski", 1).name, metric_of("cosine").unit, metric_of("canberra").power
    ('manhattan', True, None)
    """
    options = dict(metric_params or {})
    if callable(metric) or can(metric, "pairwise"):
        return Metric(metric, None, False, options, metric)
    if isinstance(metric, str) and metric == "minkowski":
        power = float(options.pop("p", p))
        if not power > 0.0:
            raise cannot(f"use p={power:g}", because="a power must be positive", instead="p in (0, inf]")
        if options:  # weights of the columns
            return Metric("minkowski", None, False, {"p": power, **options}, "minkowski")
        return Metric(NAMES.get(power, "minkowski"), power, False, options, None)
    if not isinstance(metric, str) or metric not in KNOWN:
        raise cannot(
            f"use metric={metric!r}",
            because="no distance has this name",
            instead=f"a function of two rows, or one of {', '.join(sorted(KNOWN | {'minkowski'}))}",
        )
    if metric not in FOREIGN and metric != "nan_euclidean" and options:
        raise cannot(
            f"use metric_params={options!r}",
            because=f"metric={metric!r} has no parameters",
            instead="metric='minkowski' with p, and w for weights of the columns",
        )
    if metric in POWERS:
        return Metric(metric, POWERS[metric], False, {}, None)
    if metric == "cosine":
        return Metric(metric, 2.0, True, {}, None)
    wanted = LEARNED.get(metric)
    if wanted and wanted not in options:
        raise cannot(
            f"use metric={metric!r}",
            because=f"it needs the {'variances' if wanted == 'V' else 'inverse covariance'} of the columns",
            instead=f"metric_params={{{wanted!r}: ...}}",
        )
    return Metric(metric, None, False, options, metric)
