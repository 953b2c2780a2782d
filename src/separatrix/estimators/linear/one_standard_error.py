r"""Which strength cross-validation chooses: the best, or the strongest that one standard error cannot tell from it.

    e(λ) = Σ_f w_f e_f(λ) / Σ_f w_f          se(λ)² = Σ_f w_f (e_f(λ) - e(λ))² / [(K - 1) Σ_f w_f]
    λ_best = argmin e(λ)                     λ_1se = max {λ : e(λ) <= e(λ_best) + se(λ_best)}

for the errors e_f of K folds with weights w_f: glmnet's ``lambda.min`` and ``lambda.1se`` have the rows of a fold for
its weight. Here folds count equally (w_f = 1), as in scikit-learn; only rows left out one by one have their weights.

References: Breiman, Friedman, Olshen and Stone (1984), Classification and Regression Trees, section 3.4.3; Hastie,
Tibshirani and Friedman (2009), The Elements of Statistical Learning, section 7.10.1.
"""

import warnings

import numpy as np

from separatrix.core.errors import EndOfGrid, cannot
from separatrix.estimators.validation import check_choice

RULES = ("best", "1se")


def standard_errors(errors, weights=None, count=None):
    """Of the mean error: (L,), from the errors (L, K) of K folds; 0 where there is one fold only.

    `count` is the number of folds where it is not K: of rows that are left out one by one, and repeated by weights.
    """
    K = errors.shape[1] if count is None else count
    w = np.full(errors.shape[1], 1.0 / errors.shape[1]) if weights is None else weights / weights.sum()
    spread = (errors - (errors @ w)[:, None]) ** 2 @ w
    return np.sqrt(spread / max(K - 1.0, 1.0))


def strongest_within(mean, error, strengths):
    """The place of the largest strength whose mean error is within one standard error of the smallest.

    An error that is not known (NaN) is the largest of all; if none is known, the first strength is taken.
    """
    best = smallest(mean)
    within = mean <= mean[best] + error[best]
    within[best] = True  # where its own error is not known
    return int(np.argmax(np.where(within, strengths, -np.inf)))


def smallest(mean):
    """The place of the smallest error, in the order of a flat array; NaN counts as the largest of all."""
    return int(np.argmin(np.where(np.isnan(mean), np.inf, mean)))


def clearly_past_best(scores):
    """Whether the last of some strengths is worse than the best before it, by more than the standard error of that.

    Parameters
    ----------
    scores : (folds, shares, strengths) array.  From strong to weak penalties; higher is better.

    >>> clearly_past_best(np.array([[[-0.7, -0.6, -0.9]], [[-0.7, -0.5, -0.9]]]))
    True
    >>> clearly_past_best(np.array([[[-0.7, -0.6, -0.5]], [[-0.7, -0.5, -0.7]]]))
    False
    """
    *earlier, last = np.argmax(scores.mean(axis=0), axis=0)  # the share that is best at each strength
    best = max(range(len(earlier)), key=lambda place: scores[:, earlier[place], place].mean())
    worse = scores[:, earlier[best], best] - scores[:, last, -1]
    return bool(worse.mean() > standard_errors(worse[None])[0])


def check_rule(model, possible=True, because=""):
    """The rule that a model asks for; raises where it cannot be followed."""
    rule = check_choice(model, "rule", RULES)
    if rule == "1se" and not possible:
        raise cannot(
            f"choose by rule='1se' in {type(model).__name__}", because=because, instead="rule='best' (default)"
        )
    return rule


def warn_at_end(strengths, mean, place, *, parameter, grid, value, stronger=True, weaker=True, stacklevel=3):
    """Warn where the best strength is at an end of the grid, and the error still falls towards that end.

    Parameters
    ----------
    strengths, mean : (L,) arrays.  Strengths in any order, and their mean errors.
    place : int.  That of the smallest error.
    parameter, grid : str.  Names of the strength and of the grid, as the user gave them.
    value : float.  The parameter at that place.
    stronger, weaker : bool.  Whether a larger, or a smaller, strength would give another model.
    """
    order = np.argsort(strengths)
    rank = int(np.flatnonzero(order == place)[0])
    last = len(order) - 1
    if last < 1 or rank not in (0, last) or not (weaker if rank == 0 else stronger):
        return
    beside = order[1] if rank == 0 else order[last - 1]
    if mean[place] < mean[beside]:
        warnings.warn(EndOfGrid(parameter, value, grid, weak=rank == 0), stacklevel=stacklevel + 1)
