r"""A network of layers that gives each class a probability, trained by backpropagation."""

from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np
from numpy.random import RandomState
from numpy.typing import ArrayLike
from sklearn.base import ClassifierMixin
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from separatrix.core.declaration import SmallFit, declares
from separatrix.core.errors import cannot
from separatrix.core.family import Family, declare, needs
from separatrix.core.types import Array, MatrixLike
from separatrix.estimators import verification
from separatrix.estimators.coding import coded
from separatrix.estimators.neural.described import described
from separatrix.estimators.neural.multilayer import SOLVERS, Multilayer, competitor, takes_chunks
from separatrix.estimators.validation import score_rows, validate_classes
from separatrix.losses import Logistic, Softmax
from separatrix.penalties import L2
from separatrix.prediction import forms, networks
from separatrix.prediction.linear import decide, in_one_dimension, log_probabilities, probabilities


@declares(
    task="classification",
    losses=(Logistic, Softmax),
    penalties=(L2,),
    solvers=SOLVERS,
    prediction=forms.NETWORK_CLASSES,
    verification=verification.OF_NETWORK,
    description=described,
    small_fits=tuple(
        SmallFit(
            {"max_iter": 2, "hidden_layer_sizes": 3}, classes=k, storages=("float64", "float32"), called=f"{k} classes"
        )
        for k in (2, 3)
    ),
)
class MLPClassifier(ClassifierMixin, Multilayer):
    r"""A multilayer perceptron for classes.

    .. math:: h_j = g(h_{j-1} W_j + b_j), \quad h_0 = x, \qquad P(c \mid x) = \text{softmax}(h_{L-1} W_L + b_L)_c

    with one output and a sigmoid for two classes. The loss is the cross-entropy, whose derivative in the sum of an
    output is the probability minus the target; :mod:`separatrix.solvers.networks.network` takes it back through the
    layers. Without hidden layers this is logistic regression; with one it can tell XOR apart.

    Parameters
    ----------
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
    early_stopping : bool, default False.  Whether to hold out rows, judge by their accuracy, and keep the best weights.
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
    class_weight : dict, "balanced" or None, default None.  Factors of the weights of the rows of each class.

    Attributes
    ----------
    classes_ : (k,) array.
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

    Notes
    -----
    From the same seed training takes the same way as scikit-learn's, to rounding, whatever the number of threads, but
    for these decisions. `sample_weight` and `class_weight` are divided by their mean over all rows, not by that of a
    batch, so that batches are right on average; rows of weight 0 are as if they were not there. ``early_stopping``
    keeps the shares of all classes in what is held out. A score of exactly 0 counts for ``classes_[1]``. A row has one
    class: labels of several at once are refused. "lbfgs" works in double precision.

    References: Rumelhart, Hinton and Williams (1986), Nature 323. Kingma and Ba (2015), ICLR.   Theory:
    docs/theory/neural_networks.md.

    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
    >>> model = MLPClassifier(4, "tanh", solver="lbfgs", random_state=0).fit(X, y)
    >>> model.predict(X)
    array([0, 1, 1, 0])
    """

    classes_: Array

    def __init__(
        self,
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
        class_weight: Mapping[Any, float] | str | None = None,
    ) -> None:
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
        self.class_weight = class_weight

    def fit(self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Train on X (n, p) and labels y (n,); a weight counts for so many rows."""
        return self._fit(X, y, sample_weight)

    @available_if(takes_chunks)
    def partial_fit(
        self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None, classes: ArrayLike | None = None
    ) -> Self:
        """Train for one epoch on a chunk of a stream; the first call names all `classes` that can come."""
        first = "coefs_" not in vars(self)
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
        return self._fit_chunk(X, y, sample_weight, classes=classes)

    def _enter(self, X, y, sample_weight, *, reset, classes=None):
        design, codes, s = validate_classes(
            self, X, y, sample_weight, class_weight=self.class_weight, classes=classes, reset=reset
        )
        k = len(self.classes_)
        return design.matrix(), coded(codes, k, "zero_one").reshape(len(codes), -1), s

    def _output(self):
        return "logistic" if len(self.classes_) == 2 else "softmax"

    def _loss(self):
        return Logistic() if self._output() == "logistic" else Softmax()

    def _labels_of(self, Y):
        return Y[:, 0] if Y.shape[1] == 1 else Y.argmax(axis=1)

    def _score_raw(self, raw, Y, s):
        """Accuracy."""
        right = decide(in_one_dimension(raw), np.arange(max(raw.shape[1], 2))) == self._labels_of(Y)
        return float(np.average(right, weights=s))

    def decision_function(self, X: MatrixLike) -> Array:
        """Log-odds (n,) of two classes, or logarithms of probabilities (n, k) up to a shift of each row."""
        check_is_fitted(self)
        return score_rows(self, X, lambda rows: networks.class_scores(vars(self), rows))

    def predict(self, X: MatrixLike) -> Array:
        """The most probable class of each row of X."""
        return decide(self.decision_function(X), self.classes_)

    def predict_proba(self, X: MatrixLike) -> Array:
        """Probability of each class, (n, k)."""
        return probabilities(self.decision_function(X))

    def predict_log_proba(self, X: MatrixLike) -> Array:
        """Logarithms of :meth:`predict_proba`."""
        return log_probabilities(self.decision_function(X))

    def input_gradient(self, X: MatrixLike) -> Array:
        """The derivative of the probabilities in the columns of each row: of the second class (n, p), or (n, k, p)."""
        raw, gradients = self._raw_and_input_gradients(X)
        P = probabilities(in_one_dimension(raw))
        if raw.shape[1] == 1:
            return (P[:, :1] * P[:, 1:]) * gradients[:, 0]
        return P[:, :, None] * (gradients - np.einsum("ic,icj->ij", P, gradients)[:, None, :])


declare(
    Family(
        name="neural network",
        task="classification",
        model=MLPClassifier,
        make=lambda facts: competitor(MLPClassifier, facts),
        complexity=80,
        description="Two layers of units between the columns and the probabilities, trained by backpropagation: a "
        "smooth function of any shape, which shows no reasons.",
        why_excluded=needs(dense=True, columns=1_000, fewest_rows=100, rows_per_class=5),
        most_rows=20_000,
    )
)
