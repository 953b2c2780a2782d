"""`verify` of local models: what they keep is what their data say, and nothing else passes."""

from dataclasses import replace

import numpy as np
import pytest

from separatrix import verify
from separatrix.local import LocalLinearRegression, LocalLogisticRegression

RNG = np.random.default_rng(0)
X = 1e3 + RNG.standard_normal((80, 2)) * [1.0, 50.0]
Y = X[:, 0] + 0.1 * X[:, 1] + RNG.standard_normal(80)
WEIGHTS = RNG.integers(0, 3, 80).astype(float)
LABELS = np.digitize(Y, np.quantile(Y, [0.3, 0.7]))
OPTIONS = [{}, {"bandwidth": 3.0, "standardize": True, "kernel": "gaussian"}, {"n_neighbors": 40, "degree": 2}]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("weights", [None, WEIGHTS], ids=["equal", "weighted"])
@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_a_local_model_is_certified_on_its_own_rows_only(options, weights):
    for cls, y in (
        (LocalLinearRegression, Y),
        (LocalLogisticRegression, LABELS),
        (LocalLogisticRegression, LABELS > 1),
    ):
        model = cls(**options).fit(X, y, sample_weight=weights)
        certificate = verify(model, X, y, sample_weight=weights)
        assert certificate.converged, certificate
        moved = X.copy()
        moved[3, 0] *= 1.0 + 1e-8
        assert not verify(model, moved, y, sample_weight=weights).converged
        wrong = np.array(y)
        wrong[3:5] = wrong[[5, 6]] if cls is LocalLogisticRegression else wrong[3:5] + 1e-6
        if not np.array_equal(wrong, y):
            assert not verify(model, X, wrong, sample_weight=weights).converged


FORGED = {
    "rows": lambda m: setattr(m, "_data", replace(m._data, X=m._data.X * (1.0 + 1e-9))),
    "targets": lambda m: setattr(m, "_data", replace(m._data, y=np.roll(m._data.y, 1))),
    "weights": lambda m: setattr(m, "_data", replace(m._data, s=2.0 * m._data.s)),
    "units": lambda m: setattr(m, "_data", replace(m._data, unit=1.01 * m._data.unit)),
    "window": lambda m: setattr(m, "_window", replace(m._window, reach=1.01 * m._window.reach)),
    "centre": lambda m: setattr(m, "_centre", m._centre * (1.0 + 1e-9)),
    "scale": lambda m: setattr(m, "scale_", m.scale_ * 1.01),
    "floor": lambda m: setattr(m, "_data", replace(m._data, floor=1.0)),
}


@pytest.mark.parametrize("forge", FORGED.values(), ids=FORGED)
@pytest.mark.parametrize("cls, y", [(LocalLinearRegression, Y), (LocalLogisticRegression, LABELS)])
def test_what_was_changed_is_not_certified(cls, y, forge):
    model = cls(standardize=True, alpha=0.1).fit(X, y)
    assert verify(model, X, y).converged
    forge(model)
    assert not verify(model, X, y).converged


@pytest.mark.parametrize("name", ["_level", "_size"])
def test_level_and_size_of_numbers_are_held_to_the_data(name):
    model = LocalLinearRegression().fit(X, Y)
    setattr(model, name, getattr(model, name) * (1.0 + 1e-9))
    assert not verify(model, X, Y).converged
