r"""The spread of coefficients over resamples: the 2.5 % and 97.5 % quantiles of refits at the chosen settings."""

import time
import warnings

import numpy as np
from sklearn.base import clone, is_classifier

from separatrix.core.declaration import declaration, resolve, unwrap
from separatrix.designs import as_design

MOST_COEFFICIENTS = 20_000
FEWEST_REFITS = 40


def at_choice(model):
    """An unfitted estimator of ours with the settings that a fitted search has chosen; without a search, its own.

    >>> import numpy as np
    >>> from separatrix.linear_model import RidgeCV
    >>> X = np.arange(12.0).reshape(6, 2) ** 2
    >>> at_choice(RidgeCV(alphas=[2.0]).fit(X, X[:, 0]))
    Ridge(alpha=2.0)
    """
    model = unwrap(model)
    declared = declaration(model)
    plain = declared.equivalent if declared.search is None else declared.search.plain
    if plain is None:
        return clone(model)
    plain = resolve(plain)
    given, known = model.get_params(deep=False), plain().get_params(deep=False)
    settings = {key: value for key, value in given.items() if key in known and not _is_placeholder(value)}
    chosen = chosen_settings(model)
    settings |= chosen
    if "l1_ratio" in chosen:
        settings.pop("penalty", None)  # the share says it, and the older word would contradict it
    return plain(**settings)


def _is_placeholder(value):
    return isinstance(value, str) and value in ("warn", "deprecated")


def chosen_settings(model):
    """What a model that searches by itself has chosen, by the names of the parameters; of several outputs the first."""
    search = declaration(model).search
    if search is None:
        return {}
    fitted = {name: np.ravel(vars(model).get(attribute, None))[0] for name, attribute in search.chosen.items()}
    return {name: float(value) for name, value in fitted.items() if value is not None}


def spread_over_resamples(model, X, y, *, refits=200, seconds=5.0, seed=0, level=0.95):
    r"""The middle part of ``coef_`` over refits to rows drawn with replacement (within classes, if any).

    .. math:: [q_{(1 - \text{level})/2}, \; q_{(1 + \text{level})/2}] \text{ of } \hat\beta^{*1}, \dots, \hat\beta^{*B}

    Parameters
    ----------
    model : fitted linear model.  Settings that it searched for are held at what was chosen.
    X, y : the rows of the fit.
    refits : int, [40, inf), default 200.  B, unless time runs out first.
    seconds : float, (0, inf), default 5.0.  No refit starts later; with fewer than 40 there is no spread.
    seed : int, default 0.
    level : float, (0, 1), default 0.95.  The share of refits between low and high.

    Of penalised models these are no confidence intervals: estimates are pulled towards zero, and their spread about the
    pulled values holds the true coefficient less often than its level.

    Returns
    -------
    low, high : arrays of the shape of ``coef_``, (k, p), or None.  said : str.  How many refits they rest on, or why
    there are none.

    References: Efron and Tibshirani (1993), An Introduction to the Bootstrap, chapter 13.

    >>> import numpy as np
    >>> from separatrix.linear_model import Ridge
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((100, 1))
    >>> y = X[:, 0] + rng.standard_normal(100)
    >>> low, high, said = spread_over_resamples(Ridge().fit(X, y), X, y)
    >>> bool(low[0, 0] < 1.0 < high[0, 0]), said
    (True, '200 refits')
    """
    k, p = np.atleast_2d(model.coef_).shape
    if k * p > MOST_COEFFICIENTS:
        return None, None, f"{k * p:,} coefficients are more than can be refitted often enough in a few seconds"
    plain, design, y = at_choice(model), as_design(X), np.asarray(y)
    groups = [np.flatnonzero(y == label) for label in np.unique(y)] if is_classifier(model) else [np.arange(len(y))]
    random, refitted = np.random.default_rng(seed), []
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")  # a resample may separate classes that the data do not
        clone(plain).fit(design.matrix(), y)  # the clock starts when whatever must be compiled is
        deadline = time.perf_counter() + seconds
        while len(refitted) < refits and time.perf_counter() < deadline:
            rows = np.concatenate([random.choice(group, len(group)) for group in groups])
            refit = clone(plain).fit(design.take(rows).matrix(), y[rows])
            refitted.append(np.atleast_2d(refit.coef_))
    if len(refitted) < min(FEWEST_REFITS, refits):
        return None, None, f"only {len(refitted)} refits were possible in {seconds:g} seconds"
    ends = np.quantile(np.array(refitted), [(1.0 - level) / 2.0, (1.0 + level) / 2.0], axis=0)
    return ends[0], ends[1], f"{len(refitted)} refits"
