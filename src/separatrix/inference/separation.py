"""Whether classes are separated: does logistic regression have a maximum-likelihood estimate?"""

import numpy as np
from sklearn.base import BaseEstimator

from separatrix.core.errors import cannot
from separatrix.core.problem import Problem
from separatrix.core.target import Target
from separatrix.estimators.validation import validate_classes
from separatrix.losses import Logistic
from separatrix.penalties import NoPenalty
from separatrix.solvers.separation.existence import Separation, separation_of

__all__ = ["Separation", "separation"]


class SeparationCheck(BaseEstimator):
    """Who asks at the door: the names and the classes of the data are learnt here."""


def separation(X, y, sample_weight=None, fit_intercept=True):
    r"""Decide, with proof, whether classes are completely separated, quasi-completely separated, or overlap.

    .. math:: \text{complete: } y_i\, w \cdot z_i > 0; \quad \text{quasi-complete: } y_i\, w \cdot z_i \ge 0,
              \text{not all } 0; \quad \text{overlap: } \textstyle\sum_i a_i\, y_i\, z_i = 0, \ a_i \ge 0
              \text{ on rows that span all}

    with z = (1, x) and y = ±1. Only with overlap has the likelihood of logistic (with k classes, multinomial)
    regression a maximum. Each verdict carries a proof which :meth:`Separation.verify` checks against the data: a
    direction, by signs that are exact for the numbers as stored; multipliers (Stiemke's lemma; for a direction that is
    not complete, Gordan's on the rows of the boundary), by sums with error bounds.

    Parameters
    ----------
    X : (n, p) array, sparse array or frame.
    y : (n,) array of labels, of two classes or more.
    sample_weight : (n,) array or None, default None.  Rows of weight 0 do not count; other weights make no difference.
    fit_intercept : bool, default True.  Whether the model has an intercept.

    Returns
    -------
    Separation.

    References: Albert and Anderson (1984), Biometrika 71(1).   Theory: docs/theory/separation.md.

    >>> proof = separation([[0, 1.0], [0, 2.0], [0, 3.0], [1, 1.0], [1, 2.0]], ["no", "yes", "no", "yes", "yes"])
    >>> proof.verdict, proof.infinite, proof.rows_on_boundary
    ('quasi-complete', ('x0',), array([0, 1, 2]))
    >>> proof.verify([[0, 1.0], [0, 2.0], [0, 3.0], [1, 1.0], [1, 2.0]], ["no", "yes", "no", "yes", "yes"])
    True
    """
    if not isinstance(fit_intercept, bool | np.bool_):
        raise cannot(
            f"look for separation with fit_intercept={fit_intercept!r}",
            because="it is neither True nor False",
            instead="fit_intercept=True (default)",
        )
    door = SeparationCheck()
    design, codes, s = validate_classes(door, X, y, sample_weight)
    problem = Problem(design, Target(codes.astype(np.float64), s), Logistic(), NoPenalty(), bool(fit_intercept))
    names = vars(door).get("feature_names_in_")
    return separation_of(problem, n_classes=len(door.classes_), names=names, classes=door.classes_)
