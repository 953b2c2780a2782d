"""Boltzmann machines: visible and hidden binary nodes with any graph, fitted by sums over all states."""

import time
from collections.abc import Iterable
from typing import Any, Self

import numpy as np
from numpy.random import RandomState
from numpy.typing import ArrayLike
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from separatrix.core.certificate import fixed_point, warn_if_not_certified
from separatrix.core.declaration import declares
from separatrix.core.solution import Certificate
from separatrix.core.types import Array, MatrixLike
from separatrix.estimators import verification
from separatrix.estimators.graphical.binary_nodes import PairwiseModel, binary_rows, edge_list, smoothed_rows
from separatrix.estimators.validation import check_number
from separatrix.solvers.binary_states import log_sum, log_weights, refuse_many, state_numbers, states
from separatrix.solvers.boltzmann_ascent import BoltzmannLikelihood, climb

SPREAD = 0.5  # standard deviation of the first couplings of hidden nodes


@declares(
    task="transformation",
    solvers=("solvers.boltzmann_ascent",),
    verification=verification.OF_BOLTZMANN,
)
class BoltzmannMachine(ClassNamePrefixFeaturesOutMixin, TransformerMixin, PairwiseModel):
    r"""Boltzmann machine: p visible nodes, the columns of X, and hidden ones that no row shows.

    .. math:: P(v) = \sum_h \exp\Bigl[\sum_j \theta_{j0} x_j + \sum_{(j,k) \in E} \theta_{jk} x_j x_k -
              \Phi(\theta)\Bigr], \qquad x = (v, h) \in \{0, 1\}^{p + q}

    Sums are over all states, of 20 nodes at most; for more, :class:`BernoulliRBM` has no edges within a layer, and is
    fitted by sampling. The likelihood has several maxima: the best of some starts is published, where its gradient is
    small. That is called stationary, not certified.

    Parameters
    ----------
    n_hidden : int >= 0, default 1.  q.
    edges : list of pairs of nodes, or None, default None.  The graph: nodes 0 to p - 1 are the columns, p to p + q - 1
        the hidden nodes; None: all pairs.
    alpha : float, [0, inf), default 0.01.  :math:`\frac\alpha2 \sum_E \theta_{jk}^2` is taken from the mean
        log-likelihood of a row. Without any, a maximum may not exist.
    n_init : int >= 1, default 3.  Starts, from independent visible nodes and random couplings of hidden ones.
    binarize : float or None, default None.  A node is 1 where its column is greater; None: columns are 0 and 1.
    tol : float, (0, inf), default 1e-5.  Largest entry of the gradient, in nats for a move of a parameter by 1.
    max_iter : int >= 1, default 1000.  Iterations of each start.
    random_state : int, RandomState or None, default None.  Of the starts.

    Attributes
    ----------
    intercept_ : (p + q,) array.  :math:`\theta_{j0}`.  coupling_ : (p + q, p + q) array.  :math:`\theta_{jk}`.
    log_likelihood_ : float.  Mean log-likelihood of a row, without the penalty.
    log_partition_ : float.  :math:`\Phi`.
    certificate_ : Certificate.  The gradient.  n_iter_ : int.  Iterations of all starts.
    n_features_in_, feature_names_in_ : as in scikit-learn.

    References: Ackley, Hinton and Sejnowski (1985), Cognitive Science 9(1).
    Theory: docs/theory/boltzmann_machines.md.

    >>> import numpy as np
    >>> X = np.array([[0, 0, 0], [0, 1, 1], [1, 0, 1], [1, 1, 0]])  # x_3 is 1 where x_1 and x_2 differ
    >>> pairs = BoltzmannMachine(0, alpha=0.0, random_state=0).fit(X)  # in pairs the nodes are independent: log 1/8
    >>> hidden = BoltzmannMachine(1, alpha=1e-4, random_state=0).fit(X)  # log 1/4 = -1.39 is the best
    >>> round(pairs.log_likelihood_, 2), round(hidden.log_likelihood_, 2)
    (-2.08, -1.41)
    """

    log_likelihood_: float
    log_partition_: float
    certificate_: Certificate
    n_iter_: int

    def __init__(
        self,
        n_hidden: int = 1,
        *,
        edges: Iterable[tuple[int, int]] | None = None,
        alpha: float = 0.01,
        n_init: int = 3,
        binarize: float | None = None,
        tol: float = 1e-5,
        max_iter: int = 1000,
        random_state: int | RandomState | None = None,
    ) -> None:
        self.n_hidden = n_hidden
        self.edges = edges
        self.alpha = alpha
        self.n_init = n_init
        self.binarize = binarize
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state

    def fit(self, X: MatrixLike, y: ArrayLike | None = None, sample_weight: ArrayLike | None = None) -> Self:
        """Fit to rows X (n, p) of zeros and ones; y takes no part, a weight is a number of repetitions."""
        started = time.perf_counter()
        rows, s = smoothed_rows(self, X, sample_weight, reset=True)
        means = s @ rows / s.sum()
        problem = self._problem(rows, s)
        tol = check_number(self, "tol", 0.0, open_low=True)
        steps = check_number(self, "max_iter", 1, integer=True)
        starts = check_number(self, "n_init", 1, integer=True)
        random, p = check_random_state(self.random_state), len(means)
        best, best_value, iterations = np.zeros(0), -np.inf, 0
        for _ in range(starts):
            a = np.concatenate([np.log(means) - np.log1p(-means), np.zeros(problem.d - p)])
            C = random.normal(0.0, SPREAD, problem.mask.shape)
            C[:p, :p] = 0.0
            theta, taken = climb(problem, problem.join(a, C), tol=0.5 * tol, max_iter=steps)
            value = problem.value_and_gradient(theta)[0]
            iterations += taken
            if value > best_value:
                best, best_value = theta, value
        certificate = fixed_point(problem.stationarity(best), tol, iterations=iterations, started=started)
        warn_if_not_certified(certificate, "Raise max_iter, or alpha: without one a maximum may not exist.", 2)
        self.intercept_, self.coupling_ = (part.copy() for part in problem.split(best))
        self.log_likelihood_ = best_value + self._penalty(self.coupling_)
        self.log_partition_ = log_sum(log_weights(self.intercept_, self.coupling_))
        self.certificate_, self.n_iter_ = certificate, iterations
        return self

    def transform(self, X: MatrixLike) -> Array:
        """``P(h_k = 1 | v)`` of each row and hidden node, (n, q)."""
        table, numbers = self._table(X)
        table = table[:, numbers]
        given = np.exp(table - table.max(axis=0))
        given /= given.sum(axis=0)
        return given.T @ states(self.n_hidden)

    def score_samples(self, X: MatrixLike) -> Array:
        """``log P(v)`` of each row."""
        table, numbers = self._table(X)
        return np.logaddexp.reduce(table, axis=0)[numbers] - self.log_partition_

    def score(self, X: MatrixLike, y: ArrayLike | None = None) -> float:
        """The mean of :meth:`score_samples`."""
        return float(self.score_samples(X).mean())

    def sample(
        self,
        n_samples: int = 1,
        *,
        method: str = "auto",
        n_sweeps: int = 1000,
        random_state: int | RandomState | None = None,
    ) -> Array:
        """Visible nodes drawn from the model, (n_samples, p): from the table of all states, or with "gibbs" by chains.

        Parameters are those of :meth:`IsingModel.sample`.
        """
        check_is_fitted(self)
        return self._draw(n_samples, method, n_sweeps, random_state)[:, : self.n_features_in_]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    @property
    def _n_features_out(self) -> int:
        return len(self.intercept_) - int(self.n_features_in_)

    def _problem(self, rows, s):
        """The likelihood on rows with weights s."""
        p = rows.shape[1]
        d = p + check_number(self, "n_hidden", 0, integer=True)
        refuse_many(
            d, "fit BoltzmannMachine", "BernoulliRBM, or without hidden nodes IsingModel(method='pseudolikelihood')"
        )
        mask = np.zeros((d, d), dtype=bool)
        first, second = edge_list(self, self.edges, d).T
        mask[first, second] = mask[second, first] = True
        shares = np.bincount(state_numbers(rows), weights=s, minlength=1 << p) / s.sum()
        for j in np.flatnonzero(rows[0] % 1.0):  # a constant column is the chance of a 1, and was counted as 0
            other = np.arange(1 << p) ^ (1 << j)
            shares = (1.0 - rows[0, j]) * shares + rows[0, j] * shares[other]
        return BoltzmannLikelihood(shares, mask, check_number(self, "alpha", 0.0))

    def _penalty(self, C):
        return 0.25 * self.alpha * float(np.square(C).sum())  # each edge is in C twice

    def _table(self, X):
        """Logarithms of the weights of all states, (2^q, 2^p), and the number of the visible state of each row."""
        check_is_fitted(self)
        refuse_many(len(self.intercept_), "sum the states of BoltzmannMachine", "a machine that was fitted")
        numbers = state_numbers(binary_rows(self, X, reset=False))
        logs = log_weights(self.intercept_, self.coupling_)
        return logs.reshape(-1, 1 << self.n_features_in_), numbers
