r"""The geometry of a linear decision: :math:`f(x) = w \cdot x + w_0`, and the hyperplane where it is zero."""

import numpy as np
from sklearn.utils.validation import check_is_fitted

from separatrix.core.errors import cannot
from separatrix.core.protocol import is_sparse

# A point is on the surface if its raw score is at most this many roundings of its terms.
ROUNDINGS = 8.0


class Hyperplane:
    r"""The set of points where :math:`f(x) = w \cdot x + w_0` is zero; `normal` w points to the positive side.

    .. math:: \text{distance of } x = \frac{f(x)}{\|w\|}, \qquad x_\perp = x - \frac{f(x)}{\|w\|^2}\, w, \qquad
              \text{distance of the origin's foot along } w = \frac{-w_0}{\|w\|}

    Parameters
    ----------
    normal : array of shape (p,), not all zero.  The vector w, orthogonal to the surface.
    offset : float, default 0.0.  The intercept, or bias, w0.

    References: Bishop (2006), Pattern Recognition and Machine Learning, section 4.1.1.

    Examples
    --------
    >>> plane = Hyperplane([3.0, 4.0], -5.0)
    >>> plane.signed_distance([[3.0, 4.0], [0.0, 0.0]]), plane.signed_distance_from_origin
    (array([ 4., -1.]), 1.0)
    >>> plane.project([[3.0, 4.0]])
    array([[0.6, 0.8]])
    """

    def __init__(self, normal, offset=0.0):
        normal = np.array(normal, dtype=np.float64)
        offset = float(offset)
        if normal.ndim != 1 or not normal.any() or not (np.isfinite(normal).all() and np.isfinite(offset)):
            raise cannot(
                f"make a Hyperplane of normal={normal.tolist()!r} and offset={offset!r}",
                because="a hyperplane needs a finite, non-zero normal vector",
                instead="a normal of shape (p,) with at least one non-zero entry, and a finite offset",
            )
        self.normal, self.offset = normal, offset
        self.normal.setflags(write=False)

    @classmethod
    def of(cls, model):
        """The surface where the raw score of a fitted model (``coef_``, ``intercept_``) is zero."""
        check_is_fitted(model)
        normal, offset = np.asarray(model.coef_, dtype=np.float64), np.asarray(model.intercept_, dtype=np.float64)
        if normal.ndim == 2 and normal.shape[0] != 1:
            raise cannot(
                f"take the hyperplane of {type(model).__name__}",
                because=f"it has {normal.shape[0]} raw scores, each with a surface of its own",
                instead="Hyperplane(model.coef_[c], model.intercept_[c]) for class c",
            )
        return cls(normal.reshape(-1), offset.reshape(-1)[0])

    @classmethod
    def from_homogeneous(cls, augmented):
        """The hyperplane of ``w' = [w; w0]``."""
        augmented = np.asarray(augmented, dtype=np.float64)
        return cls(augmented[:-1], augmented[-1])

    def __repr__(self):
        return f"Hyperplane({self.normal.tolist()!r}, {self.offset!r})"

    # ------------------------------------------------------------------ the affine function

    def score(self, X):
        """The raw score ``f(x) = w·x + w0`` of each row of X, dense or sparse."""
        return self._rows(X) @ self.normal + self.offset

    @property
    def threshold(self):
        """t = -w0: a point is on the positive side when ``w·x >= t``."""
        return 0.0 - self.offset

    def side(self, X):
        """+1 where the raw score is >= 0, else -1: a point on the surface counts as positive."""
        return np.where(self.score(X) >= 0.0, 1, -1)

    @property
    def homogeneous(self):
        """``w' = [w; w0]``, so that ``w'·[x; 1] = w·x + w0``."""
        return np.append(self.normal, self.offset)

    @staticmethod
    def augment(X):
        """Rows ``x' = [x; 1]``, with which the offset becomes one more coordinate of the normal.

        >>> Hyperplane.augment([[2.0, 3.0]])
        array([[2., 3., 1.]])
        """
        X = np.asarray(X, dtype=np.float64)
        return np.column_stack([X, np.ones(X.shape[0])])

    # ------------------------------------------------------------------ distances

    @property
    def unit_normal(self):
        """``w / ||w||``, safe from overflow and underflow of squares."""
        largest = np.abs(self.normal).max()
        scaled = self.normal / largest
        return scaled / np.linalg.norm(scaled)

    @property
    def signed_distance_from_origin(self):
        """``-w0 / ||w||``: where along the normal the surface lies; negative if the origin is positive."""
        return self.threshold / self._length

    @property
    def distance_from_origin(self):
        """``|w0| / ||w||``."""
        return abs(self.signed_distance_from_origin)

    def signed_distance(self, X):
        """``f(x) / ||w||`` for each row: positive on the side the normal points to."""
        return self.score(X) / self._length

    def project(self, X):
        """The nearest point of the surface to each row of X: ``x - (f(x) / ||w||) w / ||w||``."""
        rows = self._rows(X)
        rows = np.asarray(rows + np.zeros(rows.shape))  # projections of sparse rows are dense
        unit = self.unit_normal
        for _ in range(2):  # the second step removes the rounding error of the first
            rows = rows - np.outer(self.signed_distance(rows), unit)
        return rows

    def contains(self, X, atol=None):
        """Whether each row lies on the surface: within a distance `atol`, or (None) up to rounding."""
        if atol is not None:
            return np.abs(self.signed_distance(X)) <= atol
        size = abs(self._rows(X)) @ np.abs(self.normal) + abs(self.offset)
        return np.abs(self.score(X)) <= ROUNDINGS * np.finfo(np.float64).eps * size

    @property
    def foot(self):
        """The point of the surface nearest the origin."""
        return self.signed_distance_from_origin * self.unit_normal

    def points(self, n, spread=1.0, random_state=None):
        """`n` random points of the surface, normally spread with standard deviation `spread` about its foot."""
        rng = np.random.default_rng(random_state)
        return self.project(self.foot + spread * rng.standard_normal((n, self.normal.size)))

    @property
    def _length(self):
        largest = np.abs(self.normal).max()
        return float(largest * np.linalg.norm(self.normal / largest))

    def _rows(self, X):
        """X as a matrix with p columns; a sparse one passes as it is."""
        X = X if is_sparse(X) else np.asarray(X, dtype=np.float64)
        if X.ndim != 2 or X.shape[1] != self.normal.size:
            raise cannot(
                f"use X of shape {X.shape}",
                because=f"this hyperplane has {self.normal.size} dimensions",
                instead=f"X of shape (n, {self.normal.size})",
            )
        return X
