"""Every estimator on data at the ends of what numbers can hold: an answer that is true, or a refusal in words.

Never a NaN among coefficients or predictions, never an exception of the arithmetic, never a RuntimeWarning of numpy's.
"""

import inspect
import warnings

import numpy as np
import pytest
import scipy.sparse as sp

import separatrix
from separatrix.core import registry
from separatrix.core.declaration import declaration

N = 24
RNG = np.random.default_rng(0)
X = np.abs(RNG.standard_normal((N, 3))) + 0.1
Y = X @ [1.0, 0.5, 0.2] + 0.1 * np.abs(RNG.standard_normal(N))
LABELS = (Y + RNG.standard_normal(N) > np.median(Y)).astype(int)
PAIR = [0, int(np.flatnonzero(LABELS[0] != LABELS)[0])]  # a row of each class
ONE, TWO = np.zeros(N), np.zeros(N)
ONE[3], TWO[PAIR] = 1.0, 1.0


def case(X=X, y=Y, labels=LABELS, s=None, **settings):
    return X, y, labels, s, settings


CASES = {
    "weights of 1e300": case(s=np.full(N, 1e300)),
    "weights whose sum overflows": case(s=np.full(N, 1.7e308)),
    "weights of 1e-300": case(s=np.full(N, 1e-300)),
    "weights of 300 orders": case(s=np.logspace(-150, 150, N)),
    "all weights 0 but one": case(s=ONE),
    "all weights 0 but two": case(s=TWO),
    "all weights 0": case(s=np.zeros(N)),
    "constant y": case(y=np.full(N, 0.7), labels=np.zeros(N, dtype=int)),
    "y of 1e300": case(y=1e300 * Y),
    "y of 1e160": case(y=1e160 * Y),
    "y of 1e-300": case(y=1e-300 * Y),
    "y of large integers": case(y=(1e18 * Y).astype(np.int64)),
    "X of 1e160": case(1e160 * X),
    "X of 1e300": case(1e300 * X),
    "X of 1e-200": case(1e-200 * X),
    "X of subnormal numbers": case(1e-320 * X),
    "X far from 0": case(X + 1e12),
    "one row": case(X[:1], Y[:1], LABELS[:1]),
    "two rows": case(X[PAIR], Y[PAIR], LABELS[PAIR]),
    "one row of many columns": case(np.abs(RNG.standard_normal((1, 3000))), Y[:1], LABELS[:1]),
    "one column": case(X[:, :1]),
    "a column of zeros": case(np.zeros((N, 1))),
    "no columns": case(np.empty((N, 0))),
    "rows that are all the same": case(np.tile(X[:1], (N, 1))),
    "rows twice": case(np.vstack([X, X]), np.tile(Y, 2), np.tile(LABELS, 2)),
    "columns twice": case(np.hstack([X, X])),
    "a constant column": case(np.column_stack([X, np.full(N, 1.0 / 3.0)])),
    "columns that differ by 1e-13": case(np.column_stack([X, X[:, 0] * (1.0 + 1e-13 * RNG.standard_normal(N))])),
    "an outlier of 1e12": case(np.vstack([X[:-1], 1e12 * X[-1:]])),
    "large int64": case((3e18 * X).astype(np.int64)),
    "uint64 beyond int64": case((4e18 * X).astype(np.uint64)),
    "int8": case((20.0 * X).astype(np.int8)),
    "bool": case(X.mean(axis=0) < X),
    "objects that are numbers": case(X.astype(object)),
    "objects that are texts": case(X.astype(str).astype(object)),
    "float16": case(X.astype(np.float16)),
    "float32 of 1e30": case((1e30 * X).astype(np.float32)),
    "float32 of 1e-30": case((1e-30 * X).astype(np.float32)),
    "long doubles": case(X.astype(np.longdouble)),
    "sparse": case(sp.csr_array(X * (X > 0.5))),
    "sparse without entries": case(sp.csr_array((N, 3))),
    **{f"alpha={a:g}": case(alpha=a) for a in (0.0, 1e-300, 1e-20, 1e300, np.inf)},
    **{f"C={C:g}": case(C=C) for C in (1e-300, 1e-20, 1e300, np.inf)},
}
MODELS = registry.members("estimator")
# Rows of aliased columns are NaN there, and are said to be.
NAN_IF_ALIASED = {"covariance_", "standard_errors_"}
# Bounds and ratios that are infinite where nothing is known, or where variances within classes are 0; folds without
# weight have no error. A stump that sends all rows to one side has its threshold beyond them.
MAY_BE_ENDLESS = {"dual_gap_", "thresholds_", "J_", "mse_path_", "scores_", "best_score_", "margin_"}
# The means of classes are rounded to 1e-4 of their spread there, and the map of the fit is that of other roundings than
# those of its verification allow for: refuted, where it should be explained or refused.
REFUTED = {("RegularizedDiscriminantAnalysisCV", "X far from 0")}
# Subnormal numbers have four digits or fewer: the centred rows that a local model keeps are rounded to 2.5e-4 of their
# size, and verification, which allows for the rounding of other numbers, says so.
REFUTED |= {(f"Local{name}Regression", "X of subnormal numbers") for name in ("Linear", "Logistic")}


def made(name, settings):
    """A model, or None where it does not know the settings."""
    cls = MODELS[name]
    known = inspect.signature(cls).parameters
    if not set(settings) <= set(known):
        return None
    first = next(iter(known.values()), None)
    if first is not None and first.name == "estimator" and first.default is inspect.Parameter.empty:
        return cls(MODELS["LogisticRegression"]())
    return cls(**settings)


def refused_in_words(error):
    """Whether an error is ours or scikit-learn's, about an argument: not one that arithmetic ran into."""
    return type(error) in (ValueError, TypeError) or type(error).__module__.startswith("separatrix")


def not_numbers(model):
    for name, value in vars(model).items():
        if name.endswith("_") and not name.startswith("_") and isinstance(value, np.ndarray | float):
            value = np.asarray(value)
            if value.dtype.kind != "f" or name in NAN_IF_ALIASED | MAY_BE_ENDLESS:
                continue
            # what single precision cannot hold is infinite, and the certificate says so
            certificate = vars(model).get("certificate_")
            endless = value.dtype == np.float32 and certificate is not None and not certificate.converged
            if np.isnan(value).any() or not (endless or np.isfinite(value).all()):
                yield name


@pytest.mark.parametrize("name", sorted(MODELS))
def test_odd_data_give_a_true_answer_or_a_refusal_in_words(name):
    wrong = []
    for what, (data, y, labels, s, settings) in CASES.items():
        model = made(name, settings)
        if model is None or (s is not None and "sample_weight" not in inspect.signature(model.fit).parameters):
            continue
        y = y if declaration(type(model)).task == "regression" else labels
        data = data[:, 0] if name == "LogisticCalibrator" and data.shape[1] else data
        weights = {} if s is None else {"sample_weight": s}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            warnings.simplefilter("error", RuntimeWarning)
            try:
                model.fit(data, y, **weights)
                wrong += [(what, attribute) for attribute in not_numbers(model)]
                if hasattr(model, "predict_proba"):
                    wrong += [(what, "predict_proba")] * bool(np.isnan(model.predict_proba(data)).any())
                if hasattr(model, "predict") and declaration(type(model)).task == "regression":
                    wrong += [(what, "predict")] * bool(np.isnan(model.predict(data)).any())
                if "certificate_" in vars(model) and not isinstance(declaration(type(model)).verification, str):
                    again = separatrix.verify(model, data, y, **weights)
                    if model.certificate_.converged and not again.converged and (name, what) not in REFUTED:
                        wrong.append((what, f"verify: {again}"))
            except Exception as error:
                if not refused_in_words(error):
                    wrong.append((what, f"{type(error).__name__}: {error}"))
    assert not wrong
