"""Natural cubic spline basis: piecewise cubic between knots, twice continuously differentiable, linear outside."""

import numpy as np
from numpy.typing import ArrayLike
from scipy.interpolate import BSpline
from scipy.linalg import qr

from separatrix.core.declaration import declares
from separatrix.core.errors import cannot
from separatrix.core.registry import register
from separatrix.estimators.basis.columnwise import ColumnwiseBasis, numbers
from separatrix.estimators.validation import check_number
from separatrix.estimators.verification import EXPANDED

_GREATEST = np.finfo(np.float64).max


@declares(
    task="transformation",
    verification=EXPANDED,
)
class NaturalSpline(ColumnwiseBasis):
    r"""Natural cubic splines of each feature, in the basis of R's ``splines::ns``.

    With inner knots :math:`\xi_1 < \dots < \xi_K` and boundary knots a < b, the functions that are cubic between
    neighbouring knots, have two continuous derivatives, and are linear below a and above b form a space of dimension
    K + 2. The basis spans it together with the constant, and vanishes at a: K + 1 columns for each feature.

    Cubic B-splines on the knots are restricted to :math:`f''(a) = f''(b) = 0`: the basis is the orthogonal complement
    of these two conditions, from the same Householder reflections as in R, so that values and coefficients are R's.

    Parameters
    ----------
    df : int >= 1 or None, default None.  Columns for each feature: df - 1 inner knots at equally spaced quantiles of
        its values within the boundary. None: 4, three inner knots, unless `knots` is given.
    knots : array of shape (K,) or None, default None.  Inner knots, the same for each feature, strictly between the
        boundary knots.
    boundary_knots : pair (a, b) or None, default None.  Where the linear parts begin, the same for each feature. None:
        the smallest and the largest value of each feature.

    Attributes
    ----------
    knots_ : list of ndarrays.  Inner knots of each feature. Quantiles that coincide with one another or with a boundary
        knot are used once or not at all; of a feature with at most df distinct values, all but the first and the last
        are knots, so that a binary feature keeps one column and no column depends on the others.
    boundary_knots_ : ndarray of shape (n_features_in_, 2).
    df_ : ndarray of int, shape (n_features_in_,).  Columns of each feature.

    References: Hastie, Tibshirani and Friedman (2009), The Elements of Statistical Learning, 5.2.1 and 5.2.2;
    Chambers and Hastie (1992), Statistical Models in S, ch. 7.

    >>> import numpy as np
    >>> spline = NaturalSpline(knots=[2.0, 4.0, 6.0], boundary_knots=(0.0, 10.0)).fit(np.arange(10.0)[:, None])
    >>> spline.get_feature_names_out()
    array(['x0_ns_0', 'x0_ns_1', 'x0_ns_2', 'x0_ns_3'], dtype=object)
    >>> far = spline.transform([[11.0], [12.0], [13.0]])
    >>> bool(np.allclose(far[0] + far[2], 2 * far[1]))
    True
    """

    _suffix = "ns"

    def __init__(
        self,
        df: int | None = None,
        knots: ArrayLike | None = None,
        boundary_knots: tuple[ArrayLike, ArrayLike] | None = None,
    ) -> None:
        self.df = df
        self.knots = knots
        self.boundary_knots = boundary_knots

    def _learn(self, X):
        df = check_number(self, "df", 1, integer=True, none=True)
        boundary = None if self.boundary_knots is None else self._checked_boundary()
        given = None if self.knots is None else self._checked_knots(df, boundary)
        self.knots_, bounds = [], []
        for j in range(X.shape[1]):
            low, high = (X[:, j].min(), X[:, j].max()) if boundary is None else boundary
            if given is None:
                inside = X[(low <= X[:, j]) & (X[:, j] <= high), j]
                knots = _quantiles(inside, 4 if df is None else df)
                knots = knots[(low < knots) & (knots < high)]
            else:
                knots = given
                if not (low < knots[0] and knots[-1] < high):
                    raise cannot(
                        f"fit NaturalSpline with knots={self.knots!r}",
                        because=f"feature {j} runs from {low:g} to {high:g}",
                        instead="knots strictly inside, or wider boundary_knots",
                    )
            self.knots_.append(knots)
            bounds.append((low, high))
        self.boundary_knots_ = np.array(bounds)
        self.df_ = np.array([knots.size + 1 for knots in self.knots_])
        self._pieces = [_Pieces(knots, low, high) for knots, (low, high) in zip(self.knots_, bounds)]

    def _widths(self):
        return self.df_.tolist()

    def _expand(self, x, j):
        return self._pieces[j](x)

    def _checked_boundary(self):
        boundary = numbers(self, "boundary_knots")
        if boundary.size != 2 or not boundary[0] < boundary[1]:
            raise cannot(
                f"fit NaturalSpline with boundary_knots={self.boundary_knots!r}",
                because="it must be two numbers a < b",
                instead="boundary_knots=(a, b), or None for the range of each feature",
            )
        return boundary[0], boundary[1]

    def _checked_knots(self, df, boundary):
        knots = np.sort(numbers(self, "knots"))
        if (np.diff(knots) <= 0.0).any():
            raise cannot(
                f"fit NaturalSpline with knots={self.knots!r}",
                because="some knots are equal",
                instead="each knot once",
            )
        if df is not None and df != knots.size + 1:
            raise cannot(
                f"fit NaturalSpline with df={df} and {knots.size} knots",
                because=f"{knots.size} inner knots make {knots.size + 1} columns",
                instead="df or knots, not both",
            )
        return knots


def _quantiles(x, df):
    """Where df - 1 inner knots should be, fewer if x has not more than df distinct values."""
    if df == 1:
        return np.empty(0)
    if x.size == 0:
        raise cannot(
            "fit NaturalSpline",
            because="no value of a feature lies within boundary_knots",
            instead="wider boundary_knots, or give the knots",
        )
    distinct = np.unique(x)
    if distinct.size <= df:
        return distinct[1:-1]
    return np.unique(np.quantile(x, np.linspace(0.0, 1.0, df + 1)[1:-1]))


@register("record")
class _Pieces:
    """The functions of one feature: B-splines times a matrix within the boundary, straight lines outside."""

    def __init__(self, knots, low, high):
        self.flat = not low < high  # a constant feature: no spline, but one column, 0 there, so that shapes are kept
        # a power of two as unit of length, so that squares of the range neither overflow nor vanish, nothing is rounded
        self.exponent = 0 if self.flat else 1 + int(np.frexp(high / 2.0 - low / 2.0)[1])
        knots, low, high = (np.ldexp(v, -self.exponent) for v in (knots, low, high))
        self.low, self.high = low, high
        if self.flat:
            return
        every = np.concatenate([[low] * 4, knots, [high] * 4])
        splines = BSpline(every, np.eye(knots.size + 4), 3)
        # without the first B-spline, the only one that is not 0 at the left boundary, the constant is left out
        bends = splines([low, high], nu=2)[:, 1:]
        free = qr(bends.T)[0][:, 2:]
        self.splines = BSpline(every, np.vstack([np.zeros(free.shape[1]), free]), 3)
        self.ends = self.splines([low, high])
        self.slopes = self.splines([low, high], nu=1)

    def __call__(self, x):
        x = np.clip(np.ldexp(x, -self.exponent), -_GREATEST, _GREATEST)
        if self.flat:
            return (x - self.low)[:, None]
        out = self.splines(np.clip(x, self.low, self.high))
        for side, outside in enumerate((x < self.low, x > self.high)):
            if outside.any():
                beyond = x[outside] - (self.low, self.high)[side]
                out[outside] = self.ends[side] + np.multiply.outer(beyond, self.slopes[side])
        return out
