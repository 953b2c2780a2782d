"""A class, learnt from one example at a time: what the stochastic classifier and the perceptron share."""

import time
from typing import Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.model_selection import StratifiedShuffleSplit

from separatrix.core.certificate import passed_stream
from separatrix.core.errors import cannot
from separatrix.core.target import Target
from separatrix.core.types import MatrixLike
from separatrix.estimators.base import LinearClassifier, SparseCoefficients
from separatrix.estimators.class_weights import checked_product
from separatrix.estimators.linear.online import LOSSES_OF_A_NUMBER, Online
from separatrix.estimators.validation import class_factors, validate_classes
from separatrix.losses import Hinge, Logistic, ModifiedHuber, SquaredHinge

LOSSES_OF_A_CLASS = {
    "hinge": lambda epsilon: Hinge(1.0),
    "log_loss": lambda epsilon: Logistic(),
    "modified_huber": lambda epsilon: ModifiedHuber(),
    "squared_hinge": lambda epsilon: SquaredHinge(),
    "perceptron": lambda epsilon: Hinge(0.0),
    **LOSSES_OF_A_NUMBER,
}


class OnlineClassifier(SparseCoefficients, LinearClassifier, Online):
    """A class, learnt from one example at a time; more than two classes each against the rest."""

    losses = LOSSES_OF_A_CLASS
    usual_rate = "optimal"
    passive_loss = "hinge"

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
        X : (n, p) array, sparse array or frame.  y : (n,) array of class labels.
        coef_init : (1, p) or (k, p) array or None.  intercept_init : (1,) or (k,) array or None.  Where to start.
        sample_weight : (n,) array or None.  Factors of the step of each example.
        """
        self._check()
        started = time.perf_counter()
        design, codes, s = validate_classes(self, X, y, sample_weight, summed=True, weightless=True)
        factors = self._factors(codes, s)
        self._walkers = self._start(design.p, coef_init, intercept_init, self._outputs())
        self.t_ = 1.0
        solutions, certificates = [], []
        for walker, (target, rows, score) in zip(self._walkers, self._parts(design, codes, s, factors)):
            problem = self._problem(design, target, rows)
            trace = self._empty_trace()
            solution = self._walk(problem, walker, max_iter=self.max_iter, rows=rows, score=score, trace=trace)
            solutions.append(solution)
            certificates.append(self._certificate(problem, solution, started))
            if not np.isfinite(certificates[-1].value):  # an infinity of X may have passed the descent unnoticed
                design.refuse_nan()
        if self.trace:
            self.trace_ = solutions[0].trace if len(solutions) == 1 else [solution.trace for solution in solutions]
        self._show([solution.iterations for solution in solutions], design.n, design.dtype)
        self._certify(certificates, [solution.details for solution in solutions])
        self._warn_of_divergence([solution.details for solution in solutions])
        return self

    def partial_fit(
        self, X: MatrixLike, y: ArrayLike, classes: ArrayLike | None = None, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Make one pass over a chunk of a stream; chunk after chunk equals one pass over all of them.

        Parameters
        ----------
        X : (n, p) array, sparse array or frame.  y : (n,) array of class labels.
        classes : array or None.  All classes that the stream can bring; needed at the first call.
        sample_weight : (n,) array or None.  Factors of the step of each example.
        """
        self._check_stream()
        design, codes, s, factors = self._enter_chunk(X, y, classes, sample_weight)
        ends = []
        for c, walker in enumerate(self._walkers):
            target = self._target(codes, s, factors, c)
            if target.total > 0.0:  # a chunk of a class that weighs nothing teaches nothing
                ends.append(self._walk(self._problem(design, target), walker, max_iter=1, judged=False).details)
        self._show([1], design.n, design.dtype)
        self._warn_of_divergence(ends)
        self.certificate_ = passed_stream("gradient")
        return self

    def _enter_chunk(self, X, y, classes, sample_weight):
        """Check a chunk of a stream; its first brings the walkers."""
        first = "_walkers" not in vars(self)
        if first and classes is None:
            raise cannot(
                f"begin a stream with {type(self).__name__} and classes=None",
                because="a chunk need not show all classes that will come",
                instead="partial_fit(X, y, classes=all_labels) at the first call",
            )
        if isinstance(self.class_weight, str):
            raise cannot(
                f"fit a stream with class_weight={self.class_weight!r}",
                because="a chunk does not tell how frequent the classes are",
                instead="class_weight={label: weight, ...} or None",
            )
        design, codes, s = validate_classes(self, X, y, sample_weight, classes=classes, reset=first)
        if first:
            self._walkers, self.t_ = self._start(design.p, k=self._outputs()), 1.0
        return design, codes, s, self._factors(codes, s)

    def _restate(self, X, y, sample_weight):
        """The problem of each class against the rest, on data that are handed in again."""
        design, codes, s = validate_classes(self, X, y, sample_weight, reset=False)
        factors = self._factors(codes, s)
        targets = (self._target(codes, s, factors, c) for c in range(self._outputs()))
        return [self._problem(design, target) for target in targets]

    def _factors(self, codes, s):
        """The weight of each class."""
        return class_factors(self.class_weight, self.classes_, np.bincount(codes, s, len(self.classes_)))

    def _outputs(self):
        return 1 if len(self.classes_) == 2 else len(self.classes_)

    def _parts(self, design, codes, s, factors):
        """For each output the target, the rows to learn from and the score of the held-out ones (None for no such)."""
        rows, held, weights = None, None, _ones(s, design.n)
        if self.early_stopping:
            rows, held = self._split(StratifiedShuffleSplit, codes, weights)
            others = design.take(held)
        for c in range(self._outputs()):
            target = self._target(codes, s, factors, c, held)
            score = None if held is None else _accuracy(others, target.y[held], weights[held])
            yield target, rows, score

    def _target(self, codes, s, factors, c, held=None):
        """Class c (of two classes: the second) against the rest, in the coding of the loss; rows held out weigh 0.

        As in scikit-learn, the weight of a class multiplies its own rows where it stands against the rest.
        """
        binary = len(factors) == 2
        own = codes == (1 if binary else c)
        y = np.where(own, 1.0, 0.0 if self.loss == "log_loss" else -1.0)
        if (factors != 1.0).any():
            each = np.where(own, factors[1 if binary else c], factors[0] if binary else 1.0)
            s = checked_product(_ones(s, len(codes)) * each)
        if held is not None:
            s = _ones(s, len(codes)).copy()
            s[held] = 0.0
        return Target(y, s)

    def _show(self, epochs, n, dtype):
        self.n_iter_ = max(epochs)
        self.t_ += self.n_iter_ * n
        shown = [walker.published(int(self.average)) for walker in self._walkers]
        self._publish(np.stack([beta for beta, _ in shown], axis=1), np.array([b for _, b in shown]), dtype)


def _ones(s, n):
    return np.ones(n) if s is None else s


def _accuracy(others, y, s):
    """The share of held-out rows on the right side, as a function of beta and intercept."""

    def score(beta, intercept):
        return float(s @ ((others.matvec(beta) + intercept >= 0.0) == (y > 0.0)) / s.sum())

    return score
