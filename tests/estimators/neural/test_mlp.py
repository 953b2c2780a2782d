"""Multilayer perceptrons: the way of scikit-learn's from the same seed, laws of weights, and honest endings."""

import warnings

import numpy as np
import pytest
import sklearn.neural_network as theirs
from numpy.testing import assert_allclose, assert_array_equal

import separatrix
from separatrix.core.declaration import declaration
from separatrix.core.errors import NotCertified, StillFalling
from separatrix.neural_network import MLPClassifier, MLPRegressor
from separatrix.prediction.forms import Step, predict_step

rng = np.random.default_rng(0)
X = rng.standard_normal((90, 4))
THREE = np.array(["a", "b", "c"])[rng.integers(0, 3, 90)]
TWO = THREE == "a"
NUMBER = X @ [1.0, -0.5, 0.2, 0.0] + np.sin(2.0 * X[:, 0])
XOR = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]

# Rows and terms are summed in another order: 90 terms, 20 epochs of 3 batches, and no step that doubles an error much.
ROUNDING = 1e-12


def quietly(model, *data, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(*data, **options)


def parameters(model):
    return np.concatenate([part.ravel() for part in (*model.coefs_, *model.intercepts_)])


@pytest.mark.mission("NET-04", "NET-05", "NET-17")
@pytest.mark.parametrize("y", [TWO, THREE, NUMBER, np.c_[NUMBER, NUMBER**2]], ids=["2", "3", "number", "numbers"])
@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"activation": "logistic", "batch_size": 40, "shuffle": False},
        {"activation": "tanh", "solver": "sgd", "batch_size": 32, "learning_rate": "adaptive", "tol": 0.05},
        {"activation": "identity", "solver": "sgd", "learning_rate": "invscaling", "nesterovs_momentum": False},
        {"solver": "sgd", "batch_size": 1, "momentum": 0.0, "max_iter": 3},
    ],
    ids=["adam", "adam in order", "nesterov", "momentum", "row by row"],
)
def test_training_takes_the_way_of_scikit_learns(settings, y):
    settings = {"hidden_layer_sizes": (6, 5), "max_iter": 20, "random_state": 3, **settings}
    name = "MLPClassifier" if y.dtype.kind in "bU" else "MLPRegressor"
    ours = quietly(getattr(separatrix.neural_network, name)(**settings), X, y)
    other = quietly(getattr(theirs, name)(**settings), X, y)
    assert_allclose(parameters(ours), parameters(other), rtol=ROUNDING, atol=ROUNDING)
    assert (ours.n_iter_, ours.n_layers_, ours.n_outputs_) == (other.n_iter_, other.n_layers_, other.n_outputs_)
    assert (ours.t_, ours.out_activation_) == (other.t_, other.out_activation_)
    assert_array_equal(ours.predict(X[:9]), other.predict(X[:9])) if name == "MLPClassifier" else assert_allclose(
        ours.predict(X[:9]), other.predict(X[:9]), rtol=1e-10
    )
    if y.ndim == 1:  # theirs is the mean over outputs, but the gradient of the sum
        assert_allclose(ours.loss_curve_, other.loss_curve_, rtol=1e-11)
        assert_allclose(ours.best_loss_, other.best_loss_, rtol=1e-11)


@pytest.mark.parametrize("y", [TWO, NUMBER], ids=["2", "number"])
def test_early_stopping_holds_out_and_restores_what_scikit_learns_does(y):
    settings = {"activation": "tanh", "early_stopping": True, "batch_size": 27, "max_iter": 40, "random_state": 1}
    name = "MLPClassifier" if y.dtype.kind == "b" else "MLPRegressor"
    ours = quietly(getattr(separatrix.neural_network, name)(hidden_layer_sizes=(7,), **settings), X, y)
    other = quietly(getattr(theirs, name)(hidden_layer_sizes=(7,), **settings), X, y)
    assert_allclose(parameters(ours), parameters(other), rtol=ROUNDING, atol=ROUNDING)
    assert_allclose(ours.validation_scores_, other.validation_scores_, rtol=1e-10)
    assert (ours.n_iter_, ours.best_loss_) == (other.n_iter_, None)


def test_counts_are_learnt_as_scikit_learn_learns_them():
    settings = {"loss": "poisson", "hidden_layer_sizes": (5,), "max_iter": 15, "random_state": 0}
    counts = np.random.default_rng(1).poisson(np.exp(0.3 * X[:, 0]))
    ours, other = (quietly(cls(**settings), X, counts) for cls in (MLPRegressor, theirs.MLPRegressor))
    assert_allclose(parameters(ours), parameters(other), rtol=ROUNDING, atol=ROUNDING)
    assert_allclose(ours.predict(X), other.predict(X), rtol=1e-11)


def test_chunks_of_a_stream_are_learnt_as_scikit_learn_learns_them():
    ours, other = (cls((6,), random_state=0, batch_size=20) for cls in (MLPClassifier, theirs.MLPClassifier))
    for first in range(0, 90, 30):
        part = slice(first, first + 30)
        ours.partial_fit(X[part], THREE[part], classes=["a", "b", "c"])
        other.partial_fit(X[part], THREE[part], classes=["a", "b", "c"])
    assert_allclose(parameters(ours), parameters(other), rtol=ROUNDING, atol=ROUNDING)
    assert_allclose(ours.loss_curve_, other.loss_curve_, rtol=1e-11)
    assert ours.certificate_.message == "a stream that has passed cannot be certified"


@pytest.mark.mission("NET-01", "EX-19")
@pytest.mark.parametrize("activation", ["tanh", "logistic", "relu"])
def test_exclusive_or_is_learnt_without_an_error(activation):
    model = MLPClassifier((8,), activation, solver="lbfgs", random_state=2, max_iter=500)
    assert quietly(model, *XOR).score(*XOR) == 1.0
    linear = quietly(MLPClassifier((), solver="lbfgs", random_state=2), *XOR)
    assert linear.score(*XOR) < 1.0


@pytest.mark.mission("NET-19")
def test_a_sine_is_fitted_better_by_more_hidden_units():
    x = np.linspace(-np.pi, np.pi, 80)[:, None]
    settings = {"activation": "tanh", "solver": "lbfgs", "alpha": 0.0, "max_iter": 1500, "random_state": 0}
    errors = []
    for units in (1, 2, 4, 8):
        model = quietly(MLPRegressor(hidden_layer_sizes=(units,), tol=1e-9, **settings), x, np.sin(2.0 * x[:, 0]))
        errors.append(np.abs(model.predict(x) - np.sin(2.0 * x[:, 0])).max())
    assert errors == sorted(errors, reverse=True) and errors[-1] < 0.02 < 0.5 < errors[0]


@pytest.mark.parametrize("solver", ["lbfgs", "adam"])
def test_rows_of_weight_zero_are_as_if_they_were_not_there(solver):
    s = (np.arange(90) % 3 > 0).astype(float)
    settings = {"solver": solver, "max_iter": 10, "random_state": 0, "early_stopping": solver == "adam"}
    weighted = quietly(MLPClassifier((5,), "tanh", **settings), X, THREE, sample_weight=s)
    without = quietly(MLPClassifier((5,), "tanh", **settings), X[s > 0.0], THREE[s > 0.0])
    assert_allclose(parameters(weighted), parameters(without), rtol=1e-12)


@pytest.mark.parametrize("batch_norm", [False, True], ids=["", "normalised"])
def test_a_weight_counts_as_so_many_rows(batch_norm):
    s = np.random.default_rng(3).integers(1, 4, 90)
    settings = {"solver": "lbfgs", "alpha": 1.0, "max_iter": 12, "batch_norm": batch_norm, "random_state": 0}
    weighted = quietly(MLPRegressor(hidden_layer_sizes=(5,), activation="tanh", **settings), X, NUMBER, sample_weight=s)
    repeated = quietly(
        MLPRegressor(hidden_layer_sizes=(5,), activation="tanh", **settings), X.repeat(s, axis=0), NUMBER.repeat(s)
    )
    assert_allclose(weighted.predict(X), repeated.predict(X), rtol=1e-8, atol=1e-9)


def test_class_weights_are_weights_of_rows():
    settings = {"solver": "lbfgs", "activation": "tanh", "max_iter": 10, "random_state": 0}
    by_class = quietly(MLPClassifier((4,), class_weight={"a": 3.0, "b": 1.0, "c": 1.0}, **settings), X, THREE)
    by_row = quietly(MLPClassifier((4,), **settings), X, THREE, sample_weight=np.where(TWO, 3.0, 1.0))
    assert_array_equal(parameters(by_class), parameters(by_row))


@pytest.mark.mission("NET-22")
@pytest.mark.parametrize("solver", ["adam", "sgd", "lbfgs"])
def test_a_seed_gives_the_same_network_on_any_number_of_threads(solver, monkeypatch):
    wide = np.random.default_rng(4).standard_normal((2500, 40))
    labels = (wide[:, 0] * wide[:, 1] > 0.0).astype(int)
    numbers = []
    for threads in ("1", "2"):
        monkeypatch.setenv("SEPARATRIX_THREADS", threads)
        model = MLPClassifier((64,), solver=solver, max_iter=3, weight_init="normal", random_state=7)
        numbers.append(parameters(quietly(model, wide, labels)))
    assert_array_equal(*numbers)


@pytest.mark.mission("NET-09")
@pytest.mark.parametrize(
    ("model", "y"),
    [
        (MLPClassifier((6, 5), "tanh", max_iter=5, random_state=0), TWO),
        (MLPClassifier((6, 5), "logistic", max_iter=5, random_state=0, batch_norm=True), THREE),
        (
            MLPRegressor(hidden_layer_sizes=(6,), activation="tanh", max_iter=5, random_state=0, scale_target=True),
            NUMBER,
        ),
        (MLPRegressor("poisson", (6,), "tanh", max_iter=5, random_state=0), NUMBER**2),
        (MLPRegressor("squared_error", (6,), "tanh", max_iter=5, random_state=0), np.c_[NUMBER, X[:, 0]]),
    ],
    ids=["2", "3", "scaled", "counts", "numbers"],
)
def test_the_gradient_in_the_input_is_that_of_differences(model, y):
    quietly(model, X, y)
    answer = model.predict_proba if isinstance(model, MLPClassifier) else model.predict
    step, slopes = 1e-6, model.input_gradient(X[:7])
    for j in range(4):
        shift = step * np.eye(4)[j]
        numeric = (answer(X[:7] + shift) - answer(X[:7] - shift)) / (2.0 * step)
        numeric = numeric[:, 1] if y.dtype == bool else numeric
        assert_allclose(slopes[..., j], numeric, rtol=1e-6, atol=1e-8)


@pytest.mark.mission("NET-10")
def test_the_trace_shows_gradients_that_vanish_behind_sigmoids_and_not_behind_rectified_units():
    def first_to_last(activation):
        model = quietly(MLPClassifier((10,) * 5, activation, max_iter=1, random_state=0), X, THREE)
        lengths = np.array(model.trace_.layer_norms[0])
        assert lengths.shape == (6,)
        return lengths[0] / lengths[-1], lengths

    share, lengths = first_to_last("logistic")
    assert (np.diff(lengths) > 0.0).all(), "each layer on the way back has less"
    assert share < 1e-4 < 1e-2 < first_to_last("relu")[0]


@pytest.mark.mission("NET-20")
def test_hidden_features_are_those_that_the_output_layer_sees():
    model = quietly(MLPClassifier((6, 3), "tanh", max_iter=30, random_state=0), X, THREE)
    h = model.hidden_representation(X)
    assert h.shape == (90, 3) and model.hidden_representation(X, 0).shape == (90, 6)
    assert_allclose(h @ model.coefs_[-1] + model.intercepts_[-1], model.decision_function(X), rtol=1e-12)
    with pytest.raises(ValueError, match="the network has 2 hidden layers"):
        model.hidden_representation(X, 2)


@pytest.mark.mission("NET-12", "NET-13")
def test_pretraining_stacks_encoders_and_fine_tuning_moves_all_of_them():
    settings = {"activation": "tanh", "pretrain": "autoencoder", "random_state": 0, "max_iter": 1}
    model = MLPClassifier((5, 3), pretrain_iter=60, learning_rate_init=0.01, **settings)
    quietly(model, X, THREE)
    assert [W.shape for W in model.coefs_] == [(4, 5), (5, 3), (3, 3)]
    # the first layer is that of an autoencoder of the rows: they can be had back from it by a linear map
    tuned = quietly(MLPClassifier((5, 3), pretrain_iter=60, learning_rate_init=1e-12, **settings), X, THREE)
    fewer = quietly(MLPClassifier((5, 3), pretrain_iter=1, learning_rate_init=0.01, **settings), X, THREE)

    def lost(model):
        H = np.c_[model.hidden_representation(X, 0), np.ones(90)]
        return ((X - H @ np.linalg.lstsq(H, X)[0]) ** 2).sum()

    assert lost(model) < 0.7 * lost(fewer)
    assert all((one != other).any() for one, other in zip(model.coefs_, tuned.coefs_))


@pytest.mark.mission("NET-16")
def test_batch_normalisation_predicts_a_row_without_its_batch():
    model = quietly(MLPClassifier((8,), batch_norm=True, batch_size=30, max_iter=40, random_state=0), X, THREE)
    alone = np.concatenate([model.predict_proba(row[None]) for row in X[:5]])
    assert_allclose(alone, model.predict_proba(X)[:5], rtol=1e-12)
    a = X @ model.coefs_[0] + model.intercepts_[0]
    assert_allclose(model.batch_norms_[0][2:], [a.mean(axis=0), a.var(axis=0)], rtol=1e-12)


def test_a_smooth_network_on_all_rows_ends_stationary_and_is_verified():
    model = MLPRegressor(hidden_layer_sizes=(5,), activation="tanh", solver="lbfgs", alpha=1.0, max_iter=2000)
    model.set_params(random_state=0, tol=1e-6).fit(X, NUMBER)
    assert model.certificate_.verdict == "stationary" and model.certificate_.kind == "gradient"
    again = separatrix.verify(model, X, NUMBER)
    assert again.converged and "another minimum may be lower" in again.message
    model.coefs_[0] = model.coefs_[0] + 1e-3
    assert not separatrix.verify(model, X, NUMBER).converged


def test_training_by_batches_claims_no_minimum():
    with pytest.warns(StillFalling, match="max_iter=12 epochs"):
        model = MLPClassifier((5,), max_iter=12, random_state=0).fit(X, THREE)
    assert not model.certificate_.converged and "proves no minimum" in model.certificate_.message
    assert_allclose(separatrix.verify(model, X, THREE).value, model.certificate_.value, rtol=1e-9)
    few = quietly(MLPClassifier((5,), max_iter=2, random_state=0), X, THREE)
    assert np.isinf(few.certificate_.value) and np.isfinite(separatrix.verify(few, X, THREE).value)


def test_iterations_that_end_too_early_are_told():
    with pytest.warns(NotCertified, match="relative gradient"):
        MLPRegressor(hidden_layer_sizes=(5,), solver="lbfgs", max_iter=2, random_state=0).fit(X, NUMBER)


def test_a_warm_start_goes_on_from_the_published_weights():
    settings = {"hidden_layer_sizes": (5,), "activation": "tanh", "solver": "lbfgs", "random_state": 0}
    model = quietly(MLPRegressor(max_iter=10, warm_start=True, **settings), X, NUMBER)
    before = model.loss_
    assert quietly(model, X, NUMBER).loss_ < before
    model.hidden_layer_sizes = (6,)
    with pytest.raises(ValueError, match="the same layers, or warm_start=False"):
        model.fit(X, NUMBER)


def test_targets_far_from_one_are_learnt_in_units_of_their_spread():
    settings = {"hidden_layer_sizes": (8,), "max_iter": 40, "random_state": 0, "learning_rate_init": 0.02}
    far = quietly(MLPRegressor(scale_target=True, **settings), X, 1e6 + 1e4 * NUMBER)
    near = quietly(MLPRegressor(scale_target=True, **settings), X, NUMBER)
    assert_allclose(far.predict(X), 1e6 + 1e4 * near.predict(X), rtol=1e-9)
    assert_allclose(separatrix.verify(far, X, 1e6 + 1e4 * NUMBER).value, far.certificate_.value, rtol=1e-5)
    assert far.score(X, 1e6 + 1e4 * NUMBER) > 0.8


def test_single_precision_is_kept():
    model = quietly(MLPClassifier((5,), max_iter=3, random_state=0), X.astype(np.float32), THREE)
    assert {part.dtype for part in (*model.coefs_, *model.intercepts_)} == {np.dtype(np.float32)}
    assert model.predict_proba(X.astype(np.float32)).dtype == np.float32


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"hidden_layer_sizes": (3, 0)}, "hidden_layer_sizes must be > 0"),
        ({"learning_rate_init": 0.0}, r"learning_rate_init must be a number in \(0, inf\)"),
        ({"activation": "swish"}, "activation is not one of"),
        ({"solver": "rmsprop"}, "solver is not one of"),
        ({"batch_size": 0}, r"batch_size must be an integer in \[1, inf\)"),
        ({"momentum": 1.5}, r"momentum must be a number in \[0, 1\]"),
        ({"pretrain": "stacking"}, "pretrain is not one of"),
        ({"learning_rate_init": 1e200, "solver": "sgd"}, "in epoch 2 with steps of size 1e[+]200"),
    ],
    ids=lambda each: each if isinstance(each, str) else "-".join(each),
)
def test_settings_that_cannot_work_are_refused(settings, message):
    model = MLPRegressor(**{"hidden_layer_sizes": (3,), **settings})
    with pytest.raises(ValueError, match=message):
        model.fit(X, NUMBER)
    assert not [name for name in vars(model) if name.endswith("_")], "a fit that fails leaves nothing behind"


def test_a_batch_is_never_larger_than_the_data():
    one, other = (
        quietly(MLPRegressor(hidden_layer_sizes=(3,), batch_size=m, max_iter=3, random_state=0), X, NUMBER)
        for m in (90, 1000)
    )
    assert_array_equal(parameters(one), parameters(other))


def test_labels_that_no_chunk_announced_are_refused():
    model = MLPClassifier((3,), random_state=0)
    with pytest.raises(ValueError, match="begin a stream with MLPClassifier and classes=None"):
        model.partial_fit(X, THREE)
    model.partial_fit(X, THREE, classes=["a", "b", "c"])
    with pytest.raises(ValueError, match="the label 'd'"):
        model.partial_fit(X[:2], ["d", "a"])
    assert not hasattr(MLPClassifier(solver="lbfgs"), "partial_fit")


def test_a_validation_set_that_is_too_small_is_refused():
    with pytest.raises(ValueError, match="1 row is held out of 6"):
        MLPRegressor(hidden_layer_sizes=(2,), early_stopping=True).fit(X[:6], NUMBER[:6])


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("model", "y"),
    [
        (MLPClassifier((5, 4), "logistic", batch_norm=True, max_iter=3, random_state=0), THREE),
        (MLPClassifier((5,), "leaky_relu", solver="sgd", early_stopping=True, max_iter=12, random_state=0), TWO),
        (MLPRegressor("poisson", (5,), max_iter=3, random_state=0), NUMBER**2),
        (MLPRegressor("squared_error", (), scale_target=True, solver="lbfgs", random_state=0), NUMBER),
    ],
    ids=["normalised", "stopped", "counts", "scaled"],
)
def test_a_file_keeps_what_predictions_and_the_next_steps_are_made_of(model, y, tmp_path):
    model.fit(X, y).save(tmp_path / "model.sepx")
    loaded = separatrix.load(tmp_path / "model.sepx")
    step = Step(declaration(model).prediction, vars(model))
    for method in ("predict", "predict_proba", "decision_function"):
        if hasattr(model, method):
            assert_array_equal(getattr(loaded, method)(X), getattr(model, method)(X))
            assert_array_equal(predict_step(step, method, X), getattr(model, method)(X))
    if model.solver != "lbfgs" and not model.early_stopping:
        for each in (model, loaded):
            each.partial_fit(X, y)
        assert_array_equal(parameters(loaded), parameters(model))


def test_a_crafted_step_rule_of_another_length_is_refused(tmp_path):
    model = quietly(MLPClassifier((5,), max_iter=2, random_state=0), X, THREE)
    model._steps.m, model._steps.v = model._steps.m[:3], model._steps.v[:3]
    with pytest.raises(ValueError, match="do not fit together"):
        model.save(tmp_path / "model.sepx")


@pytest.mark.mission("NET-12")
def test_restricted_boltzmann_machines_give_logistic_layers_their_weights():
    binary = (X > 0.0).astype(float)
    settings = {"activation": "logistic", "solver": "lbfgs", "max_iter": 1, "random_state": 0}
    model = quietly(MLPClassifier((5, 3), pretrain="rbm", pretrain_iter=20, **settings), binary, THREE)
    assert [W.shape for W in model.coefs_] == [(4, 5), (5, 3), (3, 3)]
    fewer = quietly(MLPClassifier((5, 3), pretrain="rbm", pretrain_iter=1, **settings), binary, THREE)
    assert np.linalg.norm(model.coefs_[0]) > 2.0 * np.linalg.norm(fewer.coefs_[0]), "the machines have learnt edges"
    with pytest.raises(ValueError, match="columns within \\[0, 1\\] and no weights"):
        MLPClassifier((5,), pretrain="rbm", **settings).fit(X, THREE)
    with pytest.raises(ValueError, match="hidden units are logistic"):
        MLPClassifier((5,), pretrain="rbm").fit(binary, THREE)
