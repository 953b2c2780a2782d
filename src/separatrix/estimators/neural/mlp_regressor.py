r"""A network of layers that predicts numbers, trained by backpropagation."""

from collections.abc import Sequence
from typing import Self

import numpy as np
from numpy.random import RandomState
from numpy.typing import ArrayLike
from sklearn.base import RegressorMixin
from sklearn.metrics import r2_score
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from separatrix.core.declaration import SmallFit, declares
from separatrix.core.errors import cannot
from separatrix.core.family import Family, declare, needs
from separatrix.core.types import Array, MatrixLike
from separatrix.estimators import verification
from separatrix.estimators.neural.described import described
from separatrix.estimators.neural.multilayer import SOLVERS, Multilayer, competitor, takes_chunks
from separatrix.estimators.validation import check_choice, enter, score_rows
from separatrix.losses import Poisson, Squared
from separatrix.penalties import L2
from separatrix.prediction import forms, networks
from separatrix.prediction.links import inverse_link, mean_slope

LOSSES = {"squared_error": (Squared, "identity"), "poisson": (Poisson, "exp")}


@declares(
    task="regression",
    losses=(Squared, Poisson),
    penalties=(L2,),
    solvers=SOLVERS,
    prediction=forms.NETWORK_NUMBERS,
    verification=verification.OF_NETWORK,
    description=described,
    small_fits=(
        SmallFit({"max_iter": 2, "hidden_layer_sizes": 3}, storages=("float64", "float32")),
        SmallFit(
            {"loss": "poisson", "max_iter": 2, "hidden_layer_sizes": 3},
            positive=True,
            storages=("float64",),
            called="counts",
        ),
    ),
)
class MLPRegressor(RegressorMixin, Multilayer):
    r"""A multilayer perceptron for numbers.

    .. math:: h_j = g(h_{j-1} W_j + b_j), \quad h_0 = x, \qquad \hat y = h_{L-1} W_L + b_L, \qquad
              \ell = \tfrac12 \|\hat y - y\|^2

    With enough hidden units any continuous function on a bounded range is as near as one likes.

    Parameters
    ----------
    loss : {"squared_error", "poisson"}, default "squared_error".  Half the squared distance, summed over outputs; or
        the negative log-likelihood of counts whose logarithm of the mean is the output, up to a constant of y.
    hidden_layer_sizes : int or sequence of int, [1, inf) each, default (100,).  Units of the hidden layers; none give
        a linear model.
    activation : {"identity", "logistic", "tanh", "relu", "leaky_relu"}, default "relu".  Of the hidden units.
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
    early_stopping : bool, default False.  Whether to hold out rows, judge by their R², and keep the best weights.
    validation_fraction : float, (0, 1), default 0.1.
    beta_1 : float, [0, 1), default 0.9.  What "adam" keeps of the mean of past gradients at each step.
    beta_2 : float, [0, 1), default 0.999.  The same of the mean of their squares.
    epsilon : float, (0, inf), default 1e-8.  Of "adam".
    n_iter_no_change : int, [1, inf], default 10.  More epochs without improvement than this in a row end the training.
    max_fun : int, [1, inf), default 15000.  Passes over the rows of "lbfgs" at the most.
    batch_norm : bool, default False.  Whether the sums of hidden units are normalised within each batch.
    weight_init : {"glorot", "he", "normal"}, default "glorot".  Uniform, by the number of inputs and units; normal with
        variance 2 / inputs; or N(0, 1).
    pretrain : {"autoencoder", "rbm", None}, default None.  How hidden layers are trained first, one after the other:
        to give back their inputs, or as restricted Boltzmann machines, of logistic units and columns within [0, 1].
    pretrain_iter : int, [1, inf), default 10.  Epochs of each layer then.
    scale_target : bool, default False.  Whether training sees each output of y minus its mean, divided by its standard
        deviation. The published weights are for y as it is; the loss is in those units.

    Attributes
    ----------
    coefs_ : list of (p_j, m_j) arrays.  Weights from each layer to the next.
    intercepts_ : list of (m_j,) arrays.
    batch_norms_ : list of (4, m_j) arrays, with `batch_norm`.  Scale, shift, mean and variance of each hidden unit.
    n_layers_, n_outputs_ : int.  Layers, input and output included, and outputs.
    out_activation_ : str.  What the output makes of its sum.   hidden_activation_ : str.
    loss_ : float.  The last objective: the mean of the batches of the last epoch, or that of all rows ("lbfgs").
    loss_curve_ : list of float.  The objective of each epoch or iteration.   best_loss_ : float or None.  Its least.
    validation_scores_, best_validation_score_ : list and float, or None.  With `early_stopping`.
    trace_ : Trace.  The objective of each epoch, and the length of the gradient in the weights of each layer.
    n_iter_ : int.  Epochs or iterations.   t_ : float.  Examples met.
    certificate_ : Certificate.  The largest slope of the objective over all rows along any one parameter, relative to
        the objective of the best constant. "lbfgs" ends where it is at most `tol`: a stationary place, and no proof of
        a minimum, for the objective is not convex. Training by batches stops by its own rule, which proves nothing; of
        fewer than 10 epochs the gradient is not taken (``separatrix.verify`` takes it).
    n_features_in_, feature_names_in_ : as in scikit-learn.
    target_mean_, target_scale_ : (o,) arrays, with `scale_target`.

    Notes
    -----
    From the same seed training takes the same way as scikit-learn's, to rounding, whatever the number of threads, but
    for these decisions. `sample_weight` is divided by its mean over all rows, not by that of a batch, so that batches
    are right on average; rows of weight 0 are as if they were not there. Of several outputs the losses are added, and
    the gradient is that of their sum (scikit-learn publishes their mean, but takes the gradient of the sum, too).
    "lbfgs" works in double precision. Targets should be of the size of 1: see `scale_target`.

    References: Rumelhart, Hinton and Williams (1986), Nature 323. Cybenko (1989), Mathematics of Control, Signals and
    Systems 2.   Theory: docs/theory/neural_networks.md.

    >>> import numpy as np
    >>> x = np.linspace(-3.0, 3.0, 61)[:, None]
    >>> model = MLPRegressor(hidden_layer_sizes=8, activation="tanh", solver="lbfgs", random_state=0)
    >>> bool(np.abs(model.fit(x, np.sin(x[:, 0])).predict(x) - np.sin(x[:, 0])).max() < 0.05)
    True
    """

    def __init__(
        self,
        loss: str = "squared_error",
        hidden_layer_sizes: int | Sequence[int] = (100,),
        activation: str = "relu",
        *,
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
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        beta_1: float = 0.9,
        beta_2: float = 0.999,
        epsilon: float = 1e-8,
        n_iter_no_change: float = 10,
        max_fun: int = 15000,
        batch_norm: bool = False,
        weight_init: str = "glorot",
        pretrain: str | None = None,
        pretrain_iter: int = 10,
        scale_target: bool = False,
    ) -> None:
        self.loss = loss
        self.hidden_layer_sizes = hidden_layer_sizes
        self.activation = activation
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
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.beta_1 = beta_1
        self.beta_2 = beta_2
        self.epsilon = epsilon
        self.n_iter_no_change = n_iter_no_change
        self.max_fun = max_fun
        self.batch_norm = batch_norm
        self.weight_init = weight_init
        self.pretrain = pretrain
        self.pretrain_iter = pretrain_iter
        self.scale_target = scale_target

    def fit(self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Train on X (n, p) and numbers y (n,) or (n, o); a weight counts for so many rows."""
        return self._fit(X, y, sample_weight)

    @available_if(takes_chunks)
    def partial_fit(self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Train for one epoch on a chunk of a stream."""
        if self.scale_target:
            raise cannot(
                f"fit a stream with scale_target={self.scale_target}",
                because="a chunk does not tell the spread of y",
                instead="scale_target=False, and targets in units of their spread",
            )
        return self._fit_chunk(X, y, sample_weight)

    def _enter(self, X, y, sample_weight, *, reset):
        check_choice(self, "loss", tuple(LOSSES))
        design, target = enter(self, X, y, sample_weight, reset=reset)
        design.needs("vectors", f"fit {type(self).__name__}")
        if self.loss == "poisson" and target.y.min() < 0.0:
            raise cannot(
                f"fit {type(self).__name__} with loss='poisson' to y with the value {target.y.min():g}",
                because="a count is not negative",
                instead="y >= 0, or loss='squared_error'",
            )
        Y = target.y.reshape(target.n, -1)
        scale_target = check_choice(self, "scale_target", (False, True))
        if reset and scale_target and self.loss == "squared_error":
            self.target_mean_ = np.average(Y, axis=0, weights=target.s)
            spread = np.sqrt(np.average((Y - self.target_mean_) ** 2, axis=0, weights=target.s))
            self.target_scale_ = np.where(spread > 0.0, spread, 1.0)
        if not self._scaled:
            return design.matrix(), Y, target.s
        return design.matrix(), (Y - self.target_mean_) / self.target_scale_, target.s

    @property
    def _scaled(self):
        """Whether the last fit scaled y, whatever the parameters say since."""
        return "target_scale_" in vars(self)

    def _publish(self, network, progress, dtype):
        super()._publish(network, progress, dtype)
        if self._scaled:
            self.coefs_[-1] = (network.weights[-1][0] * self.target_scale_).astype(dtype)
            self.intercepts_[-1] = (network.biases[-1] * self.target_scale_ + self.target_mean_).astype(dtype)

    def _restore(self, network):
        """The published parameters, as they were in training."""
        super()._restore(network)
        if self._scaled:
            network.weights[-1][0][:] = self.coefs_[-1] / self.target_scale_
            network.biases[-1][:] = (self.intercepts_[-1] - self.target_mean_) / self.target_scale_
        return network

    def _output(self):
        return LOSSES[self.loss][1]

    def _loss(self):
        return LOSSES[self.loss][0]()

    def _labels_of(self, Y):
        return None

    def _score_raw(self, raw, Y, s):
        """R²."""
        return float(r2_score(Y, inverse_link(networks.LINKS[self._output()], raw), sample_weight=s))

    def predict(self, X: MatrixLike) -> Array:
        """Predict y for each row of X."""
        check_is_fitted(self)
        return score_rows(self, X, lambda rows: networks.number(vars(self), rows))

    def input_gradient(self, X: MatrixLike) -> Array:
        """The derivative of the prediction in the columns of each row, (n, p), or (n, o, p) of several outputs."""
        raw, gradients = self._raw_and_input_gradients(X)
        if self._scaled:
            gradients *= self.target_scale_[:, None]
        gradients *= mean_slope(networks.LINKS[self.out_activation_], raw)[:, :, None]
        return gradients[:, 0] if raw.shape[1] == 1 else gradients

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags


declare(
    Family(
        name="neural network",
        task="regression",
        model=MLPRegressor,
        make=lambda facts: competitor(MLPRegressor, facts, scale_target=True),
        complexity=80,
        description="Two layers of units between the columns and the number, trained by backpropagation: a smooth "
        "function of any shape, which shows no reasons.",
        why_excluded=needs(dense=True, columns=1_000, fewest_rows=100),
        most_rows=20_000,
    )
)
