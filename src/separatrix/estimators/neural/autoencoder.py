r"""Autoencoders: networks that give back what they are given, through a narrow layer."""

from collections.abc import Sequence
from typing import Self

import numpy as np
from numpy.random import RandomState
from numpy.typing import ArrayLike
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from separatrix.core.declaration import SmallFit, declares
from separatrix.core.errors import cannot
from separatrix.core.types import Array, MatrixLike
from separatrix.designs import as_dense, as_design
from separatrix.estimators import verification
from separatrix.estimators.neural.described import described
from separatrix.estimators.neural.multilayer import SOLVERS, Multilayer, takes_chunks
from separatrix.estimators.validation import (
    check_choice,
    check_number,
    validate_coordinates,
    validate_first_rows,
    validate_rows,
    validate_weights,
)
from separatrix.losses import Logistic, Squared
from separatrix.penalties import L2
from separatrix.prediction import forms, networks
from separatrix.prediction.links import inverse_link, mean_slope

LOSSES = {"squared_error": (Squared, "identity"), "cross_entropy": (Logistic, "logistic")}


@declares(
    task="transformation",
    losses=(Squared, Logistic),
    penalties=(L2,),
    solvers=SOLVERS,
    prediction=forms.NETWORK_CODES,
    verification=verification.OF_NETWORK,
    description=described,
    small_fits=tuple(
        SmallFit({"loss": loss, "max_iter": 2}, storages=("float64", "float32"), called=loss)
        for loss in ("squared_error",)
    ),
)
class Autoencoder(ClassNamePrefixFeaturesOutMixin, TransformerMixin, Multilayer):
    r"""An encoder to a few coordinates and a decoder back, trained to give back each row.

    .. math:: h = f(x), \quad \hat x = g(h), \qquad \min \ \tfrac12 \|x - \hat x\|^2 \quad\text{or, for binary columns,}
              \quad -\sum_j x_j \log \hat x_j + (1 - x_j) \log (1 - \hat x_j)

    With linear units and no penalty the codes span what the first principal components span; that is PCA, done slowly.
    With as many units in the middle as there are columns, it may learn to copy.

    Parameters
    ----------
    n_components : int, [1, inf), default 2.  Units in the middle: coordinates of the code.
    hidden_layer_sizes : int or sequence of int, [1, inf) each, default ().  Units of the layers before the middle; the
        decoder has the same in reverse.
    activation : {"tanh", "identity", "logistic", "relu", "leaky_relu"}, default "tanh".  Of all layers but the last.
    loss : {"squared_error", "cross_entropy"}, default "squared_error".  The second for columns within [0, 1].
    solver : {"adam", "sgd", "lbfgs"}, default "adam".  Steps by batches, in units of past gradients or with momentum;
        or on all rows at once, which is the one that ends at a small gradient.
    alpha : float, [0, inf), default 0.0001.  Penalty of the weights: ``alpha/2 |W|²`` beside the sum of the losses of a
        batch, or of all rows ("lbfgs").
    batch_size : int, [1, inf), or "auto", default "auto".  Rows of a batch; "auto": 200, and never more than there are.
    learning_rate : {"constant", "invscaling", "adaptive"}, default "constant".  Of "sgd": `learning_rate_init`; divided
        by ``t**power_t`` after t examples; or by 5 each time that the loss no longer falls.
    learning_rate_init : float, (0, inf), default 0.001.
    power_t : float, [0, inf), default 0.5.
    max_iter : int, [1, inf), default 200.  Epochs, or iterations of "lbfgs", at the most.
    shuffle : bool, default True.  Whether each epoch takes the rows in a new random order.
    random_state : int, RandomState or None, default None.  Seed of the weights, of the order and of what is held out.
    tol : float, [0, inf), default 1e-4.  An epoch that lowers the least loss by less is no improvement; of "lbfgs" the
        relative gradient to be reached.
    verbose : bool, default False.  Accepted for compatibility, no effect here; see ``trace_``.
    warm_start : bool, default False.  Whether `fit` starts from the weights of the last fit.
    momentum : float, [0, 1], default 0.9.  Of "sgd".
    nesterovs_momentum : bool, default True.  Whether "sgd" looks ahead.
    beta_1 : float, [0, 1), default 0.9.  What "adam" keeps of the mean of past gradients at each step.
    beta_2 : float, [0, 1), default 0.999.  The same of the mean of their squares.
    epsilon : float, (0, inf), default 1e-8.  Of "adam".
    n_iter_no_change : int, [1, inf], default 10.  More epochs without improvement than this in a row end the training.
    max_fun : int, [1, inf), default 15000.  Passes over the rows of "lbfgs" at the most.
    batch_norm : bool, default False.  Whether the sums of hidden units are normalised within each batch.
    weight_init : {"glorot", "he", "normal"}, default "glorot".  Uniform, by the number of inputs and units; normal with
        variance 2 / inputs; or N(0, 1).

    Attributes
    ----------
    coefs_ : list of (p_j, m_j) arrays.  Weights from each layer to the next.
    intercepts_ : list of (m_j,) arrays.
    batch_norms_ : list of (4, m_j) arrays, with `batch_norm`.  Scale, shift, mean and variance of each hidden unit.
    n_layers_, n_outputs_ : int.  Layers, input and output included, and outputs.
    out_activation_ : str.  What the output makes of its sum.   hidden_activation_ : str.
    loss_ : float.  The last objective: the mean of the batches of the last epoch, or that of all rows ("lbfgs").
    loss_curve_ : list of float.  The objective of each epoch or iteration.   best_loss_ : float or None.  Its least.
    trace_ : Trace.  The objective of each epoch, and the length of the gradient in the weights of each layer.
    n_iter_ : int.  Epochs or iterations.   t_ : float.  Examples met.
    certificate_ : Certificate.  The largest slope of the objective over all rows along any one parameter, relative to
        the objective of the best constant. "lbfgs" ends where it is at most `tol`: a stationary place, and no proof of
        a minimum, for the objective is not convex. Training by batches stops by its own rule, which proves nothing; of
        fewer than 10 epochs the gradient is not taken (``separatrix.verify`` takes it).
    n_features_in_, feature_names_in_ : as in scikit-learn.

    References: Bengio, Lamblin, Popovici and Larochelle (2007), NIPS 19. Bourlard and Kamp (1988), Biological
    Cybernetics 59, for the link to principal components.   Theory: docs/theory/neural_networks.md.

    >>> import numpy as np
    >>> X = np.outer(np.linspace(-1.0, 1.0, 21), [1.0, 2.0, -1.0])
    >>> model = Autoencoder(1, activation="identity", alpha=0.0, solver="lbfgs", random_state=0).fit(X)
    >>> model.transform(X).shape, bool(model.reconstruction_error(X) < 1e-4)
    ((21, 1), True)
    """

    # a code has no score to stop by
    early_stopping, validation_fraction = False, 0.1
    pretrain, pretrain_iter = None, 1

    def __init__(
        self,
        n_components: int = 2,
        *,
        hidden_layer_sizes: int | Sequence[int] = (),
        activation: str = "tanh",
        loss: str = "squared_error",
        solver: str = "adam",
        alpha: float = 0.0001,
        batch_size: int | str = "auto",
        learning_rate: str = "constant",
        learning_rate_init: float = 0.001,
        power_t: float = 0.5,
        max_iter: int = 200,
        shuffle: bool = True,
        random_state: int | RandomState | None = None,
        tol: float = 1e-4,
        verbose: bool = False,
        warm_start: bool = False,
        momentum: float = 0.9,
        nesterovs_momentum: bool = True,
        beta_1: float = 0.9,
        beta_2: float = 0.999,
        epsilon: float = 1e-8,
        n_iter_no_change: float = 10,
        max_fun: int = 15000,
        batch_norm: bool = False,
        weight_init: str = "glorot",
    ) -> None:
        self.n_components = n_components
        self.hidden_layer_sizes = hidden_layer_sizes
        self.activation = activation
        self.loss = loss
        self.solver = solver
        self.alpha = alpha
        self.batch_size = batch_size
        self.learning_rate = learning_rate
        self.learning_rate_init = learning_rate_init
        self.power_t = power_t
        self.max_iter = max_iter
        self.shuffle = shuffle
        self.random_state = random_state
        self.tol = tol
        self.verbose = verbose
        self.warm_start = warm_start
        self.momentum = momentum
        self.nesterovs_momentum = nesterovs_momentum
        self.beta_1 = beta_1
        self.beta_2 = beta_2
        self.epsilon = epsilon
        self.n_iter_no_change = n_iter_no_change
        self.max_fun = max_fun
        self.batch_norm = batch_norm
        self.weight_init = weight_init

    def fit(self, X: MatrixLike, y: ArrayLike | None = None, sample_weight: ArrayLike | None = None) -> Self:
        """Train on X (n, p); y takes no part."""
        return self._fit(X, y, sample_weight)

    @available_if(takes_chunks)
    def partial_fit(self, X: MatrixLike, y: ArrayLike | None = None, sample_weight: ArrayLike | None = None) -> Self:
        """Train for one epoch on a chunk of a stream."""
        return self._fit_chunk(X, y, sample_weight)

    def transform(self, X: MatrixLike) -> Array:
        """The code of each row, (n, n_components)."""
        check_is_fitted(self)
        return networks.code(vars(self), validate_rows(self, X))

    def inverse_transform(self, X: MatrixLike) -> Array:
        """The rows (n, p) that codes X (n, n_components) are decoded to."""
        check_is_fitted(self)
        codes = validate_coordinates(self, X, self._n_features_out)
        return self._decoded(networks.through(vars(self), codes, len(self.coefs_) // 2, len(self.coefs_)))

    def reconstruct(self, X: MatrixLike) -> Array:
        """What each row is given back as, (n, p)."""
        return self.inverse_transform(self.transform(X))

    def reconstruction_error(self, X: MatrixLike) -> float:
        """The mean over rows of half the squared distance to their reconstruction, as in training."""
        rows = as_dense(validate_rows(self, X))
        return float(0.5 * np.square(rows - self.reconstruct(rows)).sum(axis=1).mean())

    def input_gradient(self, X: MatrixLike) -> Array:
        """The derivative of each reconstructed column in each column of the row, (n, p, p)."""
        raw, gradients = self._raw_and_input_gradients(X)
        return gradients * mean_slope(networks.LINKS[self.out_activation_], raw)[:, :, None]

    def _decoded(self, raw):
        return inverse_link(networks.LINKS[self.out_activation_], raw)

    def _enter(self, X, y, sample_weight, *, reset):
        check_choice(self, "loss", tuple(LOSSES))
        rows = validate_first_rows(self, X, sparse=True) if reset else validate_rows(self, X)
        targets = np.asarray(as_dense(rows), dtype=np.float64)
        if self.loss == "cross_entropy" and (targets.min() < 0.0 or targets.max() > 1.0):
            raise cannot(
                "fit Autoencoder with loss='cross_entropy'",
                because=f"X has numbers from {targets.min():g} to {targets.max():g}, which are no probabilities",
                instead="columns within [0, 1], or loss='squared_error'",
            )
        s = None if sample_weight is None else validate_weights(sample_weight, len(targets))
        return as_design(rows).matrix(), targets, s

    def _units(self, p, k):
        middle = check_number(self, "n_components", 1, integer=True)
        sizes = self._sizes()
        return [*sizes, middle, *reversed(sizes), k]

    def _output(self):
        return LOSSES[self.loss][1]

    def _loss(self):
        return LOSSES[self.loss][0]()

    @property
    def _n_features_out(self):
        return self.coefs_[len(self.coefs_) // 2].shape[0]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
