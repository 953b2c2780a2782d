"""Bad input, over every regressor: each gets an exception or a warning that says what to do; none gives NaN."""

import os
import signal
import subprocess
import sys
import time
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone

from separatrix.core import registry
from separatrix.core.errors import RankDeficient
from separatrix.estimators.base import LinearRegressor
from separatrix.estimators.linear.generalized_linear import MeanRegressor
from separatrix.linear_model import (
    ElasticNet,
    ElasticNetCV,
    Lasso,
    LassoCV,
    LinearRegression,
    PerceptronRegressor,
    QuantileRegressor,
    Ridge,
    RidgeCV,
    SGDRegressor,
    enet_path,
    lasso_path,
)
from separatrix.svm import LinearSVR

MODELS = [
    LinearRegression(),
    LinearRegression(positive=True),
    LinearRegression(solver="gradient", max_iter=50),
    LinearRegression(solver="stochastic", max_iter=50, random_state=0),
    Ridge(),
    Ridge(positive=True),
    RidgeCV(),
    RidgeCV(criterion="gcv"),
    Lasso(0.1),
    ElasticNet(0.1),
    LassoCV(cv=2, alphas=5),
    ElasticNetCV(cv=2, alphas=5),
    QuantileRegressor(alpha=0.01),
    PerceptronRegressor(),
    SGDRegressor(random_state=0),
    LinearSVR(epsilon=0.1),
    LinearSVR(loss="squared_epsilon_insensitive"),
]
over_models = pytest.mark.parametrize("model", MODELS, ids=str)

# Ours: what cannot be done, because of what, and what instead. scikit-learn's own words are as clear.
OURS = r"Cannot .+: .+\. Use .+\."


def data(n=30, p=3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, p))
    return X, X @ np.arange(1.0, p + 1.0) + 0.1 * rng.standard_normal(n)


def quietly(model, *args, **kwargs):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return clone(model).fit(*args, **kwargs)


def finite(model):
    assert np.all(np.isfinite(model.coef_)) and np.all(np.isfinite(model.intercept_))
    return model


def test_no_linear_regressor_is_left_out():
    regressors = {name for name, cls in registry.members("estimator").items() if issubclass(cls, LinearRegressor)}
    # those of positive means are fitted to other targets, in test_generalized_linear.py
    regressors -= {name for name, cls in registry.members("estimator").items() if issubclass(cls, MeanRegressor)}
    assert regressors == {type(model).__name__ for model in MODELS}


# ------------------------------------------------------------------ numbers that are none


@pytest.mark.parametrize("bad, words", [(np.nan, "NaN"), (np.inf, "infinity"), (-np.inf, "infinity")])
@pytest.mark.parametrize("where", ["X", "y", "sample_weight", "sparse X"])
@over_models
def test_nan_and_infinity_are_refused_where_they_stand(model, bad, words, where):
    X, y = data()
    s = np.ones(len(y))
    {"X": X, "y": y, "sample_weight": s, "sparse X": X}[where].flat[4] = bad
    with pytest.raises(ValueError, match=words):
        quietly(model, sp.csr_array(X) if where == "sparse X" else X, y, sample_weight=s)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("shape", [(40, 3), (8, 20)], ids=["tall", "wide"])
@over_models
def test_a_large_design_is_not_trusted_unread(model, bad, order, shape, monkeypatch):
    monkeypatch.setattr("separatrix.estimators.validation.UNREAD", 1)  # from this size on sums may stand in for a look
    X, y = data(*shape)
    X[3, 2] = bad
    with pytest.raises(ValueError, match=r"NaN|infinity"):
        quietly(model, np.array(X, order=order), y)


@over_models
def test_strings_complex_numbers_and_objects_are_refused(model):
    X, y = data()
    with pytest.raises(ValueError, match=r"could not convert string|numeric|as numbers"):
        quietly(model, np.array([["a", "b", "c"]] * 30), y)
    with pytest.raises(ValueError, match="Complex"):
        quietly(model, X + 1j, y)
    with pytest.raises(ValueError, match="Complex"):
        quietly(model, X, y + 1j)
    with pytest.raises(ValueError, match=r"could not convert|numeric|Unknown label|float"):
        quietly(model, X, np.array(["yes", "no"] * 15))
    with pytest.raises((TypeError, ValueError)):
        quietly(model, np.array([[{}, 1.0, 2.0]] * 30, dtype=object), y)


# ------------------------------------------------------------------ shapes


@over_models
def test_empty_arrays_and_wrong_dimensions_are_refused(model):
    X, y = data()
    with pytest.raises(ValueError, match="minimum of 1 is required"):
        quietly(model, np.empty((0, 3)), np.empty(0))
    with pytest.raises(ValueError, match="minimum of 1 is required"):
        quietly(model, np.empty((30, 0)), y)
    with pytest.raises(ValueError, match="Expected 2D array"):
        quietly(model, y, y)
    with pytest.raises(ValueError, match=r"dim 3|3D|<= 2"):
        quietly(model, X[:, :, None], y)
    with pytest.raises(ValueError, match="y"):
        quietly(model, X, None)


@over_models
def test_lengths_that_do_not_match_are_refused(model):
    X, y = data()
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        quietly(model, X, y[:-1])
    with pytest.raises(ValueError, match=OURS):
        quietly(model, X, y, sample_weight=np.ones(29))
    with pytest.raises(ValueError, match=OURS):
        quietly(model, X, y, sample_weight=np.ones((30, 1)))
    with pytest.raises(ValueError, match="features"):
        quietly(model, X, y).predict(X[:, :2])


@over_models
def test_one_row_gives_the_constant_or_says_why_not(model):
    X, y = np.array([[1.0, 2.0, 3.0]]), np.array([5.0])
    if isinstance(model, LassoCV | ElasticNetCV):
        with pytest.raises(ValueError, match="Cannot have number of splits"):
            quietly(model, X, y)
        return
    if isinstance(model, RidgeCV):
        with pytest.raises(ValueError, match="there is 1 sample of positive weight"):
            quietly(model, X, y)
        return
    found = finite(quietly(model, X, y))
    if not isinstance(model, PerceptronRegressor | SGDRegressor) and getattr(model, "solver", "auto") in (
        "auto",
        "highs",
    ):
        assert found.predict(X) == pytest.approx(5.0)


@over_models
def test_more_columns_than_rows_give_finite_numbers(model):
    X, y = data(8, 20)
    finite(quietly(model, X, y))


@pytest.mark.parametrize("kind", ["constant", "zero", "duplicate", "far constant", "all constant"])
@over_models
def test_constant_and_duplicate_columns_give_finite_numbers(model, kind):
    X, y = data()
    if kind == "duplicate":
        X[:, 2] = X[:, 1]
    elif kind == "all constant":
        X[:] = 2.5
    else:
        X[:, 1] = {"constant": 3.0, "zero": 0.0, "far constant": 1e9 + 0.1}[kind]
    finite(quietly(model, X, y))


@pytest.mark.parametrize("value", [0.0, 7.0])
@over_models
def test_a_constant_target_gives_finite_numbers(model, value):
    X, _ = data()
    finite(quietly(model, X, np.full(30, value)))


@pytest.mark.parametrize("model", [LinearRegression(), Ridge(0.0), ElasticNet(0.0)], ids=str)
def test_dependent_columns_are_named(model):
    X, y = data()
    X = np.column_stack([X, X[:, 0] - X[:, 1], np.full(30, 4.0)])
    if isinstance(model, ElasticNet):
        finite(quietly(model, X, y))
        return
    with pytest.warns(RankDeficient, match="x4") as caught:
        finite(model.fit(X, y))
    assert caught[0].message.rank == 3


# ------------------------------------------------------------------ weights


@pytest.mark.parametrize(
    "s, words",
    [
        (np.r_[-1.0, np.ones(29)], "Negative weights"),
        (np.zeros(30), "all weights are zero"),
        (0.0, "all weights are zero"),
        (-2.0, "Negative weights"),
    ],
    ids=["one negative", "all zero", "zero", "negative"],
)
@over_models
def test_weights_that_mean_nothing_are_refused(model, s, words):
    X, y = data()
    with pytest.raises(ValueError, match=OURS) as caught:
        quietly(model, X, y, sample_weight=s)
    assert words in str(caught.value)


@pytest.mark.parametrize("s", ["heavy", None], ids=["words", "none"])
@over_models
def test_weights_of_another_type_are_refused_and_none_are_ones(model, s):
    X, y = data()
    if s is None:
        finite(quietly(model, X, y, sample_weight=None))
        return
    with pytest.raises((TypeError, ValueError)):
        quietly(model, X, y, sample_weight=s)


# ------------------------------------------------------------------ parameters

BAD_PARAMETERS = [
    *[(cls, {"alpha": a}) for cls in (Ridge, Lasso, ElasticNet, QuantileRegressor, SGDRegressor)
      for a in (-1.0, np.nan, np.inf, "strong", None)],
    *[(RidgeCV, {"alphas": a}) for a in ([-1.0], [0.0, 1.0], [], [np.nan], "strong", None)],
    *[(cls, {"alphas": a}) for cls in (LassoCV, ElasticNetCV) for a in ([-1.0], [], 0, [np.nan], "strong", None)],
    *[(cls, {"eps": e}) for cls in (LassoCV, ElasticNetCV) for e in (0.0, 2.0, -1.0, "small")],
    *[(cls, {"l1_ratio": r}) for cls in (ElasticNet, ElasticNetCV) for r in (-0.1, 1.1, "half", np.nan)],
    (SGDRegressor, {"penalty": "elasticnet", "l1_ratio": 2.0}),
    *[(cls, {"solver": "magic"}) for cls in (LinearRegression, Ridge, QuantileRegressor)],
    *[(cls, {"tol": t}) for cls in (LinearRegression, Ridge, Lasso, ElasticNet, LassoCV, ElasticNetCV, SGDRegressor)
      for t in (-1.0, "tight", np.nan)],
    *[(cls, {"max_iter": m}) for cls in (Lasso, ElasticNet, LassoCV, ElasticNetCV, SGDRegressor)
      for m in (0, -1, 1.5, "many")],
    (Ridge, {"max_iter": 0}),
    (LinearRegression, {"solver": "gradient", "max_iter": 0}),
    (LinearRegression, {"solver": "gradient", "learning_rate": -0.1}),
    (LinearRegression, {"solver": "gradient", "positive": True}),
    (LinearRegression, {"solver": "stochastic", "batch_size": 0}),
    (LinearRegression, {"solver": "stochastic", "batch_size": 1.5}),
    *[(cls, {"selection": "best"}) for cls in (Lasso, ElasticNet, LassoCV, ElasticNetCV)],
    (RidgeCV, {"criterion": "aic"}),
    (RidgeCV, {"gcv_mode": "fast"}),
    *[(QuantileRegressor, {"quantile": q}) for q in (0.0, 1.0, -1.0, "median", np.nan)],
    (QuantileRegressor, {"solver_options": 3}),
    (SGDRegressor, {"loss": "hinge"}),
    (SGDRegressor, {"penalty": "l3"}),
    (SGDRegressor, {"eta0": 0.0}),
    (PerceptronRegressor, {"eta0": 0.0}),
]  # fmt: skip


@pytest.mark.parametrize("cls, parameters", BAD_PARAMETERS, ids=lambda v: getattr(v, "__name__", str(v)))
def test_an_illegal_parameter_is_named_and_an_alternative_given(cls, parameters):
    X, y = data()
    with pytest.raises((ValueError, TypeError), match=OURS) as caught:
        cls(**parameters).fit(X, y)
    name, value = list(parameters.items())[-1]
    assert name in str(caught.value) and repr(value) in str(caught.value)


@pytest.mark.parametrize(
    "model",
    [Ridge("strong"), RidgeCV(alphas="strong"), QuantileRegressor(solver_options=3), SGDRegressor(max_iter=1.5)],
)
def test_a_parameter_of_a_wrong_type_is_both_kinds_of_error_as_in_scikit_learn(model):
    for kind in (ValueError, TypeError):
        with pytest.raises(kind, match=OURS):
            model.fit(*data())


@pytest.mark.parametrize(
    "parameters",
    [{"alphas": [-1.0]}, {"alphas": 0}, {"eps": 0.0}, {"tol": -1.0}, {"max_iter": 0}, {"tol": "tight"}],
    ids=str,
)
@pytest.mark.parametrize("path", [lasso_path, enet_path])
def test_paths_refuse_illegal_parameters_too(path, parameters):
    X, y = data()
    with pytest.raises((ValueError, TypeError), match=OURS):
        path(X, y, **parameters)


# ------------------------------------------------------------------ extremes


@pytest.mark.parametrize("size", [1e-300, 1e-160, 1e150, 1e300])
@over_models
def test_numbers_near_the_end_of_the_range_give_finite_numbers_or_a_reason(model, size):
    X, y = data()
    for design, target in ((X * size, y), (X, y * size)):
        try:
            found = quietly(model, design, target)
        except ValueError as error:
            assert str(error)
        else:
            finite(found)


# ------------------------------------------------------------------ Ctrl-C

LONG_FITS = {
    "gradient": "LinearRegression(solver='gradient', max_iter=passes, tol=0.0, learning_rate=1e-6).fit(X, y)",
    "stochastic": "LinearRegression(solver='stochastic', max_iter=passes, tol=0.0, learning_rate=1e-6).fit(X, y)",
    "sgd": "SGDRegressor(max_iter=passes, tol=None, eta0=1e-6).fit(X, y)",
}


def interrupted(process, presses=3):
    """What a process says when Ctrl-C is pressed, again if the first falls where Python ignores exceptions."""
    for _ in range(presses):
        process.send_signal(signal.SIGINT)
        try:
            return process.communicate(timeout=15)[1]
        except subprocess.TimeoutExpired:
            continue
    return "nothing"


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGINT for one process")
@pytest.mark.parametrize("name", LONG_FITS)
def test_an_interrupt_stops_a_long_fit(name):
    # Loops are compiled before the interrupt is sent: the compiler's own callbacks swallow exceptions.
    code = (
        "import numpy as np\n"
        "from separatrix.core import jit\n"
        "from separatrix.linear_model import LinearRegression, SGDRegressor\n"
        "jit.load()\n"
        "X = np.random.default_rng(0).standard_normal((2000, 5)); y = X[:, 0]\n"
        "for passes in (1, 10**9):\n"
        f"    {LONG_FITS[name]}\n"
        "    print('ready', flush=True)\n"
    )
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "PYTHONWARNINGS": "ignore"}
    process = subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env
    )
    try:
        assert process.stdout.readline() == "ready\n"
        time.sleep(1.0)
        assert process.poll() is None, "the fit was meant to take for ever"
        assert "KeyboardInterrupt" in interrupted(process)
    finally:
        process.kill()
