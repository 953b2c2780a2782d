"""What all estimators share that learn from one example at a time: settings, start, walk, hold-out and certificate.

One output is one problem and one walker. A regressor has one; a classifier has one for two classes and k for more,
each class against the rest.
"""

import time
import warnings
from dataclasses import replace
from typing import Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.metrics import r2_score
from sklearn.model_selection import ShuffleSplit

from separatrix.core.certificate import passed_stream, warn_if_not_certified
from separatrix.core.errors import StepsReduced, cannot
from separatrix.core.problem import Problem
from separatrix.core.solution import Trace
from separatrix.core.target import Target
from separatrix.core.types import MatrixLike
from separatrix.designs import as_dense
from separatrix.estimators.base import LinearModel, LinearRegressor, SparseCoefficients
from separatrix.estimators.published import certify_solution, worst
from separatrix.estimators.validation import check_choice, check_number, enter
from separatrix.losses import (
    EpsilonInsensitive,
    Huber,
    Squared,
    SquaredEpsilonInsensitive,
)
from separatrix.penalties import L1, L2, ElasticNet, NoPenalty
from separatrix.solvers.stochastic import KINDS, Walker, schedule, stochastic_descent

LOSSES_OF_A_NUMBER = {
    "squared_error": lambda epsilon: Squared(),
    "huber": Huber,
    "epsilon_insensitive": EpsilonInsensitive,
    "squared_epsilon_insensitive": SquaredEpsilonInsensitive,
}
FLAGS = (True, False, np.True_, np.False_)  # the last two are what a grid in a numpy array hands out


class Online(LinearModel):
    """A linear model that walks over its examples.

    Settings that a subclass does not offer as parameters it fixes as attributes of the class.
    """

    losses: dict
    usual_rate: str
    passive_loss: str  # the loss that the passive-aggressive rules are made for
    average: bool | int = False
    trace = False

    def _check(self):
        check_choice(self, "loss", list(self.losses))
        check_choice(self, "penalty", ["l2", "l1", "elasticnet", None])
        check_choice(self, "learning_rate", [self.usual_rate, *(kind for kind in KINDS if kind != self.usual_rate)])
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
                f"fit {type(self).__name__} with learning_rate='optimal' and alpha=0",
                because="the optimal rate is 1 / (alpha t)",
                instead="alpha > 0 or learning_rate='invscaling'",
            )
        if self.learning_rate in ("pa1", "pa2") and self.loss != self.passive_loss:
            raise cannot(
                f"fit {type(self).__name__} with learning_rate={self.learning_rate!r} and loss={self.loss!r}",
                because=f"passive-aggressive steps are defined for the loss {self.passive_loss!r}",
                instead=f"loss={self.passive_loss!r} or learning_rate={self.usual_rate!r}",
            )

    def _check_stream(self):
        self._check()
        if self.early_stopping:
            raise cannot(
                "fit a stream with early_stopping=True",
                because="early_stopping holds rows out, and a stream has no end to hold out",
                instead="early_stopping=False with partial_fit",
            )

    def _start(self, p, coef_init=None, intercept_init=None, k=1):
        """One walker for each of k outputs, at zero, at the last fit (`warm_start`) or where it is told to start."""
        beta, intercept = np.zeros((k, p)), np.zeros(k)
        if self.warm_start and "coef_" in vars(self):
            beta, intercept = self.coef_, self.intercept_
        beta = np.array(as_dense(beta) if coef_init is None else coef_init, dtype=np.float64)
        intercept = np.array(intercept if intercept_init is None else intercept_init, dtype=np.float64)
        shapes = f"({p},) and (1,)" if k == 1 else f"({k}, {p}) and ({k},)"
        fits = beta.size == p and intercept.size == 1 if k == 1 else beta.shape == (k, p) and intercept.shape == (k,)
        if not fits:
            raise cannot(
                f"start from coefficients of shape {beta.shape} and an intercept of shape {intercept.shape}",
                because=f"X has {p} columns" + (f" and y {k} classes" if k > 1 else ""),
                instead=f"shapes {shapes}",
            )
        if not (np.isfinite(beta).all() and np.isfinite(intercept).all()):
            raise cannot(
                "start from these coefficients",
                because="some are not finite",
                instead="finite coef_init, intercept_init",
            )
        return [Walker(b, float(b0)) for b, b0 in zip(beta.reshape(k, p), intercept.reshape(k))]

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
        loss = self.losses[self.loss](float(self.epsilon))
        return Problem(design, target, loss, penalties[self.penalty](), bool(self.fit_intercept))

    def _split(self, splitter, labels, weights):
        """The rows to learn from and those held out to judge by."""
        splits = splitter(test_size=self.validation_fraction, random_state=self.random_state)
        rows, held = next(splits.split(np.empty((len(labels), 1)), labels))
        if not weights[held].any() or not weights[rows].any():
            raise cannot(
                f"stop early with validation_fraction={self.validation_fraction}",
                because="all weights of the training or of the validation rows are zero",
                instead="another random_state or validation_fraction",
            )
        return np.sort(rows), held

    def _walk(self, problem, walker, *, max_iter, rows=None, score=None, trace=None, judged=True):
        """Move one walker."""
        steps = schedule(self.learning_rate, problem.loss, eta0=self.eta0, power_t=self.power_t, alpha=self.alpha)
        return stochastic_descent(
            problem,
            start=walker,
            steps=steps,
            adaptive=self.learning_rate == "adaptive",
            average=int(self.average),
            max_iter=max_iter,
            tol=self.tol,
            n_iter_no_change=self.n_iter_no_change,
            shuffle=self.shuffle,
            random_state=self.random_state,
            rows=rows,
            score=score,
            trace=trace,
            judged=judged,
        )

    def _empty_trace(self):
        return Trace(coefficients=[]) if self.trace else None

    def _certificate(self, problem, solution, started):
        """Of one output, whose coefficients are published in the precision of X."""
        dtype = problem.design.dtype
        solution = replace(solution, beta=solution.beta.astype(dtype), intercept=dtype.type(solution.intercept))
        return certify_solution(problem, solution, 0.0 if self.tol is None else self.tol, started)

    def _warn_of_divergence(self, ends):
        """One warning for all walks that had to take smaller steps than they were told to."""
        divisor, diverged = max((end["divisor"] for end in ends), default=1.0), any(end["diverged"] for end in ends)
        if divisor > 1.0:
            smaller = "" if self.learning_rate == "optimal" else f", or eta0={self.eta0 / divisor:g}"
            instead = f"standardised columns{smaller}"
            warnings.warn(
                StepsReduced(divisor, settled=not diverged, instead=instead), stacklevel=3
            )  # the caller of fit

    def _certify(self, certificates, ends):
        """Publish the worst certificate, and warn if the passes were used up before it was reached."""
        self.certificate_ = worst(certificates)
        mended = any(end["divisor"] > 1.0 for end in ends)
        if not mended and not all(end["settled"] or c.converged for end, c in zip(ends, certificates)):
            advice = "Raise max_iter, or standardise the columns."
            warn_if_not_certified(self.certificate_, advice, stacklevel=3)  # the caller of fit


class OnlineRegressor(SparseCoefficients, LinearRegressor, Online):
    """A number, learnt from one example at a time."""

    _flat = True
    losses = LOSSES_OF_A_NUMBER
    usual_rate = "invscaling"
    passive_loss = "epsilon_insensitive"

    def fit(
        self,
        X: MatrixLike,
        y: ArrayLike,
        coef_init: ArrayLike | None = None,
        intercept_init: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
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
        self._walkers, self.t_ = self._start(design.p, coef_init, intercept_init), 1.0
        rows, score, target = self._hold_out(design, target)
        problem, walker = self._problem(design, target, rows), self._walkers[0]
        trace = self._empty_trace()
        solution = self._walk(problem, walker, max_iter=self.max_iter, rows=rows, score=score, trace=trace)
        if self.trace:
            self.trace_ = trace
        self._show(solution.iterations, target.n, design.dtype)
        self._certify([self._certificate(problem, solution, started)], [solution.details])
        self._warn_of_divergence([solution.details])
        return self

    def partial_fit(self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Make one pass over a chunk of a stream; chunk after chunk equals one pass over all of them.

        Parameters
        ----------
        X : (n, p) array, sparse array or frame.  y : (n,) array.
        sample_weight : (n,) array or None.  Factors of the step of each example.
        """
        self._check_stream()
        first = "_walkers" not in vars(self)
        design, target = enter(self, X, y, sample_weight, multi_output=False, reset=first)
        if first:
            self._walkers, self.t_ = self._start(design.p), 1.0
        solution = self._walk(self._problem(design, target), self._walkers[0], max_iter=1, judged=False)
        self._show(1, target.n, design.dtype)
        self._warn_of_divergence([solution.details])
        self.certificate_ = passed_stream("gradient")
        return self

    def _hold_out(self, design, target):
        """With early stopping: the rows to learn from, the score of the others, and a target without those."""
        if not self.early_stopping:
            return None, None, target
        s = target.weights.copy()
        rows, held = self._split(ShuffleSplit, target.y, s)
        others, y_held, s_held = design.take(held), target.y[held], s[held]

        def score(beta, intercept):
            return r2_score(y_held, others.matvec(beta) + intercept, sample_weight=s_held)

        s[held] = 0.0
        return rows, score, Target(target.y, s)

    def _show(self, epochs, n, dtype):
        self.n_iter_ = epochs
        self.t_ += epochs * n
        beta, intercept = self._walkers[0].published(int(self.average))
        self.coef_, self.intercept_ = beta.astype(dtype), np.array([intercept], dtype=dtype)
