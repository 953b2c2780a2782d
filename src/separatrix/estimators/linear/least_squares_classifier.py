r"""Least squares as a classifier: :math:`\min_{W, b} \tfrac12 \sum_i s_i \|t_i - W x_i - b\|^2` for coded classes t."""

import time
from collections.abc import Mapping
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from separatrix.core.declaration import declares
from separatrix.core.family import Family, declare, needs
from separatrix.core.problem import Problem
from separatrix.core.target import Target
from separatrix.core.types import Array, MatrixLike
from separatrix.estimators import verification
from separatrix.estimators.base import LinearClassifier, with_probabilities
from separatrix.estimators.coding import CODINGS, coded
from separatrix.estimators.linear.least_squares import NOT_REACHED, name_aliases
from separatrix.estimators.published import certify_published
from separatrix.estimators.validation import check_choice, check_number, validate_classes, validate_rows
from separatrix.losses import Squared
from separatrix.penalties import NoPenalty
from separatrix.prediction import forms
from separatrix.solvers.choose import LEAST_SQUARES, solve_least_squares


@declares(
    task="classification",
    losses=(Squared,),
    penalties=(NoPenalty,),
    solvers=LEAST_SQUARES,
    prediction=forms.LINEAR_SCORES,
    verification=verification.OF_TARGET_PROBLEMS,
)
class LeastSquaresClassifier(LinearClassifier):
    r"""Least squares on coded classes: always solvable, in closed form, but not always separating.

    .. math:: \min_{w, b} \ \tfrac12 \sum_i s_i (t_i - w \cdot x_i - b)^2, \quad t_i = \pm 1, \qquad
              w = (X^\top S X)^{-1} (n_\oplus \mu_\oplus - n_\ominus \mu_\ominus) \text{ on centred columns}

    With more than two classes, one column of targets for each class and the largest score wins. The scores of 1-of-K
    targets sum to one (with an intercept), and estimate the posterior probabilities in the sense of least squares, but
    they may leave [0, 1], and a class that lies between two others may never have the largest ("masking"). Squared
    error also punishes points that are too far on the right side: see docs/theory/linear_classifiers.md.

    Ties: with ±1 targets a score of exactly 0 counts for ``classes_[1]``; with 0/1 and 1-of-K targets a fitted value
    of exactly 1/2 counts for ``classes_[0]``. Among more classes the first of equal scores wins.

    Parameters
    ----------
    coding : {"auto", "plus_minus", "zero_one", "one_of_k"}, default "auto".  The targets: -1 and +1, 0 and 1, or one
        column of 0 and 1 for each class. "auto" is ±1 for two classes and 1-of-K for more. For more than two classes
        all are given a column for each class.
    fit_intercept : bool, default True.  Whether to fit b.
    class_weight : dict, "balanced" or None, default None.  Weights of the classes, times those of the rows.
    tol : float, [0, inf), default 1e-14.  Relative gap to be certified.

    Attributes
    ----------
    classes_ : (k,) array.  The classes, sorted.
    coef_ : (1, p) or (k, p) array.  intercept_ : (1,) or (k,) array.  The scores; 0 is the boundary of two classes.
    target_coef_, target_intercept_ : the regression of the targets themselves, from which the scores are made.
    certificate_ : Certificate.  The relative gap, the worst over the columns of targets.
    n_features_in_, feature_names_in_ : as in scikit-learn.

    References: Bishop (2006), Pattern Recognition and Machine Learning, section 4.1.3; Hastie, Tibshirani and Friedman
    (2009), The Elements of Statistical Learning, section 4.2.

    >>> import numpy as np
    >>> model = LeastSquaresClassifier().fit(np.array([[0.0], [1.0], [2.0], [3.0]]), ["no", "no", "yes", "yes"])
    >>> model.coef_, model.intercept_, model.predict([[1.4], [1.6]]).tolist()
    (array([[0.8]]), array([-1.2]), ['no', 'yes'])
    """

    def __init__(
        self,
        *,
        coding: str = "auto",
        fit_intercept: bool = True,
        class_weight: Mapping[Any, float] | str | None = None,
        tol: float = 1e-14,
    ) -> None:
        self.coding = coding
        self.fit_intercept = fit_intercept
        self.class_weight = class_weight
        self.tol = tol

    def fit(self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit to X (n, p) and labels y (n,)."""
        check_choice(self, "coding", ("auto", *CODINGS))
        started, tol = time.perf_counter(), check_number(self, "tol", 0.0)
        design, codes, s = validate_classes(self, X, y, sample_weight, class_weight=self.class_weight, summed=True)
        target = Target(coded(codes, len(self.classes_), self._coding()), s)
        problem = Problem(design, target, Squared(), NoPenalty(), bool(self.fit_intercept))
        solution = solve_least_squares(problem, tol=tol)
        beta, intercept = np.asarray(solution.beta).reshape(design.p, -1), np.atleast_1d(solution.intercept)
        if not self.fit_intercept:
            intercept = np.zeros(beta.shape[1])
        dtype = design.dtype
        self.target_coef_, self.target_intercept_ = np.ascontiguousarray(beta.T, dtype=dtype), intercept.astype(dtype)
        scores = self._decision(beta, intercept)
        self._publish(scores[0], scores[1], dtype)
        self.certificate_ = certify_published(self, [problem], tol, solution, started, NOT_REACHED)
        name_aliases(self, solution, design, stacklevel=3)
        return self

    def _decision(self, beta, intercept):
        """Coefficients (p, m) and intercepts of the scores, from those of the targets."""
        if len(self.classes_) == 2 and self._coding() == "zero_one":
            return beta, intercept - 0.5
        if len(self.classes_) == 2 and self._coding() == "one_of_k":
            return beta[:, 1:] - beta[:, :1], intercept[1:] - intercept[:1]
        return beta, intercept

    def _restate(self, X, y, sample_weight):
        """The problem that the fitted model claims to solve, for each column of targets."""
        design, codes, s = validate_classes(self, X, y, sample_weight, class_weight=self.class_weight, reset=False)
        target = Target(coded(codes, len(self.classes_), self._coding()), s)
        return [Problem(design, target, Squared(), NoPenalty(), bool(self.fit_intercept))]

    def predict(self, X: MatrixLike) -> Array:
        """The class of each row of X; the rule for ties is that of the coding."""
        check_is_fitted(self)
        if len(self.classes_) == 2 and self._coding() != "plus_minus":
            return self.classes_[(self.decision_function(X) > 0.0).astype(int)]
        return super().predict(X)

    def predict_targets(self, X: MatrixLike) -> Array:
        """Fitted values of the targets: (n,) for one column of them, else (n, k); no probabilities, see above."""
        check_is_fitted(self)
        X = validate_rows(self, X)
        fitted = X @ self.target_coef_.T + self.target_intercept_
        return fitted[:, 0] if fitted.shape[1] == 1 else fitted

    def _coding(self):
        if self.coding != "auto":
            return self.coding
        return "plus_minus" if len(self.classes_) == 2 else "one_of_k"


declare(
    Family(
        name="least squares classifier",
        task="classification",
        model=LeastSquaresClassifier,
        make=with_probabilities(lambda facts: LeastSquaresClassifier()),
        complexity=12,
        description="Fits a plane to classes coded as numbers, in closed form; far rows of the right class pull it, "
        "too. Probabilities are a logistic curve of the distance from the boundary.",
        why_excluded=needs(columns=20_000, rows_per_column=2.0),
    )
)
