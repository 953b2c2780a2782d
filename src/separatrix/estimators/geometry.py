r"""The geometry of a linear decision, on every linear classifier: distances, feet, margins, pairwise boundaries.

With two classes the boundary is the hyperplane where the score is zero. With k classes and scores f_c the region of
class c is where f_c is largest: a convex polyhedron bounded by the hyperplanes ``f_c = f_d``.
"""

from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from separatrix.core.errors import cannot
from separatrix.core.protocol import fitted_attribute
from separatrix.core.registry import late
from separatrix.core.types import Array, MatrixLike
from separatrix.designs import as_dense
from separatrix.estimators.validation import encode, validate_rows
from separatrix.prediction.calibrated import distances, reach, region_distances

_hyperplane = late("separatrix.decision.boundary:Hyperplane")


class Geometry:
    """Distances to the boundary of a fitted linear classifier, in the units of X."""

    classes_: Array
    coef_: Array
    intercept_: Array

    def boundary(self, first: Any = None, second: Any = None) -> Any:
        r"""The hyperplane between two classes, as a :class:`~separatrix.decision.Hyperplane`.

        .. math:: (w_b - w_a) \cdot x + (w_{b0} - w_{a0}) = 0

        It scores positive on the side of the class `second`. With two classes both may be left out.
        """
        check_is_fitted(self)
        if first is None and second is None and len(self.classes_) == 2:
            first, second = self.classes_.tolist()
        if first is None or second is None or first == second:
            raise cannot(
                f"take the boundary between {first!r} and {second!r}",
                because=f"a boundary lies between two of the {len(self.classes_)} classes",
                instead="boundary({!r}, {!r})".format(*self.classes_[:2].tolist()),
            )
        a, b = encode(self, [first, second], reset=False)
        coef, intercept = self._in_double()
        if len(coef) == 1:
            sign = 1.0 if b == 1 else -1.0
            normal, offset = sign * coef[0], sign * intercept[0]
        else:
            normal, offset = coef[b] - coef[a], intercept[b] - intercept[a]
        if not normal.any():
            raise cannot(
                f"take the boundary between {first!r} and {second!r}",
                because="their scores differ by the same number everywhere: no coefficient tells them apart",
                instead="data in which the classes differ, or a weaker penalty",
            )
        return _hyperplane(normal, offset)

    @property
    def boundaries_(self) -> dict[tuple[Any, Any], Any]:
        """The hyperplane between each pair of classes: a dict from (first, second) to Hyperplane."""
        check_is_fitted(self)
        return {pair: self.boundary(*pair) for pair in combinations(self.classes_.tolist(), 2)}

    def signed_distance(self, X: MatrixLike) -> Array:
        r"""Distance of each row of X from the boundary.

        With two classes :math:`f(x) / \|w\|`, of shape (n,): positive on the side of ``classes_[1]``. With more, of
        shape (n, k): :math:`d_c = \min_{d \ne c} (f_c - f_d) / \|w_c - w_d\|`. Where x lies in the region of class c
        this is its distance from the boundary of that region; where it lies outside it is negative, and the distance
        from the farthest of the hyperplanes that keep x out. A region without an end is infinitely far from it, and so
        is an empty one.
        """
        check_is_fitted(self)
        X = validate_rows(self, X)
        coef, intercept = self._in_double()
        if len(coef) == 1:
            return self.boundary().signed_distance(X)
        return region_distances(X @ coef.T + intercept, coef)

    def project(self, X: MatrixLike) -> Array:
        """The nearest point of the boundary to each row of X; with more than two classes, of the nearest boundary."""
        check_is_fitted(self)
        X = validate_rows(self, X)
        coef, intercept = self._in_double()
        if len(coef) == 1:
            return self.boundary().project(X)
        # the region of the predicted class is convex: its nearest face is the nearest boundary
        scores = X @ coef.T + intercept
        own = scores.argmax(axis=1)
        feet = np.empty(X.shape)
        for a in np.unique(own):
            rows = np.flatnonzero(own == a)
            length = reach(scores[rows], coef, a)
            rival = length.argmin(axis=1)
            if np.isinf(length.min()):
                raise cannot(
                    "project onto the boundary",
                    because=f"the class {self.classes_[a]} is predicted everywhere",
                    instead="data in which the classes differ, or a weaker penalty",
                )
            for b in np.unique(rival):
                mine = rows[rival == b]
                feet[mine] = self.boundary(self.classes_[a], self.classes_[b]).project(X[mine])
        return feet

    def _in_double(self):
        """Coefficients (1 or k, p) and intercepts in double precision: differences of float32 lose digits."""
        coef = np.atleast_2d(np.asarray(as_dense(self.coef_), dtype=np.float64))
        return coef, np.broadcast_to(np.asarray(self.intercept_, dtype=np.float64), len(coef))

    @property
    def distance_from_origin_(self) -> float:
        """Of the boundary between two classes: ``|w0| / ||w||``."""
        return self._only_boundary("its distance from the origin").distance_from_origin

    @property
    def margin_(self) -> float:
        """``1 / ||w||``: how far from the boundary the score reaches 1 (two classes)."""
        return float(1.0 / np.linalg.norm(self._only_boundary("the margin").normal))

    @property
    def margin_width_(self) -> float:
        """``2 / ||w||``: the width of the band where the score is between -1 and 1 (two classes)."""
        return 2.0 * self.margin_

    def margins(self, X: MatrixLike, y: ArrayLike) -> Array:
        """How far each row lies on its own side of the boundary: negative where it is misclassified.

        The smallest is the geometric margin of the data.
        """
        check_is_fitted(self)
        distance, codes = self.signed_distance(X), encode(self, y, reset=False)
        if len(codes) != len(distance):
            raise cannot(
                f"give the margins of {len(distance)} rows with {len(codes)} labels",
                because="each row needs its own",
                instead="X and y of equal length",
            )
        if distance.ndim == 1:
            return np.where(codes == 1, distance, -distance)
        return distance[np.arange(len(codes)), codes]

    def nearest(self, X: MatrixLike, n_points: int = 1) -> dict[Any, Array]:
        """For each class predicted in X, the rows nearest to the boundary, nearest first: a dict from class to rows."""
        distance = self.signed_distance(X)
        own: Array = self.predict(X)  # type: ignore[attr-defined]  # of the classifier
        reach = np.abs(distance) if distance.ndim == 1 else distance.max(axis=1)
        nearest = {}
        for label in self.classes_.tolist():
            rows = np.flatnonzero(own == label)
            if len(rows):
                nearest[label] = rows[np.argsort(reach[rows], kind="stable")[:n_points]]
        return nearest

    def _only_boundary(self, what):
        check_is_fitted(self)
        if len(self._in_double()[0]) != 1:
            raise cannot(
                f"give {what} of {type(self).__name__}",
                because=f"it has {len(self.classes_)} classes, and a boundary between each two of them",
                instead="boundary({!r}, {!r})".format(*self.classes_[:2].tolist()),
                kind=AttributeError,
            )
        return self.boundary()


def signed_distances(model, X):
    """Signed distances from the boundary of any fitted linear classifier: (n,) for two classes, else (n, k).

    A model without ``coef_`` gives its decision function instead.
    """
    scores = np.asarray(model.decision_function(X), dtype=np.float64)
    coef = fitted_attribute(model, "coef_")
    if coef is None:
        return scores
    coef = np.asarray(coef, dtype=np.float64)
    coef = coef.reshape(-1, coef.shape[-1])
    if scores.ndim == 2 and len(coef) != scores.shape[1]:
        return scores  # one score for each pair, say: no single set of linear scores
    return distances(scores, coef)
