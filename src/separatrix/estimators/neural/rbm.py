"""A restricted Boltzmann machine of binary units: two layers, and no edge within a layer."""

import warnings
from typing import Any, Self

import numpy as np
from numpy.random import RandomState
from numpy.typing import ArrayLike
from scipy.special import expit
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from separatrix.core.declaration import declares
from separatrix.core.errors import cannot
from separatrix.core.threads import one_blas_thread
from separatrix.core.types import Array, MatrixLike
from separatrix.designs import as_dense
from separatrix.estimators.saving import Estimator
from separatrix.estimators.validation import check_choice, check_number, validate_first_rows, validate_rows
from separatrix.prediction import forms
from separatrix.solvers.annealed_importance import of_restricted
from separatrix.solvers.binary_states import LogPartition, log_partition_of_layers, sum_exactly
from separatrix.solvers.contrastive_divergence import ContrastiveDivergence, Machine, Rule


class NotBinary(UserWarning):
    """Rows for binary units with numbers outside of [0, 1]."""

    def __init__(self, low: float, high: float) -> None:
        self.low, self.high = low, high
        super().__init__(
            f"X holds numbers from {low:g} to {high:g}: the units are binary, and rows are probabilities in [0, 1]. "
            "Scale the columns (MinMaxScaler), or cut them at a threshold (Binarizer)."
        )


@declares(
    task="transformation",
    solvers=("solvers.contrastive_divergence",),
    prediction=forms.HIDDEN_UNITS,
    verification="its weights followed sampled gradients: there is no equation that they would have to fulfil",
)
class BernoulliRBM(ClassNamePrefixFeaturesOutMixin, TransformerMixin, Estimator):
    r"""Restricted Boltzmann machine: visible units v and hidden units h, all binary.

    .. math:: P(v, h) = e^{b'v + c'h + h'Wv} / Z, \qquad P(h_k = 1 \mid v) = \sigma(c_k + w_k'v), \quad
              P(v_j = 1 \mid h) = \sigma(b_j + \sum_k h_k W_{kj})

    Hidden units are independent given the visible ones, and the other way round. The free energy of v is
    :math:`F(v) = -b'v - \sum_k \log(1 + e^{c_k + w_k'v})`, and :math:`P(v) = e^{-F(v)}/Z`.

    Parameters
    ----------
    n_components : int >= 1, default 256.  Hidden units.
    learning_rate : float, (0, inf), default 0.1.
    batch_size : int >= 1, default 10.  Rows of a step, at most all of them; and the number of persistent chains.
    n_iter : int >= 0, default 10.  Passes over the rows, in their order.
    verbose : int, default 0.  Accepted for compatibility; nothing is printed.
    random_state : int, RandomState or None, default None.  Of the first weights, N(0, 0.01²), and of all draws.
    method : {"persistent", "contrastive"}, default "persistent".  Chains that go on from step to step (Tieleman), as in
        scikit-learn, or that start at the rows of each batch (Hinton).
    gibbs_steps : int >= 1, default 1.  Steps of the chains for each batch, the k of CD-k.
    momentum : float, [0, 1), default 0.0.  Share of the last step that is added to the next one of a
        fit; each `partial_fit` begins at rest.

    Attributes
    ----------
    components_ : (n_components, p) array.  W.
    intercept_hidden_ : (n_components,) array.  c.  intercept_visible_ : (p,) array.  b.
    h_samples_ : (batch_size, n_components) array.  Hidden states of the persistent chains.
    n_features_in_, feature_names_in_ : as in scikit-learn.

    One seed gives one answer, whatever the number of threads. A step is that of the mean over the rows of a batch and
    of the mean over the chains, also where the last batch is short.

    References: Hinton (2002), Neural Computation 14(8); Tieleman (2008), ICML.
    Theory: docs/theory/boltzmann_machines.md.

    >>> import numpy as np
    >>> X = np.tile([[1.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 1.0]], (50, 1))
    >>> rbm = BernoulliRBM(1, learning_rate=0.5, n_iter=200, random_state=0).fit(X)
    >>> first, second = rbm.transform(X[:2]).ravel().round()
    >>> bool(first != second)  # one hidden unit tells the two patterns apart
    True
    """

    components_: Array
    intercept_hidden_: Array
    intercept_visible_: Array
    h_samples_: Array

    def __init__(
        self,
        n_components: int = 256,
        *,
        learning_rate: float = 0.1,
        batch_size: int = 10,
        n_iter: int = 10,
        verbose: int = 0,
        random_state: int | RandomState | None = None,
        method: str = "persistent",
        gibbs_steps: int = 1,
        momentum: float = 0.0,
    ) -> None:
        self.n_components = n_components
        self.learning_rate = learning_rate
        self.batch_size = batch_size
        self.n_iter = n_iter
        self.verbose = verbose
        self.random_state = random_state
        self.method = method
        self.gibbs_steps = gibbs_steps
        self.momentum = momentum

    def fit(self, X: MatrixLike, y: ArrayLike | None = None) -> Self:
        """Fit to the rows of X (n, p), numbers of [0, 1], from random weights; y takes no part."""
        rows = validate_first_rows(self, X, sparse=True)
        random = check_random_state(self.random_state)
        machine, chains = self._first(rows, random)
        n, size = rows.shape[0], len(chains)
        batches = [slice(a, min(a + size, n)) for a in range(0, n, size)]
        return self._learn(rows, machine, chains, random, batches, check_number(self, "n_iter", 0, integer=True))

    def partial_fit(self, X: MatrixLike, y: ArrayLike | None = None) -> Self:
        """One step by the rows of X as one batch; the first call draws the weights."""
        first = "components_" not in vars(self)
        rows = validate_first_rows(self, X, sparse=True) if first else validate_rows(self, X)
        if "random_state_" not in vars(self):
            self.random_state_ = check_random_state(self.random_state)
        if first:
            machine, chains = self._first(rows, self.random_state_)
        else:
            weights = np.array(self.components_, order="F")
            machine = Machine(weights, self.intercept_visible_.copy(), self.intercept_hidden_.copy())
            chains = self.h_samples_.copy()
        return self._learn(rows, machine, chains, self.random_state_, [slice(0, rows.shape[0])], 1)

    def transform(self, X: MatrixLike) -> Array:
        """``P(h = 1 | v)`` for each row v of X and each hidden unit: (n, n_components)."""
        check_is_fitted(self)
        return forms.HIDDEN_UNITS.methods["transform"](vars(self), validate_rows(self, X))

    def gibbs(self, v: ArrayLike) -> Array:
        """One Gibbs step from visible states v (n, p): hidden units are drawn given v, then visible ones given them.

        Draws go on from call to call, and are those of scikit-learn for the same weights and seed.
        """
        check_is_fitted(self)
        if "random_state_" not in vars(self):
            self.random_state_ = check_random_state(self.random_state)
        random = self.random_state_
        p = self.transform(v)
        h = random.uniform(size=p.shape) < p
        q = expit(h @ self.components_ + self.intercept_visible_)
        return random.uniform(size=q.shape) < q

    def free_energy(self, X: MatrixLike) -> Array:
        """``F(v) = -log Σ_h e^(b'v + c'h + h'Wv)`` of each row: ``-log P(v) - log Z``."""
        check_is_fitted(self)
        rows = validate_rows(self, X)
        scores = as_dense(rows @ self.components_.T) + self.intercept_hidden_
        return -(rows @ self.intercept_visible_) - np.logaddexp(0.0, scores).sum(axis=1)

    def log_partition(
        self,
        *,
        method: str = "auto",
        n_chains: int = 100,
        n_temperatures: int = 1000,
        random_state: int | RandomState | None = 0,
    ) -> LogPartition:
        """``log Z`` and its standard error.

        Parameters
        ----------
        method : {"auto", "exact", "annealed"}, default "auto".  Sum over the states of the smaller layer, of up to
            20 units, with the standard error 0; or annealed importance sampling; or the first that can be had.
        n_chains, n_temperatures : int >= 1.  Of annealed importance sampling.
        random_state : int, RandomState or None, default 0.
        """
        check_is_fitted(self)
        parameters = (self.components_, self.intercept_visible_, self.intercept_hidden_)
        W, b, c = (part.astype(np.float64) for part in parameters)
        if sum_exactly(min(W.shape), method, "sum the states of the smaller layer of BernoulliRBM"):
            return LogPartition(log_partition_of_layers(W, b, c), 0.0)
        random = check_random_state(random_state)
        return of_restricted(W, b, c, chains=n_chains, temperatures=n_temperatures, random=random)

    def log_likelihood(self, X: MatrixLike, log_partition: float | None = None) -> Array:
        """``log P(v) = -F(v) - log Z`` of each row; None: by :meth:`log_partition`."""
        free = self.free_energy(X)
        return -free - (self.log_partition().value if log_partition is None else log_partition)

    def score_samples(self, X: MatrixLike) -> Array:
        """An estimate of the log-pseudo-likelihood of each row, by the conditional of one column drawn at random.

        ``p log P(v_j | the rest)``; the columns are those of scikit-learn for the same seed.
        """
        check_is_fitted(self)
        rows = as_dense(validate_rows(self, X))
        n, p = rows.shape
        one = np.arange(n), check_random_state(self.random_state).randint(0, p, n)
        flipped = rows.copy()
        flipped[one] = 1 - flipped[one]
        return -p * np.logaddexp(0.0, self.free_energy(rows) - self.free_energy(flipped))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    @property
    def _n_features_out(self) -> int:
        return int(self.components_.shape[0])

    def _first(self, rows, random):
        """The parameters and chains that a fit begins with."""
        k, p = check_number(self, "n_components", 1, integer=True), rows.shape[1]
        size = check_number(self, "batch_size", 1, integer=True)
        weights = np.asarray(random.normal(0, 0.01, (k, p)), dtype=rows.dtype, order="F")
        machine = Machine(weights, np.zeros(p, dtype=rows.dtype), np.zeros(k, dtype=rows.dtype))
        return machine, np.zeros((size, k), dtype=rows.dtype)

    def _learn(self, rows, machine, chains, random, batches, passes):
        """Passes over the batches; what is published is finite."""
        rule = Rule(
            check_number(self, "learning_rate", 0.0, open_low=True),
            check_number(self, "gibbs_steps", 1, integer=True),
            check_choice(self, "method", ("persistent", "contrastive")) == "persistent",
            check_number(self, "momentum", 0.0, 1.0, open_high=True),
        )
        if rows.shape[0] and (rows.min() < 0.0 or rows.max() > 1.0):
            warnings.warn(NotBinary(float(rows.min()), float(rows.max())), stacklevel=3)
        descent = ContrastiveDivergence(machine, chains, rule, int(random.randint(1 << 32, dtype=np.uint64)))
        for number in range(passes):
            with one_blas_thread(), np.errstate(all="ignore"):  # an overflow is looked for after the pass
                for batch in batches:
                    descent.step(np.ascontiguousarray(as_dense(rows[batch]), dtype=chains.dtype))
            if not all(np.isfinite(part).all() for part in machine):
                raise cannot(
                    f"fit BernoulliRBM with learning_rate={self.learning_rate!r}",
                    because=f"its weights overflowed in pass {number + 1} of {passes}",
                    instead="a smaller learning_rate, and columns in [0, 1]",
                )
        self.components_, self.intercept_visible_, self.intercept_hidden_ = machine
        self.h_samples_ = chains
        return self
