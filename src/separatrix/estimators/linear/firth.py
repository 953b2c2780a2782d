r"""Firth's logistic regression: :math:`\max_\beta \sum_i s_i \log p(y_i \mid x_i) + \tfrac12 \log\det I(\beta)`."""

import time
import warnings
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from separatrix.core import certificate
from separatrix.core.declaration import FIRTH, declares
from separatrix.core.errors import RankDeficient, cannot
from separatrix.core.family import Family, declare, needs
from separatrix.core.problem import Problem
from separatrix.core.protocol import column_names
from separatrix.core.registry import late
from separatrix.core.target import Target
from separatrix.core.types import MatrixLike
from separatrix.estimators import verification
from separatrix.estimators.base import LogOddsClassifier
from separatrix.estimators.validation import check_choice, check_number, validate_classes
from separatrix.losses import Logistic
from separatrix.penalties import NoPenalty
from separatrix.solvers.firth import firth, modified_score
from separatrix.solvers.firth_climbs import highest_start

# The solver goes further than it is asked to, for the certificate is computed anew, with roundings of its own.
AIM = 0.01

_firth_summary = late("separatrix.inference.firth:firth_summary")


@declares(
    task="classification",
    losses=("losses:Logistic",),
    solvers=("solvers.firth", "solvers.firth_climbs"),
    likelihood=FIRTH,
    verification=verification.OF_MODIFIED_LIKELIHOOD,
)
class FirthLogisticRegression(LogOddsClassifier):
    r"""Logistic regression with reduced bias: finite for any data, separated classes included.

    .. math:: U^*(\beta) = \sum_i \big(s_i (y_i - \mu_i) + h_i (\tfrac12 - \mu_i)\big)\, z_i = 0, \qquad
              h_i = s_i \mu_i (1 - \mu_i)\, z_i' I(\beta)^{-1} z_i, \quad z = (1, x)

    The modified score is that of the likelihood times Jeffreys' prior :math:`\det(I)^{1/2}`. It removes the bias of
    order 1/n of the maximum-likelihood estimate, and needs no tuning: the estimate changes with the units of X as an
    unpenalised one does. Two classes. With an outlying row the penalised likelihood may have several maxima; in small
    problems the highest of several climbs is taken.

    Parameters
    ----------
    fit_intercept : bool, default True.  Whether to fit an intercept.
    tol : float, [0, inf), default 1e-8.  On the relative modified score: the step still to go, in standard errors.
    max_iter : int, [1, inf), default 200.  Steps at the most.

    Attributes
    ----------
    coef_ : array of shape (1, n_features).
    intercept_ : array of shape (1,).
    classes_ : array of shape (2,).
    covariance_ : array of shape (q, q).  Inverse of the Fisher information at the estimate, the intercept first where
        there is one; NaN for columns that are combinations of others.
    standard_errors_ : array of shape (q,).  Roots of its diagonal.
    log_likelihood_ : float.  Of the penalised likelihood, at its maximum.
    n_iter_ : int.  Steps taken.
    certificate_ : Certificate.  The relative modified score, recomputed from the data and the published coefficients.
    n_features_in_, feature_names_in_ : as everywhere in scikit-learn.

    References: Firth (1993), Biometrika 80(1); Heinze and Schemper (2002), Statist. Med. 21(16).

    Examples
    --------
    >>> from separatrix.linear_model import FirthLogisticRegression
    >>> model = FirthLogisticRegression().fit([[-2.0], [-1.0], [1.0], [2.0]], [0, 0, 1, 1])
    >>> model.coef_.round(4), model.certificate_.converged
    (array([[1.0041]]), True)
    """

    def __init__(self, *, fit_intercept: bool = True, tol: float = 1e-8, max_iter: int = 200) -> None:
        self.fit_intercept = fit_intercept
        self.tol = tol
        self.max_iter = max_iter

    def fit(self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit to X of shape (n, p), dense or sparse, and labels y of two classes; a weight counts as repetitions."""
        started = time.perf_counter()
        tol, max_iter = check_number(self, "tol", 0.0), check_number(self, "max_iter", 1, integer=True)
        problem = self._problem_of(X, y, sample_weight)
        solution = firth(problem, tol=AIM * tol, max_iter=max_iter, start=highest_start(problem))
        self.n_iter_, self.log_likelihood_ = solution.iterations, solution.details["log_likelihood"]
        self.covariance_ = solution.details["covariance"]
        self.standard_errors_ = np.sqrt(np.diag(self.covariance_))
        self._publish(solution.beta, solution.intercept)
        self._name_aliases(solution.details["aliased"])
        self.certificate_ = certificate.modified_score(
            modified_score(problem, self.coef_[0], float(self.intercept_[0])),
            tol,
            iterations=solution.iterations,
            passes=solution.passes,
            started=started,
        )
        certificate.warn_if_not_certified(self.certificate_, "Raise max_iter.", stacklevel=2)
        return self

    def _problem_of(self, X, y, sample_weight, reset=True):
        """Logistic loss, to which Jeffreys' prior is added."""
        intercept = bool(check_choice(self, "fit_intercept", (True, False)))
        design, codes, s = validate_classes(self, X, y, sample_weight, reset=reset)
        if len(self.classes_) > 2:
            raise cannot(
                f"fit FirthLogisticRegression to {len(self.classes_)} classes",
                because="Only binary classification is supported",
                instead="LogisticRegression, or sklearn.multiclass.OneVsRestClassifier(FirthLogisticRegression())",
            )
        return Problem(design, Target(codes.astype(np.float64), s), Logistic(), NoPenalty(), intercept)

    def _name_aliases(self, aliased):
        """Warn where columns are combinations of others: coefficients are then the shortest with the same scores."""
        p = self.n_features_in_
        if len(aliased):
            names = column_names(self, p)
            warnings.warn(RankDeficient(p - len(aliased), p, [names[j] for j in aliased]), stacklevel=3)

    def summary(  # type: ignore[override]  # nothing is kept of the data: they must be given again
        self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None, *, level: float = 0.95
    ) -> Any:
        """Estimates, standard errors, penalised likelihood-ratio tests and profile intervals, from the data of the fit.

        See :func:`separatrix.inference.firth_summary`.
        """
        return _firth_summary(self, X, y, sample_weight, level)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags


declare(
    Family(
        name="logistic regression, Firth",
        task="classification",
        model=FirthLogisticRegression,
        make=lambda facts: FirthLogisticRegression(),
        complexity=11,
        description="Logistic regression with the bias of small samples removed: finite also where the classes can be "
        "separated.",
        why_excluded=needs(classes=2, rows=5_000, columns=100, rows_per_column=2.0, dense=True),
    )
)
