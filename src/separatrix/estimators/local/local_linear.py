r"""Local linear regression: weighted least squares, anew at every query."""

from typing import Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import t as student
from sklearn.base import RegressorMixin
from sklearn.utils.validation import check_is_fitted

from separatrix.core.declaration import DENSE, SmallFit, declares
from separatrix.core.errors import cannot
from separatrix.core.family import Family, declare, needs
from separatrix.core.types import Array, MatrixLike
from separatrix.estimators import verification
from separatrix.estimators.local.local_likelihood import LocalModel, check_level
from separatrix.estimators.validation import enter
from separatrix.losses import Squared
from separatrix.prediction import forms
from separatrix.solvers.neighbours.local_likelihood import fit_locally

# Residuals are measured against the spread of y plus this much of its largest deviation, or an exact fit would have
# nothing but rounding to be measured against.
FLOOR = 1e-6


@declares(
    task="regression",
    losses=(Squared,),
    penalties=("penalties:L2",),
    solvers=("solvers.neighbours.local_likelihood", "solvers.neighbours.windows"),
    prediction=forms.LOCAL_NUMBERS,
    verification=verification.OF_LOCAL_NUMBERS,
    small_fits=(SmallFit(storages=DENSE),),
)
class LocalLinearRegression(RegressorMixin, LocalModel):
    r"""Predict a number by a line or a parabola that is fitted to the rows around each query.

    .. math:: \min_{\beta_0, \beta}\ \tfrac12 \sum_i s_i K_\lambda(x_0, x_i)\,(y_i - \beta_0 - \beta'(x_i - x_0))^2
              + \tfrac{\alpha}{2} \|\beta\|^2, \qquad \hat f(x_0) = \hat\beta_0

    With ``degree=0`` this is the Nadaraya-Watson average. As the windows grow, it becomes the global least-squares fit.

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
    empty : {'raise', 'nan'}, default 'raise'.  What to do at a query without any row in its window.

    Attributes
    ----------
    scale_ : array of shape (n_features,).  What columns are divided by before distances are taken.
    certificate_ : Certificate.  The largest relative gradient of the local fits at up to 16 training rows, evenly
        spaced. Every later call checks all its queries and warns; :meth:`local_coefficients` gives the gradients.
    effective_degrees_of_freedom_ : float.  Trace of the smoother, Σ s_i l_i(x_i); computed when first asked for.
    sigma_ : float.  Standard deviation of the noise, :math:`\hat\sigma^2 = \mathrm{RSS}/(n - 2\nu_1 + \nu_2)` with
        :math:`\nu_1 = \mathrm{tr}\,L,\ \nu_2 = \mathrm{tr}\,L'L`; computed when first asked for.
    n_features_in_, feature_names_in_ : as everywhere in scikit-learn.

    References: Loader (1999), Local Regression and Likelihood; Cleveland (1979), JASA 74(368).

    Examples
    --------
    >>> import numpy as np
    >>> from separatrix.local import LocalLinearRegression
    >>> x = np.linspace(0.0, 6.0, 61)
    >>> model = LocalLinearRegression(bandwidth=0.8).fit(x[:, None], np.sin(x))
    >>> model.predict([[1.0], [4.0]]).round(2)
    array([ 0.8 , -0.72])
    >>> model.local_coefficients([[1.0]]).slopes.round(2)
    array([[0.52]])
    """

    def fit(self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Remember X of shape (n, p) and y of shape (n,); a weight counts as repetitions of its row."""
        self._check_parameters()
        design, target = enter(self, X, y, sample_weight, sparse=False, multi_output=False)
        # about its mean and in units of its largest deviation, y is of the order of 1
        self._level = float(target.mean())
        self._size = float(np.abs(target.y - self._level).max()) or 1.0
        y = (target.y - self._level) / self._size
        self._traces = None
        return self._remember(design.block(slice(None)), y, target.s, Squared(), np.eye(1), FLOOR)

    def predict(self, X: MatrixLike) -> Array:
        """The local fit at each row of X; NaN for an empty window, if asked for."""
        return self._in_units(self._fit_at(X))[0]

    def standard_errors(self, X: MatrixLike) -> Array:
        r"""Standard errors of the predictions.

        .. math:: \hat\sigma\,\|l(x_0)\|, \qquad \hat f(x_0) = \sum_i l_i(x_0)\, y_i

        Infinite where the rows of the window do not determine the prediction.
        """
        return self._with_errors(X)[1]

    def interval(self, X: MatrixLike, level: float = 0.95) -> tuple[Array, Array]:
        r"""Pointwise confidence limits (low, high) of the mean of :math:`\hat f(x_0)`, by Student's t.

        The bias of the smoother is not in them. Degrees of freedom are :math:`n - 2\nu_1 + \nu_2`.
        """
        level = check_level(level)
        center, error = self._with_errors(X)
        reach = student.ppf(0.5 + 0.5 * level, self._smoother()[2]) * error
        return center - reach, center + reach

    @property
    def effective_degrees_of_freedom_(self) -> float:
        return self._smoother()[0]

    @property
    def sigma_(self) -> float:
        return self._smoother()[1]

    def _with_errors(self, X):
        fits = self._fit_at(X, errors=True)
        return self._in_units(fits)[0], self.sigma_ * np.sqrt(fits.covariance[:, 0, 0])

    def _smoother(self):
        """tr L, the noise's deviation and its degrees of freedom, from a fit at every training row."""
        check_is_fitted(self)
        if self._traces is None:
            data = self._data
            fits = fit_locally(data, self._window, data.X.T, degree=self.degree, alpha=self.alpha, errors=True)
            first, second = data.s @ fits.leverage, data.s @ fits.covariance[:, 0, 0]
            freedom = float(data.s.sum() - 2.0 * first + second)
            if not freedom > 1e-8 * data.s.sum():
                raise cannot(
                    "estimate the noise",
                    because=f"the local fits leave {freedom:.2g} of {data.s.sum():g} degrees of freedom",
                    instead="wider windows or a lower degree",
                )
            squares = data.s @ (data.y - fits.scores[:, 0]) ** 2
            self._traces = float(first), float(self._size * np.sqrt(squares / freedom)), freedom
        return self._traces

    def _in_units(self, fits):
        with np.errstate(over="ignore"):  # slopes along columns of subnormal numbers are beyond all numbers
            scale = self._size / (self.scale_ * self._data.unit)
        return self._level + self._size * fits.scores[:, 0], fits.slopes[:, 0] * scale


def _search(facts):
    from sklearn.model_selection import GridSearchCV

    widths = {"span": [0.15, 0.3, 0.5, 0.8]}
    model = LocalLinearRegression(standardize=True, alpha=1e-6)
    return GridSearchCV(model, widths, scoring="neg_mean_squared_error", cv=facts.inner_folds(3))


declare(
    Family(
        name="local linear regression",
        task="regression",
        model=LocalLinearRegression,
        make=_search,
        complexity=60,
        description="A line of its own around every query: a curve of any shape, for one to three columns.",
        why_excluded=needs(dense=True, columns=3),
        most_rows=5_000,
    )
)
