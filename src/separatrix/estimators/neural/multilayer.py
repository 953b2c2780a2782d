"""What all networks share: parameters, training from the start or from a stream, and what their layers make of rows."""

import time
import warnings
from numbers import Integral

import numpy as np
from sklearn.model_selection import train_test_split
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from separatrix.core.activations import ACTIVATIONS
from separatrix.core.certificate import passed_stream, trained_network, warn_if_not_certified
from separatrix.core.errors import StillFalling, cannot
from separatrix.core.objective import gap_unit
from separatrix.core.problem import Problem
from separatrix.core.solution import Certificate, Trace
from separatrix.core.target import Target
from separatrix.core.types import Array, MatrixLike
from separatrix.core.verbs import is_joint
from separatrix.designs import as_dense
from separatrix.estimators.all_or_nothing import all_or_nothing
from separatrix.estimators.neural.pretraining import PRETRAINING, pretrain
from separatrix.estimators.saving import Estimator
from separatrix.estimators.validation import check_choice, check_number, validate_rows
from separatrix.penalties import NoPenalty
from separatrix.prediction import networks
from separatrix.solvers.networks.full_batch import train_on_all
from separatrix.solvers.networks.network import Network, chain
from separatrix.solvers.networks.objective import Objective
from separatrix.solvers.networks.start import STARTS, draw_weights
from separatrix.solvers.networks.steps import Adam, Momentum
from separatrix.solvers.networks.training import Progress, train

SOLVERS = tuple(f"solvers.networks.{name}" for name in ("training", "full_batch", "network", "objective", "start"))
ADVICE = "Raise max_iter, standardise the columns, or penalise more (alpha)."
MOST_AUTOMATIC = 200  # rows of a batch
# A gradient over all rows costs as much as an epoch: it is taken where it does not add more than a tenth.
FEW_EPOCHS = 10
# In comparisons. The penalty is that of a normal prior of the weights, of variance 1/alpha: of weak signals 10 is
# better, of rules 1, and the more rows, the less it matters.
PENALTIES = [1.0, 10.0]
MANY_ROWS = 5_000
# Attributes that not every fit sets: moments of steps, and what comes of parameters.
OF_STEPS, OF_SOME_FITS = ("_steps",), ("batch_norms_", "target_mean_", "target_scale_")


def takes_chunks(model):
    """Whether a network can be trained by chunks of a stream."""
    if model.solver == "lbfgs":
        raise cannot(
            f"fit {type(model).__name__} to a chunk of a stream with solver='lbfgs'",
            because="each of its iterations reads all rows",
            instead="solver='sgd' or 'adam'",
            kind=AttributeError,
        )
    return True


def competitor(network, facts, **settings):
    """A network for a comparison: smooth units, all rows at once, and the penalty chosen in folds of few rows.

    A fixed number of small steps by batches leaves some tables hardly learnt and others learnt by heart.
    """
    model = network(
        hidden_layer_sizes=(32, 16),
        activation="tanh",
        solver="lbfgs",
        alpha=PENALTIES[0],
        random_state=facts.seed,
        **settings,
    )
    return model if facts.rows > MANY_ROWS else facts.searched(model, {"alpha": PENALTIES})


class Multilayer(Estimator):
    """A network of layers one after the other, with its training."""

    coefs_: list[Array]
    intercepts_: list[Array]
    loss_curve_: list[float]
    trace_: Trace
    certificate_: Certificate

    def _fit(self, X, y, sample_weight):
        """Train from the start, or with `warm_start` from the weights of the last fit."""
        with all_or_nothing(self):
            started = time.perf_counter()
            goes_on = bool(self.warm_start) and "coefs_" in vars(self)
            self._forget(OF_STEPS if goes_on else (*OF_STEPS, *OF_SOME_FITS))
            rows, Y, s = _without_weightless(*self._enter(X, y, sample_weight, reset=not goes_on))
            self._check()
            random = check_random_state(self.random_state)
            network = self._network(rows, Y, random, goes_on)
            held = None
            if self.early_stopping and self.solver != "lbfgs":
                rows, Y, s, held = self._hold_out(rows, Y, s, random)
            if self.pretrain is not None and not goes_on:
                pretrain(self, network, rows, s, random)
            objective = self._objective(network, rows, Y, s)
            if self.solver == "lbfgs":
                self._train_on_all(objective, rows, random, started)
            else:
                self._train(objective, rows, random, held, started)
        return self

    def _fit_chunk(self, X, y, sample_weight, **options):
        """One epoch over a chunk of a stream."""
        if self.early_stopping or self.pretrain is not None:
            raise cannot(
                f"fit {type(self).__name__} to a chunk of a stream with early_stopping={self.early_stopping!r}, "
                f"pretrain={self.pretrain!r}",
                because="they need all rows",
                instead="early_stopping=False and pretrain=None",
            )
        with all_or_nothing(self):
            goes_on = "coefs_" in vars(self)
            rows, Y, s = _without_weightless(*self._enter(X, y, sample_weight, reset=not goes_on, **options))
            self._check()
            random = check_random_state(self.random_state)
            network = self._network(rows, Y, random, goes_on)
            progress = self._progress() if goes_on else Progress(Trace())
            rule = self._step_rule()
            if isinstance(vars(self).get("_steps"), type(rule)):
                rule = self._steps
            objective = self._objective(network, rows, Y, s)
            self._run(objective, rule, progress, random, max_iter=1)
            self._publish(network, progress, rows.dtype)
            self._steps, self.n_iter_ = rule, 1
            self.certificate_ = passed_stream("gradient")
        return self

    def _forget(self, names):
        """Drop attributes of an earlier fit that this one may not set again."""
        for name in names:
            vars(self).pop(name, None)

    def _train(self, objective, rows, random, held, started):
        rule, progress = self._step_rule(), Progress(Trace())
        score = None if held is None else lambda network: self._score_held(network, held)
        self._run(objective, rule, progress, random, self.max_iter, score)
        objective.settle_moments(random)
        self._publish(objective.network, progress, rows.dtype)
        self._steps, self.n_iter_ = rule, len(progress.losses)
        self.loss_ = progress.losses[-1]
        gradient = np.inf if self.n_iter_ < FEW_EPOCHS else self._relative_gradient(objective)
        self.certificate_ = trained_network(gradient, self.tol, epochs=self.n_iter_, by_batches=True, started=started)
        if not progress.settled and self.n_iter_ == self.max_iter:
            warnings.warn(StillFalling(self.n_iter_, self.loss_, self.tol), stacklevel=4)

    def _run(self, objective, rule, progress, random, max_iter, score=None):
        train(
            objective,
            rule,
            progress,
            batch_size=self._batch_size(objective.n),
            max_iter=max_iter,
            tol=float(self.tol),
            n_iter_no_change=float(self.n_iter_no_change),
            random=random if self.shuffle else None,
            score=score,
        )

    def _train_on_all(self, objective, rows, random, started):
        trace, unit = Trace(), self._unit(objective)
        limits = {"max_iter": self.max_iter, "max_fun": self.max_fun}
        iterations = train_on_all(objective, largest=self.tol * unit, trace=trace, **limits)
        progress = Progress(trace, losses=list(trace.objective), examples=float(iterations * objective.n))
        progress.best_loss = min(trace.objective, default=np.inf)
        objective.settle_moments(random)
        self._publish(objective.network, progress, rows.dtype)
        self.n_iter_, self.loss_ = iterations, objective.whole()
        gradient = self._relative_gradient(objective)
        self.certificate_ = trained_network(gradient, self.tol, epochs=iterations, by_batches=False, started=started)
        warn_if_not_certified(self.certificate_, ADVICE, stacklevel=4)

    def _relative_gradient(self, objective):
        """The largest slope of the objective along any one parameter, in units of the best constant's."""
        objective.whole()
        return float(np.abs(objective.network.gradient).max()) / self._unit(objective)

    def _unit(self, objective):
        """The objective of the best constant output."""
        loss, Y, s = objective.loss, objective.Y, objective.s
        columns = [Y] if is_joint(loss) else list(Y.T)
        return sum(gap_unit(Problem(None, Target(column, s), loss, NoPenalty(), True)) for column in columns)

    # the network

    def _network(self, rows, Y, random, goes_on):
        """The network with the weights that training starts from."""
        units = self._units(rows.shape[1], Y.shape[1])
        dtype = np.float64 if self.solver == "lbfgs" else rows.dtype
        network = Network(rows.shape[1], chain(units, self.activation, bool(self.batch_norm)), dtype)
        if goes_on:
            self._refuse_other_shape(network)
            self._restore(network)
        else:
            draw_weights(network, self.weight_init, random)
        return network

    def _restore(self, network):
        """The published parameters, in a network."""
        for j, (W, b) in enumerate(zip(self.coefs_, self.intercepts_)):
            network.weights[j][0][:], network.biases[j][:] = W, b
        if "batch_norms_" in vars(self):
            for norm, published in zip(network.norms, self.batch_norms_):
                norm.scale[:], norm.shift[:], norm.mean[:], norm.variance[:] = published
                norm.batches = MOST_AUTOMATIC  # the moments are those of many batches
        return network

    def _gradient_on(self, X, y, sample_weight):
        """Relative gradient and objective at the published parameters, over the rows of the fit, and their number."""
        rows, Y, s = _without_weightless(*self._enter(X, y, sample_weight, reset=False))
        objective = self._objective(self._published_network(), rows, Y, s)
        return self._relative_gradient(objective), objective.whole(), len(Y)

    def _published_network(self):
        """A network in double precision with the published parameters, in the units of training."""
        sizes = [W.shape[1] for W in self.coefs_]
        layers = chain(sizes, self.hidden_activation_, "batch_norms_" in vars(self))
        return self._restore(Network(self.n_features_in_, layers))

    def _publish(self, network, progress, dtype):
        self.coefs_ = [W.astype(dtype) for (W,) in network.weights]
        self.intercepts_ = [b.astype(dtype) for b in network.biases]
        if self.batch_norm:
            norms = [norm for norm in network.norms if norm is not None]
            self.batch_norms_ = [
                np.array([norm.scale, norm.shift, norm.mean, norm.variance], dtype=dtype) for norm in norms
            ]
        self.n_layers_, self.n_outputs_ = len(network.units), network.units[-1]
        self.hidden_activation_, self.out_activation_ = self.activation, self._output()
        self.trace_, self.loss_curve_, self.t_ = progress.trace, progress.losses, progress.examples
        scored = progress.best_theta is not None
        self.validation_scores_ = progress.scores if scored else None
        self.best_validation_score_ = progress.best_score if scored else None
        self.best_loss_ = None if scored else progress.best_loss
        self.loss_ = progress.losses[-1] if progress.losses else np.inf
        self._idle = progress.idle

    def _progress(self):
        """Where the last chunk of a stream left off."""
        best = np.inf if self.best_loss_ is None else self.best_loss_  # it is None of rows held out
        return Progress(self.trace_, self.loss_curve_, best_loss=best, idle=self._idle, examples=float(self.t_))

    # rows and weights

    def _objective(self, network, rows, Y, s):
        batch_size = None if self.solver == "lbfgs" else self._batch_size(len(Y))
        return Objective(network, rows, Y, s, self._loss(), float(self.alpha), batch_size)

    def _batch_size(self, n):
        return min(MOST_AUTOMATIC if isinstance(self.batch_size, str) else int(self.batch_size), n)

    def _hold_out(self, rows, Y, s, random):
        """The rows to learn from, and those to judge by: (rows, Y, weights)."""
        labels = self._labels_of(Y)
        try:
            keep, held = train_test_split(
                np.arange(len(Y)), random_state=random, test_size=self.validation_fraction, stratify=labels
            )
        except ValueError as failure:
            raise self._too_few_to_hold_out(str(failure)) from failure
        if len(held) < 2:
            raise self._too_few_to_hold_out(f"{len(held)} row is held out of {len(Y)}")
        weights = None if s is None else s[held]
        return rows[keep], Y[keep], None if s is None else s[keep], (rows[held], Y[held], weights)

    def _too_few_to_hold_out(self, because):
        return cannot(
            f"stop early with validation_fraction={self.validation_fraction}",
            because=because,
            instead="a larger validation_fraction, more rows, or early_stopping=False",
        )

    def _score_held(self, network, held):
        rows, Y, s = held
        state = {**vars(self), "coefs_": [W for (W,) in network.weights], "intercepts_": network.biases}
        state["hidden_activation_"] = self.activation
        if self.batch_norm:
            state["batch_norms_"] = [(n.scale, n.shift, n.mean, n.variance) for n in network.norms if n is not None]
        return self._score_raw(networks.raw_scores(state, rows), Y, s)

    # parameters

    def _sizes(self):
        """Units of the hidden layers."""
        given = self.hidden_layer_sizes
        sizes = [given] if isinstance(given, Integral) else list(given)
        if not all(isinstance(m, Integral) and not isinstance(m, bool) and m >= 1 for m in sizes):
            raise cannot(
                f"fit {type(self).__name__} with hidden_layer_sizes={given!r}",
                because="hidden_layer_sizes must be > 0: a layer without units lets nothing through",
                instead="whole numbers of units, one for each hidden layer, each at least 1",
            )
        return [int(m) for m in sizes]

    def _units(self, p, k):
        """Units of the layers after the input."""
        return [*self._sizes(), k]

    def _refuse_other_shape(self, network):
        shapes = [W.shape for (W,) in network.weights]
        published = [W.shape for W in self.coefs_]
        same = shapes == published and self.hidden_activation_ == self.activation
        if not same or bool(self.batch_norm) != ("batch_norms_" in vars(self)):
            raise cannot(
                f"go on from the weights of the last fit with layers of shapes {shapes}",
                because=f"those have the shapes {published}, activation={self.hidden_activation_!r} and "
                f"{'a' if 'batch_norms_' in vars(self) else 'no'} batch normalisation",
                instead="the same layers, or warm_start=False",
            )

    def _check(self):
        check_choice(self, "activation", tuple(ACTIVATIONS))
        check_choice(self, "solver", ("adam", "sgd", "lbfgs"))
        check_choice(self, "learning_rate", ("constant", "invscaling", "adaptive"))
        check_choice(self, "weight_init", STARTS)
        check_choice(self, "pretrain", (None, *PRETRAINING))
        for name in ("shuffle", "warm_start", "nesterovs_momentum", "early_stopping", "batch_norm"):
            check_choice(self, name, (False, True))
        for name in ("alpha", "power_t", "tol"):
            check_number(self, name, 0.0)
        for name in ("learning_rate_init", "epsilon"):
            check_number(self, name, 0.0, open_low=True)
        for name in ("max_iter", "max_fun", "pretrain_iter"):
            check_number(self, name, 1, integer=True)
        for name in ("beta_1", "beta_2", "validation_fraction"):
            check_number(self, name, 0.0, 1.0, open_high=True)
        check_number(self, "momentum", 0.0, 1.0)
        if self.batch_size != "auto":
            check_number(self, "batch_size", 1, integer=True)
        if self.n_iter_no_change != np.inf:
            check_number(self, "n_iter_no_change", 1, integer=True)

    def _step_rule(self):
        rate = float(self.learning_rate_init)
        if self.solver == "adam":
            return Adam(rate, float(self.beta_1), float(self.beta_2), float(self.epsilon))
        nesterov = bool(self.nesterovs_momentum)
        return Momentum(rate, float(self.momentum), nesterov, self.learning_rate, float(self.power_t))

    # what the layers make of rows

    def hidden_representation(self, X: MatrixLike, layer: int = -1) -> Array:
        """What a hidden layer makes of each row of X, (n, units): features learnt together with the prediction.

        Parameters
        ----------
        X : (n, p) array, sparse array or frame.
        layer : int, default -1.  Hidden layers are counted from 0, or from the last, -1.
        """
        check_is_fitted(self)
        hidden = len(self.coefs_) - 1
        if not -hidden <= layer < hidden:
            raise cannot(
                f"show hidden layer {layer}",
                because=f"the network has {hidden} hidden layers",
                instead=f"a layer from {-hidden} to {hidden - 1}" if hidden else "a network with a hidden layer",
            )
        return networks.through(vars(self), validate_rows(self, X), 0, layer % hidden + 1)

    def _raw_and_input_gradients(self, X):
        """Raw scores (n, k), and their derivatives in the columns of each row, (n, k, p)."""
        check_is_fitted(self)
        rows = np.asarray(as_dense(validate_rows(self, X)), dtype=np.float64)
        network = self._published_network()
        raw = network.forward(rows).copy()
        k = raw.shape[1]
        gradients = np.empty((len(rows), k, rows.shape[1]))
        for c in range(k):  # the constant 1 enters at output c and runs backwards
            network.forward(rows)
            gradients[:, c] = network.backward(np.eye(k)[np.full(len(rows), c)], to_input=True)
        return raw, gradients

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def _without_weightless(rows, Y, s):
    """Rows of weight 0 are as if they were not there: they fill no batch."""
    if s is None or s.all():
        return rows, Y, s
    keep = np.flatnonzero(s)
    return rows[keep], Y[keep], s[keep]
