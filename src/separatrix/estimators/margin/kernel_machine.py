"""What all kernel support vector machines share: the kernel and its width, limits of a fit, scores and coefficients."""

import time
import warnings
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_is_fitted

from separatrix.core.certificate import warn_if_not_certified
from separatrix.core.dual_problem import EPS, DualProblem, certify_dual, dual_values
from separatrix.core.errors import cannot
from separatrix.core.protocol import can, is_sparse
from separatrix.core.registry import late
from separatrix.core.solution import Certificate, Solution
from separatrix.core.types import Array
from separatrix.designs.gram import refuse_asymmetric
from separatrix.designs.gram_rows import GramRows, PrecomputedRows, kernel_matrix
from separatrix.designs.kernels import Gaussian, Kernel, Linear, Polynomial, Sigmoid
from separatrix.estimators.published import timed, worst
from separatrix.estimators.ranges import refuse_large
from separatrix.estimators.saving import Estimator
from separatrix.estimators.validation import check_budget, check_choice, check_number, validate_rows
from separatrix.prediction import kernels, support_vectors
from separatrix.solvers.dual_decomposition import solve

NAMED = ("linear", "poly", "rbf", "sigmoid")
KERNELS = (*NAMED, "precomputed")
UNEVEN = 1e3  # ratio of the scales of columns from which a fit warns
LARGEST_ENTRY = 1e30  # squares of rows in single precision
LARGEST_VALUE = 1e150  # of a kernel: its squares are numbers
INSTEAD = "Raise max_iter or budget, scale the columns (StandardScaler, say), or lower C."


_summary = late("separatrix.inference.summary:summary")
described = late("separatrix.inference.margins:in_margins")


class UnevenColumns(UserWarning):
    """Columns of very different scales under a kernel of distances or products: the large ones drown the others."""

    def __init__(self, ratio: float) -> None:
        self.ratio = ratio
        super().__init__(
            f"The scales of the columns differ by a factor of {ratio:.1e}: the kernel will see the largest alone. "
            "Scale them first (StandardScaler, say)."
        )


class Entered(NamedTuple):
    """Checked data of a fit: X as its kernel sees it, its rows, y or codes, weights, and these times class weights."""

    X: Any
    rows: Any
    y: Array
    repeats: Array
    s: Array
    class_weight: Array | None = None


class Begun(NamedTuple):
    """A fit that has begun: when, until when it may last, its data, and rows of the kernel matrix of all rows."""

    started: float
    deadline: float
    data: Entered
    gram: Any


class KernelMachine(Estimator):
    """A machine whose scores are sums of a kernel over support vectors."""

    kernel_: Any
    support_: Array
    support_vectors_: Any
    dual_coef_: Any
    intercept_: Array
    certificate_: Certificate

    def __init__(
        self,
        *,
        kernel: Any,
        degree: int,
        gamma: float | str,
        coef0: float,
        tol: float,
        shrinking: bool,
        cache_size: float,
        verbose: bool,
        max_iter: int,
        bias: str,
        budget: float | str | None,
    ) -> None:
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.tol = tol
        self.shrinking = shrinking
        self.cache_size = cache_size
        self.verbose = verbose
        self.max_iter = max_iter
        self.bias = bias
        self.budget = budget

    def _begin(self, X, y, sample_weight):
        """Check parameters and data, and choose the kernel."""
        started = time.perf_counter()
        self._check()
        deadline = started + check_budget(self)
        data = self._entered(X, y, sample_weight)
        self._refuse_large(data.rows)
        self._warn_of_scales(data.rows)
        self.gamma_ = self._width(data.rows, data.repeats)
        self.kernel_ = self._chosen_kernel()
        return Begun(started, deadline, data, self._gram(data.X))

    def _check(self):
        """Check the parameters that all share."""
        if not (callable(self.kernel) or isinstance(self.kernel, Kernel)):
            check_choice(self, "kernel", KERNELS)
        check_number(self, "degree", 0.0, integer=True)
        check_number(self, "coef0", -np.inf)
        check_number(self, "tol", 0.0)
        check_number(self, "cache_size", 0.0, open_low=True)
        check_number(self, "max_iter", -1, integer=True)
        check_choice(self, "bias", ("mean", "median"))
        if not isinstance(self.gamma, str):
            check_number(self, "gamma", 0.0, open_low=True)
        else:
            check_choice(self, "gamma", ("scale", "auto"))
        check_budget(self)

    def _strength(self):
        """C, a number above 0 that may be infinite."""
        if isinstance(self.C, float) and np.inf == self.C:
            return np.inf
        return check_number(self, "C", 0.0, open_low=True)

    def _enter_rows(self, X, kernel):
        """X as the checks at the door may see it: rows for a function of a user's may be anything with a length."""
        if kernel == "precomputed" and is_sparse(X):
            raise cannot(
                f"fit {type(self).__name__} to a sparse kernel matrix",
                because="a precomputed kernel is read as a dense array",
                instead="K.toarray()",
                kind=TypeError,
            )
        if callable(kernel) and is_of_words(X):
            return np.zeros((len(X), 1)), X
        return X, X

    def _refuse_large(self, rows):
        """Kernels are made of squares of rows."""
        if not callable(self.kernel) and self.kernel != "precomputed":
            largest = float(np.abs(rows.data if is_sparse(rows) else rows).max(initial=0.0))
            refuse_large(largest * np.sqrt(rows.shape[1]), f"fit {type(self).__name__}", LARGEST_ENTRY)

    def _width(self, X, repeats):
        """gamma: a number, or 1/p, or 1/(p var X), where a weight counts as repetitions of its row."""
        if self.kernel not in NAMED:
            return 0.0
        if not isinstance(self.gamma, str):
            return float(self.gamma)
        if self.gamma == "auto":
            return 1.0 / X.shape[1]
        variance = _variance(X, repeats)
        return 1.0 / (X.shape[1] * variance) if variance > 0.0 else 1.0

    def _chosen_kernel(self):
        """The kernel of the parameters and of ``gamma_``; a function of a user's and "precomputed" as they are."""
        if self.kernel == "linear":
            return Linear()
        if self.kernel == "poly":
            return Polynomial(int(self.degree), self.gamma_, float(self.coef0))
        if self.kernel == "sigmoid":
            return Sigmoid(self.gamma_, float(self.coef0))
        return Gaussian(self.gamma_) if self.kernel == "rbf" else self.kernel

    def _gram(self, X):
        """Rows of the kernel matrix of X."""
        if callable(self.kernel_):
            X = kernel_matrix(self.kernel_, X)
        if callable(self.kernel_) or self.kernel_ == "precomputed":
            return PrecomputedRows(X, asymmetry=refuse_asymmetric(X, np.finfo(X.dtype).eps))
        gram = GramRows(self.kernel_, X)
        with np.errstate(over="ignore", invalid="ignore"):
            largest = float(np.abs(gram.diagonal).max(initial=0.0))
        if not largest <= LARGEST_VALUE:
            raise cannot(
                f"fit {type(self).__name__} with kernel={self.kernel!r}",
                because=f"it has values as large as {largest:.3g} on these rows, whose squares overflow",
                instead="smaller columns (StandardScaler, say), or a smaller degree",
            )
        return gram

    def _warn_of_scales(self, X):
        if self.kernel not in ("rbf", "poly") or is_sparse(X) or X.shape[1] < 2:
            return
        scales = X.std(axis=0)
        scales = scales[scales > 0.0]
        if len(scales) > 1 and scales.max() > UNEVEN * scales.min():
            warnings.warn(UnevenColumns(float(scales.max() / scales.min())), stacklevel=4)

    def _solve(self, problem, deadline):
        return solve(
            problem,
            tol=float(self.tol),
            max_iter=int(self.max_iter),
            cache_size=float(self.cache_size),
            shrinking=bool(self.shrinking),
            seconds=deadline - time.perf_counter(),
        )

    def _offset(self, problem, solution):
        """The intercept: the mean or median of what the free support vectors ask for, else the middle of all bounds."""
        b = solution.beta
        free = (b > problem.low) & (b < problem.high)
        if not free.any():
            return float(solution.intercept[0])
        asked = (problem.linear - solution.theta[problem.row])[free]
        return float(np.median(asked) if self.bias == "median" else np.mean(asked))

    def _certify(self, problems, solutions, started, stacklevel=3):
        """Certificates of what is published, the worst of them kept; and a warning where one misses its tolerance."""
        proofs = [certify_dual(problem, each, float(self.tol)) for problem, each in zip(problems, solutions)]
        self.certificate_ = timed(worst(proofs), started)
        self.fit_status_ = int(any(each.details["stopped"] for each in solutions))
        if self.fit_status_ and self.max_iter >= 0 and not np.isfinite(check_budget(self)):
            advice = f"Solver terminated early (max_iter={self.max_iter}).  {INSTEAD}"
        else:
            advice = INSTEAD
        warn_if_not_certified(self.certificate_, advice, stacklevel)

    def _keep_rows(self, X, given):
        """Publish the support vectors, and what prediction by a function of a user's needs."""
        self.shape_fit_ = tuple(X.shape) if can(given, "shape") else (len(given),)
        if self.kernel_ == "precomputed":
            self.support_vectors_ = np.empty((0, 0))
        elif callable(self.kernel_):
            self.support_vectors_ = np.empty((0, 0))
            self._fit_rows = given
        else:
            self.support_vectors_ = X[self.support_]
            if is_sparse(X):  # as scikit-learn's
                self.dual_coef_ = sp.csr_matrix(self.dual_coef_)

    def _scores(self, X):
        """Scores (m, pairs) of new rows."""
        check_is_fitted(self)
        kernel = self.kernel_
        if kernels.serves(kernel):
            return support_vectors.scores(vars(self), validate_rows(self, X))
        if isinstance(kernel, Kernel):
            K = kernel.block(validate_rows(self, X).astype(np.float64), self.support_vectors_.astype(np.float64))
        elif callable(kernel):
            X = X if is_of_words(X) else validate_rows(self, X)
            K = kernel_matrix(kernel, X, self._fit_rows)[:, self.support_]
        else:
            K = np.asarray(validate_rows(self, X, sparse=False), dtype=np.float64)[:, self.support_]
        return support_vectors.summed(K, support_vectors.coefficients(vars(self)), self.intercept_)

    def _publish_function(self, part, problem, solution, slack):
        """What a machine with one function publishes, of rows `part` with positive weight; `slack` is of all rows."""
        b = problem.row_coefficients(solution.beta)
        kept = np.flatnonzero(b)
        self.support_ = part[kept].astype(np.int32)
        self.n_support_ = np.array([len(kept)], dtype=np.int32)
        self.dual_coef_ = b[None, kept]
        self.intercept_ = np.array([solution.intercept])
        self.n_iter_ = int(solution.iterations)
        self.slack_ = slack
        at_bound = np.abs(b) >= problem.high[: len(part)]
        self.margin_errors_ = part[at_bound]
        self.on_margin_ = part[(b != 0.0) & ~at_bound]
        self.margin_ = margin_of(problem, solution)
        values = dual_values(problem, solution.beta, np.array([solution.intercept]))
        self.primal_objective_, self.dual_objective_ = values.primal, values.dual
        self.kkt_violation_ = values.violation

    def summary(self, output: int | None = None) -> Any:
        """What the fit says: its margin, its support vectors and how many rows are within, its two objectives.

        There is a table for each pair of classes, or that of the pair `output` alone.
        """
        check_is_fitted(self)
        return _summary(self, output=output)

    @property
    def coef_(self) -> Array:
        """Coefficients of the columns, (pairs, p), of the linear kernel; they cannot be written to."""
        check_is_fitted(self)
        if not isinstance(self.kernel_, Linear):
            raise AttributeError(f"{type(self).__name__} has coef_ with kernel='linear' only")
        rows = np.zeros((len(self.intercept_), self.shape_fit_[1]))
        V = self.support_vectors_
        for columns, coefficients, pairs in support_vectors.coefficients(vars(self)):
            rows[pairs] += np.asarray(coefficients @ V[columns])
        rows.flags.writeable = False
        return rows

    @property
    def margin_width_(self) -> Any:
        """The width of the margin, 2 by the norm of w: a number, or one for each pair of classes."""
        return 2.0 * self.margin_

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.kernel == "precomputed"
        tags.input_tags.sparse = self.kernel != "precomputed"
        return tags


def is_of_words(X):
    """Whether rows are texts, which only a function of a user's can read."""
    return isinstance(X, list | tuple) and any(isinstance(row, str) for row in X)


def _variance(X, repeats):
    """The variance of all entries of X, each row counted as often as its weight says."""
    total = float(repeats.sum()) * X.shape[1]
    center = float((repeats @ X).sum()) / total
    if is_sparse(X):
        return float((repeats @ X.multiply(X)).sum()) / total - center**2
    return float((repeats @ (X - center) ** 2).sum()) / total


def margin_of(problem: DualProblem, solution: Solution) -> float:
    r"""Half the width of the margin, :math:`1 / \|w\|` with :math:`\|w\|^2 = b'Kb`; infinite where w = 0.

    NaN where the square is negative by more than rounding, as it may be of an indefinite kernel.
    """
    b = problem.row_coefficients(solution.beta)
    square = float(b @ solution.theta)
    if square > 0.0:
        return 1.0 / np.sqrt(square)
    rounding = EPS * problem.gram.entry_error * float(np.linalg.norm(b)) * float(np.abs(b).sum())
    return np.inf if square >= -rounding else np.nan


def box_problem(gram: Any, linear: Array, low: Array, high: Array, row: Array | None = None) -> DualProblem:
    """A dual problem with one equality, ``Σ b = 0``."""
    m = len(linear)
    row = np.arange(m) if row is None else row
    return DualProblem(gram, linear, low, high, row, np.zeros(m, dtype=np.int64), np.zeros(1))
