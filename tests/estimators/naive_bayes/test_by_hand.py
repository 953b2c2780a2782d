"""Small tables, worked out in fractions; what the models say about probability, linearity and what they never met."""

from fractions import Fraction
from itertools import product
from math import prod

import mpmath
import numpy as np
import pytest
from scipy.stats import norm

from separatrix.core.errors import Impossible
from separatrix.designs import base
from separatrix.naive_bayes import BernoulliNB, CategoricalNB, GaussianNB, MixedNB, MultinomialNB

WORDS = np.array([[1, 0, 1], [1, 0, 0], [0, 1, 1], [0, 1, 0], [1, 1, 0]])  # G055
TOPICS = np.array([1, 1, 0, 0, 0])
# Mitchell (1997), table 3.2: outlook, temperature, humidity, wind, and whether tennis was played
TENNIS = """sunny hot high weak no;sunny hot high strong no;overcast hot high weak yes;rainy mild high weak yes;
rainy cool normal weak yes;rainy cool normal strong no;overcast cool normal strong yes;sunny mild high weak no;
sunny cool normal weak yes;rainy mild normal weak yes;sunny mild normal strong yes;overcast mild high strong yes;
overcast hot normal weak yes;rainy mild high strong no"""
DAYS = [row.split() for row in TENNIS.replace("\n", "").split(";")]


def bernoulli_by_hand(X, t, alpha):
    """μ of each class and its share, as fractions."""
    X, t = np.asarray(X).tolist(), np.asarray(t).tolist()
    mu, share = {}, {}
    for c in sorted(set(t)):
        rows = [row for row, label in zip(X, t, strict=True) if label == c]
        mu[c] = [Fraction(sum(column) + alpha, len(rows) + 2 * alpha) for column in zip(*rows, strict=True)]
        share[c] = Fraction(len(rows), len(X))
    return mu, share


def posterior_by_hand(mu, share, x):
    joint = {c: share[c] * prod(m if v else 1 - m for m, v in zip(mu[c], x, strict=True)) for c in mu}
    total = sum(joint.values())
    return [float(joint[c] / total) for c in sorted(joint)] if total else None


# ------------------------------------------------------------------ words, present or absent


@pytest.mark.mission("NB-01", "NB-07", "NB-13", "EX-20")
def test_posteriors_of_all_texts_are_those_worked_out_by_hand():
    """G055: 0.2455795678 for [1, 1, 0]."""
    model = BernoulliNB().fit(WORDS, TOPICS)
    mu, share = bernoulli_by_hand(WORDS, TOPICS, 1)
    for x in product([0, 1], repeat=3):
        np.testing.assert_allclose(model.predict_proba([x])[0], posterior_by_hand(mu, share, x), rtol=1e-14)
    np.testing.assert_allclose(model.predict_proba([[1, 1, 0]])[0, 1], 0.2455795678, atol=1e-9)
    np.testing.assert_allclose(np.exp(model.feature_log_prob_), [[0.4, 0.8, 0.4], [0.75, 0.25, 0.5]], rtol=1e-14)


@pytest.mark.mission("NB-07")
def test_an_absent_word_contributes_one_minus_its_probability():
    model = BernoulliNB().fit(WORDS, TOPICS)
    joint = np.exp(model.predict_joint_log_proba([[0, 0, 0]])[0])
    np.testing.assert_allclose(joint, [3 / 5 * 0.6 * 0.2 * 0.6, 2 / 5 * 0.25 * 0.75 * 0.5], rtol=1e-14)


@pytest.mark.mission("NB-06")
def test_maximum_likelihood_gives_a_word_that_was_never_met_the_probability_zero():
    """G055: μ₁ = (1, 0, ½), and class 1 is impossible for [1, 1, 0]."""
    model = BernoulliNB(alpha=0.0).fit(WORDS, TOPICS)
    np.testing.assert_array_equal(np.exp(model.feature_log_prob_)[1], [1.0, 0.0, 0.5])
    assert model.predict_proba([[1, 1, 0]]).tolist() == [[1.0, 0.0]]
    assert model.predict_joint_log_proba([[1, 1, 0]])[0, 1] == -np.inf
    mu, share = bernoulli_by_hand(WORDS, TOPICS, 0)
    for x in product([0, 1], repeat=3):
        wanted = posterior_by_hand(mu, share, x)
        if wanted is not None:
            np.testing.assert_allclose(model.predict_proba([x])[0], wanted, rtol=1e-14, atol=0)


@pytest.mark.mission("NB-06")
def test_a_text_that_is_impossible_in_every_class_is_left_to_the_shares():
    model = BernoulliNB(alpha=0.0).fit(WORDS, TOPICS)  # no class has a text without words
    with pytest.warns(Impossible, match="1 of 2 rows is impossible"):
        found = model.predict_proba([[0, 0, 0], [1, 0, 1]])
    np.testing.assert_allclose(found[0], [0.6, 0.4], rtol=1e-15)
    with pytest.warns(Impossible):
        assert model.predict([[0, 0, 0]]).tolist() == [0]
    with pytest.warns(Impossible):
        np.testing.assert_allclose(model.predict_log_proba([[0, 0, 0]])[0], np.log([0.6, 0.4]), rtol=1e-14)
    assert model.score_samples([[0, 0, 0]])[0] == -np.inf


@pytest.mark.mission("NB-08")
@pytest.mark.parametrize("count, n, mu, mle", [(0, 3, 0.2, 0.0), (3, 3, 0.8, 1.0), (2, 8, 0.3, 0.25)])
def test_laplaces_rule(count, n, mu, mle):
    """G054."""
    X = np.r_[np.ones(count), np.zeros(n - count), [0.0, 1.0]][:, None]
    y = np.r_[np.zeros(n), [1, 1]]
    assert np.exp(BernoulliNB().fit(X, y).feature_log_prob_[0, 0]) == pytest.approx(mu, abs=1e-15)
    assert np.exp(BernoulliNB(alpha=0.0).fit(X, y).feature_log_prob_[0, 0]) == pytest.approx(mle, abs=1e-15)


@pytest.mark.mission("NB-08")
def test_each_column_may_have_a_smoothing_of_its_own():
    alpha = np.array([0.0, 1.0, 0.5])
    on = np.exp(BernoulliNB(alpha=alpha).fit(WORDS, TOPICS).feature_log_prob_)
    np.testing.assert_allclose(on, [[1 / 3, 4 / 5, 1.5 / 4], [1.0, 1 / 4, 0.5]], rtol=1e-14)
    tables = CategoricalNB(alpha=alpha).fit(WORDS, TOPICS).feature_log_prob_
    np.testing.assert_allclose(np.exp([table[:, 1] for table in tables]).T, on, rtol=1e-14)


@pytest.mark.mission("NB-08")
@pytest.mark.parametrize("n, share", [(1, 1 / 3), (3, 1 / 5), (98, 1 / 100)])
def test_where_all_rows_were_on_off_keeps_one_part_in_n_plus_two(n, share):
    """G054."""
    model = BernoulliNB(fit_prior=False).fit(np.r_[np.ones(n), [0.0]][:, None], np.r_[np.zeros(n), 1])
    assert 2.0 * np.exp(model.predict_joint_log_proba([[0.0]])[0, 0]) == pytest.approx(share, abs=1e-15)


@pytest.mark.mission("NB-08")
@pytest.mark.parametrize("alpha", [0.0, 1.0, 0.3])
def test_a_class_without_rows_has_one_half_everywhere_and_no_posterior(alpha):
    """G054: ½. Announced and never met, its share is 0."""
    model = BernoulliNB(alpha=alpha).partial_fit(WORDS, TOPICS, classes=[0, 1, 2])
    np.testing.assert_allclose(np.exp(model.feature_log_prob_[2]), 0.5, rtol=1e-15)
    found = model.predict_proba([[1, 0, 1]])
    assert found[0, 2] == 0.0 and np.isfinite(found).all()
    uniform = BernoulliNB(alpha=alpha, fit_prior=False).partial_fit(WORDS, TOPICS, classes=[0, 1, 2])
    assert uniform.predict_joint_log_proba([[1, 0, 1]])[0, 2] == pytest.approx(np.log(1 / 24))


@pytest.mark.mission("NB-08")
@pytest.mark.parametrize("alpha", [0.0, 1.0])
def test_classes_without_rows_make_no_nan_in_any_model(alpha):
    y = np.array([0, 0, 2, 2, 2])
    counted = (MultinomialNB(alpha=alpha), CategoricalNB(alpha=alpha), MixedNB(alpha=alpha))
    for model in (*counted, GaussianNB(), GaussianNB(var_smoothing=0.0)):
        found = model.partial_fit(WORDS, y, classes=[0, 1, 2]).predict_proba(WORDS)
        assert (found[:, 1] == 0.0).all() and np.isfinite(found).all()
        np.testing.assert_allclose(found.sum(axis=1), 1.0, rtol=1e-14)
        assert 1 not in model.sample(50, random_state=0)[1]
    for logs in (counted[0].feature_log_prob_, *counted[1].feature_log_prob_):
        np.testing.assert_allclose(np.exp(logs[1]), 1.0 / logs.shape[1], rtol=1e-15)


@pytest.mark.mission("NB-06")
def test_weights_that_are_no_binary_fractions_leave_certainties_certain(monkeypatch):
    """The weight of a class and the sum over its rows that were on are the same sum, taken in different orders."""
    monkeypatch.setattr(base, "SMALLEST_PART", 1)
    s = np.random.default_rng(0).random(5000)
    X = np.column_stack([np.ones(5000), np.arange(5000) % 3])
    model = BernoulliNB(alpha=0.0).fit(X, np.arange(5000) % 2, s)
    assert (model.predict_joint_log_proba([[0, 1]]) == -np.inf).all()
    assert np.isfinite(model.predict_joint_log_proba([[1, 0], [1, 1]])).all()


# ------------------------------------------------------------------ linear log-odds, and parameters saved


@pytest.mark.mission("NB-11", "EV-24")
@pytest.mark.parametrize("labels", [TOPICS, np.array([0, 1, 2, 2, 0])], ids=["two", "three"])
@pytest.mark.parametrize("cls", [BernoulliNB, MultinomialNB])
def test_log_odds_of_discrete_models_are_linear_in_x(cls, labels):
    """G053: a linear boundary."""
    model = cls().fit(WORDS, labels)
    joint = model.predict_joint_log_proba(list(product([0, 1], repeat=3)))
    odds = joint[:, 1] - joint[:, 0] if joint.shape[1] == 2 else joint
    scores = np.array(list(product([0, 1], repeat=3))) @ model.coef_.T + model.intercept_
    np.testing.assert_allclose(scores[:, 0] if joint.shape[1] == 2 else scores, odds, atol=1e-14)
    assert model.coef_.shape == ((1, 3) if joint.shape[1] == 2 else (3, 3))


@pytest.mark.mission("NB-12", "NB-05", "DA-09")
@pytest.mark.parametrize(
    "k, M, gaussian, bernoulli, table", [(2, 2, 9, 5, 7), (3, 4, 26, 14, 47), (11, 10, 230, 120, 11263)]
)
def test_parameters_are_counted_as_in_the_notes(k, M, gaussian, bernoulli, table):
    """G051."""
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 2, (8 * k, M)), np.arange(8 * k) % k
    assert GaussianNB().fit(X, y).n_parameters_ == gaussian
    assert BernoulliNB().fit(X, y).n_parameters_ == bernoulli
    assert k * (2**M - 1) + k - 1 == table
    assert CategoricalNB(min_categories=3).fit(X, y).n_parameters_ == k * 2 * M + k - 1
    assert MultinomialNB().fit(X, y).n_parameters_ == k * (M - 1) + k - 1
    mixed = MixedNB({0: "gaussian", 1: "categorical"}).fit(X, y)
    assert mixed.n_parameters_ == 2 * k + k + k * (M - 2) + k - 1


# ------------------------------------------------------------------ categories


def tennis():
    columns = list(zip(*DAYS, strict=True))
    names = [sorted(set(column)) for column in columns]
    codes = np.array([[names[j].index(v) for j, v in enumerate(day)] for day in DAYS])
    return codes[:, :4], np.array(columns[4]), names


@pytest.mark.mission("NB-01", "NB-09", "NB-10")
def test_tennis_on_a_sunny_cool_humid_windy_day_is_not_played():
    """Mitchell (1997), 6.9.1: 0.0053 against 0.0206 without smoothing."""
    X, y, names = tennis()
    day = [names[j].index(v) for j, v in enumerate(["sunny", "cool", "high", "strong"])]
    model = CategoricalNB(alpha=0.0).fit(X, y)
    joint = np.exp(model.predict_joint_log_proba([day])[0])
    no = Fraction(5, 14) * Fraction(3, 5) * Fraction(1, 5) * Fraction(4, 5) * Fraction(3, 5)
    yes = Fraction(9, 14) * Fraction(2, 9) * Fraction(3, 9) * Fraction(3, 9) * Fraction(3, 9)
    np.testing.assert_allclose(joint, [float(no), float(yes)], rtol=1e-14)
    assert round(joint[1], 4) == 0.0053 and round(joint[0], 4) == 0.0206
    np.testing.assert_allclose(model.predict_proba([day])[0, 0], float(no / (no + yes)), rtol=1e-14)
    assert model.predict([day]).tolist() == ["no"]
    np.testing.assert_allclose(np.exp(model.class_log_prior_), [5 / 14, 9 / 14], rtol=1e-15)
    smoothed = CategoricalNB().fit(X, y)
    no = Fraction(5, 14) * Fraction(4, 8) * Fraction(2, 8) * Fraction(5, 7) * Fraction(4, 7)
    yes = Fraction(9, 14) * Fraction(3, 12) * Fraction(4, 12) * Fraction(4, 11) * Fraction(4, 11)
    np.testing.assert_allclose(np.exp(smoothed.predict_joint_log_proba([day])[0]), [float(no), float(yes)], rtol=1e-14)


@pytest.mark.mission("NB-09")
def test_frequencies_of_categories_sum_to_one_and_unmet_ones_have_their_part():
    X, y, _ = tennis()
    model = CategoricalNB(min_categories=5).fit(X, y)
    for logs in model.feature_log_prob_:
        assert logs.shape == (2, 5)
        np.testing.assert_allclose(np.exp(logs).sum(axis=1), 1.0, rtol=1e-14)
    np.testing.assert_allclose(np.exp(model.feature_log_prob_[0])[:, 4], [1 / 10, 1 / 14], rtol=1e-14)


@pytest.mark.mission("NB-09")
def test_a_category_beyond_all_is_refused_smoothed_or_ignored():
    X, y, _ = tennis()
    model, day = CategoricalNB().fit(X, y), [[0, 9, 1, 0]]
    with pytest.raises(ValueError, match="category 3 of column 1"):
        model.predict([[0, 3, 1, 0]])
    with pytest.raises(ValueError, match=r"category 9 of column 1.*beyond the 3 categories.*unseen=\"smooth\""):
        model.predict(day)
    known = np.exp([np.log([5 / 14, 9 / 14]) + sum(model.feature_log_prob_[j][:, day[0][j]] for j in (0, 2, 3))])
    smooth = model.set_params(unseen="smooth").predict_joint_log_proba(day)
    np.testing.assert_allclose(np.exp(smooth), known * [1 / 8, 1 / 12], rtol=1e-14)
    ignored = model.set_params(unseen="ignore").predict_joint_log_proba(day)
    np.testing.assert_allclose(np.exp(ignored), known, rtol=1e-14)


# ------------------------------------------------------------------ normal columns


def clouds(n=600, seed=0, shift=0.0):
    rng = np.random.default_rng(seed)
    y = rng.choice(3, n, p=[0.5, 0.3, 0.2])
    means, scales = np.array([[0, 0], [2, 1], [-1, 3]]), np.array([[1, 2], [0.5, 0.7], [2, 0.3]])
    return means[y] + scales[y] * rng.standard_normal((n, 2)) + shift, y


@pytest.mark.mission("NB-01", "NB-03", "NB-05", "NB-13")
def test_densities_are_products_of_univariate_normals():
    X, y = clouds()
    model = GaussianNB(priors=[0.2, 0.3, 0.5]).fit(X, y)
    sd = np.sqrt(model.var_)
    logs = np.stack([norm(model.theta_[c], sd[c]).logpdf(X).sum(axis=1) for c in range(3)], axis=1)
    joint = logs + np.log([0.2, 0.3, 0.5])
    np.testing.assert_allclose(model.predict_joint_log_proba(X), joint, rtol=1e-13, atol=1e-13)
    density = np.exp(joint).sum(axis=1)
    np.testing.assert_allclose(model.score_samples(X), np.log(density), rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(model.predict_proba(X), np.exp(joint) / density[:, None], rtol=1e-11)
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1.0, rtol=1e-14)


@pytest.mark.mission("NB-03")
def test_of_two_classes_the_posterior_is_the_sigmoid_of_the_log_odds():
    X, y = clouds()
    model = GaussianNB().fit(X, y == 1)
    odds = model.decision_function(X)
    joint = model.predict_joint_log_proba(X)
    np.testing.assert_allclose(odds, joint[:, 1] - joint[:, 0], rtol=1e-14)
    np.testing.assert_allclose(model.predict_proba(X)[:, 1], 1.0 / (1.0 + np.exp(-odds)), rtol=1e-12)


@pytest.mark.mission("DA-08", "NB-05", "EV-24")
def test_the_boundary_of_normal_columns_is_not_linear():
    """G053: along a line the log-odds have second differences; those of a discrete model have none."""
    X, y = clouds()
    line = np.outer(np.arange(-2.0, 3.0), [1.0, 0.5])
    bends = np.diff(GaussianNB().fit(X, y == 1).decision_function(line), 2)
    assert np.abs(bends).min() > 0.5
    straight = MultinomialNB().fit(np.abs(X), y == 1).predict_joint_log_proba(np.abs(line[2:]))
    assert np.abs(np.diff(straight[:, 1] - straight[:, 0], 2)).max() < 1e-13


@pytest.mark.mission("NB-10")
def test_shares_of_the_classes_are_those_of_the_rows_or_as_given():
    X, y = clouds()
    share = np.bincount(y) / len(y)
    np.testing.assert_allclose(GaussianNB().fit(X, y).class_prior_, share, rtol=1e-15)
    np.testing.assert_allclose(np.exp(BernoulliNB().fit(X, y).class_log_prior_), share, rtol=1e-15)
    np.testing.assert_allclose(np.exp(BernoulliNB(fit_prior=False).fit(X, y).class_log_prior_), 1 / 3, rtol=1e-15)


@pytest.mark.parametrize("far", [0.0, 1e3, 1e8])
def test_means_far_from_zero_and_from_each_other_cost_no_digits(far):
    """Against forty digits: one class is narrow, so that squares about a common centre would cancel."""
    rng = np.random.default_rng(3)
    y = np.arange(60) % 3
    X = far * (1 + y[:, None]) + rng.standard_normal((60, 3)) * np.array([1.0, 1e-3, 30.0])[y, None]
    model = GaussianNB(var_smoothing=0.0).fit(X, y)
    found = model.predict_joint_log_proba(X[:12])
    with mpmath.workdps(40):
        for i in range(12):
            for c in range(3):
                terms = [
                    -mpmath.log(2 * mpmath.pi * v) / 2 - (mpmath.mpf(x) - m) ** 2 / (2 * mpmath.mpf(v))
                    for x, m, v in zip(X[i].tolist(), model.theta_[c].tolist(), model.var_[c].tolist(), strict=True)
                ]
                wanted = float(mpmath.log(mpmath.mpf(1) / 3) + sum(terms))
                assert found[i, c] == pytest.approx(wanted, rel=1e-12, abs=1e-10)


def test_a_column_without_variance_decides_only_where_classes_differ():
    X = np.array([[1.0, 5.0], [2.0, 5.0], [7.0, 5.0], [9.0, 5.0]])
    y = [0, 0, 1, 1]
    alone = GaussianNB(var_smoothing=0.0).fit(X[:, :1], y)
    both = GaussianNB(var_smoothing=0.0).fit(X, y)
    np.testing.assert_allclose(both.predict_proba(X), alone.predict_proba(X[:, :1]), rtol=1e-12)
    certain = GaussianNB(var_smoothing=0.0).fit([[0.0], [0.0], [1.0], [3.0]], y)
    assert certain.predict([[0.0], [0.1]]).tolist() == [0, 1]


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("value", [1.0, 0.1, 1e-3 / 7])
def test_columns_that_are_all_constant_leave_the_decision_to_the_shares(value, weighted):
    X, y = np.full((700, 2), value), np.arange(700) % 7 < 3
    s = np.random.default_rng(0).random(700) if weighted else np.ones(700)
    model = GaussianNB().fit(X, y, s)
    assert model.epsilon_ == 0.0 and not model.var_.any() and model.certificate_.converged
    shares = [[1.0 - s[y].sum() / s.sum(), s[y].sum() / s.sum()]]
    np.testing.assert_allclose(model.predict_proba(X[:1]), shares, rtol=1e-12)
    with pytest.warns(Impossible):
        np.testing.assert_allclose(model.predict_proba([[value, 2.0]]), shares, rtol=1e-12)


def test_a_number_beyond_all_squares_has_no_density_and_no_nan():
    X, y = clouds()
    model = GaussianNB().fit(np.vstack([X, [[1e6, 1e6]] * 2]), np.append(y, [3, 3]))
    with pytest.warns(Impossible):
        assert np.isfinite(model.predict_proba([[1e200, -1e200]])).all()


def test_a_class_of_one_row_has_the_variance_epsilon():
    model = GaussianNB().fit([[0.0], [2.0], [9.0]], [0, 0, 1])
    assert model.var_[1, 0] == model.epsilon_ == pytest.approx(1e-9 * np.var([0, 2, 9]))
    assert model.predict([[9.0], [1.0]]).tolist() == [1, 0]


# ------------------------------------------------------------------ new data, and data unlike the old


@pytest.mark.mission("NB-02")
def test_drawn_rows_have_the_moments_of_the_model():
    X, y = clouds(2000)
    model = GaussianNB().fit(X, y)
    drawn, labels = model.sample(60_000, random_state=0)
    for c in range(3):
        mine = drawn[labels == c]
        error = np.sqrt(model.var_[c] / len(mine))
        assert (np.abs(mine.mean(axis=0) - model.theta_[c]) < 4.5 * error).all()
        np.testing.assert_allclose(mine.var(axis=0), model.var_[c], rtol=4.5 * np.sqrt(2 / len(mine)))
        assert abs((labels == c).mean() - model.class_prior_[c]) < 4.5 * np.sqrt(0.25 / 60_000)


@pytest.mark.mission("NB-02")
def test_drawn_switches_categories_and_counts_have_their_probabilities():
    rng = np.random.default_rng(0)
    X, y = rng.poisson(1.0, (400, 4)) * rng.integers(0, 2, (400, 1)), rng.integers(0, 2, 400)
    error = 4.5 * np.sqrt(0.25 / 9_000)
    for model in (BernoulliNB(), CategoricalNB(), MultinomialNB(), MixedNB({0: "categorical", 1: "gaussian"})):
        drawn, labels = model.fit(X, y).sample(20_000, random_state=1)
        assert drawn.shape == (20_000, 4)
        mine = drawn[labels == 1]
        if isinstance(model, BernoulliNB):
            assert np.abs(mine.mean(axis=0) - np.exp(model.feature_log_prob_[1])).max() < error
        elif isinstance(model, CategoricalNB):
            for j, logs in enumerate(model.feature_log_prob_):
                met = np.bincount(mine[:, j].astype(int), minlength=logs.shape[1]) / len(mine)
                assert np.abs(met - np.exp(logs[1])).max() < error
        elif isinstance(model, MultinomialNB):
            assert set(mine.sum(axis=1)) == {round(X[y == 1].sum() / (y == 1).sum())}
            assert np.abs(mine.sum(axis=0) / mine.sum() - np.exp(model.feature_log_prob_[1])).max() < error
        else:
            assert set(np.unique(mine[:, 0])) == set(np.unique(X[:, 0]).astype(float))
            model.predict(drawn)


@pytest.mark.mission("NB-04")
@pytest.mark.parametrize("cls", [GaussianNB, MixedNB])
def test_a_point_far_from_all_classes_has_a_density_below_that_of_a_hundredth_of_the_data(cls):
    X, y = clouds()
    model = cls().fit(X, y)
    threshold = np.quantile(model.score_samples(X), 0.01)
    assert (model.score_samples([[30.0, 0.0], [0.0, -40.0]]) < threshold).all()
    assert model.score_samples([[0.0, 0.0]])[0] > threshold


@pytest.mark.mission("NB-04")
def test_a_text_of_words_that_do_not_go_together_is_unlikely():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 500)
    X = rng.random((500, 20)) < np.where((np.arange(20) < 10) == (y[:, None] == 0), 0.8, 0.05)
    model = BernoulliNB().fit(X, y)
    assert model.score_samples([[0, 1] * 10])[0] < np.quantile(model.score_samples(X), 0.01)


@pytest.mark.mission("NB-13")
def test_joint_posterior_and_marginal_fit_together():
    X, y = clouds()
    for model in (GaussianNB(), BernoulliNB(), MixedNB()):
        joint = model.fit(X, y).predict_joint_log_proba(X)
        marginal = model.score_samples(X)
        np.testing.assert_allclose(np.exp(joint - marginal[:, None]), model.predict_proba(X), rtol=1e-12)
        np.testing.assert_allclose(joint - marginal[:, None], model.predict_log_proba(X), atol=1e-12)


def test_equal_posteriors_of_two_classes_count_for_the_second():
    model = BernoulliNB().fit([[0], [1], [0], [1]], ["a", "a", "b", "b"])
    assert model.decision_function([[0], [1]]).tolist() == [0.0, 0.0]
    assert model.predict([[0], [1]]).tolist() == ["b", "b"]
