"""What a second fit, a stream, or `verify` makes of a network that was fitted before."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import separatrix
from separatrix.core.jit import load
from separatrix.neural_network import MLPClassifier, MLPRegressor
from separatrix.solvers.networks.compiled.adam import adam_step


def _rows(n=60):
    X = np.random.RandomState(0).randn(n, 4)
    return X, (X[:, 0] > 0.0).astype(int)


@pytest.mark.filterwarnings("ignore")
def test_a_fit_keeps_nothing_of_the_one_before():
    X, y = _rows()
    fresh = {"max_iter": 3, "random_state": 0}
    model = MLPClassifier(5, batch_norm=True, **fresh).fit(X, y)
    model.set_params(batch_norm=False).fit(X, y)
    assert_array_equal(model.predict_proba(X), MLPClassifier(5, **fresh).fit(X, y).predict_proba(X))
    assert "batch_norms_" not in vars(model)
    number = MLPRegressor(hidden_layer_sizes=5, scale_target=True, **fresh).fit(X, 7.0 + X[:, 0])
    number.set_params(scale_target=False).fit(X, 7.0 + X[:, 0])
    assert "target_scale_" not in vars(number)


@pytest.mark.filterwarnings("ignore")
def test_moments_of_steps_do_not_outlive_their_network():
    X, y = _rows()
    model = MLPClassifier(5, max_iter=3, random_state=0).fit(X, y)
    model.set_params(solver="lbfgs", hidden_layer_sizes=50).fit(X, y)  # more parameters than moments were kept
    assert "_steps" not in vars(model)
    model.set_params(solver="adam").partial_fit(X, y)
    assert model._steps.m.size == sum(part.size for part in (*model.coefs_, *model.intercepts_))
    model.set_params(solver="sgd").partial_fit(X, y)
    assert type(model._steps).__name__ == "Momentum"


@pytest.mark.filterwarnings("ignore")
def test_a_stream_goes_on_after_a_fit_that_stopped_early():
    X, y = _rows()
    model = MLPClassifier(5, early_stopping=True, validation_fraction=0.2, max_iter=3, random_state=0).fit(X, y)
    assert np.isfinite(model.set_params(early_stopping=False).partial_fit(X, y).loss_)


@pytest.mark.filterwarnings("ignore")
def test_a_gradient_is_of_the_fit_and_not_of_parameters_set_since():
    X, _ = _rows()
    model = MLPRegressor(hidden_layer_sizes=5, max_iter=3, random_state=0).fit(X, X[:, 0])
    expected = model.input_gradient(X)
    assert_array_equal(model.set_params(scale_target=True).input_gradient(X), expected)


@pytest.mark.filterwarnings("ignore")
def test_verify_sees_another_output_and_changes_no_model():
    X, y = _rows()
    model = MLPClassifier(3, "tanh", solver="lbfgs", max_iter=3000, random_state=0).fit(X, y)
    assert separatrix.verify(model, X, y).converged
    model.out_activation_ = "softmax"
    assert not separatrix.verify(model, X, y).converged
    assert model.out_activation_ == "softmax"


def test_a_loss_that_overflows_on_all_rows_is_refused():
    X, _ = _rows()
    with pytest.raises(ValueError, match="no finite number"):
        MLPRegressor(hidden_layer_sizes=5, solver="lbfgs", max_iter=20, random_state=0).fit(1e200 * X, X[:, 0])


def test_plain_and_compiled_steps_are_the_same_to_the_last_bit():
    g = np.random.RandomState(0).randn(1031).astype(np.float32)
    numbers = [np.float32(number) for number in (0.9, 0.1, 0.999, 0.001, 0.001, 1e-8)]
    ends = []
    load()
    for step in (adam_step, adam_step.py_func):
        theta, m, v = np.zeros((3, len(g)), np.float32)
        step(theta, g, m, v, *numbers)
        step(theta, g, m, v, *numbers)
        ends.append(np.concatenate([theta, m, v]))
    assert_array_equal(*ends)
