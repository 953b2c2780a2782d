r"""Probabilities from margins: the slope of a logistic curve of scores that rows had while they were left out.

.. math:: P(+ \mid f) = 1 / (1 + e^{A f}), \qquad A < 0

The curve passes 1/2 where the score is 0, so that the likelier class is the one that is predicted, and it is monotone.
A maximises the likelihood of Platt's targets, (n₊+1)/(n₊+2) and 1/(n₋+2) in place of 1 and 0, which keeps it finite.

References: Platt (1999), in Advances in Large Margin Classifiers.
"""

import numpy as np
from scipy.special import expit
from sklearn.model_selection import StratifiedKFold
from sklearn.utils import check_random_state

from separatrix.core.threads import parallel_map

FOLDS = 5
LEAST_SLOPE = 1e-3  # where scores out of fold say nothing, probabilities stay near 1/2, in the order of the scores
STEPS = 100


def slopes_of(model, gram, parts, s, strength):
    """A of each pair of classes (pairs,)."""
    seed = check_random_state(model.random_state).randint(np.iinfo(np.int32).max)

    def slope(part):
        rows, signs = part
        scores = scores_out_of_fold(model, gram, rows, signs, s, strength, seed)
        return -best_slope(scores, signs, s[rows])

    return np.array(parallel_map(slope, parts))


def scores_out_of_fold(model, gram, rows, signs, s, strength, seed):
    """The score of each row by a fit to the other folds; 0 where a class has one row only."""
    fewest = int(min((signs > 0.0).sum(), (signs < 0.0).sum()))
    scores = np.zeros(len(rows))
    if fewest < 2:
        return scores
    folds = StratifiedKFold(min(FOLDS, fewest), shuffle=True, random_state=seed)
    for train, test in folds.split(rows, signs):
        problem = model._problem(gram.take(rows[train]), signs[train], s[rows[train]], strength)
        solution = model._solve(problem, np.inf)
        support = np.flatnonzero(solution.beta)
        K = gram.block(rows[test], rows[train][support])
        scores[test] = K @ solution.beta[support] + model._offset(problem, solution)
    return scores


def best_slope(scores, signs, s):
    """The slope > 0 of largest likelihood, by Newton's method on a concave function of one number.

    >>> float(best_slope(np.array([-1.0, 1.0]), np.array([-1.0, 1.0]), np.ones(2)).round(6))  # σ(1·a) = 2/3
    0.693147
    """
    n_positive, n_negative = s[signs > 0.0].sum(), s[signs < 0.0].sum()
    targets = np.where(signs > 0.0, (n_positive + 1.0) / (n_positive + 2.0), 1.0 / (n_negative + 2.0))
    slope, size = 0.0, float(np.abs(scores).max(initial=0.0))
    if size == 0.0:
        return np.float64(LEAST_SLOPE)
    for _ in range(STEPS):
        p = expit(slope * scores)
        gradient = float((s * (targets - p)) @ scores)
        curvature = float((s * p * (1.0 - p)) @ scores**2)
        step = gradient / max(curvature, 1e-300)
        # a slope is not doubled more than once a step: far out the curvature vanishes
        slope += float(np.clip(step, -1.0 / size - abs(slope), 1.0 / size + abs(slope)))
        if abs(step) <= 1e-12 * (abs(slope) + 1.0 / size):
            break
    return np.float64(max(slope, LEAST_SLOPE / size))
