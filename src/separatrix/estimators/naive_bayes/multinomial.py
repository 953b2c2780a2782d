r"""Multinomial naive Bayes: :math:`P(x \mid C_k) \propto \prod_j \mu_{kj}^{x_j}`, :math:`\sum_j \mu_{kj} = 1`."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from separatrix.core.declaration import CLASSES, SmallFit, declares
from separatrix.core.errors import cannot
from separatrix.core.family import Family, declare, needs
from separatrix.designs.class_counts import class_counts, first_outside
from separatrix.estimators import verification
from separatrix.estimators.naive_bayes.base import LinearNB
from separatrix.prediction import forms
from separatrix.prediction.posteriors import logarithm


@declares(
    task="classification",
    sums=("designs.class_counts",),
    prediction=forms.MULTINOMIAL_NB,
    verification=verification.OF_MULTINOMIAL_NB,
    description=CLASSES,
    small_fits=(
        SmallFit(classes=3, counts=True),
        SmallFit(counts=True, storages=("sparse columns",)),
    ),
)
class MultinomialNB(LinearNB):
    r"""A row counts how often each of p things came, one after the other, each with its probability in the class.

    .. math:: P(x \mid C_k) = \prod_j \mu_{kj}^{x_j}, \qquad
              \mu_{kj} = \frac{c_{kj} + \alpha_j}{\sum_l (c_{kl} + \alpha_l)}

    where c sums column j over the rows of class k. This is the probability of the things in the order in which they
    came; the number of orders is the same for all classes and left out, as in scikit-learn. Counts need not be whole.
    The log-odds are linear in x, ``X coef_' + intercept_``, and the prediction is one product of matrices. There is no
    ``decision_function``: scikit-learn's contract wants one to take any numbers.

    Parameters
    ----------
    alpha : float or (p,) array, [0, inf), default 1.0.  Smoothing: 1 is Laplace's rule, 0 is maximum likelihood. A
        class in which nothing was counted has equal μ (also with 0, where every μ is as likely).
    force_alpha : bool, default True.  False raises alpha to 1e-10.
    fit_prior : bool, default True.  Whether P(C_k) is the share of the class, or the same for all.
    class_prior : (k,) array or None, default None.  P(C_k), whatever the data say.

    Attributes
    ----------
    classes_ : (k,) array.  class_count_ : (k,) array.  Weight of each class.
    class_log_prior_ : (k,) array.  feature_count_ : (k, p) array.  c above.
    feature_log_prob_ : (k, p) array.  log μ.
    coef_, intercept_ : arrays.  Of the log-odds of ``classes_[1]``, or with more classes of ``log P(x, C_k)``.
    n_parameters_ : int.  k (p - 1) + k - 1.
    certificate_ : Certificate.  How far μ is from solving its equation.
    n_features_in_, feature_names_in_ : as in scikit-learn.

    References: Manning, Raghavan and Schütze (2008), Introduction to Information Retrieval, 13.2.   Theory:
    docs/theory/naive_bayes.md.

    >>> import numpy as np
    >>> model = MultinomialNB().fit([[2, 1, 0], [1, 0, 0], [0, 1, 3]], ["a", "a", "b"])
    >>> np.exp(model.feature_log_prob_).round(3)
    array([[0.571, 0.286, 0.143],
           [0.143, 0.286, 0.571]])
    >>> model.predict([[0, 0, 1]])
    array(['b'], dtype='<U1')
    """

    def __init__(
        self,
        *,
        alpha: ArrayLike = 1.0,
        force_alpha: bool = True,
        fit_prior: bool = True,
        class_prior: ArrayLike | None = None,
    ) -> None:
        self.alpha = alpha
        self.force_alpha = force_alpha
        self.fit_prior = fit_prior
        self.class_prior = class_prior

    @property
    def decision_function(self) -> Any:
        raise AttributeError("MultinomialNB has no decision_function; use predict_log_proba or coef_ and intercept_")

    def _count(self, design, target):
        counts = class_counts(design, target, len(self.classes_), low=0.0)
        if counts is None:
            self._admit(design)
        return counts

    def _admit(self, design):
        outside = first_outside(design, 0.0, np.inf)
        if outside is not None:
            j, value = outside
            raise cannot(
                f"use the value {value:g} of column {self._name(j)} with {type(self).__name__}",
                because="Negative values in data cannot be counts",
                instead="counts >= 0",
            )

    def _learn(self, counts, started):
        alpha, c = self._smoothing(), counts.sums
        smoothed = c + alpha
        total = smoothed.sum(axis=1, keepdims=True)
        k, p = c.shape
        empty = total == 0.0
        whole = np.where(empty, 1.0, total)
        self.feature_count_ = c
        self.feature_log_prob_ = np.where(empty, -np.log(p), logarithm(smoothed) - np.log(whole))
        self._publish_shares(counts.totals)
        self.n_parameters_ = k * (p - 1) + k - 1
        shares = np.exp(self.feature_log_prob_)
        self._certify(
            started,
            np.abs(shares.sum(axis=1) - 1.0),
            np.where(empty, 0.0, np.abs(shares * whole - smoothed) / whole),
        )

    def _weights(self):
        return self.feature_log_prob_, None

    def _draw(self, code, size, random):
        """Rows of as many things as a row of the class has on average, rounded: the model knows no other length."""
        n = self.class_count_[code]
        length = round(float(self.feature_count_[code].sum() / n)) if n > 0.0 else 0
        shares = np.exp(self.feature_log_prob_[code])
        return random.multinomial(length, shares / shares.sum(), size).astype(float)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        return tags


declare(
    Family(
        name="naive Bayes, word counts",
        task="classification",
        model=MultinomialNB,
        make=lambda facts: MultinomialNB(),
        complexity=30,
        description="A text is a bag of words, each drawn with the probability that it has in the class.",
        preparation="counts",
        why_excluded=needs(kind="text"),
    )
)
