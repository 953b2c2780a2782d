"""The kernel perceptron: golden cases, the linear perceptron that it is the dual of, and its failures."""

import numpy as np
import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

import separatrix
from separatrix.core.declaration import declaration
from separatrix.core.errors import NotSeparated
from separatrix.kernels import Linear, Polynomial, Sum, gram
from separatrix.linear_model import KernelPerceptron, Perceptron
from separatrix.prediction import can_predict, predict_step
from separatrix.prediction.forms import Step

XOR, SIGNS = np.array([[1.0, 1], [1, -1], [-1, 1], [-1, -1]]), np.array([-1, 1, 1, -1])
QUADRATIC = {"kernel": "poly", "degree": 2, "gamma": 1.0, "coef0": 0.0}
RNG = np.random.default_rng(3)
RING = RNG.uniform(-2.0, 2.0, (150, 2))
RING = RING[np.abs((RING**2).sum(1) - 2.0) > 0.2]
INSIDE = np.where((RING**2).sum(1) < 2.0, "in", "out")


@parametrize_with_checks([KernelPerceptron(max_iter=50), KernelPerceptron("linear", max_iter=50)])
def test_scikit_learn_contract(estimator, check):
    check(estimator)


@pytest.mark.mission("PC-07")
@pytest.mark.mission("KE-03")
def test_the_quadratic_kernel_solves_xor_with_the_counts_of_the_golden_case():
    # golden case G009
    model = KernelPerceptron(**QUADRATIC, shuffle=False).fit(XOR, SIGNS)
    assert model.counts_.tolist() == [1, 1, 0, 0]
    assert model.decision_function(XOR).tolist() == [-4, 4, 4, -4]
    assert (model.predict(XOR) == SIGNS).all() and model.converged_
    assert model.error_history_.tolist() == [2, 0] and model.mistakes_ == 2


@pytest.mark.mission("PC-07")
def test_the_linear_kernel_does_not_solve_xor_and_says_so():
    with pytest.warns(NotSeparated):
        model = KernelPerceptron("linear", max_iter=20).fit(XOR, SIGNS)
    assert not model.converged_ and not model.certificate_.converged


@pytest.mark.mission("PC-05")
def test_the_linear_kernel_counts_the_mistakes_of_the_golden_case():
    # golden case G008: rows carry a 1
    rows, y = np.array([[1.0, 2, 1], [-1, 2, 1], [-1, -2, 1]]), np.array([-1, -1, 1])
    model = KernelPerceptron("linear", shuffle=False).fit(rows, y)
    assert model.counts_.tolist() == [1, 0, 0] and model.n_iter_ == 2
    assert (model.dual_coef_ @ rows).tolist() == [[-1, -2, -1]]
    with_one = KernelPerceptron("poly", degree=1, gamma=1.0, coef0=1.0, shuffle=False).fit(rows[:, :2], y)
    assert with_one.counts_.tolist() == [1, 0, 0]


@pytest.mark.mission("PC-05")
@pytest.mark.parametrize("intercept", [False, True])
def test_primal_and_dual_make_the_same_mistakes_and_predict_the_same(intercept):
    X = RNG.integers(-9, 10, (120, 4)).astype(float)  # whole numbers: both sum without rounding
    score = X @ [2.0, -1.0, 1.0, 3.0] + intercept
    X, y = X[np.abs(score) > 5.0], np.sign(score[np.abs(score) > 5.0])
    primal = Perceptron(fit_intercept=intercept, shuffle=False, tol=None).fit(X, y)
    dual = KernelPerceptron("poly", degree=1, gamma=1.0, coef0=float(intercept), shuffle=False).fit(X, y)
    assert (dual.counts_ == primal.counts_).all() and dual.n_iter_ == primal.n_iter_ > 2
    assert (dual.error_history_ == primal.error_history_).all()
    assert (dual.decision_function(X) == primal.decision_function(X)).all()


def test_a_ring_is_separated_by_a_gaussian_and_many_classes_one_against_the_rest():
    two = KernelPerceptron(gamma=1.0).fit(RING, INSIDE)
    assert two.converged_ and (two.predict(RING) == INSIDE).all()
    thirds = np.digitize(np.arctan2(*RING.T), [-1.0, 1.0])
    three = KernelPerceptron(gamma=1.0).fit(RING, thirds)
    assert three.dual_coef_.shape == three.counts_.shape == (3, len(RING))
    assert (three.predict(RING) == thirds).all()


def test_a_seed_repeats_a_fit_and_an_order_of_presentation_matters():
    a, b, c = (KernelPerceptron(gamma=1.0, random_state=seed).fit(RING, INSIDE) for seed in (1, 1, 2))
    assert (a.counts_ == b.counts_).all() and (a.counts_ != c.counts_).any()


@pytest.mark.mission("KE-12")
def test_a_precomputed_kernel_gives_the_same_counts():
    named = KernelPerceptron(**QUADRATIC).fit(XOR, SIGNS)
    kernel = Polynomial(2, 1.0, 0.0)
    given = KernelPerceptron("precomputed").fit(gram(kernel, XOR), SIGNS)
    assert (given.counts_ == named.counts_).all()
    new = RNG.standard_normal((5, 2))
    np.testing.assert_allclose(
        given.decision_function(gram(kernel, new, XOR)), named.decision_function(new), rtol=1e-12, atol=1e-12
    )
    with pytest.raises(ValueError, match="square kernel matrix"):
        KernelPerceptron("precomputed").fit(RING, INSIDE)


def test_verify_counts_the_rows_on_the_wrong_side():
    model = KernelPerceptron(gamma=1.0).fit(RING, INSIDE)
    assert separatrix.verify(model, RING, INSIDE).converged
    model.counts_[np.argmax(model.counts_)] = 0
    assert not separatrix.verify(model, RING, INSIDE).converged
    with pytest.warns(NotSeparated):
        early = KernelPerceptron("linear", max_iter=1).fit(XOR, SIGNS)
    wrong = (SIGNS * early.decision_function(XOR) <= 0.0).sum()
    assert separatrix.verify(early, XOR, SIGNS).value == wrong > 0


def test_plain_data_predict_bit_for_bit_alike():
    for labels in (INSIDE, np.digitize(RING[:, 0], [-1.0, 1.0])):
        model = KernelPerceptron(gamma=1.0).fit(RING, labels)
        plain = Step(declaration(model).prediction, dict(vars(model)))
        assert can_predict(plain)
        assert (predict_step(plain, "predict", RING) == model.predict(RING)).all()
        assert (predict_step(plain, "decision_function", RING) == model.decision_function(RING)).all()


@pytest.mark.parametrize("wrong", [{"max_iter": 0}, {"gamma": -1.0}, {"kernel": "gauss"}, {"kernel": lambda x, z: x}])
def test_bad_parameters_are_refused(wrong):
    with pytest.raises(ValueError):
        KernelPerceptron(**wrong).fit(RING, INSIDE)


def test_a_constant_added_to_the_kernel_is_an_intercept():
    X, y = np.array([[1.0], [2.0], [3.0], [4.0]]), np.array([0, 0, 1, 1])  # on one side of the origin
    assert KernelPerceptron(kernel=Sum(Linear(), Polynomial(degree=0)), shuffle=False).fit(X, y).converged_
    with pytest.warns(UserWarning):
        assert not KernelPerceptron(kernel="linear", max_iter=50).fit(X, y).converged_
