"""Linear regression by stochastic gradient descent, from data at hand or from a stream."""

import time
import warnings

import numpy as np
from sklearn.metrics import r2_score
from sklearn.model_selection import ShuffleSplit

from separatrix.core.certificate import certify, not_certified
from separatrix.core.errors import cannot
from separatrix.core.objective import objective
from separatrix.core.problem import Problem
from separatrix.core.registry import register
from separatrix.core.solution import Certificate, Solution, Trace
from separatrix.core.stationarity import certify_gradient
from separatrix.core.target import Target
from separatrix.estimators.base import LinearRegressor
from separatrix.estimators.doors import check_choice, check_number, enter
from separatrix.losses import EpsilonInsensitive, Huber, Squared, SquaredEpsilonInsensitive
from separatrix.penalties import L1, L2, ElasticNet, NoPenalty
from separatrix.solvers.stochastic import KINDS, Walker, schedule, stochastic_descent

LOSSES = {
    "squared_error": lambda epsilon: Squared(),
    "huber": Huber,
    "epsilon_insensitive": EpsilonInsensitive,
    "squared_epsilon_insensitive": SquaredEpsilonInsensitive,
}

FLAGS = (True, False, np.True_, np.False_)  # the last two are what a grid in a numpy array hands out


@register("estimator")
class SGDRegressor(LinearRegressor):
    r"""A linear model that learns from one example at a time.

    .. math:: \min_{\beta, b} \frac1n \sum_i s_i\,\ell(y_i, x_i'\beta + b) + \alpha\,\Omega(\beta), \qquad
              \beta \leftarrow \beta - \eta_t\,\big(s_i\,\ell'_i\,x_i + \alpha \nabla\Omega\big)

    Made for data that are too many or that keep coming. For data at hand the solvers of Ridge, Lasso and ElasticNet
    reach the exact optimum in less time. Columns should be of similar size: standardise them first.

    Parameters
    ----------
    loss : {'squared_error', 'huber', 'epsilon_insensitive', 'squared_epsilon_insensitive'}, default 'squared_error'.
    penalty : {'l2', 'l1', 'elasticnet', None}, default 'l2'.  ``|beta|²/2``, ``|beta|_1``, or a mixture.
    alpha : float, [0, inf), default 0.0001.  Strength of the penalty; also sets the 'optimal' learning rate.
    l1_ratio : float, [0, 1], or None, default 0.15.  Share of L1 in 'elasticnet'.
    fit_intercept : bool, default True.
    max_iter : int, [1, inf), default 1000.  Passes over the data at the most.
    tol : float, [0, inf), or None, default 1e-3.  A pass that lowers the best objective by less (or raises the
        validation score by less) is no improvement. None makes all `max_iter` passes.
    shuffle : bool, default True.  Whether each pass takes a new random order.
    verbose : int, default 0.  Accepted for compatibility, no effect here; use `trace`.
    epsilon : float, [0, inf), default 0.1.  Where Huber's loss turns linear (then it must not be 0), or the half-width
        of the tube that is forgiven.
    random_state : int, RandomState or None, default None.
    learning_rate : {'invscaling', 'constant', 'optimal', 'adaptive', 'pa1', 'pa2'}, default 'invscaling'.
        ``eta0 / t**power_t``; ``eta0``; ``1 / (alpha (t0 + t))``; eta0, divided by 5 at each halt; or the
        passive-aggressive rules for 'epsilon_insensitive', with eta0 as their aggressiveness.
    eta0 : float, (0, inf), default 0.01.
    power_t : float, (-inf, inf), default 0.25.
    early_stopping : bool, default False.  Whether to hold out a validation set and judge by its R².
    validation_fraction : float, (0, 1), default 0.1.
    n_iter_no_change : int, [1, inf), default 5.  Passes without improvement after which to stop.
    warm_start : bool, default False.  Whether `fit` starts where the last one ended.
    average : bool or int, [1, inf), default False.  Whether to publish the mean of all iterates, or of those from this
        update on.
    trace : bool, default False.  Whether to keep objective and coefficients after each pass in ``trace_``; costs one
        more pass each.

    Attributes
    ----------
    coef_ : (p,) array.  intercept_ : (1,) array.
    n_iter_ : int.  Passes made.
    t_ : float.  Updates made, plus 1.
    certificate_ : Certificate.  The duality gap where there is a penalty, else the relative gradient. The descent stops
        by its own rule, usually far from a tight certificate: no warning is given then, but ``converged`` tells the
        truth. After `partial_fit` it certifies nothing, for the data are gone.
    trace_ : Trace, if asked for.

    Notes
    -----
    Without shuffling the results are those of scikit-learn, but for these decisions. A descent that runs away warns
    :class:`~separatrix.core.errors.Diverged` and keeps its best pass, where scikit-learn raises or returns huge
    numbers. Sparse input gives what dense input gives (scikit-learn slows the intercept down a hundred times for sparse
    rows, and leaves L1 unsettled on columns not lately met). The L1 debt of each column survives between calls of
    `partial_fit`, so that chunks of a stream equal one pass. With L1, `average` is the mean of the thresholded
    iterates, and the stopping rule sees the coefficients after thresholding.
    `sample_weight` multiplies the step of an example.

    References: Bottou (2012), Stochastic Gradient Descent Tricks. Tsuruoka et al. (2009), ACL. Crammer et al. (2006),
    JMLR 7.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((500, 2))
    >>> model = SGDRegressor(random_state=0).fit(X, X @ [1.0, -2.0] + 3.0)
    >>> model.coef_.round(2), model.intercept_.round(2)
    (array([ 1., -2.]), array([3.]))
    """

    def __init__(
        self,
        loss="squared_error",
        *,
        penalty="l2",
        alpha=0.0001,
        l1_ratio=0.15,
        fit_intercept=True,
        max_iter=1000,
        tol=1e-3,
        shuffle=True,
        verbose=0,
        epsilon=0.1,
        random_state=None,
        learning_rate="invscaling",
        eta0=0.01,
        power_t=0.25,
        early_stopping=False,
        validation_fraction=0.1,
        n_iter_no_change=5,
        warm_start=False,
        average=False,
        trace=False,
    ):
        self.loss = loss
        self.penalty = penalty
        self.alpha = alpha
        self.l1_ratio = l1_ratio
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.tol = tol
        self.shuffle = shuffle
        self.verbose = verbose
        self.epsilon = epsilon
        self.random_state = random_state
        self.learning_rate = learning_rate
        self.eta0 = eta0
        self.power_t = power_t
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.warm_start = warm_start
        self.average = average
        self.trace = trace

    def fit(self, X, y, coef_init=None, intercept_init=None, sample_weight=None):
        """Fit from the start (or, with `warm_start` or given coefficients, from there).

        Parameters
        ----------
        X : (n, p) array, sparse array or frame.  y : (n,) array.
        coef_init : (p,) array or None.  intercept_init : (1,) array, float or None.  Where to start.
        sample_weight : (n,) array or None.  Factors of the step of each example.
        """
        self._check()
        started = time.perf_counter()
        design, target = enter(self, X, y, sample_weight, multi_output=False)
        self._walker = self._start(design.p, coef_init, intercept_init)
        rows, score, target = self._hold_out(design, target)
        problem = self._problem(design, target, rows)
        after = None
        if self.trace:
            self.trace_ = Trace(coefficients=[])

            def after(walker):
                w = np.concatenate([[walker.intercept], walker.beta]) if self.fit_intercept else walker.beta
                self.trace_.append(objective(problem, walker.beta, walker.intercept), coefficients=w)

        self.t_ = 1.0
        walked = self._walk(problem, max_iter=self.max_iter, rows=rows, score=score, after=after)
        self._certify(problem, walked, started)
        return self

    def partial_fit(self, X, y, sample_weight=None):
        """Make one pass over a chunk of a stream; chunk after chunk equals one pass over all of them.

        Parameters
        ----------
        X : (n, p) array, sparse array or frame.  y : (n,) array.
        sample_weight : (n,) array or None.  Factors of the step of each example.
        """
        self._check()
        if self.early_stopping:
            raise cannot(
                "fit a stream with early_stopping=True",
                because="early_stopping holds rows out, and a stream has no end to hold out",
                instead="early_stopping=False with partial_fit",
            )
        first = not hasattr(self, "_walker")
        design, target = enter(self, X, y, sample_weight, multi_output=False, reset=first)
        if first:
            self._walker, self.t_ = self._start(design.p, None, None), 1.0
        self._walk(self._problem(design, target), max_iter=1, judged=False)
        self.certificate_ = Certificate("gradient", np.inf, 0.0, message="a stream that has passed cannot be certified")
        return self

    def _check(self):
        check_choice(self, "loss", list(LOSSES))
        check_choice(self, "penalty", ["l2", "l1", "elasticnet", None])
        check_choice(self, "learning_rate", ["invscaling", *(kind for kind in KINDS if kind != "invscaling")])
        for name in ("fit_intercept", "shuffle", "early_stopping", "warm_start", "trace"):
            check_choice(self, name, FLAGS)
        check_number(self, "alpha", 0.0)
        check_number(self, "l1_ratio", 0.0, 1.0, none=self.penalty != "elasticnet")
        check_number(self, "max_iter", 1, integer=True)
        check_number(self, "tol", 0.0, none=True)
        check_number(self, "epsilon", 0.0, open_low=self.loss == "huber")
        check_number(self, "eta0", 0.0, open_low=True)
        check_number(self, "power_t", -np.inf, open_low=True, open_high=True)
        check_number(self, "validation_fraction", 0.0, 1.0, open_low=True, open_high=True)
        check_number(self, "n_iter_no_change", 1, integer=True)
        if not isinstance(self.average, bool | np.bool_):
            check_number(self, "average", 1, integer=True)
        if self.learning_rate == "optimal" and self.alpha == 0:
            raise cannot(
                "fit SGDRegressor with learning_rate='optimal' and alpha=0",
                because="the optimal rate is 1 / (alpha t)",
                instead="alpha > 0 or learning_rate='invscaling'",
            )
        if self.learning_rate in ("pa1", "pa2") and self.loss != "epsilon_insensitive":
            raise cannot(
                f"fit SGDRegressor with learning_rate={self.learning_rate!r} and loss={self.loss!r}",
                because="passive-aggressive steps are defined for the epsilon-insensitive loss",
                instead="loss='epsilon_insensitive' or learning_rate='invscaling'",
            )

    def _start(self, p, coef_init, intercept_init):
        beta, intercept = np.zeros(p), 0.0
        if self.warm_start and hasattr(self, "coef_"):
            beta, intercept = self.coef_, self.intercept_
        beta = beta if coef_init is None else coef_init
        intercept = intercept if intercept_init is None else intercept_init
        beta, intercept = np.array(beta, dtype=np.float64), np.array(intercept, dtype=np.float64)
        if beta.size != p or intercept.size != 1:
            raise cannot(
                f"start from coefficients of shape {beta.shape} and an intercept of shape {intercept.shape}",
                because=f"X has {p} columns",
                instead=f"shapes ({p},) and (1,)",
            )
        return Walker(beta.reshape(p), float(intercept.reshape(())))

    def _hold_out(self, design, target):
        """With early stopping: the rows to learn from, the score of the others, and a target without those."""
        if not self.early_stopping:
            return None, None, target
        splits = ShuffleSplit(test_size=self.validation_fraction, random_state=self.random_state)
        rows, held = next(splits.split(np.empty((target.n, 1))))
        s = target.weights.copy()
        if not s[held].any() or not s[rows].any():
            raise cannot(
                f"stop early with validation_fraction={self.validation_fraction}",
                because="all weights of the training or of the validation rows are zero",
                instead="another random_state or validation_fraction",
            )
        others, y_held, s_held = design.take(held), target.y[held], s[held]

        def score(beta, intercept):
            return r2_score(y_held, others.matvec(beta) + intercept, sample_weight=s_held)

        s[held] = 0.0
        return np.sort(rows), score, Target(target.y, s)

    def _problem(self, design, target, rows=None):
        # A step takes s_i times the slope and alpha times the penalty: (1/n) Σ s_i loss_i + alpha Ω. Divided by the
        # mean weight this is the one objective (1/Σs) Σ s_i loss_i + (alpha n/Σs) Ω.
        n = target.n if rows is None else rows.shape[0]
        lam = self.alpha * n / target.total
        penalties = {
            None: lambda: NoPenalty(),
            "l2": lambda: L2(lam) if lam > 0.0 else NoPenalty(),
            "l1": lambda: L1(lam),
            "elasticnet": lambda: ElasticNet(lam * self.l1_ratio, lam * (1.0 - self.l1_ratio)),
        }
        loss = LOSSES[self.loss](float(self.epsilon))
        return Problem(design, target, loss, penalties[self.penalty](), bool(self.fit_intercept))

    def _walk(self, problem, *, max_iter, rows=None, score=None, after=None, judged=True):
        """Move, and publish where the walker stands."""
        walker = self._walker
        steps = schedule(self.learning_rate, problem.loss, eta0=self.eta0, power_t=self.power_t, alpha=self.alpha)
        walked = stochastic_descent(
            problem,
            walker,
            steps,
            adaptive=self.learning_rate == "adaptive",
            average=int(self.average),
            max_iter=max_iter,
            tol=self.tol,
            n_iter_no_change=self.n_iter_no_change,
            shuffle=self.shuffle,
            random_state=self.random_state,
            rows=rows,
            score=score,
            after=after,
            judged=judged,
        )
        self.n_iter_ = walked.epochs
        self.t_ += walked.epochs * problem.target.n
        beta, intercept = walker.published(int(self.average))
        self.coef_, self.intercept_ = beta.copy(), np.array([intercept])
        return walked

    def _certify(self, problem, walked, started):
        solution = Solution(self.coef_, float(self.intercept_[0]))
        grade = certify_gradient if isinstance(problem.penalty, NoPenalty) else certify
        tol = 0.0 if self.tol is None else self.tol
        self.certificate_ = grade(problem, solution, tol, started, walked.epochs, walked.epochs)
        if not (walked.settled or walked.diverged or self.certificate_.converged):
            advice = "Raise max_iter, or standardise the columns."
            warnings.warn(not_certified(self.certificate_, advice), stacklevel=3)
