r"""Rosenblatt's perceptron: :math:`w \leftarrow w + \eta\,y_i\,x_i` at every mistake :math:`y_i\,w \cdot x_i \le 0`."""

import time
import warnings
from collections.abc import Mapping
from typing import Any, Self

import numpy as np
from numpy.random import RandomState
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from separatrix.core.certificate import mistakes, passed_stream
from separatrix.core.declaration import SmallFit, declares
from separatrix.core.errors import NotSeparated, cannot
from separatrix.core.family import Family, declare
from separatrix.core.types import Array, MatrixLike
from separatrix.designs import as_dense
from separatrix.estimators import verification
from separatrix.estimators.base import with_probabilities
from separatrix.estimators.linear.online_classifier import OnlineClassifier
from separatrix.estimators.ranges import refuse_large, size_of
from separatrix.estimators.validation import check_choice, encode, validate_classes, validate_rows
from separatrix.solvers.perceptron import Corrections, mistake_bound, run_perceptron, widest_separator

# What belongs to the rows of one fit, and to no stream.
OF_ONE_FIT = ("counts_", "dual_coef_", "error_history_", "converged_", "trace_")


@declares(
    task="classification",
    losses=("losses:Hinge",),
    penalties=("penalties:NoPenalty", "penalties:L2", "penalties:L1", "penalties:ElasticNet"),
    solvers=("solvers.perceptron", "solvers.stochastic"),
    verification=verification.OF_MISTAKES,
    small_fits=(
        SmallFit({"max_iter": 2}, called="None cyclic"),
        SmallFit({"max_iter": 2, "updates": "batch"}, called="None batch"),
    ),
)
class Perceptron(OnlineClassifier):
    r"""The perceptron: corrects its mistakes until it makes none, which it does if and only if a hyperplane separates.

    .. math:: w \leftarrow w + \eta\,y_i\,x_i \quad \text{if } y_i\,(w \cdot x_i) \le 0, \qquad
              w = w(0) + \eta \sum_i \alpha_i\,y_i\,x_i

    where :math:`\alpha_i` counts the mistakes on row i, and x carries a 1 for the intercept. On separable data the
    number of mistakes is at most :math:`b^2 \|w^*\|^2 / a^2` (:meth:`mistake_bound`); on others it goes on for ever.
    More than two classes are learnt each against the rest.

    Parameters
    ----------
    penalty : {'l2', 'l1', 'elasticnet', None}, default None.  With a penalty the fit is that of SGDClassifier with
        loss='perceptron' and a constant rate: it keeps no counts.
    alpha : float, [0, inf), default 0.0001.  Strength of the penalty.
    l1_ratio : float, [0, 1], default 0.15.  Share of L1 in 'elasticnet'.
    fit_intercept : bool, default True.
    max_iter : int, [1, inf), default 1000.  Passes over the data at the most.
    tol : float, [0, inf), or None, default 1e-3.  A pass that lowers the best mean criterion by less (or raises the
        validation score by less) is no improvement. None goes on until a pass makes no mistake, or to `max_iter`.
    shuffle : bool, default True.  Whether each pass takes a new random order.
    verbose : int, default 0.  Accepted for compatibility, no effect here; use `trace`.
    eta0 : float, (0, inf), default 1.0.  The step. From a start at zero it only scales the weights.
    n_jobs : int or None, default None.  Accepted for compatibility, no effect here.
    random_state : int, RandomState or None, default 0.  The seed of the orders.
    early_stopping : bool, default False.  Whether to hold out a validation set and judge by its accuracy.
    validation_fraction : float, (0, 1), default 0.1.
    n_iter_no_change : int, [1, inf), default 5.  Passes without improvement after which to stop.
    class_weight : dict, 'balanced' or None, default None.  Factors of the steps of each class; with more than two
        classes, of its steps against the rest.
    warm_start : bool, default False.  Whether `fit` starts where the last one ended.
    updates : {'point', 'batch'}, default 'point'.  Whether each mistake is corrected at once, or all mistakes of a pass
        together at its end.
    schedule : {'constant', 'c/t'}, default 'constant'.  The step eta0, or eta0/t at the t-th correction, t = 1, 2, ...
    trace : bool, default False.  Whether to keep the weights after every correction in ``trace_``.

    Attributes
    ----------
    coef_ : (1, p) or (k, p) array.  intercept_ : (1,) or (k,) array.  classes_ : (k,) array.
    counts_ : (n,) or (k, n) array of int.  The mistakes :math:`\alpha_i` on each row.
    dual_coef_ : (1, n) or (k, n) array.  ``y_i`` times the steps that were taken at row i: with a constant step
        :math:`\eta\,\alpha_i\,y_i`. The weights are the start plus ``dual_coef_ @ X``.
    mistakes_ : int.  Mistakes in all passes together.
    error_history_ : (n_iter_,) array of int, or a list of k.  Mistakes of each pass. It need not fall: a correction
        helps its own example only.
    converged_ : bool.  Whether the last pass made no mistake.
    n_iter_ : int.  Passes made, that without mistakes included; the most of any class.
    t_ : float.  Examples shown, plus 1.
    certificate_ : Certificate.  Of the kind ``"mistakes"``: those of the last pass; converged if there were none. With
        a penalty, the duality gap.
    trace_ : Corrections, or one for each class, if asked for.

    Notes
    -----
    Without shuffling the coefficients are those of scikit-learn. Here a pass without mistakes ends the fit, for none
    after it can change anything (scikit-learn goes on for `n_iter_no_change` passes, so that its ``n_iter_`` and ``t_``
    are larger); rows of weight 0 are left out; and a fit that has used up its passes warns
    :class:`~separatrix.core.errors.NotSeparated`. A fit that `tol` has ended does not warn, as in scikit-learn, but
    ``converged_`` tells the truth. In training a score of 0 is a mistake; in prediction it counts for ``classes_[1]``.
    `sample_weight` multiplies the step of an example.

    References: Rosenblatt (1958), Psychological Review 65(6). Novikoff (1962), Symp. Math. Theory of Automata.

    Examples
    --------
    >>> X, y = [[1, 2], [-1, 2], [-1, -2]], [-1, -1, 1]
    >>> model = Perceptron(shuffle=False, tol=None).fit(X, y)
    >>> model.coef_, model.intercept_, model.counts_, model.n_iter_
    (array([[-1., -2.]]), array([-1.]), array([1, 0, 0]), 2)
    >>> print(model.certificate_, "| bound", model.mistake_bound(X, y))
    certified: 0 mistakes in the last pass | bound 1.5
    """

    loss = "perceptron"
    learning_rate = usual_rate = "constant"
    epsilon, power_t = 0.1, 0.5  # of losses and rates that a perceptron does not use

    def __init__(
        self,
        *,
        penalty: str | None = None,
        alpha: float = 0.0001,
        l1_ratio: float = 0.15,
        fit_intercept: bool = True,
        max_iter: int = 1000,
        tol: float | None = 1e-3,
        shuffle: bool = True,
        verbose: int = 0,
        eta0: float = 1.0,
        n_jobs: int | None = None,
        random_state: int | RandomState | None = 0,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        n_iter_no_change: int = 5,
        class_weight: Mapping[Any, float] | str | None = None,
        warm_start: bool = False,
        updates: str = "point",
        schedule: str = "constant",
        trace: bool = False,
    ) -> None:
        self.penalty = penalty
        self.alpha = alpha
        self.l1_ratio = l1_ratio
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.tol = tol
        self.shuffle = shuffle
        self.verbose = verbose
        self.eta0 = eta0
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.class_weight = class_weight
        self.warm_start = warm_start
        self.updates = updates
        self.schedule = schedule
        self.trace = trace

    def fit(
        self,
        X: MatrixLike,
        y: ArrayLike,
        coef_init: ArrayLike | None = None,
        intercept_init: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        order: ArrayLike | None = None,
    ) -> Self:
        """Fit from zero (or, with `warm_start` or given coefficients, from there).

        Parameters
        ----------
        X : (n, p) array, sparse array or frame.  y : (n,) array of class labels.
        coef_init : (1, p) or (k, p) array or None.  intercept_init : (1,) or (k,) array or None.  Where to start.
        sample_weight : (n,) array or None.  Factors of the step of each example.
        order : (n,) array of int or None.  A permutation of the rows, in which every pass shows them; then `shuffle`
            has nothing to say.
        """
        self._check()
        for name in OF_ONE_FIT:
            self.__dict__.pop(name, None)
        if self.penalty is not None:
            self._refuse_with_penalty(order)
            return super().fit(X, y, coef_init, intercept_init, sample_weight)
        started = time.perf_counter()
        design, codes, s = validate_classes(self, X, y, sample_weight, weightless=True)
        self._refuse_overflow(design)
        order = _permutation(order, design.n)
        factors = self._factors(codes, s)
        self._walkers = self._start(design.p, coef_init, intercept_init, self._outputs())
        self._origin = [(walker.beta.copy(), walker.intercept) for walker in self._walkers]
        targets, runs, traces = [], [], []
        for walker, (target, _, score) in zip(self._walkers, self._parts(design, codes, s, factors)):
            targets.append(target)
            trace = Corrections() if self.trace else None
            runs.append(self._learn(design, target, walker, order, score=score, trace=trace))
            traces.append(trace)
        self.t_, self.mistakes_ = 1.0, 0
        self._weight_ratio = max(_ratio(target.s) for target in targets)
        self._tell(runs, [target.y for target in targets], started)
        if self.trace:
            self.trace_ = traces[0] if len(traces) == 1 else traces
        self._show([len(run.errors) for run in runs], design.n, design.dtype)
        if any(not (run.clean or run.settled) for run in runs):
            warnings.warn(NotSeparated(int(self.certificate_.value), self.max_iter), stacklevel=2)
        return self

    def _refuse_overflow(self, design):
        """Scores are products of rows with sums of rows."""
        largest = 1e-3 * float(np.sqrt(np.finfo(design.dtype).max))
        refuse_large(size_of(design), f"fit {type(self).__name__}", largest)

    def partial_fit(
        self, X: MatrixLike, y: ArrayLike, classes: ArrayLike | None = None, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Make one pass over a chunk of a stream, down to single examples; chunk after chunk equals one pass.

        Parameters
        ----------
        X : (n, p) array, sparse array or frame.  y : (n,) array of class labels.
        classes : array or None.  All classes that the stream can bring; needed at the first call.
        sample_weight : (n,) array or None.  Factors of the step of each example.
        """
        if self.penalty is not None:
            self._refuse_with_penalty(None)
            return super().partial_fit(X, y, classes, sample_weight)
        self._check_stream()
        design, codes, s, factors = self._enter_chunk(X, y, classes, sample_weight)
        for name in OF_ONE_FIT:
            self.__dict__.pop(name, None)
        self.mistakes_ = vars(self).get("mistakes_", 0)
        for c, walker in enumerate(self._walkers):
            target = self._target(codes, s, factors, c)
            if target.total > 0.0:  # a chunk of a class that weighs nothing teaches nothing
                self.mistakes_ += sum(self._learn(design, target, walker, max_iter=1).errors)
        self._show([1], design.n, design.dtype)
        self.certificate_ = passed_stream("mistakes")
        return self

    def dual_decision_function(self, X: MatrixLike, X_fit: MatrixLike) -> Array:
        r"""Scores by the dual form, from the rows `X_fit` of the fit; :meth:`decision_function` uses the weights.

        .. math:: f(x) = f_0(x) + \sum_j d_j\,(x_j \cdot x + 1), \qquad d_j = \eta\,\alpha_j\,y_j

        with :math:`f_0` the score at the start, and without the 1 if there is no intercept.
        """
        check_is_fitted(self, "dual_coef_")
        X, X_fit = validate_rows(self, X), validate_rows(self, X_fit)
        if X_fit.shape[0] != self.dual_coef_.shape[1]:
            raise cannot(
                f"use the dual form with {X_fit.shape[0]} rows",
                because=f"the counts belong to the {self.dual_coef_.shape[1]} rows of the fit",
                instead="the X of the fit",
            )
        scores = (X @ X_fit.T) @ self.dual_coef_.T + self.fit_intercept * self.dual_coef_.sum(axis=1)
        scores += np.column_stack([X @ beta + intercept for beta, intercept in self._origin])
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def mistake_bound(
        self, X: MatrixLike, y: ArrayLike, separator: tuple[ArrayLike, ArrayLike] | None = None
    ) -> float | Array:
        r"""Novikoff's bound on the mistakes of a fit to these data, however many passes it makes and in whatever order.

        .. math:: k \le b^2\,\|w^*\|^2 / a^2, \qquad a = \min_i y_i\,w^* \cdot x_i > 0, \quad b = \max_i \|x_i\|

        Vectors carry the intercept. Any separating :math:`w^*` gives a bound; that of the widest margin gives the best.
        With batch updates the bound is n times as large, and with weights of the rows it is multiplied by the square of
        their largest ratio.

        Parameters
        ----------
        X : (n, p) array, sparse array or frame.  y : (n,) array of class labels.
        separator : pair (coefficients (p,), intercept) or None.  With two classes a separating vector to use; None
            takes the better of the fitted one and the one of the widest margin.

        Returns
        -------
        float, or (k,) array.  Infinity where no vector that separates is known.
        """
        check_is_fitted(self, "counts_")
        if self.schedule != "constant" or any(beta.any() or intercept for beta, intercept in self._origin):
            raise cannot(
                "bound the mistakes of this fit",
                because="the bound holds for constant steps from zero",
                instead="schedule='constant' and no coef_init, intercept_init or warm_start",
            )
        rows, codes = as_dense(validate_rows(self, X)).astype(np.float64), encode(self, y, reset=False)
        if self.fit_intercept:
            rows = np.column_stack([rows, np.ones(len(rows))])
        factor = self._weight_ratio**2 * (len(rows) if self.updates == "batch" else 1)
        bounds = []
        for c, (coef, intercept) in enumerate(zip(self.coef_, self.intercept_)):
            signs = np.where(codes == (1 if len(self.coef_) == 1 else c), 1.0, -1.0)
            known = [widest_separator(rows, signs), self._vector(coef, intercept)]
            if separator is not None:
                known = [self._vector(*separator)]
            bounds.append(factor * min(mistake_bound(rows, signs, w) for w in known if w is not None))
        return bounds[0] if len(bounds) == 1 else np.array(bounds)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        # where classes overlap, the last of its long steps decides what a batch perceptron predicts
        tags.classifier_tags.poor_score = self.updates == "batch"
        return tags

    def _vector(self, coef, intercept):
        coef = np.asarray(coef, dtype=np.float64).ravel()
        return np.append(coef, intercept) if self.fit_intercept else coef

    def _check(self):
        super()._check()
        check_choice(self, "updates", ["point", "batch"])
        check_choice(self, "schedule", ["constant", "c/t"])

    def _refuse_with_penalty(self, order):
        if self.updates != "point" or self.schedule != "constant" or order is not None:
            raise cannot(
                f"fit Perceptron with penalty={self.penalty!r}, updates={self.updates!r}, schedule={self.schedule!r}"
                + ("" if order is None else " and an order"),
                because="with a penalty it is a stochastic gradient descent, one point at a time with a constant step",
                instead="penalty=None, or updates='point', schedule='constant' and shuffle=False",
            )

    def _learn(self, design, target, walker, order=None, score=None, trace=None, max_iter=None):
        """Move one walker; returns what it did."""
        solution = run_perceptron(
            self._problem(design, target),
            start=walker,
            rate=float(self.eta0),
            decreasing=self.schedule == "c/t",
            batch=self.updates == "batch",
            max_iter=self.max_iter if max_iter is None else max_iter,
            tol=self.tol,
            n_iter_no_change=self.n_iter_no_change,
            order=order,
            shuffle=bool(self.shuffle) and order is None,
            random_state=self.random_state,
            score=score,
            trace=trace,
        )
        return solution.details["run"]

    def _tell(self, runs, signs, started):
        """Publish what was done: counts, dual form, history and certificate."""
        single = len(runs) == 1
        self.mistakes_ = sum(sum(run.errors) for run in runs)
        self.dual_coef_ = np.stack([y * run.steps for y, run in zip(signs, runs)])
        self.counts_ = runs[0].counts if single else np.stack([run.counts for run in runs])
        histories = [np.array(run.errors) for run in runs]
        self.error_history_ = histories[0] if single else histories
        self.converged_ = all(run.clean for run in runs)
        self.certificate_ = mistakes(
            max(run.errors[-1] for run in runs),
            iterations=self.mistakes_,
            passes=max(len(run.errors) for run in runs),
            started=started,
        )


def _permutation(order, n):
    """The order of presentation, checked; None where none is given."""
    if order is None:
        return None
    order = np.asarray(order)
    if order.shape != (n,) or not np.issubdtype(order.dtype, np.integer) or (np.sort(order) != np.arange(n)).any():
        raise cannot(
            f"show the rows in an order of shape {order.shape} and type {order.dtype}",
            because=f"it is not a permutation of the {n} rows",
            instead=f"each of the integers 0 to {n - 1} once",
        )
    return order


def _ratio(s):
    """Of the largest to the smallest positive weight."""
    return 1.0 if s is None else float(s.max() / s[s > 0.0].min())


declare(
    Family(
        name="perceptron",
        task="classification",
        model=Perceptron,
        make=with_probabilities(lambda facts: Perceptron(max_iter=100, random_state=facts.seed)),
        complexity=15,
        description="Walks through the rows and moves its plane at every mistake; finds a plane without mistakes where"
        " there is one. Probabilities are a logistic curve of the distance from the boundary.",
    )
)
