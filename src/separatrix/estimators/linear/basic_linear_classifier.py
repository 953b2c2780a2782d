r"""The basic linear classifier and its family: :math:`w = M^{-1}(n_\oplus \mu_\oplus - n_\ominus \mu_\ominus)`."""

import time
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from separatrix.core.certificate import closed_form
from separatrix.core.declaration import CLASSES, declares
from separatrix.core.errors import cannot
from separatrix.core.family import Family, declare
from separatrix.core.problem import Problem
from separatrix.core.target import Target
from separatrix.core.types import MatrixLike
from separatrix.estimators import verification
from separatrix.estimators.base import LinearClassifier, with_probabilities
from separatrix.estimators.coding import coded
from separatrix.estimators.linear.least_squares import name_aliases
from separatrix.estimators.published import certify_solution
from separatrix.estimators.ranges import as_type, refuse_small
from separatrix.estimators.validation import check_choice, validate_classes
from separatrix.losses import Squared
from separatrix.penalties import NoPenalty
from separatrix.solvers.choose import LEAST_SQUARES, solve_least_squares

EPS = np.finfo(np.float64).eps


@declares(
    task="classification",
    losses=("losses:Squared",),
    penalties=("penalties:NoPenalty",),
    sums=("designs.moments",),
    solvers=LEAST_SQUARES,
    verification=verification.OF_BASIC_CLASSIFIER,
    description=CLASSES,
)
class BasicLinearClassifier(LinearClassifier):
    r"""A boundary from class means: halfway between them, at right angles to the line that joins them.

    .. math:: w = M^{-1} (n_\oplus \mu_\oplus - n_\ominus \mu_\ominus), \qquad w \cdot x \ge t, \quad
              t = w \cdot \tfrac12 (\mu_\oplus + \mu_\ominus)

    Least squares with ±1 targets is ``M = X'X`` with n the numbers of rows; each assumption about the data simplifies
    it. Columns centred: X is taken about its mean. Uncorrelated: M is diagonal. Of equal variance: M is the identity.
    Equally many rows: both n are 1. With all of them w is the difference of the means, and the rule is "the class with
    the nearest mean". M is per row (X'X divided by the sum of weights) and n are shares, so that rescaling nothing but
    the weights of the rows changes nothing; the boundary is that of the formula with sums.

    With more classes there is one score for each, :math:`n_c \mu_c^\top M^{-1} x + b_c`.

    Parameters
    ----------
    metric : {"identity", "diagonal", "full"}, default "identity".  M: the identity, the diagonal of X'X, or all of it.
    prevalence : {"equal", "observed"}, default "equal".  n: 1 for every class, or each class's share of the rows.
    centred : bool, default False.  Whether M and the means are taken about the mean of all rows: M is then the
        covariance. With "full" and "equal" that is the direction of Fisher's discriminant.
    threshold : {"halfway", "regression"}, default "halfway".  Where the boundary crosses the line between the means of
        two classes: halfway, or where least squares would put it (with "full" and "observed" the classifier is then
        LeastSquaresClassifier, with an intercept if `centred`). More than two classes of unequal n have no common
        halfway.

    Attributes
    ----------
    classes_ : (k,) array.  The classes, sorted.
    class_count_ : (k,) array.  Weight of each class.
    means_ : (k, p) array.  Mean of each class.
    coef_ : (1, p) or (k, p) array.  intercept_ : (1,) or (k,) array.
    certificate_ : Certificate.  The relative residual of ``M w = n μ``; the relative gap where M is full.
    n_features_in_, feature_names_in_ : as in scikit-learn.

    References: Flach (2012), Machine Learning, sections 1.2 and 7.1.

    >>> import numpy as np
    >>> X = np.array([[0.0, -2.0], [0.0, 0.0], [2.0, 0.0], [2.0, 2.0]])
    >>> model = BasicLinearClassifier().fit(X, [-1, -1, 1, 1])
    >>> model.coef_, -model.intercept_
    (array([[2., 2.]]), array([2.]))
    """

    def __init__(
        self, *, metric: str = "identity", prevalence: str = "equal", centred: bool = False, threshold: str = "halfway"
    ) -> None:
        self.metric = metric
        self.prevalence = prevalence
        self.centred = centred
        self.threshold = threshold

    def fit(self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit to X (n, p) and labels y (n,)."""
        started = time.perf_counter()
        metric = check_choice(self, "metric", ("identity", "diagonal", "full"))
        prevalence = check_choice(self, "prevalence", ("equal", "observed"))
        check_choice(self, "threshold", ("halfway", "regression"))
        check_choice(self, "centred", (False, True))
        design, codes, s = validate_classes(self, X, y, sample_weight, summed=True)
        k = len(self.classes_)
        self.class_count_ = np.bincount(codes, weights=s, minlength=k).astype(np.float64)
        share = self._shares()
        n = share if prevalence == "observed" else np.ones(k)
        # regressing t_c = n_c / share_c on the rows of class c has exactly the right-hand side n_c μ_c
        target = Target(coded(codes, k, "one_of_k") * (n / share), s)
        gram = metric == "full" and design.p <= design.n
        sums = design.moments(target, about_mean=self.centred, gram=gram)
        right = sums.xy / sums.total
        means = right / n
        refuse_small(
            float(np.abs(means + sums.x_mean[:, None]).max(initial=0.0)), "place a boundary between class means"
        )
        A = self._solve(design, target, sums, right, started)
        beta, intercept = self._scores(A, means, n)
        self.means_ = np.ascontiguousarray((means + sums.x_mean[:, None]).T, dtype=design.dtype)
        intercept = as_type(intercept - sums.x_mean @ beta, design.dtype, "intercepts")
        return self._publish(as_type(beta, design.dtype, "coefficients"), intercept, design.dtype)

    def _shares(self):
        absent = self.class_count_ == 0.0
        if absent.any():
            raise cannot(
                "take the mean of every class",
                because=f"all rows of the class {self.classes_[np.argmax(absent)]} have weight 0",
                instead="data without that class, or a positive weight for one of its rows",
            )
        return self.class_count_ / self.class_count_.sum()

    def _solve(self, design, target, sums, right, started):
        """``M^-1`` times the right-hand sides (p, k), and the certificate."""
        if self.metric == "full":
            problem = Problem(design, target, Squared(), NoPenalty(), bool(self.centred))
            solution = solve_least_squares(problem)
            self.certificate_ = certify_solution(problem, solution, 1e-14, started)
            name_aliases(self, solution, design)
            return solution.beta
        M = np.ones(design.p) if self.metric == "identity" else sums.squares / sums.total
        # a column whose squares are the rounding of its mean is constant: no class differs in it
        rounding = (4.0 * EPS * sums.x_mean) ** 2 * design.n
        live = rounding < M
        A = np.divide(right, M[:, None], out=np.zeros_like(right), where=live[:, None])
        rest = np.abs(M[:, None] * A - right)[live].max(initial=0.0)
        size = np.abs(right).max(initial=0.0)
        self.certificate_ = closed_form(
            float(rest / size) if size > 0.0 else 0.0,
            4.0 * EPS,
            started=started,
            message=f"M w = n μ with {self.metric} M, {int(live.sum())} of {design.p} columns vary",
        )
        return A

    def _scores(self, A, means, n):
        """Coefficients (p,) or (p, k) and intercepts about the point that the means are taken about."""
        constants = n if self.centred else np.zeros_like(n)
        if len(n) == 2:
            w = A[:, 1] - A[:, 0]
            return w, constants[1] - constants[0] if self.threshold == "regression" else -w @ means.mean(axis=1)
        if self.threshold == "regression":
            return A, constants
        if self.prevalence == "observed":
            raise cannot(
                f"put {len(n)} boundaries halfway with prevalence='observed'",
                because="scores of unequal n have no boundaries that are all halfway between two means",
                instead="threshold='regression', or prevalence='equal'",
            )
        return A, -0.5 * (A * means).sum(axis=0)


declare(
    Family(
        name="nearest class mean",
        task="classification",
        model=BasicLinearClassifier,
        make=with_probabilities(lambda facts: BasicLinearClassifier()),
        complexity=10,
        description="Assigns each row to the class whose mean is nearest: classes are round clouds of equal width. "
        "Probabilities are a logistic curve of the distance from the boundary.",
    )
)
