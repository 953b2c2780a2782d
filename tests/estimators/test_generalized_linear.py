"""Generalised linear models: scikit-learn's numbers, exposure, weights, existence, refusals, files, words."""

import io
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.linear_model as theirs
from numpy.testing import assert_allclose
from sklearn.base import clone

import separatrix
from separatrix import verify
from separatrix.core.declaration import declaration
from separatrix.core.errors import NoMaximum, NotCertified, RankDeficient
from separatrix.designs import MemoryMappedDesign
from separatrix.inference import describe
from separatrix.linear_model import (
    GammaRegressor,
    GeneralizedLinearRegressor,
    LinearRegression,
    LogisticRegression,
    PoissonRegressor,
    TweedieRegressor,
)
from separatrix.prediction import Step, predict_step

RNG = np.random.default_rng(0)
N = 120
X = RNG.standard_normal((N, 3))
MEAN = np.exp(X @ [0.5, -0.3, 0.0] + 0.7)
EXPOSURE = RNG.uniform(0.2, 5.0, N)
COUNTS = RNG.poisson(MEAN).astype(float)
AMOUNTS = RNG.gamma(3.0, MEAN / 3.0)
CLAIMS = np.where(RNG.random(N) < 0.3, 0.0, AMOUNTS)
SHARES = RNG.binomial(8, 1.0 / (1.0 + np.exp(-X[:, 0]))) / 8.0
TARGETS = {"quasipoisson": COUNTS, "poisson": COUNTS, "gamma": AMOUNTS, "inverse_gaussian": AMOUNTS, "tweedie": CLAIMS}
POWERS = {"poisson": 1.0, "quasipoisson": 1.0, "gamma": 2.0, "inverse_gaussian": 3.0, "tweedie": 1.5}
GLM = GeneralizedLinearRegressor
ALL = [
    *((GLM(family, tol=1e-12, max_iter=500), y) for family, y in TARGETS.items()),
    *((GLM("binomial", link, tol=1e-12), SHARES) for link in ("logit", "probit", "cloglog", "cauchit")),
    (GLM("gaussian", tol=1e-12), AMOUNTS),
]
every_model = pytest.mark.parametrize("alpha", [0.0, 0.3])
every_family = pytest.mark.parametrize("model, y", ALL, ids=lambda value: str(value) if not np.ndim(value) else "")


@pytest.mark.parametrize("alpha", [0.0, 0.01, 1.0])
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("name", ["PoissonRegressor", "GammaRegressor", "TweedieRegressor"])
def test_coefficients_and_scores_are_scikit_learns(name, alpha, intercept):
    powers = ({"power": p} for p in (0.0, 1.0, 1.3, 2.0)) if name == "TweedieRegressor" else [{}]
    for extra in powers:
        y = AMOUNTS if name == "GammaRegressor" or extra.get("power") == 2.0 else CLAIMS
        settings = {"alpha": alpha, "fit_intercept": intercept, **extra}
        s = RNG.integers(0, 4, N).astype(float)
        other = getattr(theirs, name)(**settings, tol=1e-12, max_iter=1000, solver="newton-cholesky").fit(X, y, s)
        model = getattr(separatrix.linear_model, name)(**settings, tol=1e-12).fit(X, y, s)
        assert model.certificate_.converged
        assert_allclose(model.coef_, other.coef_, rtol=1e-7, atol=1e-9)
        assert_allclose(model.intercept_, other.intercept_, rtol=1e-7, atol=1e-9)
        assert_allclose(model.predict(X), other.predict(X), rtol=1e-8)
        assert_allclose(model.score(X, y, s), other.score(X, y, s), rtol=1e-9)


@every_model
@every_family
def test_weights_are_repetitions(model, y, alpha):
    s = RNG.integers(0, 4, N)
    weighted = clone(model).set_params(alpha=alpha).fit(X, y, s)
    repeated = clone(model).set_params(alpha=alpha).fit(np.repeat(X, s, axis=0), np.repeat(y, s))
    assert_allclose(weighted.coef_, repeated.coef_, rtol=1e-7, atol=1e-9)
    if alpha == 0.0:
        ours, others = weighted.summary(), repeated.summary()
        assert_allclose([row.error for row in ours.rows], [row.error for row in others.rows], rtol=1e-6)
        for name in ("deviance", "null_deviance", "residual_df", "dispersion"):
            assert ours.statistics[name] == pytest.approx(others.statistics[name], rel=1e-7)


@every_model
@every_family
def test_dense_sparse_and_streamed_rows_give_one_fit_and_it_is_verified(model, y, alpha, tmp_path):
    model = clone(model).set_params(alpha=alpha, tol=1e-11).fit(X, y)
    assert verify(model, X, y).converged
    sparse = clone(model).fit(sp.csr_array(X), y)
    assert_allclose(sparse.coef_, model.coef_, rtol=1e-7, atol=1e-9)
    stored = np.lib.format.open_memmap(tmp_path / "X.npy", mode="w+", dtype=np.float64, shape=X.shape)
    stored[:] = X
    design = MemoryMappedDesign(stored)
    if model.family == "inverse_gaussian" or model.link == "cauchit":
        with pytest.raises(ValueError, match="not convex"):
            clone(model).fit(design, y)
        return
    streamed = clone(model).fit(design, y)
    assert_allclose(streamed.coef_, model.coef_, rtol=1e-7, atol=1e-9)
    assert_allclose(streamed.predict(design), model.predict(X), rtol=1e-7)


@pytest.mark.parametrize("family", TARGETS)
def test_an_exposure_is_an_offset_and_a_rate_with_weights(family):
    y, power = TARGETS[family] * EXPOSURE, POWERS[family]
    if family.endswith("poisson"):
        y = np.round(y)
    model = GLM(family, tol=1e-12, max_iter=500).fit(X, y, exposure=EXPOSURE)
    offset = clone(model).fit(X, y, offset=np.log(EXPOSURE))
    rate = clone(model).fit(X, y / EXPOSURE, EXPOSURE ** (2.0 - power))
    assert_allclose(offset.coef_, model.coef_, rtol=1e-10)
    assert_allclose(rate.coef_, model.coef_, rtol=1e-10)
    assert verify(model, X, y / EXPOSURE, EXPOSURE ** (2.0 - power)).converged
    assert_allclose(model.predict(X, exposure=EXPOSURE), EXPOSURE * model.predict(X), rtol=1e-14)
    # the total of what was observed is met exactly, as by every fit with an intercept where V = mu
    if power == 1.0:
        assert model.predict(X, exposure=EXPOSURE).sum() == pytest.approx(y.sum(), rel=1e-9)


def test_an_offset_of_the_identity_link_is_taken_off_y():
    model = GLM().fit(X, AMOUNTS, offset=EXPOSURE)
    assert_allclose(model.coef_, LinearRegression().fit(X, AMOUNTS - EXPOSURE).coef_, rtol=1e-12)
    assert_allclose(model.predict(X, offset=EXPOSURE) - model.predict(X), EXPOSURE, rtol=1e-12)


def test_the_logit_link_is_logistic_regression():
    y = (SHARES > 0.5).astype(float)
    model, logistic = GLM("binomial", tol=1e-12).fit(X, y), LogisticRegression(C=np.inf, tol=1e-12).fit(X, y)
    assert_allclose(model.coef_, logistic.coef_[0], rtol=1e-8)
    ours, others = model.summary(), logistic.summary()
    assert_allclose([row.error for row in ours.rows], [row.error for row in others.rows], rtol=1e-8)
    assert ours["x0"].odds_ratio == pytest.approx(others["x0"].odds_ratio)
    assert ours.statistics["aic"] == pytest.approx(others.statistics["aic"], rel=1e-10)


# ------------------------------------------------------------------ no maximum


def with_an_empty_cell(scale=1.0):
    group = np.arange(N) % 3
    y = np.where(group == 2, 0.0, COUNTS + 1.0)
    return np.column_stack([group == 1, group == 2, X[:, 0]]).astype(float), scale * y


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
@pytest.mark.parametrize("model", [PoissonRegressor(alpha=0.0), TweedieRegressor(power=1.5, alpha=0.0)], ids=str)
def test_a_cell_of_zeros_is_said_and_not_estimated(model, scale):
    Z, y = with_an_empty_cell(scale)
    with pytest.warns(NoMaximum, match=r"no maximum.*finite estimate: x1\."):
        model.fit(Z, y)
    assert not model.certificate_.converged and "no maximum exists" in str(model.certificate_)
    assert not verify(model, Z, y).converged
    summary = model.summary()
    assert summary["x1"].estimate == -np.inf and summary["x1"].error is None and summary["x1"].p is None
    assert any("no maximum" in note for note in summary.notes)
    # the other coefficients are those of the rows that are not in the cell
    rest = clone(model).fit(Z[Z[:, 1] == 0.0][:, [0, 2]], y[Z[:, 1] == 0.0]).summary()
    for name, other in (("x0", "x0"), ("x2", "x1")):
        assert summary[name].estimate == pytest.approx(rest[other].estimate, rel=1e-4, abs=1e-5)
        unit = np.sqrt(summary.statistics["dispersion"] / rest.statistics["dispersion"])
        assert summary[name].error == pytest.approx(unit * rest[other].error, rel=1e-4)


@pytest.mark.parametrize("link", ["logit", "probit", "cloglog"])
def test_separated_shares_are_said(link):
    y = (X[:, 0] > 0.1).astype(float)
    with pytest.warns(NoMaximum, match="complete separation"):
        model = GLM("binomial", link).fit(X, y)
    assert not model.certificate_.converged and not verify(model, X, y).converged
    assert all(row.error is None and row.p is None for row in model.summary().rows)


def test_a_penalty_makes_it_finite_without_a_word():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert PoissonRegressor(alpha=0.01).fit(*with_an_empty_cell()).certificate_.converged


def test_a_zero_in_every_row_is_refused_where_there_is_an_intercept():
    for model in (PoissonRegressor(), TweedieRegressor(power=1.5), GLM("binomial")):
        with pytest.raises(ValueError, match="y that is 0 in every row"):
            model.fit(X, np.zeros(N))
    with pytest.raises(ValueError, match="y that is 1 in every row"):
        GLM("binomial", "probit").fit(X, np.ones(N))
    assert_allclose(PoissonRegressor(fit_intercept=False).fit(X[:, :1] ** 2, np.zeros(N)).coef_ < 0.0, True)


def test_dependent_columns_are_named_and_share_their_effect():
    Z = np.column_stack([X, X[:, 0]])
    with pytest.warns(RankDeficient, match="rank 3 of 4"):
        model = PoissonRegressor(alpha=0.0).fit(Z, COUNTS)
    single = PoissonRegressor(alpha=0.0).fit(X, COUNTS)
    assert_allclose(model.coef_[[0, 3]], single.coef_[0] / 2.0, rtol=1e-6)
    assert_allclose(model.predict(Z), single.predict(X), rtol=1e-7)
    assert sum(row.aliased for row in model.summary().rows) == 1


# ------------------------------------------------------------------ refusals


@pytest.mark.parametrize(
    "model, y, words",
    [
        (PoissonRegressor(), -COUNTS, r"y with the value -\d+.*'poisson'.*y >= 0"),
        (GammaRegressor(), COUNTS, r"y with the value 0.*'gamma'.*y > 0"),
        (TweedieRegressor(power=1.5), -CLAIMS, r"y with the value -.*y >= 0"),
        (TweedieRegressor(power=3.0), CLAIMS, r"y with the value 0.*y > 0"),
        (GLM("binomial"), COUNTS, r"y with the value \d+.*shares 0 <= y <= 1.*sample_weight"),
        (TweedieRegressor(power=0.5), COUNTS, r"power=0\.5.*no such distribution"),
        (TweedieRegressor(power=-1.0), COUNTS, r"power=-1.*positive"),
        (TweedieRegressor(link="logit"), CLAIMS, r"link='logit'"),
        (GLM("gamma", "sqrt"), AMOUNTS, r"family='gamma' and link='sqrt'.*link='log'"),
        (GLM("gaussian", "log"), -AMOUNTS, r"y of mean -.*link 'log'"),
        (GLM("bernoulli"), COUNTS, r"family='bernoulli'.*'gaussian'"),
        (GLM("tweedie", power=0.5), CLAIMS, r"power=0\.5.*\[1, inf\)"),
        (PoissonRegressor(alpha=-1.0), COUNTS, r"alpha=-1\.0"),
        (PoissonRegressor(solver="magic"), COUNTS, r"solver='magic'"),
        (PoissonRegressor(max_iter=0), COUNTS, r"max_iter=0"),
    ],
    ids=lambda value: str(value)[:60] if not np.ndim(value) else "",
)
def test_what_cannot_be_fitted_is_refused_in_words(model, y, words):
    with pytest.raises(ValueError, match=words):
        model.fit(X, y)


@pytest.mark.parametrize(
    "known, words",
    [
        ({"exposure": np.zeros(N)}, r"exposure with the value 0 \(row 0\).*nothing was observed"),
        ({"exposure": np.where(np.arange(N) == 7, -2.0, 1.0)}, r"exposure with the value -2 \(row 7\)"),
        ({"exposure": np.full(N, 1e200)}, r"exposure with the value 1e\+200.*1e-30 to 1e30"),
        ({"exposure": np.full(N, np.nan)}, r"exposure contains NaN"),
        ({"exposure": np.ones(N - 1)}, rf"exposure of shape \({N - 1},\).*X has {N} rows"),
        ({"offset": np.full(N, 800.0)}, r"offset with the value 800"),
        ({"offset": np.ones(N), "exposure": np.ones(N)}, r"one is the logarithm of the other"),
    ],
)
def test_an_exposure_that_means_nothing_is_refused(known, words):
    with pytest.raises(ValueError, match=words):
        PoissonRegressor().fit(X, COUNTS, **known)
    with pytest.raises(ValueError, match=words):
        PoissonRegressor().fit(X, COUNTS).predict(X, **known)


POSITIVE = np.abs(X)
BY_LINK = [
    ("gaussian", "log", AMOUNTS),
    ("gaussian", "inverse", 1.0 / (0.5 + POSITIVE @ [0.4, 0.2, 0.3] + 0.1 * RNG.random(N))),
    ("poisson", "sqrt", COUNTS),
    ("quasipoisson", "identity", RNG.poisson(2.0 + POSITIVE @ [1.0, 0.5, 2.0]).astype(float)),
    ("gamma", "inverse", RNG.gamma(5.0, 0.2 / (0.5 + POSITIVE @ [0.4, 0.2, 0.3]))),
    ("gamma", "identity", AMOUNTS),
    ("inverse_gaussian", "1/mu^2", 1.0 / np.sqrt(0.5 + POSITIVE @ [0.4, 0.2, 0.3]) * RNG.gamma(9.0, 1.0 / 9.0, N)),
    ("binomial", "logit", SHARES),
    ("binomial", "probit", SHARES),
    ("binomial", "cloglog", SHARES),
    ("binomial", "cauchit", SHARES),
    ("binomial", "log", RNG.binomial(8, 0.5 * np.exp(-0.3 * POSITIVE[:, 0])) / 8.0),
]
every_link = pytest.mark.parametrize("family, link, y", BY_LINK, ids=lambda v: v if isinstance(v, str) else "")


@every_link
def test_an_offset_that_is_a_combination_of_columns_moves_their_coefficients(family, link, y):
    c = np.array([0.02, -0.01, 0.03])
    for intercept in (True, False):
        model = GLM(family, link, tol=1e-11, max_iter=500, fit_intercept=intercept)
        plain, moved = (clone(model).fit(POSITIVE, y, offset=o) for o in (None, POSITIVE @ c + 0.05 * intercept))
        assert plain.certificate_.converged
        assert moved.certificate_.converged
        assert_allclose(moved.coef_, plain.coef_ - c, rtol=1e-6, atol=1e-7)
        assert moved.intercept_ == pytest.approx(plain.intercept_ - 0.05 * intercept, rel=1e-6, abs=1e-7)
        assert_allclose(moved.predict(POSITIVE, offset=POSITIVE @ c + 0.05 * intercept), plain.predict(POSITIVE), 1e-6)
        ours, others = moved.evidence_, plain.evidence_
        assert ours.log_likelihood == pytest.approx(others.log_likelihood, rel=1e-9)
        assert ours.pearson == pytest.approx(others.pearson, rel=1e-6)
        assert_allclose(ours.covariance, others.covariance, rtol=1e-5)


@every_link
def test_a_fit_with_an_offset_is_verified_with_it_and_not_without(family, link, y):
    known = -0.1 * POSITIVE[:, 0] - 0.02 * POSITIVE[:, 1] ** 2
    model = GLM(family, link, tol=1e-10, max_iter=500).fit(POSITIVE, y, offset=known)
    assert verify(model, POSITIVE, y, offset=known).converged
    assert not verify(model, POSITIVE, y).converged
    model.coef_ = model.coef_ + 1e-3
    assert not verify(model, POSITIVE, y, offset=known).converged


def test_only_generalised_linear_models_are_verified_with_an_offset():
    with pytest.raises(ValueError, match="verify LinearRegression with offset"):
        verify(LinearRegression().fit(X, AMOUNTS), X, AMOUNTS, offset=EXPOSURE)
    exposed = PoissonRegressor().fit(X, COUNTS, exposure=EXPOSURE)
    assert verify(exposed, X, COUNTS, exposure=EXPOSURE).converged


@every_link
def test_with_an_offset_weights_are_repetitions_too(family, link, y):
    s, known = RNG.integers(0, 4, N), -0.1 * POSITIVE[:, 0]
    model = GLM(family, link, tol=1e-11, max_iter=500)
    weighted = clone(model).fit(POSITIVE, y, s.astype(float), offset=known)
    often = clone(model).fit(*(np.repeat(v, s, axis=0) for v in (POSITIVE, y)), offset=np.repeat(known, s))
    assert_allclose(weighted.coef_, often.coef_, rtol=1e-6, atol=1e-8)
    assert weighted.evidence_.null_log_likelihood == pytest.approx(often.evidence_.null_log_likelihood, rel=1e-10)


@pytest.mark.parametrize("alpha", [0.0, 0.1])
@pytest.mark.parametrize("settings", [{"power": 0.0, "link": "log"}, {"power": 1.0, "link": "identity"}])
def test_other_links_of_tweedie_are_scikit_learns(settings, alpha):
    y = RNG.poisson(2.0 + POSITIVE @ [1.0, 0.5, 2.0]).astype(float)
    other = theirs.TweedieRegressor(**settings, alpha=alpha, tol=1e-9, max_iter=10_000).fit(POSITIVE, y)
    model = TweedieRegressor(**settings, alpha=alpha, tol=1e-9).fit(POSITIVE, y)
    assert model.certificate_.converged
    assert_allclose(model.predict(POSITIVE), other.predict(POSITIVE), rtol=1e-4)


def test_means_that_would_leave_the_range_of_a_link_are_refused_or_said():
    with pytest.raises(ValueError, match=r"link 'inverse' and no intercept.*range of the family"):
        GLM("gamma", "inverse", fit_intercept=False).fit(np.column_stack([X[:, 0], -X[:, 0]]), AMOUNTS)
    # the mean of the first rows would have to be negative for a line through the others: the best is at the end, 0
    x, y = np.arange(8.0)[:, None], np.array([0.0, 0, 0, 1, 6, 11, 16, 21])
    with pytest.warns(NotCertified, match="end of the range"):
        model = GLM("poisson", "identity").fit(x, y)
    assert not model.certificate_.converged
    assert (model.predict(x) >= 0.0).all()


def test_a_separated_cauchit_fit_has_no_maximum():
    x = np.arange(8.0)[:, None]
    with pytest.warns(NoMaximum):
        GLM("binomial", "cauchit").fit(x, (x[:, 0] > 3.0).astype(float))


def test_an_exposure_needs_a_log_link():
    with pytest.raises(ValueError, match=r"exposure.*link 'identity'"):
        GLM().fit(X, AMOUNTS, exposure=EXPOSURE)


@pytest.mark.parametrize(
    "options, words",
    [
        ({"covariance": "HC0"}, "sandwich needs each row"),
        ({"covariance": "HC3"}, "one sandwich"),
        ({"weights": "sampling"}, "not seen many times"),
        ({"intervals": "profile"}, "profile needs each row"),
        ({"intervals": "likelihood"}, "intervals='profile' to generalised"),
        ({"cluster": [1, 2]}, "sandwich needs each row"),
        ({"cluster": [1, 2], "covariance": "classical"}, "HC0' or 'HC1'"),
        ({"output": 1}, "1 output"),
    ],
)
def test_options_that_a_summary_cannot_have_are_refused(options, words):
    with pytest.raises(ValueError, match=words):
        PoissonRegressor(alpha=0.0).fit(X, COUNTS).summary(**options)


def test_a_penalised_fit_has_estimates_and_no_errors():
    model = PoissonRegressor().fit(X, COUNTS)
    summary = model.summary()
    assert [row.error for row in summary.rows] == [None] * 4 and "penalised" in summary.notes[0]
    with pytest.raises(ValueError, match="alpha=0"):
        model.summary(X, COUNTS)


def test_other_data_than_those_of_the_fit_are_refused():
    model = PoissonRegressor(alpha=0.0).fit(X, COUNTS)
    with pytest.raises(ValueError, match="log-likelihood"):
        model.summary(X, COUNTS + 1.0, covariance="HC0")
    exposed = PoissonRegressor(alpha=0.0).fit(X, COUNTS, exposure=EXPOSURE)
    with pytest.raises(ValueError, match="exposure or offset"):
        exposed.summary(X, COUNTS, covariance="HC0")
    with pytest.raises(ValueError, match="offset alone"):
        exposed.summary(offset=np.log(EXPOSURE))
    with pytest.raises(ValueError, match=r"use offset with LogisticRegression.*family='binomial'"):
        LogisticRegression(C=np.inf).fit(X, COUNTS > 2.0).summary(X, COUNTS > 2.0, offset=EXPOSURE)


@pytest.mark.parametrize("family", ["poisson", "gamma", "inverse_gaussian"])
def test_robust_errors_with_an_exposure_count_repetitions_as_rows(family):
    y, s = COUNTS if family == "poisson" else AMOUNTS, RNG.integers(0, 4, N)
    model, often = (GLM(family, tol=1e-12, max_iter=500) for _ in range(2))
    model.fit(X, y, s.astype(float), exposure=EXPOSURE)
    rows = {name: np.repeat(v, s, axis=0) for name, v in (("X", X), ("y", y), ("exposure", EXPOSURE))}
    often.fit(**rows)
    subject = np.arange(N) % 30
    for options in ({"covariance": "HC0"}, {"covariance": "HC1"}, {"cluster": subject}, {"intervals": "profile"}):
        known = {"exposure": EXPOSURE, "sample_weight": s.astype(float)}
        weighted = model.summary(X, y, **known, **options).rows
        if "cluster" in options:
            options = {"cluster": np.repeat(subject, s)}
        repeated = often.summary(**rows, **options).rows
        for name in ("error", "low", "high"):
            assert_allclose([getattr(row, name) for row in weighted], [getattr(row, name) for row in repeated], 1e-6)


# ------------------------------------------------------------------ extremes, files, words


@pytest.mark.parametrize("scale", [1e-8, 1.0, 1e8, 1e100])
@every_model
def test_the_unit_of_an_amount_moves_the_intercept_only(alpha, scale):
    for model in (GammaRegressor(alpha=alpha), TweedieRegressor(power=1.5, alpha=0.0)):
        one, other = (clone(model).set_params(tol=1e-11).fit(X, unit * AMOUNTS) for unit in (1.0, scale))
        assert other.certificate_.converged
        assert_allclose(other.coef_, one.coef_, rtol=1e-7, atol=1e-9)
        assert other.intercept_ - one.intercept_ == pytest.approx(np.log(scale), rel=1e-9, abs=1e-9)


def test_huge_counts_nearly_exactly_fitted_keep_their_digits():
    y = np.round(1e12 * MEAN)
    model = PoissonRegressor(alpha=0.0, tol=1e-10).fit(X, y)
    assert model.certificate_.converged
    assert_allclose(model.coef_, [0.5, -0.3, 0.0], atol=1e-9)
    # rounding of y to whole numbers is all that is left: deviance about N / 12 / mean
    assert model.summary().statistics["deviance"] < N / np.exp(-3.0) / 1e12


@every_family
def test_a_file_keeps_the_fit_and_its_form_predicts_without_the_class(model, y):
    model = clone(model).set_params(tol=1e-8).fit(X, y)
    file = io.BytesIO()
    separatrix.save(model, file)
    again = separatrix.load(file)
    assert_allclose(again.predict(X), model.predict(X), rtol=0.0)
    assert str(again.summary()) == str(model.summary())
    assert_allclose(predict_step(Step(declaration(model).prediction, vars(model)), "predict", X), model.predict(X))


def test_a_description_says_that_effects_multiply():
    words = describe(PoissonRegressor(alpha=0.0).fit(X, COUNTS), ["a", "b", "c"], X, COUNTS)
    assert "logarithm of the prediction is a weighted sum" in words.words and "multiplies the prediction" in words.words
    assert words.tables[0].heads[2] == "change of logarithm of the prediction"
    shares = describe(GLM("binomial", "probit").fit(X, SHARES), ["a", "b", "c"], X, SHARES)
    assert "The probit of the prediction is a weighted sum" in shares.words


def test_a_fit_goes_on_where_the_last_ended():
    model = PoissonRegressor(warm_start=True, alpha=0.01).fit(X, COUNTS)
    first = model.coef_
    assert model.fit(X, COUNTS).n_iter_ <= 2
    assert_allclose(model.coef_, first, rtol=1e-6)


@pytest.mark.parametrize("weights", ["frequency", "precision"])
def test_aic_of_a_gaussian_fit_is_that_of_the_normal_density_under_either_meaning_of_weights(weights):
    from scipy.stats import norm

    rng = np.random.default_rng(2)
    X, s = rng.normal(size=(40, 2)), rng.integers(1, 5, size=40).astype(float)
    y = 1.0 + X @ [0.5, -1.0] + rng.normal(size=40) / np.sqrt(s)
    model = GeneralizedLinearRegressor("gaussian").fit(X, y, sample_weight=s)
    rss = s @ (y - model.predict(X)) ** 2
    if weights == "frequency":  # each row s times
        log_likelihood = s @ norm.logpdf(y, model.predict(X), np.sqrt(rss / s.sum()))
    else:  # variances σ²/s
        log_likelihood = norm.logpdf(y, model.predict(X), np.sqrt(rss / 40 / s)).sum()
    numbers = model.summary(weights=weights).statistics
    assert_allclose(numbers["log_likelihood"], log_likelihood, rtol=1e-12)
    assert_allclose(numbers["aic"], -2.0 * log_likelihood + 2.0 * 4, rtol=1e-12)


def test_data_without_the_exposure_of_a_gamma_fit_are_refused_with_what_to_do():
    rng = np.random.default_rng(0)
    X, y, years = rng.normal(size=(50, 2)), rng.gamma(2.0, 1.0, 50), rng.uniform(0.5, 2.0, 50)
    model = GammaRegressor(alpha=0.0).fit(X, y, exposure=years)
    with pytest.raises(ValueError, match=r"exposure or offset; summary\(\)"):
        model.summary(X, y)
    assert model.summary().statistics["aic"] is not None
