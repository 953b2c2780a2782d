"""SVC: worked examples, the conditions of Karush, Kuhn and Tucker, laws of rows and weights, and LIBSVM's objective."""

import json
import time
import warnings
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize
from scipy.spatial.distance import cdist
from sklearn import svm
from sklearn.datasets import load_iris, load_svmlight_file, make_classification
from sklearn.metrics.pairwise import linear_kernel, polynomial_kernel, rbf_kernel, sigmoid_kernel

import separatrix
from separatrix.core.errors import Inseparable, NotCertified
from separatrix.estimators.margin.kernel_machine import UnevenColumns
from separatrix.svm import SVC

DATA = Path(__file__).parents[4] / "shared" / "data" / "libsvm"
THREE = np.array([[1.0, 2.0], [-1.0, 2.0], [-1.0, -2.0]]), np.array([-1, -1, 1])
FOUR = np.vstack([THREE[0], [[3.0, 1.0]]]), np.append(THREE[1], 1)
XOR = np.array([[1.0, 1.0], [-1.0, -1.0], [1.0, -1.0], [-1.0, 1.0]]), np.array([0, 0, 1, 1])
ROUNDING = 1e-9  # of numbers near 1 after a Newton step, whose conditions hold to 1e-12


def overlapping(n=120, p=4, classes=2, seed=0):
    X, y = make_classification(
        n, p, n_informative=p, n_redundant=0, n_classes=classes, flip_y=0.1, class_sep=0.6, random_state=seed
    )
    return X, y


def alphas(model, n):
    """The dual variables of all rows of a model of two classes."""
    alpha = np.zeros(n)
    alpha[model.support_] = np.abs(model.dual_coef_[0])
    return alpha


def dual_objective(K, y, alpha):
    signed = np.where(y == y.max(), 1.0, -1.0) * alpha
    return alpha.sum() - 0.5 * signed @ K @ signed


@pytest.mark.parametrize("scale", [1e-15, 1e-8, 1e15])
def test_a_hard_margin_is_found_in_any_unit_of_the_columns(scale):
    X = np.random.default_rng(0).standard_normal((300, 4))
    y = (X[:, 0] + 0.5 * X[:, 1] > 0.0).astype(int)
    one, other = (SVC(C=np.inf, kernel="linear", max_iter=200_000).fit(unit * X, y) for unit in (1.0, scale))
    assert other.certificate_.converged
    assert_allclose(other.margin_ / scale, one.margin_, rtol=1e-4)  # the root of their gaps


@pytest.mark.mission("MM-01", "MM-05", "MM-07", "MM-09", "KE-12")
@pytest.mark.parametrize(
    ("data", "alpha", "w", "margin"),
    [(THREE, [0.0, 1 / 8, 1 / 8], [0.0, -0.5], 2.0), (FOUR, [0.5, 0.0, 0.1, 0.4], [0.6, -0.8], 1.0)],
    ids=["G006", "G007"],
)
def test_the_two_worked_hard_margins_are_exact(data, alpha, w, margin):
    X, y = data
    model = SVC(kernel="linear", C=np.inf).fit(X, y)
    assert_allclose(alphas(model, len(y)), alpha, atol=1e-12)
    assert_array_equal(alphas(model, len(y)) == 0.0, np.array(alpha) == 0.0)
    assert_allclose(model.coef_[0], w, atol=1e-12)
    assert_allclose([model.intercept_[0], model.margin_, model.margin_width_], [0.0, margin, 2 * margin], atol=1e-12)
    assert model.certificate_.converged and model.certificate_.kind == "gap" and model.certificate_.value < 1e-12
    labelled = (y[:, None] * X) @ (y[:, None] * X).T
    assert_allclose(model.labelled_gram(X, y), labelled)
    assert_allclose(model.dual_objective_, 0.5 / margin**2, rtol=1e-12)
    assert_allclose(model.primal_objective_, 0.5 / margin**2, rtol=1e-11)


@pytest.mark.mission("MM-03", "MM-04")
def test_both_classes_touch_the_margin_and_the_unit_normal_has_the_largest_distance():
    X, y = FOUR
    model = SVC(kernel="linear", C=np.inf).fit(X, y)
    margins = y * model.decision_function(X)
    assert_allclose(margins, [1.0, 2.2, 1.0, 1.0], atol=1e-12)  # G007, functional_margins
    distances = y * (X @ model.coef_[0] + model.intercept_[0]) / np.linalg.norm(model.coef_)
    assert_allclose(distances.min(), model.margin_, rtol=1e-12)


@pytest.mark.mission("MM-18")
def test_a_quadratic_kernel_makes_no_error_on_xor():
    X, y = XOR
    for kernel in ({"coef0": 1.0}, {"coef0": 0.0}):
        model = SVC(kernel="poly", degree=2, gamma=1.0, C=np.inf, **kernel).fit(X, y)
        assert model.score(X, y) == 1.0
    # (x·z + 1)²: alpha = 1/8 at every row (Cherkassky and Mulier 1998, section 9.3)
    assert_allclose(
        alphas(SVC(kernel="poly", degree=2, gamma=1.0, coef0=1.0, C=np.inf).fit(X, y), 4), 1 / 8, rtol=1e-12
    )


@pytest.mark.mission("MM-18", "MM-12", "MM-20")
def test_the_linear_kernel_is_the_quadratic_programme_of_the_primal():
    X, y = overlapping(30, 2)
    C, signs = 0.7, np.where(y == 1, 1.0, -1.0)

    def primal(v):
        return 0.5 * v[:2] @ v[:2] + C * v[3:].sum()

    constraints = [{"type": "ineq", "fun": lambda v: signs * (X @ v[:2] + v[2]) - 1.0 + v[3:]}]
    bounds = [(None, None)] * 3 + [(0.0, None)] * len(y)
    start = np.concatenate([np.zeros(3), np.ones(len(y))])
    oracle = minimize(primal, start, constraints=constraints, bounds=bounds, options={"maxiter": 500, "ftol": 1e-12})
    model = SVC(kernel="linear", C=C).fit(X, y)
    assert model.primal_objective_ <= oracle.fun * (1 + 1e-9)
    assert_allclose(model.primal_objective_, oracle.fun, rtol=1e-6)
    assert_allclose(model.coef_[0], oracle.x[:2], atol=1e-3 * np.abs(model.coef_).max())
    K = X @ X.T
    assert_allclose(model.dual_objective_, dual_objective(K, y, alphas(model, len(y))), rtol=1e-12)
    assert_allclose(model.coef_[0], (signs * alphas(model, len(y))) @ X, atol=1e-12)


@pytest.mark.mission("MM-06", "MM-13", "MM-21", "MM-07")
@pytest.mark.parametrize("kernel", ["linear", "rbf", "poly"])
@pytest.mark.parametrize("C", [1e-6, 0.1, 10.0, 1e6])
def test_every_condition_of_karush_kuhn_and_tucker_holds(kernel, C):
    X, y = overlapping(100, 3 if C > 1e3 else 5)
    model = SVC(kernel=kernel, C=C, gamma=0.3, coef0=1.0, degree=2).fit(X, y)
    alpha, signs = alphas(model, len(y)), np.where(y == 1, 1.0, -1.0)
    margins = signs * model.decision_function(X)
    # of scores that are sums of terms as large as C k(x, x), to some units in the last place
    size = 1e-9 * (1.0 + np.abs(margins).max()) + 1e-14 * np.linalg.norm(alpha) * np.abs(X).max() ** 4
    assert np.all((alpha >= 0.0) & (alpha <= C)) and abs(alpha @ signs) <= 1e-12 * len(y) * C
    inside = (alpha > 0.0) & (alpha < C)
    assert_allclose(margins[inside], 1.0, atol=size)
    assert np.all(margins[alpha == 0.0] >= 1.0 - size) and np.all(margins[alpha == C] <= 1.0 + size)
    assert_array_equal(np.sort(model.on_margin_), np.flatnonzero(inside))
    assert_array_equal(np.sort(model.margin_errors_), np.flatnonzero(alpha == C))
    assert_allclose(model.slack_, np.maximum(0.0, 1.0 - margins), atol=size)
    assert_allclose(alpha * (margins - 1.0 + model.slack_), 0.0, atol=C * size)
    assert np.sum(model.slack_ > 1.0 + size) == np.sum(margins < -size)
    assert model.kkt_violation_ <= size and model.certificate_.value <= 1e-6
    assert_allclose(model.margin_, 1.0 / np.sqrt(2.0 * (alpha.sum() - model.dual_objective_)), rtol=1e-6)


@pytest.mark.mission("MM-06")
def test_duality_holds_in_exact_fractions():
    from fractions import Fraction

    X, y = overlapping(12, 2)
    X = np.round(X * 8) / 8  # products of eighths are floats
    model = SVC(kernel="linear", C=0.5).fit(X, y)
    alpha = [Fraction(a) for a in alphas(model, len(y))]
    sign = [1 if label == 1 else -1 for label in y]
    rows = [[Fraction(v) for v in row] for row in X]
    w = [sum(a * s * row[j] for a, s, row in zip(alpha, sign, rows)) for j in range(2)]
    dual = sum(alpha) - sum(v * v for v in w) / 2
    t = Fraction(float(model.intercept_[0]))
    losses = [max(Fraction(0), 1 - s * (sum(v * x for v, x in zip(w, row)) + t)) for s, row in zip(sign, rows)]
    primal = sum(v * v for v in w) / 2 + Fraction(0.5) * sum(losses)
    unit = Fraction(0.5) * 2 * min(int(np.sum(y == 0)), int(np.sum(y == 1)))
    balance = abs(sum(a * s for a, s in zip(alpha, sign)) * t)
    true_gap = (primal - dual - balance) / unit
    assert float(true_gap) <= model.certificate_.value <= 1e-9


@pytest.mark.mission("MM-11")
def test_a_doubled_support_vector_changes_no_score():
    X, y = overlapping(60, 3)
    once = SVC(C=2.0, gamma=0.4).fit(X, y)
    i = once.on_margin_[0]
    # a second copy of a row below its bound could only share its multiplier
    twice = SVC(C=2.0, gamma=0.4).fit(np.vstack([X, X[i]]), np.append(y, y[i]))
    assert_allclose(twice.decision_function(X), once.decision_function(X), atol=ROUNDING)
    assert_allclose(twice.dual_objective_, once.dual_objective_, rtol=1e-12)


@pytest.mark.mission("MM-08")
def test_support_vectors_alone_give_the_same_scores():
    X, y = overlapping()
    model = SVC(gamma=0.4).fit(X, y)
    kept = SVC(gamma=0.4).fit(X[model.support_], y[model.support_])
    assert_allclose(kept.decision_function(X), model.decision_function(X), atol=ROUNDING)


@pytest.mark.mission("MM-10")
def test_the_bias_is_the_mean_or_the_median_over_free_support_vectors():
    X, y = overlapping()
    signs = np.where(y == 1, 1.0, -1.0)
    for bias, middle in (("mean", np.mean), ("median", np.median)):
        model = SVC(bias=bias, gamma=0.4).fit(X, y)
        f = model.decision_function(X) - model.intercept_[0]
        assert_allclose(model.intercept_[0], middle((signs - f)[model.on_margin_]), atol=ROUNDING)


@pytest.mark.mission("MM-14")
def test_a_large_price_of_errors_is_the_hard_margin():
    X, y = FOUR
    hard, soft = (SVC(kernel="linear", C=C).fit(X, y) for C in (np.inf, 1e6))
    assert_allclose(soft.coef_, hard.coef_, atol=ROUNDING)
    X, y = overlapping(150, 2)
    counts = [len(SVC(kernel="linear", C=C).fit(X, y).support_) for C in (1e-3, 1e-1, 1e2)]
    assert counts == sorted(counts, reverse=True)  # G096: fewer support vectors as C grows


@pytest.mark.mission("MM-14")
@pytest.mark.parametrize(("kernel", "options"), [("linear", {}), ("poly", {"degree": 2, "gamma": 1.0, "coef0": 1.0})])
def test_a_hard_margin_between_classes_that_overlap_is_refused_with_the_proof(kernel, options):
    X, y = overlapping()
    with pytest.raises(Inseparable, match="dual is unbounded") as caught:
        SVC(kernel=kernel, C=np.inf, **options).fit(X, y)
    assert caught.value.proof.verdict == "overlap"
    assert SVC(kernel="rbf", gamma=1.0, C=np.inf).fit(X, y).score(X, y) == 1.0  # all labellings of distinct rows


@pytest.mark.mission("MM-14")
@pytest.mark.parametrize("given", ["rbf", "poly", "precomputed", "callable", "sparse", "texts"])
def test_a_hard_margin_is_refused_where_equal_rows_are_of_different_classes(given):
    X, y = overlapping(60, 2)
    X, y = np.vstack([X, X[7]]), np.append(y, 1 - y[7])
    kernel, options = given, {"gamma": 0.5}
    if given == "precomputed":
        X = np.exp(-0.5 * cdist(X, X, "sqeuclidean"))  # by differences: equal rows have equal kernels to the last bit
    elif given == "callable":
        kernel = rbf_kernel
    elif given == "sparse":
        X, kernel = sp.csr_array(X), "rbf"
    elif given == "texts":
        X = [f"{a:.3f}" for a, _ in X]

        def kernel(A, B):
            return rbf_kernel(np.array(A, dtype=float)[:, None], np.array(B, dtype=float)[:, None])

    with pytest.raises(Inseparable, match="rows 7 and 60 are equal and of different classes") as caught:
        SVC(kernel=kernel, C=np.inf, **options).fit(X, y)
    assert caught.value.proof.verdict == "overlap"


@pytest.mark.mission("MM-23")
def test_the_slack_of_an_outlier_grows_linearly_with_its_distance():
    X, y = np.array([[-3.0], [-1.0], [1.0], [3.0], [-4.0]]), np.array([0, 0, 1, 1, 1])
    light = [1.0, 1.0, 1.0, 1.0, 1e-9]  # so that the outlier moves nothing
    for place in (-4.0, -5.0, -9.0):
        X[-1] = place
        model = SVC(kernel="linear").fit(X, y, sample_weight=light)
        assert_allclose(model.slack_[-1], 1.0 - place, rtol=1e-6)  # f(x) = x


def test_the_order_of_rows_does_not_show():
    X, y = overlapping(300, 6)
    order = np.random.default_rng(0).permutation(len(y))
    for options in ({"C": 1.0}, {"C": 1e3}, {"kernel": "linear"}, {"C": 1e-4}):
        first, second = SVC(**options).fit(X, y), SVC(**options).fit(X[order], y[order])
        scores = first.decision_function(X)
        assert_allclose(second.decision_function(X), scores, atol=1e-8 * np.abs(scores).max())


def test_a_weight_is_a_repetition_and_weight_zero_is_absence():
    X, y = overlapping(90, 3)
    s = np.arange(len(y)) % 3
    weighted = SVC(C=0.5).fit(X, y, sample_weight=s)
    repeated = SVC(C=0.5).fit(np.repeat(X, s, axis=0), np.repeat(y, s))
    assert_allclose(weighted.gamma_, repeated.gamma_, rtol=1e-12)
    assert_allclose(weighted.decision_function(X), repeated.decision_function(X), atol=ROUNDING)
    assert not np.isin(weighted.support_, np.flatnonzero(s == 0)).any()


def test_class_weights_are_factors_of_the_weights():
    X, y = overlapping(90, 3, classes=3)
    by_class = SVC(gamma=0.3, class_weight={0: 2.0, 1: 0.5}).fit(X, y)
    by_row = SVC(gamma=0.3).fit(X, y, sample_weight=np.array([2.0, 0.5, 1.0])[y])
    assert_allclose(by_class.decision_function(X), by_row.decision_function(X), atol=ROUNDING)
    assert_allclose(by_class.class_weight_, [2.0, 0.5, 1.0])


@pytest.mark.parametrize("name", ["heart_scale", "german.numer_scale", "splice"])
@pytest.mark.parametrize("C", [0.01, 1.0, 100.0])
def test_the_dual_objective_is_at_least_that_of_libsvm(name, C):
    if not (DATA / name).exists():
        pytest.skip("no data")
    X, y = load_svmlight_file(str(DATA / name))
    X = X.toarray()
    ours, theirs = (make(C=C, gamma=1.0 / X.shape[1]).fit(X, y) for make in (SVC, svm.SVC))
    K = rbf_kernel(X, gamma=1.0 / X.shape[1])
    values = [dual_objective(K, y, alphas(model, len(y))) for model in (ours, theirs)]
    assert values[0] >= values[1] * (1.0 - 1e-12)  # theirs may leave the box by rounding
    assert ours.certificate_.value <= 1e-10
    scores = theirs.decision_function(X)
    sure = np.abs(scores) > 0.01  # ten times the tolerance of theirs
    assert_array_equal(ours.predict(X)[sure], theirs.predict(X)[sure])


def test_pairs_of_classes_are_those_of_libsvm():
    iris = load_iris()
    for options in ({"kernel": "linear"}, {"gamma": 0.5}, {"kernel": "poly", "coef0": 1.0}):
        for shape in ("ovo", "ovr"):
            ours = SVC(decision_function_shape=shape, **options).fit(iris.data, iris.target)
            theirs = svm.SVC(decision_function_shape=shape, tol=1e-8, **options).fit(iris.data, iris.target)
            # LIBSVM's rows are single precision
            assert_allclose(ours.decision_function(iris.data), theirs.decision_function(iris.data), atol=1e-3)
            assert_array_equal(ours.predict(iris.data), theirs.predict(iris.data))
        assert_array_equal(ours.n_support_, theirs.n_support_)
        assert_array_equal(ours.support_, theirs.support_)


@pytest.mark.mission("KE-11", "KE-12", "KE-08")
def test_named_precomputed_and_callable_kernels_agree():
    X, y = overlapping(80, 3)
    T = overlapping(30, 3, seed=1)[0]
    kernels = {
        "linear": linear_kernel,
        "rbf": lambda a, b: rbf_kernel(a, b, gamma=0.3),
        "poly": lambda a, b: polynomial_kernel(a, b, degree=3, gamma=0.3, coef0=1.0),
        "sigmoid": lambda a, b: sigmoid_kernel(a, b, gamma=0.01, coef0=0.0),
    }
    for name, function in kernels.items():
        named = SVC(kernel=name, gamma=0.01 if name == "sigmoid" else 0.3, coef0=float(name == "poly"), C=0.5).fit(X, y)
        called = SVC(kernel=function, C=0.5).fit(X, y)
        given = SVC(kernel="precomputed", C=0.5).fit(function(X, X), y)
        scores = named.decision_function(T)
        assert_allclose(called.decision_function(T), scores, atol=1e-8 * np.abs(scores).max())
        assert_allclose(given.decision_function(function(T, X)), scores, atol=1e-8 * np.abs(scores).max())
        if name != "sigmoid":  # proved by a factor of the matrix
            assert called.certificate_.kind == given.certificate_.kind == "gap" and given.certificate_.converged


@pytest.mark.mission("KE-08")
def test_an_indefinite_kernel_is_fitted_and_called_stationary():
    X, y = overlapping(80, 3)
    model = SVC(kernel="sigmoid", gamma=2.0, coef0=-1.0, C=10.0).fit(X, y)
    assert model.certificate_.kind == "gradient" and str(model.certificate_).startswith("stationary")
    assert np.isfinite(model.decision_function(X)).all()
    K = np.array([[0.0, 1.0], [1.0, 0.0]])  # eigenvalues 1 and -1
    assert SVC(kernel="precomputed").fit(K, [0, 1]).certificate_.kind == "gradient"


def test_probabilities_are_monotone_and_agree_with_the_prediction():
    for classes in (2, 3, 4):
        X, y = overlapping(120, 4, classes=classes)
        model = SVC(probability=True, random_state=0).fit(X, y)
        shares = model.predict_proba(X)
        assert_allclose(shares.sum(axis=1), 1.0, rtol=1e-12)
        assert_array_equal(model.classes_[shares.argmax(axis=1)], model.predict(X))
        if classes == 2:
            order = np.argsort(model.decision_function(X))
            assert np.all(np.diff(shares[order, 1]) >= 0.0) and model.probA_[0] < 0.0
            # calibrated out of fold: the mean probability is near the share of the class
            assert abs(shares[:, 1].mean() - y.mean()) < 0.1
    assert not hasattr(SVC(), "predict_proba")


def test_a_budget_or_a_limit_of_steps_keeps_the_best_iterate_and_warns():
    X, y = overlapping(400, 10)
    with pytest.warns(NotCertified, match="max_iter=3"):
        few = SVC(max_iter=3).fit(X, y)
    assert few.fit_status_ == 1 and few.n_iter_[0] <= 3 and few.certificate_.value > 1e-4
    with pytest.warns(NotCertified):
        none = SVC(budget="0.001ms", C=10.0).fit(X, y)
    assert none.fit_status_ == 1
    assert SVC(budget="1min").fit(X, y).fit_status_ == 0


def test_columns_of_very_different_scales_are_named_before_the_fit():
    X, y = overlapping(50, 3)
    with pytest.warns(UnevenColumns, match=r"1\.\de\+05"):
        SVC().fit(X * [1.0, 1.0, 1e5], y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        SVC().fit(X, y)


@pytest.mark.parametrize(
    "options",
    [
        *({"C": C} for C in (0.0, -1.0, np.nan, "1")),
        *({"gamma": gamma} for gamma in (0.0, -1.0, "wide", np.nan)),
        {"kernel": "Gaussian"},
        {"degree": 1.5},
        {"tol": -1.0},
        {"bias": "mode"},
        {"budget": "ten seconds"},
        {"cache_size": 0.0},
        {"decision_function_shape": "all"},
    ],
    ids=str,
)
def test_parameters_out_of_range_are_refused_by_name(options):
    (name,) = options
    with pytest.raises((ValueError, TypeError), match=f"SVC with {name}="):
        SVC(**options).fit(*overlapping(20, 2))


def test_matrices_and_functions_that_are_no_kernel_are_refused():
    X, y = overlapping(20, 2)
    with pytest.raises(ValueError, match="square"):
        SVC(kernel="precomputed").fit(X, y)
    lopsided = X @ X.T
    lopsided[0, 1] += 1.0
    with pytest.raises(ValueError, match=r"not symmetric: K\[0, 1\]"):
        SVC(kernel="precomputed").fit(lopsided, y)
    for function, said in ((lambda a, b: a, "shape"), (lambda a, b: np.full((len(a), len(b)), np.nan), "not finite")):
        with pytest.raises(ValueError, match=said):
            SVC(kernel=function).fit(X, y)
    with pytest.raises(ValueError, match="one class"):
        SVC().fit(X, np.zeros(len(y)))


def test_a_kernel_matrix_beyond_memory_is_refused_before_it_is_made(monkeypatch):
    from separatrix.designs import gram_rows

    monkeypatch.setattr(gram_rows, "memory", lambda: 1000.0)
    with pytest.raises(ValueError, match=r"3,200 bytes.*Nystroem"):
        SVC(kernel=linear_kernel).fit(*overlapping(20, 2))


def test_verify_holds_a_model_to_its_data():
    X, y = overlapping(90, 3, classes=3)
    model = SVC(gamma="scale").fit(X, y)
    assert separatrix.verify(model, X, y).converged
    for name, change in (("dual_coef_", 1.01), ("intercept_", 1.5), ("gamma_", 1.01), ("support_vectors_", 1.01)):
        kept = getattr(model, name)
        setattr(model, name, kept * change)
        assert not separatrix.verify(model, X, y).converged, name
        setattr(model, name, kept)
    moved = y.copy()
    moved[model.support_[0]] = (moved[model.support_[0]] + 1) % 3
    assert not separatrix.verify(model, X, moved).converged


def test_verify_fits_the_curves_of_probabilities_again():
    for classes in (2, 3):
        X, y = overlapping(80, 3, classes=classes)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)
            seeded, unseeded = (SVC(probability=True, random_state=seed).fit(X, y) for seed in (3, None))
        assert separatrix.verify(seeded, X, y).converged
        unsure = separatrix.verify(unseeded, X, y)
        assert unsure.converged and "probA_" in unsure.message.split("not looked at: ")[1]
        for model, name, change in ((seeded, "probA_", 1.01), (unseeded, "probA_", -1.0)):
            kept = getattr(model, name)
            setattr(model, name, kept * change)
            assert not separatrix.verify(model, X, y).converged
            setattr(model, name, kept)
        seeded.probB_ = seeded.probB_ + 0.1
        assert not separatrix.verify(seeded, X, y).converged


def test_a_fit_can_be_interrupted_soon():
    import _thread
    import signal
    import threading

    X, y = make_classification(6000, 30, n_informative=20, flip_y=0.2, random_state=0)
    SVC().fit(X[:1500], y[:1500])  # compiles
    told = []
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs ignore interrupts
    try:
        threading.Timer(0.5, lambda: (told.append(time.perf_counter()), _thread.interrupt_main())).start()
        with pytest.raises(KeyboardInterrupt):
            SVC(C=1e5, gamma=1.0).fit(X, y)
            time.sleep(2.0)
    finally:
        signal.signal(signal.SIGINT, before)
    assert time.perf_counter() - told[0] < 0.5  # 0.2 s on a machine that does nothing else


def test_golden_numbers_are_those_of_the_file():
    golden = Path(__file__).parents[4] / "shared" / "golden" / "golden.json"
    if not golden.exists():
        pytest.skip("no data")
    text = json.dumps(json.loads(golden.read_text(encoding="utf-8")))
    assert '"G006"' in text and '"G007"' in text
