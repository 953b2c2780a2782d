r"""Contrasts and linear hypotheses about coefficients: ``L β = c``.

    one by one   t_i = (l_i'b - c_i) / sqrt(l_i'V l_i)                               t, or normal
    together     F = (L b - c)'[L V L']^-1 (L b - c) / rows(L)                        F, or rows(L) F ~ χ²

V is any covariance of the coefficients: classical, robust to unequal variances or to clusters.

References: Seber and Lee (2003), Linear Regression Analysis, section 4.3; Hothorn, Bretz and Westfall (2008),
Simultaneous Inference in General Parametric Models, Biometrical Journal 50(3).
"""

import re
from collections.abc import Mapping

import numpy as np
from scipy.special import chdtrc, fdtrc, ndtr, ndtri, stdtr, stdtrit

from separatrix.core.declaration import evidence_of, unwrap
from separatrix.core.errors import cannot
from separatrix.core.statistics import LeastSquaresStatistics
from separatrix.inference.estimates import estimates_of
from separatrix.inference.listing import Listing
from separatrix.inference.multiplicity import METHODS, adjust_p_values, joint_quantile, single_step

ADJUSTMENTS = (None, "single-step", *METHODS)
EPS = np.finfo(np.float64).eps
NO_ERROR = "A standard error of zero belongs to an exact fit: there is no residual variance to test estimates against."
NO_ERROR_BY_CLUSTERS = (
    "Without a standard error where the residuals that decide a contrast sum to 0 within every cluster: the formula "
    "gives 0, whatever the spread between clusters is."
)
_NUMBER = re.compile(r"\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?")


def contrasts(
    model,
    hypotheses=None,
    X=None,
    y=None,
    *,
    sample_weight=None,
    covariance=None,
    cluster=None,
    weights="frequency",
    adjust=None,
    level=0.95,
    df=None,
    exposure=None,
    offset=None,
):
    """Estimate and test linear combinations of coefficients, each by itself: ``multcomp::glht``, ``lmtest::coeftest``.

    Parameters
    ----------
    model : fitted LinearRegression of one output, LogisticRegression with ``C=np.inf``, or generalised linear model
        with ``alpha=0``.
    hypotheses : str, list of str, mapping, (m, q) array or None, default None.  ``"a - b"``, ``"2*a + b = 1"``; a
        mapping from names to such texts, or to mappings from coefficients to factors; rows of factors for all
        coefficients, intercept first. None tests each coefficient.
    X, y, sample_weight, covariance, cluster, weights, exposure, offset : as in :func:`covariance_matrix`.
    adjust : {None, "single-step", "bonferroni", "holm", "hochberg", "bh", "by"}, default None.  How p-values allow for
        the number of tests (:func:`adjust_p_values`); "single-step" by their joint distribution. With it and with
        "bonferroni" the intervals hold simultaneously.
    level : float, (0, 1), default 0.95.  Of the confidence intervals.
    df : float, (0, inf], or None, default None.  Degrees of freedom of t; None is the residual ones of least squares,
        inf (the normal distribution) for a likelihood. With few clusters, their number less one is a better choice.

    Returns
    -------
    Listing.  Estimate, standard error, t or z, p (adjusted_p too, where asked for) and interval of each contrast.

    >>> import numpy as np
    >>> from separatrix.linear_model import LinearRegression
    >>> X = np.array([[0.0, 1], [1, 0], [2, 1], [3, 1], [4, 0], [5, 0]])
    >>> model = LinearRegression().fit(X, [0.1, 1.2, 1.9, 3.3, 3.8, 5.1])
    >>> row = contrasts(model, "x0 - x1 = 1")["x0 - x1 = 1"]
    >>> round(row["estimate"], 3), round(row["t"], 2)
    (0.945, -0.28)
    """
    if adjust not in ADJUSTMENTS:
        raise cannot(
            f"adjust contrasts with adjust={adjust!r}",
            because=f"it is not one of {', '.join(map(repr, ADJUSTMENTS))}",
            instead="adjust='single-step', or adjust='holm'",
        )
    if not 0.0 < level < 1.0:
        raise cannot(f"give intervals with level={level!r}", because="it is not in (0, 1)", instead="level=0.95")
    estimates = estimates_of(model, X, y, sample_weight, covariance, cluster, weights, exposure, offset)
    labels, L, rhs = read_hypotheses(hypotheses, estimates.names)
    if hypotheses is None:
        kept = ~np.isnan(np.diag(estimates.covariance))
        labels, L, rhs = tuple(np.array(labels, dtype=object)[kept]), L[kept], rhs[kept]
    value, V = _combined(estimates, L, labels, cluster)
    df = estimates.df if df is None else float(df)
    error = np.sqrt(np.diag(V))
    # without an error an estimate differs from any number by its rounding alone: that is no test
    tested = error > 0.0
    no_spread = cluster is not None and not _is_exact(unwrap(model))
    error = np.where(tested, error, np.nan) if no_spread else error
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.where(tested, (value - rhs) / error, np.nan)
    p = 2.0 * (ndtr(-np.abs(t)) if np.isinf(df) else stdtr(df, -np.abs(t)))
    joint = None
    if adjust == "single-step":
        joint = (V / np.multiply.outer(error, error))[np.ix_(tested, tested)] if tested.any() else np.eye(1)
    columns = {
        "contrast": labels,
        "estimate": value,
        "std_error": error,
        "z" if np.isinf(df) else "t": t,
        "p": p,
        **({} if adjust is None else {"adjusted_p": _adjusted(t, p, joint, df, adjust, tested)}),
        "ci_low": value - (reach := _reach(level, joint, df, adjust, len(value)) * error),
        "ci_high": value + reach,
    }
    columns = {name: _plain(column) for name, column in columns.items()}
    untested = () if tested.all() else (NO_ERROR_BY_CLUSTERS if no_spread else NO_ERROR,)
    notes = (_note(level, adjust, df), *untested, *estimates.notes)
    return Listing(f"Contrasts · {estimates.kind} standard errors", columns, notes)


def linear_hypothesis(
    model,
    hypotheses,
    X=None,
    y=None,
    *,
    sample_weight=None,
    covariance=None,
    cluster=None,
    weights="frequency",
    exposure=None,
    offset=None,
):
    """Test several linear hypotheses together: ``car::linearHypothesis``.

    Parameters
    ----------
    model, hypotheses, X, y, sample_weight, covariance, cluster, weights, exposure, offset : as in :func:`contrasts`.

    Returns
    -------
    Listing.  Of one row: df, F with residual_df (least squares) or χ² (likelihood), and p.

    >>> import numpy as np
    >>> from separatrix.linear_model import LinearRegression
    >>> X = np.array([[0.0, 1], [1, 0], [2, 1], [3, 1], [4, 0], [5, 0]])
    >>> model = LinearRegression().fit(X, [0.1, 1.2, 1.9, 3.3, 3.8, 5.1])
    >>> round(linear_hypothesis(model, ["x0 = 1", "x1 = 0"]).columns["f"][0], 3)
    0.099
    """
    estimates = estimates_of(model, X, y, sample_weight, covariance, cluster, weights, exposure, offset)
    labels, L, rhs = read_hypotheses(hypotheses, estimates.names)
    value, V = _combined(estimates, L, labels, cluster)
    size = np.sqrt(np.diag(V))
    with np.errstate(divide="ignore", invalid="ignore"):
        correlation = V / np.multiply.outer(size, size)
    count = len(L)
    if not np.isfinite(correlation).all() or np.linalg.cond(correlation) > 1.0 / (EPS * 1e3 * count):
        raise cannot(
            f"test {len(L)} hypotheses together",
            because="one of them follows from the others, or has no standard error, or there are too few clusters: "
            "their covariance is singular to working precision",
            instead="hypotheses that do not repeat or contradict each other, fewer of them, or another covariance",
        )
    scaled = (value - rhs) / size
    chi2 = float(scaled @ np.linalg.solve(correlation, scaled))
    columns = {"hypothesis": ("; ".join(labels),), "df": (count,)}
    if np.isinf(estimates.df):
        columns |= {"chi2": (chi2,), "p": (float(chdtrc(count, chi2)),)}
    else:
        f = chi2 / count
        columns |= {"residual_df": (estimates.df,), "f": (f,), "p": (float(fdtrc(count, estimates.df, f)),)}
    return Listing(f"Linear hypotheses together · {estimates.kind} covariance", columns, estimates.notes)


def read_hypotheses(hypotheses, names):
    """Labels, factors (m, q) and right-hand sides (m,) of hypotheses in any of their forms."""
    if hypotheses is None:
        return names, np.eye(len(names)), np.zeros(len(names))
    if isinstance(hypotheses, str):
        hypotheses = [hypotheses]
    if isinstance(hypotheses, Mapping):
        labels = tuple(map(str, hypotheses))
        read = [_read_one(each, names) for each in hypotheses.values()]
    elif len(hypotheses) and all(isinstance(each, str) for each in hypotheses):
        labels, read = tuple(hypotheses), [_read_text(each, names) for each in hypotheses]
    else:
        L = np.atleast_2d(np.asarray(hypotheses, dtype=np.float64))
        labels, read = tuple(_written(row, names) for row in L), [(row, 0.0) for row in L]
    L, rhs = np.array([row for row, _ in read], dtype=np.float64), np.array([c for _, c in read])
    if L.ndim != 2 or L.shape[1:] != (len(names),) or not np.isfinite(L).all() or not L.any(axis=1).all():
        raise cannot(
            f"read hypotheses={hypotheses!r}",
            because=f"each must have finite factors, not all 0, of the {len(names)} coefficients",
            instead=f"for example '{names[-1]} = 0'",
        )
    return labels, L, rhs


def _written(row, names):
    """Factors as a text: ``"b - 0.5*a"``."""
    parts = [(factor, name) for factor, name in zip(row, names) if factor != 0.0]
    parts.sort(key=lambda part: part[0] < 0.0)
    text = ""
    for factor, name in parts:
        sign = (" - " if factor < 0.0 else " + ") if text else ("-" if factor < 0.0 else "")
        text += sign + (name if abs(factor) == 1.0 else f"{abs(factor):g}*{name}")
    return text


def _read_one(hypothesis, names):
    if isinstance(hypothesis, str):
        return _read_text(hypothesis, names)
    if isinstance(hypothesis, Mapping):
        row = np.zeros(len(names))
        for name, factor in hypothesis.items():
            row[_place(str(name), names)] += factor
        return row, 0.0
    return np.asarray(hypothesis, dtype=np.float64), 0.0


def _read_text(text, names):
    """``"2*a - b = 1"`` as factors of the coefficients and the number on the right."""
    sides = text.replace("==", "=").split("=")  # multcomp writes ==
    if len(sides) > 2:
        raise cannot(f"read the hypothesis {text!r}", because="it has two signs =", instead="'a - b = 0'")
    row, constant = _read_side(sides[0], text, names)
    if len(sides) == 2:
        other, number = _read_side(sides[1], text, names)
        row, constant = row - other, constant - number
    return row, -constant


def _read_side(side, text, names):
    """A sum of numbers, coefficients and their products: factors, and the constant."""
    row, constant, rest, first = np.zeros(len(names)), 0.0, side.strip(), True
    while rest:
        sign = 1.0
        if rest[0] in "+-":
            sign, rest = (-1.0 if rest[0] == "-" else 1.0), rest[1:].strip()
        elif not first:
            raise cannot(
                f"read the hypothesis {text!r}", because=f"no sign stands before {rest!r}", instead="'a - 2*b = 1'"
            )
        name, factor, rest = _read_product(rest, text, names)
        if name is None:
            constant += sign * factor
        else:
            row[_place(name, names)] += sign * factor
        first = False
    return row, constant


def _read_product(rest, text, names):
    """(name or None, factor, what is left) of ``a``, ``2``, ``2*a``, ``2 a`` or ``a/2`` at the start of a text."""
    name, factor = _leading_name(rest, names), 1.0
    if name is None:
        number = _NUMBER.match(rest)
        if number is None:
            raise _no_coefficient(rest, text, names)
        factor, rest = float(number.group()), rest[number.end() :].strip()
        times = rest.startswith("*")
        rest = rest[1:].strip() if times else rest
        name = _leading_name(rest, names)
        if name is None and (times or (rest and rest[0] not in "+-")):
            raise _no_coefficient(rest, text, names)
        if name is None:
            return None, factor, rest
    rest = rest[len(name) :].strip()
    quotient = re.match(r"([*/])\s*(" + _NUMBER.pattern + ")", rest)
    if quotient:
        by = float(quotient.group(2))
        factor, rest = factor * (by if quotient.group(1) == "*" else 1.0 / by), rest[quotient.end() :].strip()
    return name, factor, rest


def _no_coefficient(rest, text, names):
    word = re.match(r"[^\s*/+=-]+", rest)
    known = ", ".join(names[:8]) + (", …" if len(names) > 8 else "")
    because = f"{(word.group() if word else rest)!r} is no coefficient"
    return cannot(f"read the hypothesis {text!r}", because=because, instead=f"names of {known}")


def _leading_name(rest, names):
    """The longest name that a text begins with, and that ends there as a word; R's "(Intercept)" is the intercept."""
    for name in sorted((*names, "(Intercept)"), key=len, reverse=True):
        after = rest[len(name) :]
        ends = not (name[-1:].isalnum() and (after[:1].isalnum() or after[:1] in ("_", ".")))
        if rest.startswith(name) and ends:
            return name
    return None


def _place(name, names):
    name = "intercept" if name == "(Intercept)" else name
    if name not in names:
        raise cannot(
            f"find the coefficient {name!r}", because="the model has none of that name", instead=", ".join(names)
        )
    return names.index(name)


def _is_exact(model):
    """Whether least squares left no residuals beyond the rounding of y."""
    evidence = evidence_of(model)
    return isinstance(evidence, LeastSquaresStatistics) and bool(evidence.rss[0] <= EPS**2 * evidence.tss[0])


def _combined(estimates, L, labels, cluster):
    """``L b`` and ``L V L'``, 0 where clusters leave only rounding; raises where an aliased coefficient takes part."""
    aliased = np.isnan(np.diag(estimates.covariance))
    touched = L[:, aliased].any(axis=1)
    if touched.any():
        names = [name for name, lost in zip(estimates.names, aliased) if lost]
        raise cannot(
            f"estimate {labels[int(np.argmax(touched))]!r}",
            because=f"{', '.join(names)} {'is' if len(names) == 1 else 'are'} aliased: a linear combination of others",
            instead="a model without these columns",
        )
    L, V = L[:, ~aliased], estimates.covariance[np.ix_(~aliased, ~aliased)]
    combined = L @ V @ L.T
    if cluster is not None:
        # residuals that sum to 0 within every cluster give 0 in exact arithmetic, here what the terms' rounding leaves
        terms = np.einsum("ij,jk,ik->i", np.abs(L), np.abs(V), np.abs(L))
        vanishing = ~(np.diag(combined) > 64.0 * EPS * len(V) * terms)
        combined[vanishing, :] = combined[:, vanishing] = 0.0
    return L @ estimates.values[~aliased], combined


def _adjusted(t, p, joint, df, adjust, tested):
    if adjust != "single-step":
        return adjust_p_values(p, adjust)
    adjusted = np.full(len(t), np.nan)
    adjusted[tested] = single_step(t[tested], joint, df)
    return adjusted


def _reach(level, joint, df, adjust, m):
    """How many standard errors the intervals reach."""
    if joint is not None:
        return joint_quantile(level, joint, df)
    tail = 0.5 * (1.0 - level) / (m if adjust == "bonferroni" else 1)
    return float(-ndtri(tail) if np.isinf(df) else -stdtrit(df, tail))


def _note(level, adjust, df):
    distribution = "normal distribution" if np.isinf(df) else f"t with {df:g} degrees of freedom"
    together = adjust in ("single-step", "bonferroni")
    words = f"{100 * level:.4g}% intervals, {'simultaneous' if together else 'each by itself'}; {distribution}."
    return words if adjust is None else f"{words} P-values adjusted: {adjust}."


def _plain(column):
    return tuple(v if isinstance(v, str) else float(v) if np.isfinite(v) else None for v in column)
