"""Known problems: the Bayes rule, its rate, and the expected error of other rules: DEC-05, DEC-13."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.integrate import quad
from scipy.stats import cauchy, expon, multivariate_normal, norm, uniform
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from separatrix.core.errors import NotCertified
from separatrix.decision import KnownProblem, decide, gaussian_bayes_rate

COVARIANCE = np.array([[1.0, 0.5], [0.5, 2.0]])


@pytest.mark.mission("DEC-05")
@pytest.mark.parametrize("delta", [0.3, 1.0, 2.0, 6.0])
def test_two_normal_classes_have_the_rate_of_the_closed_form(delta):
    """Phi(-Delta / 2), from the error function of the standard library."""
    rate = 0.5 * math.erfc(delta / 2.0 / math.sqrt(2.0))
    assert gaussian_bayes_rate([0.0], [delta], [[1.0]]) == pytest.approx(rate, rel=1e-14)
    found = KnownProblem([0.5, 0.5], [norm(0.0), norm(delta)]).bayes_risk(tol=1e-10)
    assert found.value == pytest.approx(rate, abs=1e-10)
    assert abs(found.value - rate) <= found.error + 1e-14


@pytest.mark.mission("DEC-05")
@pytest.mark.parametrize("prior", [0.5, 0.2, 0.01])
def test_unequal_priors_agree_with_integration_by_another_hand(prior):
    problem = KnownProblem([1 - prior, prior], [norm(0.0), norm(1.5)])
    # the rule is a threshold: solve it, and integrate both tails
    threshold = 0.75 + math.log((1 - prior) / prior) / 1.5
    by_tails = (1 - prior) * norm.sf(threshold) + prior * norm.cdf(threshold - 1.5)
    assert gaussian_bayes_rate([0.0], [1.5], [[1.0]], [1 - prior, prior]) == pytest.approx(by_tails, rel=1e-12)
    assert problem.bayes_risk(tol=1e-9).value == pytest.approx(by_tails, abs=1e-9)


@pytest.mark.mission("DEC-05")
def test_in_two_dimensions_the_rate_depends_on_the_mahalanobis_distance_alone():
    first, second = [0.0, 1.0], [2.0, 0.0]
    problem = KnownProblem([0.5, 0.5], [multivariate_normal(m, COVARIANCE) for m in (first, second)])
    difference = np.subtract(second, first)
    delta = math.sqrt(difference @ np.linalg.inv(COVARIANCE) @ difference)
    rate = norm.cdf(-delta / 2.0)
    assert gaussian_bayes_rate(first, second, COVARIANCE) == pytest.approx(rate, rel=1e-12)
    assert problem.bayes_risk().value == pytest.approx(rate, abs=1e-6)


@pytest.mark.mission("DEC-05")
def test_monte_carlo_is_within_its_standard_error_in_ten_dimensions():
    means = np.zeros(10), np.full(10, 0.5)
    problem = KnownProblem([0.3, 0.7], [multivariate_normal(m, np.eye(10)) for m in means])
    found = problem.bayes_risk(method="monte_carlo", n=40_000, random_state=0)
    exact = gaussian_bayes_rate(*means, np.eye(10), [0.3, 0.7])
    assert 0.0 < found.error < 0.002
    assert abs(found.value - exact) < 4.0 * found.error
    again = problem.bayes_risk(method="monte_carlo", n=40_000, random_state=0)
    assert again == found


@pytest.mark.mission("DEC-05")
def test_the_standard_error_is_the_spread_of_repeated_runs():
    problem = KnownProblem([0.5, 0.5], [norm(0.0), norm(1.0)])
    runs = [problem.bayes_risk(method="monte_carlo", n=200, random_state=s) for s in range(200)]
    spread = np.std([r.value for r in runs])
    assert np.mean([r.error for r in runs]) == pytest.approx(spread, rel=0.2)


@pytest.mark.mission("DEC-05")
def test_a_discriminant_fitted_to_more_and_more_points_approaches_the_bayes_rate():
    problem = KnownProblem([0.5, 0.5], [multivariate_normal(m, COVARIANCE) for m in ([0, 0], [1.5, 1.0])])
    best = problem.bayes_risk().value
    excess = []
    for n in (30, 300, 30_000):
        X, y = problem.sample(n, random_state=1)
        rule = LinearDiscriminantAnalysis().fit(X, y).predict
        found = problem.risk(rule, method="monte_carlo", n=50_000, random_state=2)
        bayes = problem.risk(problem.predict, method="monte_carlo", n=50_000, random_state=2)
        excess.append(found.value - bayes.value)
        assert abs(bayes.value - best) < 4.0 * bayes.error
    assert 0.0 <= excess[2] < 1e-4 < excess[0]


@pytest.mark.mission("DEC-05")
def test_the_bayes_classifier_takes_the_largest_product_of_prior_and_density():
    problem = KnownProblem([0.2, 0.5, 0.3], [norm(-1.0), norm(0.0, 2.0), expon()], classes=["a", "b", "c"])
    x = np.linspace(-4.0, 5.0, 50)
    products = np.column_stack([0.2 * norm.pdf(x, -1.0), 0.5 * norm.pdf(x, 0.0, 2.0), 0.3 * expon.pdf(x)])
    assert_array_equal(problem.predict(x), np.array(["a", "b", "c"])[products.argmax(axis=1)])
    assert_allclose(problem.posteriors(x), products / products.sum(axis=1, keepdims=True), rtol=1e-12)
    rate = 1.0 - quad(lambda t: max(0.2 * norm.pdf(t, -1), 0.5 * norm.pdf(t, 0, 2), 0.3 * expon.pdf(t)), -20, 0)[0]
    rate -= quad(lambda t: max(0.2 * norm.pdf(t, -1), 0.5 * norm.pdf(t, 0, 2), 0.3 * expon.pdf(t)), 0, 40, limit=200)[0]
    assert problem.bayes_risk().value == pytest.approx(rate, abs=1e-10)


@pytest.mark.mission("DEC-05")
def test_two_overlapping_intervals_have_an_error_that_can_be_drawn():
    """Uniform on [0, 1] and [3/4, 7/4]: they share a quarter, decided for the more frequent class."""
    problem = KnownProblem([0.6, 0.4], [uniform(0.0, 1.0), uniform(0.75, 1.0)])
    assert problem.bayes_risk().value == pytest.approx(0.4 * 0.25, abs=1e-5)


@pytest.mark.mission("DEC-05")
def test_far_from_both_classes_the_posteriors_are_still_known():
    problem = KnownProblem([0.5, 0.5], [norm(0.0), norm(2.0)])
    assert_array_equal(problem.posteriors([-1e4, 1e4]), [[1.0, 0.0], [0.0, 1.0]])


@pytest.mark.mission("DEC-05")
def test_classes_far_apart_are_not_overlooked():
    problem = KnownProblem([0.5, 0.5], [norm(0.0, 1e-3), norm(1e3, 1.0)])
    assert problem.bayes_risk().value == pytest.approx(0.0, abs=1e-6)


# ------------------------------------------------------------------ the expected prediction error


@pytest.mark.mission("DEC-13")
def test_the_expected_error_of_a_threshold_is_that_of_its_two_tails():
    problem = KnownProblem([0.4, 0.6], [norm(0.0), norm(2.0)])
    costs = np.array([[0.0, 3.0], [5.0, -1.0]])
    for t in (0.2, 1.0, 1.7):

        def rule(X, t=t):
            return (X[:, 0] > t).astype(int)

        wrong = 0.4 * norm.sf(t), 0.6 * norm.cdf(t - 2.0)
        assert problem.risk(rule).value == pytest.approx(sum(wrong), abs=1e-10)
        formula = 3.0 * wrong[0] + 5.0 * wrong[1] - (0.6 - wrong[1])
        assert problem.risk(rule, costs).value == pytest.approx(formula, abs=1e-10)
        drawn = problem.risk(rule, costs, method="monte_carlo", random_state=0)
        assert abs(drawn.value - formula) < 4.0 * drawn.error


@pytest.mark.mission("DEC-13")
def test_monte_carlo_with_labels_matches_the_formula():
    """E_X Σ_k L[k, g(X)] P(k | X) is the mean of L[Y, g(X)] over pairs (X, Y)."""
    problem = KnownProblem([0.3, 0.3, 0.4], [norm(-1.0), norm(0.5), norm(2.0, 0.5)])
    costs = np.array([[0, 1, 4], [1, 0, 1], [9, 2, 0]])
    X, y = problem.sample(60_000, random_state=3)
    paid = costs[y, problem.predict(X, costs)]
    formula = problem.bayes_risk(costs).value
    assert abs(paid.mean() - formula) < 4.0 * paid.std() / math.sqrt(len(y))


@pytest.mark.mission("DEC-13")
def test_deciding_each_point_for_itself_is_best_of_all_rules():
    """Brute force on a problem of four points: all 3^4 rules."""
    table = np.array([[0.1, 0.2, 0.3, 0.4], [0.4, 0.3, 0.2, 0.1]])  # P(x | k)
    joint = table * [[0.35], [0.65]]
    costs = np.array([[0.0, 2.0, 0.7], [1.0, 0.0, 0.4]])
    every = np.stack(np.meshgrid(*[range(3)] * 4), axis=-1).reshape(-1, 4)
    risks = [sum(joint[:, x] @ costs[:, g] for x, g in enumerate(rule)) for rule in every]
    pointwise = decide((joint / joint.sum(axis=0)).T, costs)
    assert_array_equal(every[int(np.argmin(risks))], pointwise)


@pytest.mark.mission("DEC-13")
def test_no_threshold_beats_the_bayes_rule():
    problem = KnownProblem([0.4, 0.6], [norm(0.0), norm(2.0)])
    best = problem.bayes_risk([[0, 1], [5, 0]])
    assert problem.risk(lambda X: problem.predict(X, [[0, 1], [5, 0]]), [[0, 1], [5, 0]]).value == pytest.approx(
        best.value, abs=1e-10
    )
    for t in np.linspace(-2.0, 3.0, 11):
        assert problem.risk(lambda X, t=t: (X[:, 0] > t).astype(int), [[0, 1], [5, 0]]).value > best.value - 1e-10


@pytest.mark.mission("DEC-13")
def test_a_third_action_can_only_help():
    problem = KnownProblem([0.5, 0.5], [norm(0.0), norm(1.0)])
    two = problem.bayes_risk().value
    three = problem.bayes_risk([[0.0, 1.0, 0.2], [1.0, 0.0, 0.2]]).value
    assert three < two
    threshold = 0.5 + math.log(4.0)  # P(second) = 0.8 there
    reject = norm.cdf(threshold) - norm.cdf(1.0 - threshold) + norm.cdf(threshold - 1.0) - norm.cdf(-threshold)
    assert three == pytest.approx(0.1 * reject + 0.5 * (norm.sf(threshold) + norm.cdf(-threshold)), abs=1e-10)
    told = problem.predict([0.5, 3.0], [[0, 1, 0.2], [1, 0, 0.2]], actions=["no", "yes", "ask"])
    assert told.tolist() == ["ask", "yes"]


# ------------------------------------------------------------------ densities of one's own


def test_functions_serve_as_densities_with_bounds_and_samplers():
    problem = KnownProblem(
        [0.5, 0.5],
        [lambda X: np.exp(-X[:, 0]) * (X[:, 0] >= 0.0), lambda X: 2.0 * np.exp(-2.0 * X[:, 0]) * (X[:, 0] >= 0.0)],
        samplers=[lambda n, rng: rng.exponential(1.0, n), lambda n, rng: rng.exponential(0.5, n)],
        bounds=[(0.0, math.inf)],
    )
    # 2 e^(-2x) > e^(-x) below log 2: half of 1 - 1/2 on one side, half of 1/4 on the other
    assert problem.bayes_risk().value == pytest.approx(0.375, abs=1e-6)
    drawn = problem.bayes_risk(method="monte_carlo", random_state=0)
    assert abs(drawn.value - 0.375) < 4.0 * drawn.error
    with pytest.raises(ValueError, match=r"posteriors at \[-1.0\]: no class has a positive density"):
        problem.posteriors([[-1.0]])


def test_bounds_that_cut_a_class_off_are_noticed():
    problem = KnownProblem([0.5, 0.5], [norm(0.0), norm(2.0)], bounds=[(-1.0, 9.0)])
    with pytest.raises(ValueError, match=r"density of class .* sums to 0\.84"):
        problem.bayes_risk()


def test_heavy_tails_integrate_between_infinite_bounds():
    problem = KnownProblem([0.5, 0.5], [cauchy(-1.0), cauchy(1.0)], bounds=[(-math.inf, math.inf)])
    assert problem.bayes_risk().value == pytest.approx(cauchy.sf(1.0), abs=1e-6)


def test_a_quadrature_that_does_not_get_there_says_so(monkeypatch):
    monkeypatch.setattr("separatrix.decision.bayes.SUBDIVISIONS", 40)
    rng = np.random.default_rng(0)
    problem = KnownProblem([0.5, 0.5], [norm(0.0), norm(2.0)])
    with pytest.warns(NotCertified, match="quadrature error"):
        problem.risk(lambda X: rng.integers(0, 2, len(X)), tol=1e-7)


@pytest.mark.parametrize(
    "make, said",
    [
        (lambda: KnownProblem([0.5, 0.6], [norm(), norm(1)]), "sum to 1.1"),
        (lambda: KnownProblem([1.0], [norm(), norm(1)]), r"priors of shape \(1,\)"),
        (lambda: KnownProblem([0.5, 0.5], [norm(), norm(1)], samplers=[norm]), "1 samplers"),
        (lambda: KnownProblem([0.5, 0.5], [norm(), norm(1)], bounds=[(1.0, 0.0)]), "low < high"),
        (lambda: KnownProblem([0.5, 0.5], [lambda X: X, norm()]).bayes_risk(), "range of a density is not known"),
        (
            lambda: KnownProblem([0.5, 0.5], [lambda X: -X[:, 0], norm()], bounds=[(0.0, 1.0)]).bayes_risk(),
            "none of them negative",
        ),
        (lambda: KnownProblem([0.5, 0.5], [np.exp, norm()]).sample(5, 0), "cannot draw"),
        (lambda: KnownProblem([0.5, 0.5], [norm(), norm(1)]).bayes_risk(method="guess"), "method='guess'"),
        (
            lambda: KnownProblem([0.5, 0.5], [multivariate_normal(np.zeros(3))] * 2).bayes_risk(),
            "3 dimensions",
        ),
        (lambda: gaussian_bayes_rate([0.0], [1.0, 2.0], [[1.0]]), "dimensions differ"),
        (lambda: gaussian_bayes_rate([0.0], [1.0], [[-1.0]]), "not positive definite"),
    ],
)
def test_what_is_not_a_problem_is_refused(make, said):
    with pytest.raises(ValueError, match=said):
        make()


def test_identical_classes_are_guessed_by_their_priors():
    assert gaussian_bayes_rate([1.0], [1.0], [[2.0]], [0.3, 0.7]) == 0.3
    assert KnownProblem([0.3, 0.7], [norm(), norm()]).bayes_risk().value == pytest.approx(0.3, abs=1e-6)
