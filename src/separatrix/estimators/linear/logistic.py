r"""Logistic regression, of two classes and of more:
:math:`\min_{w, b} \ C \sum_i s_i\,\ell(y_i, x_i^\top w + b) + \frac{1 - \rho}{2} \|w\|_2^2 + \rho \|w\|_1`.
"""

import time
import warnings
from collections.abc import Mapping
from functools import partial
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.random import RandomState
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from separatrix.core.certificate import existence_unknown, no_optimum, warn_if_not_certified
from separatrix.core.declaration import LOGISTIC, SmallFit, declares, evidence_of
from separatrix.core.errors import RankDeficient, Separated, cannot
from separatrix.core.family import Family, declare, needs
from separatrix.core.problem import Problem
from separatrix.core.protocol import column_names
from separatrix.core.solution import Solution, Trace
from separatrix.core.target import Target
from separatrix.core.types import MatrixLike
from separatrix.estimators import verification
from separatrix.estimators.base import LogOddsClassifier, SparseCoefficients
from separatrix.estimators.linear.strengths import with_factors, within_bounds
from separatrix.estimators.published import certify_published
from separatrix.estimators.validation import check_choice, check_number, encode, validate_class_target, validate_soft
from separatrix.losses import Logistic, Softmax
from separatrix.penalties import L2, ElasticNet, NoPenalty, Separable
from separatrix.solvers.choose import BY_NAME, LIKELIHOOD, WATCHED, solve_likelihood
from separatrix.solvers.maximum_likelihood import maximum_likelihood, unpenalised_separation

_AUTOMATIC = ("lbfgs", "liblinear", "newton-cg", "newton-cholesky", "sag", "saga")
_PENALTIES = {"l2": 0.0, "l1": 1.0}
# The score of a class that is never met: its probability is the smallest number there is.
NEVER = float(np.log(np.finfo(np.float64).tiny))
FINEST = 1e-14  # no certificate is held to less


class LogOdds(NamedTuple):
    """Coefficients of ``log P(class | x) / P(reference | x)``, a row for each class but the reference."""

    reference: object
    classes: np.ndarray
    coef: np.ndarray
    intercept: np.ndarray


@declares(
    task="classification",
    losses=(Logistic, Softmax),
    penalties=(L2, ElasticNet, NoPenalty, Separable),
    solvers=(*LIKELIHOOD, "solvers.maximum_likelihood", *WATCHED),
    likelihood=LOGISTIC,
    verification=verification.OF_PROBLEMS,
    small_fits=(
        SmallFit({"l1_ratio": 1.0}, called="L1"),
        SmallFit({"C": 1.0}, called="L2"),
        SmallFit({"C": np.inf}, called="unpenalised"),
        SmallFit(classes=3, called="3 classes"),
    ),
)
class LogisticRegression(SparseCoefficients, LogOddsClassifier):
    r"""Classes with probabilities: the log-odds are linear in x.

    .. math:: \min_{w, b} \ C \sum_i s_i\,\ell(y_i, x_i^\top w + b) + \frac{1-\rho}{2} \|w\|_2^2 + \rho \|w\|_1, \qquad
              \ell = \log(1 + e^{\eta}) - y \eta

    with :math:`\rho` = `l1_ratio`; for more than two classes :math:`\ell = \log \sum_c e^{\eta_c} - \eta_y`. The
    intercept is never penalised. ``C=np.inf`` is maximum likelihood, with standard errors (:meth:`summary`); if the
    classes can be separated it has no maximum, which is proved and said
    (:class:`~separatrix.core.errors.Separated`).

    Parameters
    ----------
    penalty : deprecated, as in scikit-learn: None means ``C=np.inf``, "l1" and "l2" a `l1_ratio` of 1 and 0.
    C : float, (0, inf], default 1.0.  Inverse strength of the penalty.
    l1_ratio : float, [0, 1], default 0.0.  Share of L1; above 0 some coefficients are exactly zero.
    dual : bool, default False.  Accepted for compatibility, no effect here.
    tol : float, [0, inf), default 1e-8.  Relative gap to be certified; relative gradient where nothing is penalised.
    fit_intercept : bool, default True.
    intercept_scaling : accepted for compatibility, no effect here: the intercept is not penalised.
    class_weight : dict, "balanced" or None, default None.  Factors of the weights of the rows of each class.
    random_state : accepted for compatibility; nothing here is random.
    solver : str, default "lbfgs".  scikit-learn's names are accepted for compatibility and all mean the same: the
        method is chosen by shape, storage and penalty. For two classes and no L1, "newton" takes Newton's steps
        (iteratively reweighted least squares), "gradient" descends with fixed steps.
    max_iter : int, [0, inf), default 100.  Most iterations; 0 leaves the coefficients where they start.
    verbose : accepted for compatibility, no effect here.
    warm_start : bool, default False.  Whether `fit` starts where the last one ended.
    n_jobs : accepted for compatibility; threads are set by ``SEPARATRIX_THREADS``.
    penalty_factor : (p,) array of [0, inf) or None, default None.  Factors of the penalty, L1 and L2 alike, for the
        coefficients of each column; 0 leaves them unpenalised. They are used as given (glmnet rescales its own to sum
        to p). None is 1 for all.
    bounds : (low, high) or None, default None.  Bounds of the coefficients, low <= 0 <= high, each a number or an array
        of p; those of a column hold for every class.
    trace : bool, default False.  Whether to keep objective, certificate and coefficients of each iteration.

    Attributes
    ----------
    classes_ : (k,) array.  coef_ : (1, p) array, (k, p) for k > 2 classes.  intercept_ : (1,) or (k,) array.
    n_iter_ : (1,) array of int.
    n_features_in_, feature_names_in_ : as in scikit-learn.
    certificate_ : Certificate.
    evidence_ : LikelihoodStatistics, where nothing is penalised.  What the summary is made of.
    separation_ : Separation, where nothing is penalised and there is no maximum.  Its proof.
    trace_ : Trace, if asked for.

    Notes
    -----
    y may also be an (n, k) array of class probabilities, each row summing to 1 (soft labels): then the classes are the
    names of the columns of a frame, or 0, 1, ... The multinomial coefficients of a column sum to
    zero over the classes, as in scikit-learn, but not under L1 or bounds.

    References: Cox (1958), J. R. Statist. Soc. B 20(2). Albert and Anderson (1984), Biometrika 71(1).

    Examples
    --------
    >>> model = LogisticRegression(C=np.inf).fit([[0.0], [1.0], [2.0], [3.0]], ["no", "yes", "no", "yes"])
    >>> model.predict([[2.5]]), model.predict_proba([[1.5]]).round(3)
    (array(['yes'], dtype='<U3'), array([[0.5, 0.5]]))
    """

    def __init__(
        self,
        penalty: str | None = "deprecated",
        *,
        C: float = 1.0,
        l1_ratio: float = 0.0,
        dual: bool = False,
        tol: float = 1e-8,
        fit_intercept: bool = True,
        intercept_scaling: float = 1,
        class_weight: Mapping[Any, float] | str | None = None,
        random_state: int | RandomState | None = None,
        solver: str = "lbfgs",
        max_iter: int = 100,
        verbose: int = 0,
        warm_start: bool = False,
        n_jobs: int | None = None,
        penalty_factor: ArrayLike | None = None,
        bounds: tuple[ArrayLike, ArrayLike] | None = None,
        trace: bool = False,
    ) -> None:
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
        self.penalty_factor = penalty_factor
        self.bounds = bounds
        self.trace = trace

    def fit(self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit to labels y (n,), or to class probabilities y (n, k).

        Parameters
        ----------
        X : (n, p) array, sparse array, frame, or a design that is read from a stream.
        y : (n,) array of labels, or (n, k) array of probabilities; of a stream, also the name of a column.
        sample_weight : (n,) array or None.  How often each row counts.
        """
        started = time.perf_counter()
        self._check()
        before = (self.coef_, self.intercept_) if self.warm_start and "coef_" in vars(self) else None
        problem = self._problem(*self._enter(X, y, sample_weight, reset=True))
        options = {"tol": self.tol, "max_iter": self.max_iter, "start": _start(before, problem)}
        options["trace"] = Trace(coefficients=[]) if self.trace else None
        solution = self._solve(problem, options)
        self.n_iter_ = np.array([min(max(solution.iterations, 1), self.max_iter)], dtype=np.int32)
        for detail in ("evidence", "separation"):
            self.__dict__.pop(f"{detail}_", None)
            if detail in solution.details:
                setattr(self, f"{detail}_", solution.details[detail])
        if self.trace:
            self.trace_ = solution.trace
        beta, intercept = self._with_absent_classes(solution)
        self._publish(within_bounds(beta, problem.parts, problem.design.dtype), intercept, problem.design.dtype)
        if self.coef_.dtype != np.float64 and solution.theta is None:  # slopes before rounding give a tight bound
            solution.theta = solution.beta, solution.intercept
        self.certificate_ = self._certified(problem, solution, started)
        self._warn()
        return self

    def _with_absent_classes(self, solution):
        """Coefficients and intercepts of all classes: one whose rows weigh nothing is never predicted."""
        beta, present = solution.beta, self._present
        if present is None:
            return beta, solution.intercept
        full, intercept = np.zeros((len(beta), len(present))), np.full(len(present), NEVER)
        full[:, present], intercept[present] = beta, solution.intercept
        return (full, intercept) if len(present) > 2 else (full[:, 1] - full[:, 0], intercept[1] - intercept[0])

    def _solve(self, problem, options):
        if self.max_iter == 0:
            return _not_moved(problem, options["start"])
        if problem.target.outputs == (1,):  # one class has all the weight: it is sure, and nothing is to be found
            return _not_moved(problem, None)
        solve = partial(solve_likelihood, method=self.solver)
        names = vars(self).get("feature_names_in_")
        if not problem.parts.free.all():
            solution = solve(problem, **options)
            separation = unpenalised_separation(problem, solution, names, self.classes_)
            if separation is not None:
                solution.details["separation"] = separation
            return solution
        return maximum_likelihood(problem, solve=solve, classes=self.classes_, names=names, **options)

    def _certified(self, problem, solution, started):
        tol, details = max(self.tol, FINEST), solution.details
        facts = {"iterations": solution.iterations, "passes": solution.passes, "started": started}
        if "separation" in details:
            return no_optimum(f"{self.separation_.verdict} separation", tol, **facts)
        if "unexamined" in details:
            return existence_unknown(details["unexamined"], tol, **facts)
        return certify_published(self, [problem], tol, solution, started)

    def _warn(self):
        """What the user must know: no maximum, dependent columns, or iterations that ended too early."""
        if "separation_" in vars(self):
            warnings.warn(Separated(self.separation_), stacklevel=3)
        else:
            advice = "Raise max_iter, standardise the columns, or penalise more (a smaller C)."
            warn_if_not_certified(self.certificate_, self.certificate_.message or advice, stacklevel=3)
        evidence = evidence_of(self)
        if evidence is not None and evidence.aliased:
            names = column_names(self, self.n_features_in_)
            warnings.warn(RankDeficient(evidence.rank, evidence.p, [names[j] for j in evidence.aliased]), stacklevel=3)

    def _check(self):
        check_number(self, "tol", 0.0)
        check_number(self, "max_iter", 0, integer=True)
        check_choice(self, "solver", [*_AUTOMATIC, *BY_NAME])
        check_choice(self, "penalty", ["deprecated", None, "l1", "l2", "elasticnet"])
        self._strength()

    def _strength(self):
        """C and the share of L1, with scikit-learn's deprecated `penalty` understood."""
        endless = isinstance(self.C, float) and np.isposinf(self.C)
        C = np.inf if endless else check_number(self, "C", 0.0, open_low=True)
        ratio = 0.0 if self.l1_ratio is None else check_number(self, "l1_ratio", 0.0, 1.0)
        C = np.inf if self.penalty is None else C
        ratio = _PENALTIES.get(self.penalty, ratio)
        if ratio > 0.0 and np.isfinite(C) and self.solver in BY_NAME:
            raise cannot(
                f"fit LogisticRegression with solver={self.solver!r} and l1_ratio={ratio:g}",
                because="L1 has no slope at 0",
                instead="solver='lbfgs' (default) or l1_ratio=0",
            )
        return C, ratio

    def _enter(self, X, y, sample_weight, *, reset):
        """Design and target, of labels or of soft labels."""
        shape = np.asarray(y).shape
        if len(shape) == 2 and shape[1] > 1:
            design, Y, s = validate_soft(self, X, y, sample_weight, class_weight=self.class_weight, reset=reset)
            return design, Target(np.ascontiguousarray(Y[:, 1]) if Y.shape[1] == 2 else Y, s)
        design, target = validate_class_target(
            self,
            X,
            y,
            sample_weight,
            class_weight=self.class_weight,
            reset=reset,
            summed=reset and self.solver in _AUTOMATIC,  # these look for NaN in their first sums over all rows
            weightless=True,
        )
        return design, target.mapped(partial(_as_numbers, len(self.classes_)))

    def _problem(self, design, target):
        self._present = present = self._classes_of_weight(target)
        if present is not None:  # the others would send their intercepts to minus infinity
            target = target.mapped(lambda y, s: (np.ascontiguousarray(_one_column_each(y)[:, present]), s))
        loss = Softmax() if target.outputs else Logistic()
        return Problem(design, target, loss, self._penalty(target.total, design.p), bool(self.fit_intercept))

    def _classes_of_weight(self, target):
        """Which classes have rows of positive weight, (k,) of bool; None where all have, or no intercept tells it."""
        weighted = self.class_weight is not None or target.rows_of_positive_weight < target.n
        if not weighted or not (target.outputs or self.fit_intercept):
            return None
        totals = sum((np.ones(len(y)) if s is None else s) @ _one_column_each(y) for y, s in target.passes())
        return None if np.all(totals > 0.0) else totals > 0.0

    def _penalty(self, total, p):
        """The penalty of p coefficients for rows of a total weight: C Σ s loss + Ω, divided by C Σ s."""
        C, ratio = self._strength()
        lam = 1.0 / (C * total)
        penalty = NoPenalty() if lam == 0.0 else L2(lam)
        if lam > 0.0 and ratio > 0.0:
            penalty = ElasticNet(lam * ratio, lam * (1.0 - ratio))
        return with_factors(self, penalty, p)

    def _restate(self, X, y, sample_weight):
        """The problem that the fitted model claims to solve, on data that are handed in again."""
        return [self._problem(*self._enter(X, y, sample_weight, reset=False))]

    def log_odds(self, reference: Any = None) -> LogOdds:
        r"""The model seen from a reference class: :math:`\log P(c | x) / P(r | x) = w_{cr} \cdot x + b_{cr}`.

        Parameters
        ----------
        reference : label or None.  None is the last class.
        """
        check_is_fitted(self)
        r = len(self.classes_) - 1 if reference is None else int(encode(self, [reference], reset=False)[0])
        coef, intercept = self.coef_, self.intercept_
        if len(self.classes_) == 2:
            coef, intercept = np.vstack([0.0 * coef, coef]), np.append(0.0, intercept)
        others = np.arange(len(self.classes_)) != r
        return LogOdds(
            self.classes_[r], self.classes_[others], (coef - coef[r])[others], (intercept - intercept[r])[others]
        )

    @property
    def n_parameters_(self) -> int:
        """Free parameters: (k - 1) (p + 1), or (k - 1) p without an intercept."""
        check_is_fitted(self)
        return (len(self.classes_) - 1) * (self.coef_.shape[1] + bool(self.fit_intercept))


def _as_numbers(k, codes, s):
    """0 or 1 for two classes; for more, a row with a 1 in the place of its class."""
    if k == 2:
        return codes.astype(np.float64), s
    Y = np.zeros((len(codes), k))
    Y[np.arange(len(codes)), codes] = 1.0
    return Y, s


def _one_column_each(y):
    """Shares of the classes (n, k), of y (n, k) or of the share (n,) of the second of two."""
    return y if y.ndim == 2 else np.column_stack([1.0 - y, y])


def _not_moved(problem, start):
    """The solution of no iterations: the start, or zeros."""
    shape = problem.target.outputs
    beta, intercept = (np.zeros((problem.design.p, *shape)), np.zeros(shape)[()]) if start is None else start
    return Solution(np.array(beta), intercept)


def _start(before, problem):
    """Where the last fit ended, if that has the shape of this problem."""
    shape = (int(np.prod(problem.target.outputs)), problem.design.p)
    if before is None or before[0].shape != shape:
        return None
    coef, intercept = before
    return (coef[0], float(intercept[0])) if shape[0] == 1 else (coef.T, intercept)


declare(
    Family(
        name="logistic regression, no penalty",
        task="classification",
        model=LogisticRegression,
        make=lambda facts: LogisticRegression(C=np.inf),
        complexity=10,
        description="Log-odds that are linear in the columns, by maximum likelihood: coefficients are odds ratios with "
        "standard errors.",
        # classes at random are separated by up to two rows a coefficient (Cover 1965): then there is no maximum
        why_excluded=needs(columns=2_000, rows_per_column=5.0, rows_per_coefficient=2.0),
    )
)
