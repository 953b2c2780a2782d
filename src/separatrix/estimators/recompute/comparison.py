"""Published numbers held against recomputed ones: the largest difference, and what it may be."""

import time
from inspect import signature

import numpy as np

from separatrix.core.certificate import closed_form
from separatrix.core.declaration import declaration, evidence_of

EPS = np.finfo(np.float64).eps
# Roundings of a term beside those of the summation: shift, weight, square, division, and the way back from the shift.
BESIDE = 8.0
# What verification holds a model to where its own tolerance is looser.
USUAL = 1e-8
# Counts of what X and the fit are like, and what the certificate itself says.
BOOKKEEPING = {"n_features_in_", "n_samples_", "n_samples_fit_", "classes_", "certificate_"}


class Comparison:
    """Differences between what a model publishes and what the data say.

    A sum of n terms, whatever their order, is right to ``(n - 1) eps/2`` times the sum of their sizes, and so is the
    sum of weights that it is divided by. A number made of m such means is held to ``m (n + 8) eps`` and to half a unit
    in the last place of the type that it is published in. Solutions of equations are held to what their fit was.
    """

    def __init__(self, model, n):
        self.model, self.n = model, n
        self.started = time.perf_counter()
        self.worst = (0.0, (n + BESIDE) * EPS)
        self.names, self.notes = [], []  # of what was looked at, and how
        self.computed = ()  # what the class computes of parts that are not looked at

    def number(self, name, recomputed, size=None, means=1, tolerance=0.0):
        """Hold an attribute to the recomputed one, relative to `size` (its own size where none is given)."""
        self.hold(name, vars(self.model)[name], recomputed, size, means, tolerance)

    def hold(self, name, published, recomputed, size=None, means=1, tolerance=0.0):
        """Hold a part of an attribute to the recomputed one."""
        published, wide = np.asarray(published), np.asarray(recomputed, dtype=np.longdouble)
        if published.shape != wide.shape:
            return self.residual(np.inf, 0.0, name)
        # a published number is rounded relative to itself, and a difference of means may be larger than their size
        size = np.maximum(np.abs(wide), 0.0 if size is None else np.asarray(size, dtype=np.longdouble))
        same = published == wide  # two equal infinities do not differ
        gap = np.abs(np.subtract(published, wide, out=np.zeros_like(wide), where=~same))
        none = np.where(gap == 0.0, np.longdouble(0.0), np.inf)  # what is not a number differs from all numbers
        value = np.divide(gap, size, out=none, where=(gap > 0.0) & (size > 0.0) & np.isfinite(size))
        allowed = max(means * (self.n + BESIDE) * EPS, tolerance) + half_unit(published)
        return self.residual(float(np.max(value, initial=0.0)), allowed, name)

    def residual(self, value, tolerance, *names):
        """Note how well an equation of the attributes `names` holds."""
        if not (np.isfinite(value) and np.isfinite(tolerance)):  # a tolerance may be made of published numbers
            value, tolerance = np.inf, 0.0
        value = float(value)
        if _excess(value, tolerance) > _excess(*self.worst):
            self.worst = (value, tolerance)
        self.names += [name for name in names if name not in self.names]

    def certificate(self):
        """The worst difference, with the names of what was looked at and of what was not."""
        names = ", ".join(sorted(name for name in self.names if not name.startswith("_")))
        said = "; ".join([names, *self.notes])
        message = f"recomputed from {self.n} rows: {said}{not_looked_at(self.model, self.names, self.computed)}"
        return closed_form(*self.worst, started=self.started, message=message)


def _excess(value, tolerance):
    """How many times its tolerance a difference is."""
    if value == 0.0:
        return 0.0
    return float(value) / float(tolerance) if tolerance > 0.0 else np.inf


def tolerance_of(model, usual=None):
    """What a fit was held to, or what is `usual` where that is tighter: a file may say that it was held to 1e300.

    Usual is, where nothing is given, 1e-8, or the default of the parameter `tol` of the class where that is looser (of
    a stochastic descent 1e-3).
    """
    if usual is None:
        parameter = signature(type(model)).parameters.get("tol")
        usual = USUAL if parameter is None else max(USUAL, parameter.default)
    return min(float(model.certificate_.tolerance), usual)


def without_gaps(published, recomputed):
    """Both as arrays, with 0 where neither is a number: the rows that no member of a committee answers for."""
    published, recomputed = (np.asarray(each, dtype=np.float64) for each in (published, recomputed))
    if published.shape != recomputed.shape:
        return published, recomputed
    both = np.isnan(published) & np.isnan(recomputed)
    return np.where(both, 0.0, published), np.where(both, 0.0, recomputed)


def half_unit(published):
    """Half a unit in the last place, relative, of the type of an array; 0 of whole numbers."""
    return 0.5 * float(np.finfo(published.dtype).eps) if published.dtype.kind == "f" else 0.0


def not_looked_at(model, names, computed=()):
    """Words for the published numbers of a model that are not among `names`, and for `computed` ones; or none.

    What a search chose is a part of what the model states; that no other setting is better is taken on trust.
    """
    search = declaration(model).search
    chosen = set() if search is None else set(search.chosen.values())
    published = {name for name, value in vars(model).items() if _is_published(name, value)}
    if evidence_of(model) is not None:
        published.add("evidence_")
    rest = sorted((published | {*computed}) - {*names} - chosen)
    said = f"; taken on trust: {', '.join(sorted(chosen))}" if chosen else ""
    return said + (f"; not looked at: {', '.join(rest)}" if rest else "")


def _is_published(name, value):
    if not name.endswith("_") or name.startswith("_") or name in BOOKKEEPING or isinstance(value, bool | str):
        return False
    parts = value if isinstance(value, list | tuple) else value.values() if isinstance(value, dict) else [value]
    return any(np.asarray(part).dtype.kind in "fiu" for part in parts if not isinstance(part, list | tuple | dict))
