"""NuSVC, NuSVR and OneClassSVM: shares of errors and support vectors, prices that belong to nu, LIBSVM's answers."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array
from sklearn import svm
from sklearn.datasets import load_iris, make_classification, make_regression
from sklearn.metrics.pairwise import rbf_kernel

import separatrix
from separatrix.core.declaration import declaration
from separatrix.core.dual_problem import DualProblem, best_offsets, dual_values
from separatrix.core.errors import NotCertified
from separatrix.designs.gram_rows import PrecomputedRows
from separatrix.svm import SVC, SVR, NuSVC, NuSVR, OneClassSVM

GAMMA = 0.3
ROUNDING = 1e-9  # of numbers near 1 after a Newton step, whose conditions hold to 1e-12
LIBSVM = 1e-4  # its kernel rows are single precision
NUS = [0.2, 0.5, 0.8]


def labelled(n=150, p=4, classes=2, seed=0):
    return make_classification(
        n, p, n_informative=p, n_redundant=0, n_classes=classes, flip_y=0.1, class_sep=0.6, random_state=seed
    )


def numbers(n=120, p=3):
    X, y = make_regression(n, p, noise=20.0, random_state=0)
    return X, y / np.std(y)


MACHINES = {"NuSVC": (NuSVC, labelled), "NuSVR": (NuSVR, numbers), "OneClassSVM": (OneClassSVM, labelled)}


def scores(model, X):
    return model.predict(X) if isinstance(model, NuSVR | svm.NuSVR) else model.decision_function(X)


def coefficients(model, n):
    b = np.zeros(n)
    b[model.support_] = model.dual_coef_[0]
    return b


@pytest.mark.parametrize("nu", NUS)
@pytest.mark.parametrize("name", MACHINES)
def test_nu_bounds_the_share_of_errors_from_above_and_that_of_support_vectors_from_below(name, nu):
    make, data = MACHINES[name]
    X, y = data()
    model = make(nu=nu, gamma=GAMMA).fit(X, y)
    f = scores(model, X)
    if name == "NuSVC":
        slack = 1.0 - np.where(y == 1, f, -f)
    else:
        slack = -f if name == "OneClassSVM" else np.abs(y - f) - model.epsilon_
    assert np.mean(slack > ROUNDING) <= nu <= len(model.support_) / len(y)
    assert_allclose(model.slack_, np.maximum(slack, 0.0), atol=ROUNDING)
    assert model.certificate_.kind == "gap" and model.certificate_.value <= 1e-9
    if name == "OneClassSVM":  # the border belongs to the region, so that predictions keep the bound, too
        assert np.mean(model.predict(X) == -1) <= nu


@pytest.mark.parametrize("nu", NUS)
@pytest.mark.parametrize("name", MACHINES)
def test_scores_are_those_of_libsvm_and_the_dual_objective_is_not_worse(name, nu):
    make, data = MACHINES[name]
    X, y = data()
    ours, theirs = make(nu=nu, gamma=GAMMA).fit(X, y), getattr(svm, name)(nu=nu, gamma=GAMMA, tol=1e-10).fit(X, y)
    expected = scores(theirs, X)
    assert_allclose(scores(ours, X), expected, atol=LIBSVM * np.abs(expected).max())
    K, objectives = rbf_kernel(X, gamma=GAMMA), []
    for model in (ours, theirs):
        b = coefficients(model, len(y))
        # NuSVC's are divided by ρ, which a sum of ν n of the coefficients as solved for tells
        b /= np.abs(b).sum() / (nu * len(y)) if name == "NuSVC" else 1.0
        objectives.append(0.5 * b @ K @ b - (y @ b if name == "NuSVR" else 0.0))
    assert objectives[0] <= objectives[1] + 1e-7 * np.abs(objectives[1])


def test_primal_and_dual_objectives_of_the_textbook_meet():
    # Schölkopf et al. (2000), eqs. 42 and 27; Schölkopf et al. (2001), eq. 3.1. That they meet proves both optimal.
    X, y = labelled(60, 4)
    n, nu, signs = len(y), 0.9, np.where(y == 1, 1.0, -1.0)
    model = NuSVC(nu=nu, kernel="linear").fit(X, y)
    rho = 1.0 / model.C_[0]
    w, t, alpha = rho * model.coef_[0], rho * model.intercept_[0], rho * np.abs(coefficients(model, n))
    assert np.all(alpha <= 1.0 + ROUNDING) and abs(alpha @ signs) <= ROUNDING * n
    assert_allclose(alpha.sum(), nu * n, rtol=1e-12)
    primal = 0.5 * w @ w - nu * n * rho + np.maximum(0.0, rho - signs * (X @ w + t)).sum()
    assert_allclose(primal, -0.5 * w @ w, rtol=1e-10)

    X, y = numbers(60, 2)
    model, C = NuSVR(nu=0.3, C=2.0, kernel="linear").fit(X, y), 2.0
    w, b, error = model.coef_[0], coefficients(model, n), np.abs(y - model.predict(X))
    assert_allclose(np.abs(b).sum(), C * 0.3 * n, rtol=1e-12)
    tube = model.epsilon_
    primal = 0.5 * w @ w + C * (0.3 * n * tube + np.maximum(0.0, error - tube).sum())
    assert_allclose(primal, y @ b - 0.5 * w @ w, rtol=1e-10)

    model = OneClassSVM(nu=0.3, kernel="linear").fit(X + 5.0)
    w, rho = model.coef_[0], model.offset_[0]
    primal = 0.5 * w @ w - 0.3 * n * rho + np.maximum(0.0, rho - (X + 5.0) @ w).sum()
    assert_allclose(primal, -0.5 * w @ w, rtol=1e-9)  # the border is moved by 1e-11


def test_nu_and_the_price_that_belongs_to_it_give_the_same_hyperplane():
    X, y = labelled(160, 4)
    priced = SVC(C=0.7, gamma=GAMMA).fit(X, y)
    nu = np.abs(priced.dual_coef_).sum() / (0.7 * len(y))
    model = NuSVC(nu=nu, gamma=GAMMA).fit(X, y)
    assert_allclose(model.C_, 0.7, rtol=1e-8)
    assert_allclose(model.decision_function(X), priced.decision_function(X), atol=1e-8)
    assert_array_equal(model.support_, priced.support_)
    X, y = numbers()
    tube = SVR(C=0.7, gamma=GAMMA, epsilon=0.15).fit(X, y)
    model = NuSVR(C=0.7, nu=np.abs(tube.dual_coef_).sum() / (0.7 * len(y)), gamma=GAMMA).fit(X, y)
    assert_allclose(model.epsilon_, 0.15, rtol=1e-8)
    assert_allclose(model.predict(X), tube.predict(X), atol=1e-8)


def test_classes_are_told_apart_in_pairs_as_by_libsvm():
    iris = load_iris()
    for shape in ("ovo", "ovr"):
        options = {"nu": 0.3, "gamma": 0.5, "decision_function_shape": shape}
        ours, theirs = NuSVC(**options).fit(iris.data, iris.target), svm.NuSVC(tol=1e-10, **options)
        expected = theirs.fit(iris.data, iris.target).decision_function(iris.data)
        assert_allclose(ours.decision_function(iris.data), expected, atol=LIBSVM * np.abs(expected).max())
        assert_array_equal(ours.predict(iris.data), theirs.predict(iris.data))
    assert_array_equal(ours.n_support_, theirs.n_support_)


def test_more_nu_than_the_lighter_class_holds_is_refused_with_the_largest_that_is_possible():
    X, y = labelled()
    few = np.append(np.flatnonzero(y == 0)[:10], np.flatnonzero(y == 1)[:40])
    with pytest.raises(ValueError, match=r"specified nu is infeasible.*nu of at most 0\.4, or class_weight='balanced'"):
        NuSVC(nu=0.5).fit(X[few], y[few])
    assert NuSVC(nu=0.4).fit(X[few], y[few]).certificate_.converged  # all rows of the lighter class at their bound
    balanced = NuSVC(nu=1.0, class_weight="balanced").fit(X[few], y[few])
    assert balanced.certificate_.converged and len(balanced.support_) == 50


def test_less_nu_than_classes_that_overlap_allow_is_refused():
    X, y = labelled()
    smallest = np.abs(SVC(kernel="linear", C=1e4).fit(X, y).dual_coef_).sum() / (1e4 * len(y))
    assert NuSVC(nu=1.1 * smallest, kernel="linear").fit(X, y).certificate_.converged
    for nu in (0.9 * smallest, 0.1 * smallest):
        with pytest.raises(ValueError, match=r"no direction separates them: w = 0\. Use a larger nu"):
            NuSVC(nu=nu, kernel="linear").fit(X, y)


@pytest.mark.parametrize("name", MACHINES)
def test_a_weight_is_a_repetition_and_weight_zero_is_absence(name):
    make, data = MACHINES[name]
    X, y = data(90, 3)
    s = np.arange(len(y)) % 3
    weighted = make(nu=0.4).fit(X, y, sample_weight=s)
    repeated = make(nu=0.4).fit(np.repeat(X, s, axis=0), np.repeat(y, s))
    expected = scores(repeated, X)
    assert_allclose(scores(weighted, X), expected, atol=ROUNDING * np.abs(expected).max())
    assert not np.isin(weighted.support_, np.flatnonzero(s == 0)).any() and not weighted.slack_[s == 0].any()
    uneven = np.random.default_rng(0).uniform(0.1, 2.0, len(y))
    theirs = getattr(svm, name)(nu=0.4, gamma=GAMMA, tol=1e-10).fit(X, y, sample_weight=uneven)
    expected = scores(theirs, X)
    model = make(nu=0.4, gamma=GAMMA).fit(X, y, sample_weight=uneven)
    assert_allclose(scores(model, X), expected, atol=LIBSVM * np.abs(expected).max())
    assert model.certificate_.value <= 1e-9


def test_a_curve_through_all_rows_has_a_tube_of_no_width():
    X = np.linspace(-1.0, 1.0, 9)[:, None]
    model = NuSVR(kernel="linear", C=100.0).fit(X, 2.0 * X[:, 0] + 1.0)
    assert model.epsilon_ == pytest.approx(0.0, abs=1e-9)
    assert_allclose([model.coef_[0, 0], model.intercept_[0]], [2.0, 1.0], rtol=1e-8)
    y = 2.0 * X[:, 0] + 1.0
    assert model.certificate_.converged and separatrix.verify(model, X, y).converged
    flat = NuSVR(nu=1.0).fit(X, np.ones(9))
    assert_allclose(flat.predict(X), 1.0, rtol=1e-12)
    assert flat.certificate_.converged and separatrix.verify(flat, X, np.ones(9)).converged


@pytest.mark.parametrize("nu", [0.5, 1.0])
@pytest.mark.parametrize("name", MACHINES)
def test_verify_holds_a_model_to_its_data_and_to_its_nu(name, nu):
    make, data = MACHINES[name]
    X, y = data(80, 3)
    options = {"class_weight": "balanced"} if name == "NuSVC" else {}
    model = make(nu=nu, **options).fit(X, y)
    assert separatrix.verify(model, X, y).converged
    own = {"NuSVC": ["C_"], "NuSVR": ["epsilon_"]}.get(name, []) if nu < 1.0 else []
    for attribute, change in [("dual_coef_", 1.01), ("intercept_", 1.5), ("gamma_", 1.01), *((a, 1.1) for a in own)]:
        if nu == 1.0 and attribute == "intercept_":
            continue  # all rows of one class at their bound: any border beyond them is as good
        kept = getattr(model, attribute)
        setattr(model, attribute, kept * change)
        assert not separatrix.verify(model, X, y).converged, attribute
        setattr(model, attribute, kept)
    if nu < 1.0:
        assert not separatrix.verify(model.set_params(nu=0.6), X, y).converged


@pytest.mark.parametrize("name", MACHINES)
def test_a_file_of_a_model_and_plain_numpy_predict_as_the_model_does(name, tmp_path):
    make, data = MACHINES[name]
    X, y = data(60, 3)
    model = make(nu=0.4).fit(X, y)
    path = str(tmp_path / "model.sepx")
    separatrix.save(model, path)
    read, plain = separatrix.load(path), declaration(model).prediction.methods
    assert isinstance(read, make) and separatrix.verify(read, X, y).converged
    for method in plain.keys() - ({"predict_proba", "predict_log_proba"} if name == "NuSVC" else set()):
        expected = getattr(model, method)(X)
        assert_array_equal(getattr(read, method)(X), expected)
        assert_array_equal(plain[method](vars(read), X), expected)


def test_scores_of_one_class_are_the_decision_and_the_offset():
    X = labelled()[0]
    model = OneClassSVM(nu=0.2).fit(X)
    assert_allclose(model.score_samples(X) - model.offset_, model.decision_function(X), atol=1e-12)
    assert_array_equal(model.fit_predict(X), np.where(model.decision_function(X) >= 0.0, 1, -1))
    assert_allclose(model.dual_coef_.sum(), 0.2 * len(X), rtol=1e-12)
    with pytest.raises(ValueError, match="nu must be a number in"):
        OneClassSVM(nu=0.0).fit(X)


def test_kernels_may_be_named_or_given_and_rows_sparse():
    for name, (make, data) in MACHINES.items():
        X, y = data(60, 3)
        K = rbf_kernel(X, gamma=GAMMA)
        expected = scores(make(nu=0.4, gamma=GAMMA).fit(X, y), X)
        given = scores(make(nu=0.4, kernel="precomputed").fit(K, y), K)
        assert_allclose(given, expected, atol=1e-8, err_msg=name)
        sparse = scores(make(nu=0.4, gamma=GAMMA).fit(csr_array(X), y), csr_array(X))
        assert_allclose(sparse, expected, atol=1e-8, err_msg=name)


def test_a_price_beyond_the_range_of_numbers_is_refused():
    with pytest.raises(ValueError, match="range of numbers"):
        NuSVR(C=1e300).fit(*numbers(20, 2))


def test_probabilities_agree_with_the_prediction():
    X, y = labelled(120, 4, classes=3)
    model = NuSVC(nu=0.4, probability=True, random_state=0).fit(X, y)
    shares = model.predict_proba(X)
    assert_allclose(shares.sum(axis=1), 1.0, rtol=1e-12)
    assert_array_equal(model.classes_[shares.argmax(axis=1)], model.predict(X))


@pytest.mark.parametrize("name", MACHINES)
def test_a_limit_of_steps_keeps_the_best_iterate_and_warns(name):
    make, data = MACHINES[name]
    X, y = data(300, 6)
    with pytest.warns(NotCertified):
        model = make(nu=0.5, max_iter=3).fit(X, y)
    assert model.fit_status_ == 1 and np.isfinite(scores(model, X)).all()


def test_the_offset_of_variables_that_are_all_at_a_bound_is_the_nearest_that_keeps_them_there():
    n, zeros = 3, np.zeros(3)
    gram = PrecomputedRows(np.eye(n))
    for b, total, least in ((zeros, 0.0, 3.0), (np.ones(n), 3.0, 1.0)):
        linear = np.array([1.0, 2.0, 3.0]) + b
        problem = DualProblem(gram, linear, zeros, np.ones(n), np.arange(n), np.zeros(n, dtype=int), np.array([total]))
        offsets = best_offsets(problem, b, linear - b)
        assert offsets[0] == least and dual_values(problem, b, offsets).gap <= 1e-14


@pytest.mark.parametrize("seed", [2, 3, 11, 12])
@pytest.mark.parametrize("kernel", ["rbf", "linear", "poly"])
def test_rows_on_the_border_of_a_region_are_inside_and_at_most_a_share_nu_is_outside(seed, kernel):
    rng = np.random.default_rng(seed)
    n, p = rng.integers(50, 400), rng.integers(1, 8)
    X = rng.standard_normal((n, p)) * 10.0 ** rng.integers(-2, 3) + 10.0 ** rng.integers(-2, 4) * (seed % 2)
    for nu in (0.1, 0.5):
        model = OneClassSVM(nu=nu, kernel=kernel).fit(X)
        inside = model.predict(X) > 0
        assert model.certificate_.converged
        assert inside[model.on_margin_].all()
        assert (~inside).sum() <= nu * n


def test_a_region_without_a_direction_is_certified_and_holds_every_row():
    X = np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]])  # about 0: the best w of a linear kernel is 0
    model = OneClassSVM(nu=0.5, kernel="linear").fit(X)
    assert model.certificate_.converged
    assert_allclose(model.dual_coef_ @ model.support_vectors_, 0.0, atol=1e-12)
    assert_allclose(model.decision_function(X), 0.0, atol=1e-10)
    assert (model.predict(X) == 1).all()
