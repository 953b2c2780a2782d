r"""Categorical naive Bayes: :math:`P(x \mid C_k) = \prod_j \mu_{k j x_j}`, :math:`\sum_v \mu_{kjv} = 1`."""

import numpy as np
from numpy.typing import ArrayLike

from separatrix.core.declaration import CLASSES, DENSE, SmallFit, declares
from separatrix.core.errors import cannot
from separatrix.core.threads import parallel_map
from separatrix.designs import as_design
from separatrix.designs.class_counts import category_counts, category_ranges
from separatrix.estimators import verification
from separatrix.estimators.naive_bayes.base import DiscreteNB
from separatrix.estimators.validation import check_choice, check_numbers
from separatrix.prediction import forms
from separatrix.prediction.naive_bayes import admitted, tables_of
from separatrix.prediction.posteriors import logarithm


@declares(
    task="classification",
    sums=("designs.class_counts",),
    prediction=forms.CATEGORICAL_NB,
    verification=verification.OF_CATEGORICAL_NB,
    description=CLASSES,
    small_fits=(SmallFit(counts=True, storages=DENSE),),
)
class CategoricalNB(DiscreteNB):
    r"""Each column is one of some categories, with probabilities of their own in each class.

    .. math:: P(x \mid C_k) = \prod_j \mu_{k j x_j}, \qquad \mu_{kjv} = \frac{c_{kjv} + \alpha_j}{N_k + \alpha_j V_j}

    where c counts the rows of class k in which column j is v, and column j has the categories 0, 1, ..., V_j - 1.
    As in scikit-learn, fractions of numbers are cut off; here a warning names the column.

    Parameters
    ----------
    alpha : float or (p,) array, [0, inf), default 1.0.  Smoothing: 1 is Laplace's rule, 0 is maximum likelihood. A
        class without rows has equal μ (also with 0, where every μ is as likely).
    force_alpha : bool, default True.  False raises alpha to 1e-10.
    fit_prior : bool, default True.  Whether P(C_k) is the share of the class, or the same for all.
    class_prior : (k,) array or None, default None.  P(C_k), whatever the data say.
    min_categories : int, (p,) array or None, default None.  How many categories a column has at least; those that never
        came have μ = α / (N + α V). None: as many as the largest code met says.
    unseen : {"error", "smooth", "ignore"}, default "error".  What a category beyond V_j means in a prediction: a
        mistake; one that was never met, with μ = α / (N + α V); or nothing, as if the column were not there.

    Attributes
    ----------
    classes_ : (k,) array.  class_count_ : (k,) array.  Weight of each class.
    class_log_prior_ : (k,) array.  category_count_ : list of (k, V_j) arrays.  c above.
    feature_log_prob_ : list of (k, V_j) arrays.  log μ.
    n_categories_ : (p,) array.  V.
    n_parameters_ : int.  k Σ (V_j - 1) + k - 1.
    certificate_ : Certificate.  How far μ is from solving its equation.
    n_features_in_, feature_names_in_ : as in scikit-learn.

    References: Mitchell (1997), Machine Learning, 6.9.   Theory: docs/theory/naive_bayes.md.

    >>> import numpy as np
    >>> model = CategoricalNB().fit([[0, 2], [1, 0], [1, 1], [0, 1]], [0, 0, 1, 1])
    >>> np.exp(model.feature_log_prob_[1]).round(2)
    array([[0.4, 0.2, 0.4],
           [0.2, 0.6, 0.2]])
    >>> model.set_params(unseen="ignore").predict_proba([[0, 7]])
    array([[0.5, 0.5]])
    """

    def __init__(
        self,
        *,
        alpha: ArrayLike = 1.0,
        force_alpha: bool = True,
        fit_prior: bool = True,
        class_prior: ArrayLike | None = None,
        min_categories: ArrayLike | None = None,
        unseen: str = "error",
    ) -> None:
        self.alpha = alpha
        self.force_alpha = force_alpha
        self.fit_prior = fit_prior
        self.class_prior = class_prior
        self.min_categories = min_categories
        self.unseen = unseen

    def _check(self):
        super()._check()
        check_choice(self, "unseen", ("error", "smooth", "ignore"))

    def _declared(self):
        """The least number of categories of each column, (p,)."""
        p = self.n_features_in_
        if self.min_categories is None:
            return np.zeros(p, dtype=np.int64)
        legal = f"None, a whole number >= 1, or one for each column, shape ({p},)"
        least = check_numbers(self, "min_categories", legal)
        if np.shape(self.min_categories) not in ((), (p,)) or not ((least >= 1.0) & (least == np.floor(least))).all():
            raise cannot(
                f"use min_categories={self.min_categories!r}",
                because=f"it does not say how many categories each of {p} columns has at least",
                instead=legal,
            )
        return np.broadcast_to(least.astype(np.int64), (p,))

    def _count(self, design, target):
        self._admit(design)
        return category_counts(design, target, len(self.classes_))

    def _admit(self, design):
        """Raise, by name, if a number is no category; return the largest category of each column."""
        return admitted(*category_ranges(design), self._name)

    def _learn(self, counts, started):
        alpha = self._smoothing()
        counts = counts.grown(self._declared())
        self.category_count_, self.n_categories_ = counts.tables, counts.sizes
        self.feature_log_prob_, self._log_unseen, residuals = [], [], []
        for table, a in zip(counts.tables, alpha, strict=True):
            smoothed = table + a
            total = smoothed.sum(axis=1, keepdims=True)
            empty = total == 0.0
            whole = np.where(empty, 1.0, total)
            logs = np.where(empty, -np.log(table.shape[1]), logarithm(smoothed) - np.log(whole))
            self.feature_log_prob_.append(logs)
            self._log_unseen.append(np.where(empty, -np.inf, logarithm(a) - np.log(whole))[:, 0])
            residuals += [np.abs(np.exp(logs).sum(axis=1) - 1.0), np.abs(np.exp(logs) * whole - smoothed) / whole]
            residuals[-1][empty[:, 0]] = 0.0
        self._publish_shares(counts.totals)
        k = len(counts.totals)
        self.n_parameters_ = int(k * (self.n_categories_ - 1).sum() + k - 1)
        self._certify(started, *residuals)

    def _log_likelihood(self, X):
        design = as_design(X)
        of_rows = tables_of(vars(self), self._admit(design), self._name)
        return np.concatenate(parallel_map(lambda rows: of_rows(design.block(rows)), design.blocks()))

    def _draw(self, code, size, random):
        shares = [np.exp(table[code]) for table in self.feature_log_prob_]
        drawn = [random.choice(len(share), size, p=share / share.sum()) for share in shares]
        return np.stack(drawn, axis=1).astype(float)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = True
        tags.input_tags.positive_only = True
        return tags
