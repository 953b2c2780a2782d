r"""Local logistic and multinomial regression: a likelihood with an intercept of its own at every query."""

from typing import Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit, logsumexp, ndtri
from sklearn.base import ClassifierMixin

from separatrix.core.declaration import DENSE, SmallFit, declares
from separatrix.core.family import Family, declare, needs
from separatrix.core.types import Array, MatrixLike
from separatrix.estimators import verification
from separatrix.estimators.base import LogOddsClassifier
from separatrix.estimators.local.local_likelihood import LocalModel, check_level
from separatrix.estimators.validation import validate_classes
from separatrix.losses import Logistic, Softmax
from separatrix.prediction import forms
from separatrix.prediction.linear import decide
from separatrix.prediction.local_likelihood import refuse_unnamed


@declares(
    task="classification",
    losses=(Logistic, Softmax),
    penalties=("penalties:L2",),
    solvers=("solvers.neighbours.local_likelihood", "solvers.neighbours.windows"),
    prediction=forms.LOCAL_CLASSES,
    verification=verification.OF_LOCAL_CLASSES,
    small_fits=tuple(SmallFit(classes=k, storages=DENSE, called=f"{k} classes") for k in (2, 3)),
)
class LocalLogisticRegression(ClassifierMixin, LocalModel):
    r"""Predict a class by a logistic model that is fitted to the rows around each query.

    .. math:: \max_{\beta_0, \beta}\ \sum_i s_i K_\lambda(x_0, x_i)\, \log p(y_i \mid \beta_0 + \beta'(x_i - x_0))
              - \tfrac{\alpha}{2} \|\beta\|^2, \qquad \hat p(x_0) = \sigma(\hat\beta_0)

    The intercept belongs to the local model: without it every probability would be 1/2. For k > 2 classes the model is
    multinomial, with scores that sum to 0 over the classes and the penalty summed over them. As the windows grow, this
    becomes the global logistic regression.

    In a window that holds one class only, or whose classes a plane separates, the likelihood has no maximum: the
    probability tends to 0 or 1. A faint penalty (1e-10 of the window's weight, on columns of deviation 1 and on the
    intercept) then gives a unique answer close to that limit, and one warning tells at how many queries it did.

    Parameters
    ----------
    bandwidth : float, (0, inf), or None, default None.  Width :math:`\lambda` of every window, in the units of X, or of
        the standardised columns with ``standardize=True``.
    n_neighbors : int, [1, inf), or None, default None.  Each window reaches to this neighbour of its query instead.
        Weights count as repetitions.
    span : float, (0, 1], or None, default None.  The same as a share of all rows; 0.7 if no width is given at all.
    kernel : {'tricube', 'gaussian', 'epanechnikov', 'uniform'}, default 'tricube'.  How weights fall with u, the
        distance over the width: :math:`(1-u^3)^3`, :math:`e^{-u^2/2}`, :math:`1-u^2`, 1; all but the Gaussian end
        at u = 1.
    degree : int, 0 to 2, default 1.  Constant, linear, or quadratic with all products of columns.
    alpha : float, [0, inf), default 0.0.  Ridge on all coefficients but the intercept, in the units of the distances;
        those of degree 2 are taken about the mean of the window.
    standardize : bool, default False.  Measure distances in columns of standard deviation 1.
    empty : {'raise', 'nan'}, default 'raise'.  What to do at a query without any row in its window; no class can be
        named there, so :meth:`predict` raises in any case.

    Attributes
    ----------
    classes_ : array of shape (k,).
    scale_ : array of shape (n_features,).  What columns are divided by before distances are taken.
    certificate_ : Certificate.  The largest relative gradient of the local fits at up to 16 training rows, evenly
        spaced. Every later call checks all its queries and warns; :meth:`local_coefficients` gives the gradients.
    n_features_in_, feature_names_in_ : as everywhere in scikit-learn.

    References: Tibshirani and Hastie (1987), JASA 82(398); Loader (1999), Local Regression and Likelihood, chapter 4;
    Hastie, Tibshirani and Friedman (2009), The Elements of Statistical Learning, section 6.5.

    Examples
    --------
    >>> from separatrix.local import LocalLogisticRegression
    >>> x, y = [[0], [1], [2], [3], [4], [5], [6], [7], [8], [9]], [0, 0, 0, 1, 0, 1, 1, 1, 0, 1]
    >>> model = LocalLogisticRegression(bandwidth=2.0, kernel="gaussian").fit(x, y)
    >>> model.predict_proba([[2.0]]).round(4)
    array([[0.8389, 0.1611]])
    >>> low, high = model.interval([[2.0]])
    >>> low.round(3), high.round(3)
    (array([0.009]), array([0.805]))
    """

    def fit(self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Remember X of shape (n, p) and labels y of two or more classes; a weight counts as repetitions of its row."""
        self._check_parameters()
        design, codes, s = validate_classes(self, X, y, sample_weight, sparse=False)
        k = len(self.classes_)
        # the penalty on scores that sum to 0, as seen from the first class: |b - mean(b)|² with b_0 = 0
        mix = np.eye(k - 1) - 1.0 / k if k > 2 else np.eye(1)
        loss = Softmax() if k > 2 else Logistic()
        return self._remember(design.block(slice(None)), codes, s, loss, mix, 0.0)

    def decision_function(self, X: MatrixLike) -> Array:
        """Log-odds of ``classes_[1]``, (m,), or for k > 2 log-probabilities up to a shift, summing to 0: (m, k)."""
        return self._in_units(self._fit_at(X))[0]

    # these look at scores alone, wherever they come from
    predict_proba = LogOddsClassifier.predict_proba
    predict_log_proba = LogOddsClassifier.predict_log_proba

    def predict(self, X: MatrixLike) -> Array:
        """The class of each row of X."""
        scores = self.decision_function(X)
        refuse_unnamed(scores)
        return decide(scores, self.classes_)

    def standard_errors(self, X: MatrixLike) -> Array:
        r"""Standard errors of the log-odds at each query: of :math:`\hat\beta_0`, (m,), or of each class, (m, k).

        .. math:: \mathrm{Var}(\hat\beta) = H^{-1} J H^{-1}, \qquad H = \sum_i s_i K_i\, \mu_i (1-\mu_i)\, z_i z_i',
                  \quad J = \sum_i s_i K_i^2\, \mu_i (1-\mu_i)\, z_i z_i'

        For k > 2 these are the errors of :math:`\log (p_c / (1 - p_c))`. Infinite where there is no maximum.
        """
        return self._log_odds(X)[1]

    def interval(self, X: MatrixLike, level: float = 0.95) -> tuple[Array, Array]:
        """Pointwise confidence limits (low, high) of the probability of ``classes_[1]``, or of each class for k > 2.

        They are symmetric on the scale of log-odds. The bias of the smoother is not in them.
        """
        center, error = self._log_odds(X)
        reach = ndtri(0.5 + 0.5 * check_level(level)) * error
        return expit(center - reach), expit(center + reach)

    def _log_odds(self, X):
        """The log-odds of each class against all others, and their standard errors."""
        fits = self._fit_at(X, errors=True)
        if fits.scores.shape[1] == 1:
            return fits.scores[:, 0], np.sqrt(fits.covariance[:, 0, 0])
        scores = np.column_stack([np.zeros(len(fits.scores)), fits.scores])
        odds, errors = np.empty_like(scores), np.empty_like(scores)
        endless = np.isinf(fits.covariance[:, 0, 0])
        covariance = np.where(endless[:, None, None], 0.0, fits.covariance)
        for c in range(scores.shape[1]):
            others = np.delete(scores, c, axis=1)
            top = logsumexp(others, axis=1)
            odds[:, c] = scores[:, c] - top
            # the slopes of these log-odds with respect to all scores; that of the first class is 0 and stays it
            slopes = np.insert(-np.exp(others - top[:, None]), c, 1.0, axis=1)[:, 1:]
            errors[:, c] = np.sqrt(np.einsum("ma,mab,mb->m", slopes, covariance, slopes))
        errors[endless] = np.inf
        return odds, errors

    def _in_units(self, fits):
        with np.errstate(over="ignore"):  # slopes along columns of subnormal numbers are beyond all numbers
            slopes = fits.slopes / (self.scale_ * self._data.unit)
        if slopes.shape[1] == 1:
            return fits.scores[:, 0], slopes[:, 0]
        scores = np.insert(fits.scores, 0, 0.0, axis=1)
        slopes = np.insert(slopes, 0, 0.0, axis=1)
        scores[np.isnan(fits.scores[:, 0])] = np.nan
        return scores - scores.mean(axis=1, keepdims=True), slopes - slopes.mean(axis=1, keepdims=True)


def _search(facts):
    from sklearn.model_selection import GridSearchCV

    widths = {"span": [0.3, 0.5, 0.8]}
    return GridSearchCV(
        LocalLogisticRegression(standardize=True, alpha=1e-3), widths, scoring="accuracy", cv=facts.inner_folds(3)
    )


declare(
    Family(
        name="local logistic regression",
        task="classification",
        model=LocalLogisticRegression,
        make=_search,
        complexity=60,
        description="A logistic regression of its own around every query: boundaries of any shape, for one to three "
        "columns.",
        why_excluded=needs(dense=True, columns=3),
        most_rows=2_000,
    )
)
