"""Functions that learn from the data of the fit, and do to new rows what they did to those: poly, scale, bs, ns, cut.

Each takes a column (NaN where missing) and options, and returns a function of a column.
"""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from scipy.interpolate import BSpline

from separatrix.core.refusal import cannot
from separatrix.estimators.basis.natural_spline import NaturalSpline
from separatrix.estimators.formula.values import Factor, Matrix

# A formula that asks for more intervals is taken for a mistake; so is one that asks for higher powers or more knots.
MOST_INTERVALS = 10_000
MOST_POWERS = 1_000
MOST_KNOTS = 1_000


def _present(x):
    return x[~np.isnan(x)]


def _numbered(values):
    return Matrix(values, tuple(str(k + 1) for k in range(values.shape[1])))


@dataclass(frozen=True)
class Affine:
    """``(x - shift) / unit``."""

    shift: float
    unit: float

    def __call__(self, x):
        return (x - self.shift) / self.unit


def scale(x, center=True, scale=True):
    """R's ``scale``: x less its mean, by its standard deviation; a number instead of TRUE is used as it is.

    Without centring, the unit is the root mean square about 0.
    """
    shift = float(np.mean(_present(x))) if center is True else float(center)
    deviations = _present(x) - shift
    unit = float(np.sqrt((deviations**2).sum() / max(len(deviations) - 1, 1))) if scale is True else float(scale) or 1.0
    if unit == 0.0:
        raise cannot("scale a column", because="it is constant", instead="a column that varies")
    return Affine(shift, unit)


def center(x):
    """x less its mean."""
    return Affine(float(np.mean(_present(x))), 1.0)


@dataclass(frozen=True)
class Statistic:
    """One number of the data of the fit, whatever the new rows are."""

    value: float

    def __call__(self, x):
        return np.array(self.value)


STATISTICS = {
    "mean": np.mean,
    "median": np.median,
    "min": np.min,
    "max": np.max,
    "sum": np.sum,
    "sd": lambda x: np.std(x, ddof=1),
    "var": lambda x: np.var(x, ddof=1),
}


@dataclass(frozen=True)
class Polynomials:
    """Polynomials orthonormal over the data of the fit, by formulaic; or powers.

    They are those of x in any unit, from any origin: `units` keeps high powers from overflowing.
    """

    degree: int
    raw: bool
    units: Affine
    state: dict

    def __call__(self, x):
        from formulaic.transforms import poly as basis

        if self.raw:
            return _numbered(np.stack([x**k for k in range(1, self.degree + 1)], axis=1))
        return _numbered(np.asarray(basis(self.units(x), self.degree, _state=self.state), dtype=np.float64))


def poly(x, degree=1, raw=False):
    """R's ``poly``: polynomials of degree 1 to `degree`, orthonormal over the data of the fit, or powers (raw)."""
    degree, distinct = _whole("poly() with degree", degree, MOST_POWERS), len(np.unique(_present(x)))
    if degree < 1 or (degree >= distinct and not raw):
        raise cannot(
            f"form poly() of degree {degree}",
            because=f"the column has {distinct} different values",
            instead="a degree from 1 to one less than that",
        )
    middle = float(np.mean(_present(x)))
    reach = np.abs(_present(x) - middle).max()
    learned = Polynomials(degree, bool(raw), Affine(middle, float(np.ldexp(1.0, np.frexp(reach)[1]))), {})
    learned(x)  # formulaic fills the state at the first call
    return learned


@dataclass(frozen=True)
class Splines:
    """B-splines on given knots; beyond the boundary the outermost polynomials go on."""

    knots: np.ndarray
    degree: int
    first: int

    def __call__(self, x):
        splines = BSpline(self.knots, np.eye(len(self.knots) - self.degree - 1), self.degree, extrapolate=True)
        return _numbered(splines(x)[:, self.first :])


def bs(x, df=None, knots=None, degree=3, intercept=False, boundary=None):
    """R's ``splines::bs``: B-splines with inner knots at quantiles, or as given."""
    degree, first = _whole("bs() with degree", degree, MOST_POWERS // 10, least=1), int(not intercept)
    low, high = _boundary(x, boundary)
    if knots is None:
        inner = 0 if df is None else int(df) - degree - int(intercept)
        if inner < 0:
            least = degree + int(intercept)
            raise cannot(
                f"form bs() with df={int(df)}",
                because=f"splines of degree {degree} have {least} columns or more",
                instead=f"df={least}",
            )
        knots = _quantiles(x, low, high, inner)
    inner = _knots(knots)
    if len(inner) and not low <= inner[0] <= inner[-1] <= high:
        raise cannot(
            f"form bs() with knots from {inner[0]:g} to {inner[-1]:g}",
            because=f"they do not lie between {low:g} and {high:g}",
            instead="knots inside, or other Boundary.knots",
        )
    return Splines(np.concatenate([[low] * (degree + 1), inner, [high] * (degree + 1)]), degree, first)


@dataclass(frozen=True)
class Natural:
    """A fitted natural spline."""

    spline: NaturalSpline

    def __call__(self, x):
        values = np.full((len(x), int(self.spline.df_[0])), np.nan)
        there = ~np.isnan(x)
        if there.any():
            values[there] = self.spline.transform(x[there, None])
        return _numbered(values)


def ns(x, df=None, knots=None, boundary=None):
    """R's ``splines::ns``: natural cubic splines with inner knots at quantiles, or as given."""
    low, high = _boundary(x, boundary)
    knots = _quantiles(x, low, high, 0 if df is None else int(df) - 1) if knots is None else _knots(knots)
    options = {"knots": knots} if len(knots) else {"df": 1}
    return Natural(NaturalSpline(**options, boundary_knots=(low, high)).fit(_present(x)[:, None]))


def _whole(what, value, most, least=0):
    """A whole number of a formula, from `least` to `most`."""
    value = float(value)
    if not least <= value <= most:
        raise cannot(f"form {what}={value:g}", because=f"it is not from {least} to {most:,}", instead="such a number")
    return int(value)


def _knots(given):
    knots = np.sort(np.atleast_1d(np.asarray(given, dtype=np.float64)))
    if len(knots) > MOST_KNOTS or not np.isfinite(knots).all():
        raise cannot(
            f"form splines with {len(knots)} knots",
            because=f"there must be at most {MOST_KNOTS:,}, each a finite number",
            instead="df, or fewer knots",
        )
    return knots


def _boundary(x, given):
    present = _present(x)
    ends = np.atleast_1d(np.asarray(present if given is None else given, dtype=np.float64))
    low, high = (float(ends.min()), float(ends.max())) if len(ends) else (np.nan, np.nan)
    if not low < high or not np.isfinite(high - low) or (given is not None and len(ends) != 2):
        raise cannot(
            f"form splines from {low:g} to {high:g}",
            because="they need two different ends that are finite",
            instead="a column that varies, or other Boundary.knots",
        )
    return low, high


def _quantiles(x, low, high, inner):
    inside = x[(x >= low) & (x <= high)]
    if inner > len(inside):
        raise cannot(f"form splines with {inner} knots", because=f"{len(inside)} rows lie there", instead="a lower df")
    return np.quantile(inside, np.linspace(0.0, 1.0, inner + 2)[1:-1])


@dataclass(frozen=True)
class Cut:
    """The intervals of numbers."""

    breaks: np.ndarray
    labels: tuple
    lowest: bool
    right: bool
    ordered: bool

    def __call__(self, x):
        side = "left" if self.right else "right"
        codes = np.searchsorted(self.breaks, x, side=side) - 1
        end, place = (self.breaks[0], 0) if self.right else (self.breaks[-1], len(self.labels) - 1)
        codes = np.where((x == end) & self.lowest, place, codes)
        outside = np.isnan(x) | (codes < 0) | (codes >= len(self.labels))
        return Factor(np.where(outside, -1, codes), self.labels, self.ordered)


def cut(x, breaks, labels=None, lowest=False, right=True, digits=3, ordered=False):
    """R's ``cut``: the interval that each number lies in, as a factor."""
    breaks = np.sort(np.atleast_1d(np.asarray(breaks, dtype=np.float64)))
    if len(breaks) > MOST_INTERVALS + 1:
        raise cannot(
            f"form cut() with {len(breaks):,} breaks",
            because=f"there must be at most {MOST_INTERVALS + 1:,}",
            instead="fewer breaks",
        )
    if len(breaks) == 1:
        if not 1.0 <= breaks[0] <= MOST_INTERVALS:
            raise cannot(
                f"form cut() with {breaks[0]:g} intervals",
                because=f"there must be 1 to {MOST_INTERVALS:,}",
                instead="fewer intervals, or their bounds",
            )
        low, high = _present(x).min(), _present(x).max()
        reach = (high - low) / 1000.0
        breaks = np.linspace(low, high, int(breaks[0]) + 1)
        breaks[0], breaks[-1] = low - reach, high + reach
    if labels is None:
        labels = _intervals(breaks, int(digits), lowest, right)
    if len(labels) != len(breaks) - 1 or len(labels) < 1:
        raise cannot(
            f"form cut() with {len(labels)} labels",
            because=f"there are {len(breaks) - 1} intervals",
            instead="a label for each",
        )
    return Cut(breaks, tuple(map(str, labels)), lowest, right, ordered)


def _intervals(breaks, digits, lowest, right):
    """Names of the intervals, with as many digits as tell the breaks apart."""
    for more in range(digits, max(12, digits) + 1):
        words = [f"{value:.{more}g}" for value in breaks]
        if len(set(words)) == len(words):
            break
    before, after = ("(", "]") if right else ("[", ")")
    names = [f"{before}{low},{high}{after}" for low, high in pairwise(words)]
    if lowest and right:
        names[0] = "[" + names[0][1:]
    elif lowest:
        names[-1] = names[-1][:-1] + "]"
    return names
