r"""Logistic regression: :math:`\min_{w, b} \sum_i s_i \log(1 + e^{-y_i f(x_i)}) + \frac{1}{C}\,\Omega(w)`, and softmax."""

import warnings

import numpy as np
from scipy.special import expit, softmax

from separatrix.core.certificate import not_certified
from separatrix.core.problem import Problem
from separatrix.core.registry import register
from separatrix.core.target import Target
from separatrix.estimators.base import LinearClassifier
from separatrix.estimators.doors import check_number, enter_classes
from separatrix.losses import Logistic
from separatrix.penalties import L2, NoPenalty
from separatrix.solvers.newton_raphson import newton


@register("estimator")
class LogisticRegression(LinearClassifier):
    """Logistic regression."""

    def __init__(
        self,
        penalty="deprecated",
        *,
        C=1.0,
        l1_ratio=0.0,
        dual=False,
        tol=1e-8,
        fit_intercept=True,
        intercept_scaling=1,
        class_weight=None,
        random_state=None,
        solver="lbfgs",
        max_iter=100,
        verbose=0,
        warm_start=False,
        n_jobs=None,
    ):
        self.penalty = penalty
        self.C = C
        self.l1_ratio = l1_ratio
        self.dual = dual
        self.tol = tol
        self.fit_intercept = fit_intercept
        self.intercept_scaling = intercept_scaling
        self.class_weight = class_weight
        self.random_state = random_state
        self.solver = solver
        self.max_iter = max_iter
        self.verbose = verbose
        self.warm_start = warm_start
        self.n_jobs = n_jobs

    def fit(self, X, y, sample_weight=None):
        """Fit to class labels."""
        check_number(self, "tol", 0.0)
        check_number(self, "max_iter", 1, integer=True)
        design, codes, s = enter_classes(self, X, y, sample_weight, class_weight=self.class_weight)
        problem = self._problem(design, Target(codes.astype(np.float64), s))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            solution = newton(problem, tol=self.tol, max_iter=self.max_iter)
        self.certificate_ = solution.certificate
        self.n_iter_ = np.array([solution.certificate.iterations])
        if not solution.certificate.converged:
            warnings.warn(not_certified(solution.certificate, "Raise max_iter."), stacklevel=2)
        return self._publish(solution.beta, solution.intercept)

    def _problem(self, design, target):
        C = check_number(self, "C", 0.0, open_low=True) if self.C != np.inf else np.inf
        # C Σ s_i loss_i + |w|²/2 divided by C Σ s
        penalty = NoPenalty() if C == np.inf else L2(1.0 / (C * target.total))
        return Problem(design, target, Logistic(), penalty, bool(self.fit_intercept))

    def predict_proba(self, X):
        """Probability of each class, in the order of ``classes_``."""
        scores = self.decision_function(X)
        if scores.ndim == 1:
            return np.column_stack([expit(-scores), expit(scores)])
        return softmax(scores, axis=1)

    def predict_log_proba(self, X):
        """Logarithms of :meth:`predict_proba`."""
        return np.log(self.predict_proba(X))
