r"""Bernoulli naive Bayes: :math:`P(x \mid C_k) = \prod_j \mu_{kj}^{x_j} (1 - \mu_{kj})^{1 - x_j}`."""

import numpy as np
from numpy.typing import ArrayLike

from separatrix.core.declaration import CLASSES, SmallFit, declares
from separatrix.core.errors import cannot
from separatrix.core.family import Family, declare
from separatrix.designs.class_counts import class_counts, first_outside
from separatrix.estimators import verification
from separatrix.estimators.naive_bayes.base import EPS, LinearNB
from separatrix.estimators.validation import check_number
from separatrix.prediction import forms
from separatrix.prediction.posteriors import logarithm


@declares(
    task="classification",
    sums=("designs.class_counts",),
    prediction=forms.BERNOULLI_NB,
    verification=verification.OF_BERNOULLI_NB,
    description=CLASSES,
    small_fits=(
        SmallFit(classes=3, counts=True),
        SmallFit(counts=True, storages=("sparse columns",)),
    ),
)
class BernoulliNB(LinearNB):
    r"""Each column is on or off, with a probability of its own in each class.

    .. math:: P(x \mid C_k) = \prod_j \mu_{kj}^{x_j} (1 - \mu_{kj})^{1 - x_j}, \qquad
              \mu_{kj} = \frac{c_{kj} + \alpha}{N_k + 2\alpha}

    where c counts the rows of class k in which column j is on. What is absent speaks, too: it contributes 1 - μ. The
    log-odds are linear in x (``coef_``, ``intercept_``), and the prediction is one product of matrices.

    Parameters
    ----------
    alpha : float or (p,) array, [0, inf), default 1.0.  Smoothing: 1 is Laplace's rule, 0 is maximum likelihood. A
        class without rows has μ = ½ (also with 0, where every μ is as likely).
    force_alpha : bool, default True.  False raises alpha to 1e-10.
    binarize : float or None, [0, inf), default 0.0.  A number is on if it is above; None: X lies in [0, 1] already.
    fit_prior : bool, default True.  Whether P(C_k) is the share of the class, or the same for all.
    class_prior : (k,) array or None, default None.  P(C_k), whatever the data say.

    Attributes
    ----------
    classes_ : (k,) array.  class_count_ : (k,) array.  Weight of each class.
    class_log_prior_ : (k,) array.  feature_count_ : (k, p) array.  c above.
    feature_log_prob_ : (k, p) array.  log μ.
    coef_, intercept_ : arrays.  ``decision_function(X) = [X > binarize] coef_' + intercept_``.
    n_parameters_ : int.  k p + k - 1; a table of all 2^p rows would need k (2^p - 1) + k - 1.
    certificate_ : Certificate.  How far μ is from solving its equation.
    n_features_in_, feature_names_in_ : as in scikit-learn.

    References: Bishop (2006), Pattern Recognition and Machine Learning, 4.2.3; Manning, Raghavan and Schütze (2008),
    Introduction to Information Retrieval, 13.3.   Theory: docs/theory/naive_bayes.md.

    >>> import numpy as np
    >>> X = [[1, 0, 1], [1, 0, 0], [0, 1, 1], [0, 1, 0], [1, 1, 0]]
    >>> model = BernoulliNB().fit(X, [1, 1, 0, 0, 0])
    >>> np.exp(model.feature_log_prob_).round(2)
    array([[0.4 , 0.8 , 0.4 ],
           [0.75, 0.25, 0.5 ]])
    >>> model.predict_proba([[1, 1, 0]]).round(4)
    array([[0.7544, 0.2456]])
    """

    def __init__(
        self,
        *,
        alpha: ArrayLike = 1.0,
        force_alpha: bool = True,
        binarize: float | None = 0.0,
        fit_prior: bool = True,
        class_prior: ArrayLike | None = None,
    ) -> None:
        self.alpha = alpha
        self.force_alpha = force_alpha
        self.binarize = binarize
        self.fit_prior = fit_prior
        self.class_prior = class_prior

    @property
    def _threshold(self):
        return self.binarize

    def _check(self):
        super()._check()
        check_number(self, "binarize", 0.0, none=True)

    def _count(self, design, target):
        counts = class_counts(design, target, len(self.classes_), threshold=self.binarize, low=0.0, high=1.0)
        if counts is None:
            self._admit(design)
        return counts

    def _admit(self, design):
        outside = first_outside(design, 0.0, 1.0) if self.binarize is None else None
        if outside is not None:
            j, value = outside
            raise cannot(
                f"take the value {value:g} of column {self._name(j)} for on or off",
                because="with binarize=None it must lie in [0, 1]",
                instead="binarize=0.0, or numbers in [0, 1]",
            )

    def _learn(self, counts, started):
        alpha, c, n = self._smoothing(), counts.sums, counts.totals[:, None]
        rest = n - c
        rest[rest <= 8.0 * EPS * n] = 0.0  # sums of the same weights, taken in another order
        total = n + 2.0 * alpha
        empty = total == 0.0
        on = np.where(empty, np.log(0.5), logarithm(c + alpha) - logarithm(np.where(empty, 1.0, total)))
        off = np.where(empty, np.log(0.5), logarithm(rest + alpha) - logarithm(np.where(empty, 1.0, total)))
        self.feature_count_, self.feature_log_prob_, self._log_absent = c, on, off
        self._publish_shares(counts.totals)
        k, p = c.shape
        self.n_parameters_ = k * p + k - 1
        whole = np.where(empty, 1.0, total)
        self._certify(
            started,
            np.abs(np.exp(on) + np.exp(off) - 1.0),
            np.where(empty, 0.0, np.abs(np.exp(on) * whole - (c + alpha)) / whole),
        )

    def _weights(self):
        return self.feature_log_prob_, self._log_absent

    def _draw(self, code, size, random):
        return (random.random_sample((size, self.n_features_in_)) < np.exp(self.feature_log_prob_[code])).astype(float)


declare(
    Family(
        name="naive Bayes, yes or no",
        task="classification",
        model=BernoulliNB,
        make=lambda facts: BernoulliNB(),
        complexity=30,
        description="Each column is reduced to yes or no (above its middle, present, equal to a level), independent "
        "within a class.",
        preparation="binary",
    )
)
