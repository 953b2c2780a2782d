"""The Ising model: binary nodes that act on each other in pairs, with or without a given graph."""

import time
from collections.abc import Iterable
from typing import Any, Self

import numpy as np
from numpy.random import RandomState
from numpy.typing import ArrayLike
from scipy.special import expit
from sklearn.utils.validation import check_is_fitted

from separatrix.core.certificate import exponential_family_gap, warn_if_not_certified
from separatrix.core.declaration import declares
from separatrix.core.errors import cannot
from separatrix.core.problem import Problem
from separatrix.core.solution import Certificate
from separatrix.core.target import Target
from separatrix.core.threads import parallel_map
from separatrix.core.types import Array, MatrixLike
from separatrix.designs import as_design
from separatrix.estimators import verification
from separatrix.estimators.graphical.binary_nodes import PairwiseModel, binary_rows, edge_list, smoothed_rows
from separatrix.estimators.graphical.described import couplings_described
from separatrix.estimators.published import certify_parts
from separatrix.estimators.validation import check_choice, check_number
from separatrix.losses import Logistic
from separatrix.penalties import L1, L2, NoPenalty
from separatrix.solvers.binary_states import MOST_NODES, log_sum, log_weights, refuse_many
from separatrix.solvers.ising_likelihood import IsingLikelihood, newton
from separatrix.solvers.proximal_newton import proximal_newton
from separatrix.solvers.quasi_newton import quasi_newton

MOST_FITTED = 12  # nodes for which "auto" takes the likelihood: an iteration of 16 takes half a second


@declares(
    task="transformation",
    losses=("losses:Logistic",),
    penalties=("penalties:NoPenalty", "penalties:L1", "penalties:L2"),
    solvers=("solvers.ising_likelihood", "solvers.quasi_newton", "solvers.proximal_newton"),
    verification=verification.OF_ISING,
    description=couplings_described,
)
class IsingModel(PairwiseModel):
    r"""Ising model, or Boltzmann machine whose nodes are all visible.

    .. math:: P(x) = \exp\Bigl[\sum_j \theta_{j0} x_j + \sum_{(j,k) \in E} \theta_{jk} x_j x_k - \Phi(\theta)\Bigr],
              \quad x \in \{0, 1\}^p, \qquad
              P(x_j = 1 \mid x_{-j}) = \sigma\bigl(\theta_{j0} + \sum_k \theta_{jk} x_k\bigr)

    The intercepts are the edges to a node :math:`X_0 = 1`.

    Parameters
    ----------
    edges : list of pairs of columns, or None, default None.  The graph; None: all pairs.
    method : {"auto", "likelihood", "pseudolikelihood"}, default "auto".  The likelihood, whose :math:`\Phi` is a sum
        over all :math:`2^p` states, for 20 columns at most; or a logistic regression of each node on its neighbours,
        whose two coefficients for an edge are averaged. "auto" takes the likelihood up to 12 columns under "l2".
    penalty : {"l2", "l1"}, default "l2".  On the edges, never on the intercepts. "l1" chooses the graph:
        neighbourhood selection, by pseudo-likelihood only.
    alpha : float, [0, inf), default 0.01.  Its strength: of the likelihood :math:`\frac\alpha2 \sum \theta_{jk}^2`
        against the mean over rows; of a node's regression :math:`\frac\alpha2 \sum_k \theta_{jk}^2` or
        :math:`\alpha \sum_k |\theta_{jk}|`. Without any, a maximum may not exist.
    rule : {"and", "or"}, default "and".  Under "l1" an edge is kept where both of its regressions choose it, or one.
    binarize : float or None, default None.  A node is 1 where its column is greater; None: columns are 0 and 1.
    tol : float, (0, inf), default 1e-8.  Relative gap to be certified.
    max_iter : int >= 1, default 100.

    Attributes
    ----------
    intercept_ : (p,) array.  :math:`\theta_{j0}`.  coupling_ : (p, p) array.  :math:`\theta_{jk}`, symmetric.
    edges_ : (m, 2) array.  The pairs of columns whose coupling is not 0.
    node_coef_ : (p, p) array.  Row j: of the regression of node j; of the likelihood it is `coupling_`.
    log_partition_ : float or None.  :math:`\Phi`; None for more than 20 columns.
    certificate_ : Certificate.  Of the likelihood, or the worst of the regressions.
    n_features_in_, feature_names_in_ : as in scikit-learn.

    References: Besag (1974), JRSS B 36(2); Ravikumar, Wainwright and Lafferty (2010), Ann. Statist. 38(3).
    Theory: docs/theory/ising.md.

    >>> import numpy as np
    >>> X = np.repeat([[0, 0], [1, 1], [0, 1], [1, 0]], [3, 3, 1, 1], axis=0)
    >>> model = IsingModel(alpha=0.0).fit(X)
    >>> model.coupling_[0, 1].round(6), np.log(9).round(6)  # the logarithm of the odds ratio
    (np.float64(2.197225), np.float64(2.197225))
    """

    edges_: Array
    node_coef_: Array
    log_partition_: float | None
    certificate_: Certificate

    def __init__(
        self,
        edges: Iterable[tuple[int, int]] | None = None,
        *,
        method: str = "auto",
        penalty: str = "l2",
        alpha: float = 0.01,
        rule: str = "and",
        binarize: float | None = None,
        tol: float = 1e-8,
        max_iter: int = 100,
    ) -> None:
        self.edges = edges
        self.method = method
        self.penalty = penalty
        self.alpha = alpha
        self.rule = rule
        self.binarize = binarize
        self.tol = tol
        self.max_iter = max_iter

    def fit(self, X: MatrixLike, y: ArrayLike | None = None, sample_weight: ArrayLike | None = None) -> Self:
        """Fit to rows X (n, p) of zeros and ones; y takes no part, a weight is a number of repetitions."""
        started = time.perf_counter()
        rows, s = smoothed_rows(self, X, sample_weight, reset=True)
        tol = check_number(self, "tol", 0.0, open_low=True)
        steps = check_number(self, "max_iter", 1, integer=True)
        if self._is_exact(rows.shape[1]):
            problem = self._likelihood(rows, s)
            theta, iterations = newton(problem, tol=tol, max_iter=steps)
            intercept, C = problem.split(theta)
            node_coef = C
            certificate = exponential_family_gap(problem.gap(theta), tol, iterations, started)
        else:
            problems = self._regressions(rows, s)
            numbers = rows.size * rows.shape[1]
            solve = proximal_newton if self.penalty == "l1" else quasi_newton
            solutions = parallel_map(lambda one: solve(one, tol=tol, max_iter=steps), problems, numbers=numbers)
            certificate = certify_parts(problems, solutions, tol, started)
            intercept = np.array([float(fit.intercept) for fit in solutions])
            node_coef = np.zeros((rows.shape[1],) * 2)
            for j, (columns, fit) in enumerate(zip(self._neighbours(rows.shape[1]), solutions)):
                node_coef[j, columns] = fit.beta[: len(columns)]
            C = self._together(node_coef)
        warn_if_not_certified(certificate, "Raise max_iter, or alpha: without one a maximum may not exist.", 2)
        self.intercept_, self.coupling_, self.node_coef_, self.certificate_ = intercept, C, node_coef, certificate
        self.edges_ = np.argwhere(np.triu(C) != 0.0)
        self.log_partition_ = log_sum(log_weights(intercept, C)) if len(C) <= MOST_NODES else None
        return self

    def score_samples(self, X: MatrixLike) -> Array:
        """``log P(x)`` of each row, for 20 columns at most."""
        check_is_fitted(self)
        rows = binary_rows(self, X, reset=False)
        refuse_many(
            rows.shape[1],
            "sum the states of IsingModel",
            "pseudo_log_likelihood(X), or log_partition(), an estimate by annealed importance sampling",
        )
        return rows @ self.intercept_ + 0.5 * ((rows @ self.coupling_) * rows).sum(axis=1) - self.log_partition_

    def score(self, X: MatrixLike, y: ArrayLike | None = None) -> float:
        """The mean of :meth:`score_samples`; of :meth:`pseudo_log_likelihood` where there are too many states."""
        check_is_fitted(self)
        log_likelihood = self.pseudo_log_likelihood if self.log_partition_ is None else self.score_samples
        return float(log_likelihood(X).mean())

    def conditional_probabilities(self, X: MatrixLike) -> Array:
        """``P(x_j = 1 | all other nodes)`` of each row and node, (n, p)."""
        check_is_fitted(self)
        return expit(self._scores(binary_rows(self, X, reset=False)))

    def pseudo_log_likelihood(self, X: MatrixLike) -> Array:
        """``Σ_j log P(x_j | all other nodes)`` of each row."""
        check_is_fitted(self)
        rows = binary_rows(self, X, reset=False)
        return -np.logaddexp(0.0, (1.0 - 2.0 * rows) * self._scores(rows)).sum(axis=1)

    def sample(
        self,
        n_samples: int = 1,
        *,
        method: str = "auto",
        n_sweeps: int = 1000,
        random_state: int | RandomState | None = None,
    ) -> Array:
        """Rows drawn from the model: (n_samples, p).

        Parameters
        ----------
        n_samples : int >= 1, default 1.
        method : {"auto", "exact", "gibbs"}, default "auto".  From the table of all states, for 20 columns at most; from
            a chain for each row, whose nodes are drawn given the others `n_sweeps` times over; or the first that can be
            had.
        n_sweeps : int >= 1, default 1000.
        random_state : int, RandomState or None, default None.
        """
        check_is_fitted(self)
        return self._draw(n_samples, method, n_sweeps, random_state)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def _scores(self, rows):
        return self.intercept_ + rows @ self.coupling_

    def _is_exact(self, p):
        """Whether the likelihood is fitted, and not the regressions."""
        method = check_choice(self, "method", ("auto", "likelihood", "pseudolikelihood"))
        l1 = check_choice(self, "penalty", ("l2", "l1")) == "l1"
        check_choice(self, "rule", ("and", "or"))
        if method == "likelihood":
            if l1:
                raise cannot(
                    "fit IsingModel with method='likelihood' and penalty='l1'",
                    because="graphs are chosen by the regressions of the nodes",
                    instead="method='pseudolikelihood', or penalty='l2'",
                )
            refuse_many(p, "fit IsingModel with method='likelihood'", "method='pseudolikelihood'")
        return method == "likelihood" or (method == "auto" and not l1 and p <= MOST_FITTED)

    def _likelihood(self, rows, s):
        """The likelihood on rows with weights s."""
        p = rows.shape[1]
        alpha = check_number(self, "alpha", 0.0)
        problem = IsingLikelihood(edge_list(self, self.edges, p), np.zeros(p), alpha)
        return problem._replace(means=s @ problem.statistics(rows) / s.sum())

    def _neighbours(self, p):
        """For each node the nodes that it has an edge to in the given graph."""
        edges = edge_list(self, self.edges, p)
        both = np.vstack([edges, edges[:, ::-1]])
        return [np.sort(both[both[:, 0] == j, 1]) for j in range(p)]

    def _regressions(self, rows, s):
        """The problem of each node: ``mean log(1 + e^{-(2 x_j - 1) eta}) + penalty`` on its neighbours."""
        alpha = check_number(self, "alpha", 0.0)
        penalty = NoPenalty() if alpha == 0.0 else L1(alpha) if self.penalty == "l1" else L2(alpha)
        weights = None if (s == s[0]).all() else s
        problems = []
        for j, columns in enumerate(self._neighbours(rows.shape[1])):
            # a node without neighbours is regressed on a column of zeros
            block = rows[:, columns] if len(columns) else np.zeros((len(rows), 1))
            problems.append(Problem(as_design(block), Target(rows[:, j], weights), Logistic(), penalty, True))
        return problems

    def _together(self, B):
        """Couplings from two coefficients for each edge: their mean, where the rule keeps the edge."""
        if self.penalty == "l1":
            chosen = B != 0.0
            chosen = chosen & chosen.T if self.rule == "and" else chosen | chosen.T
            return np.where(chosen, 0.5 * (B + B.T), 0.0)
        return 0.5 * (B + B.T)
