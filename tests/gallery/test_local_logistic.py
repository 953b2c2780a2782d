"""The local curve of heart disease by age, against a likelihood that is maximised by hand."""

import importlib.util
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy.special import expit

SCRIPT = Path(__file__).resolve().parents[2] / "docs" / "gallery" / "local_logistic.py"


@pytest.fixture(scope="module")
def found():
    spec = importlib.util.spec_from_file_location("gallery_local_logistic", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    try:
        return module.compute()
    except FileNotFoundError as absent:
        pytest.skip(str(absent))


@pytest.mark.mission("SI-10")
@pytest.mark.parametrize("place", [0, 30, 60, 98])
def test_the_curve_is_a_weighted_likelihood_at_each_age(found, place):
    x0, age, y = found["grid"][place], found["age"], found["chd"]
    distance = np.abs(age - x0)
    width = np.sort(distance)[len(age) // 2 - 1]
    K = np.clip(1 - (distance / width) ** 3, 0, None) ** 3
    Z, beta = np.column_stack([np.ones(len(age)), age - x0]), np.zeros(2)
    for _ in range(30):
        mu = expit(Z @ beta)
        H = (Z * (K * mu * (1 - mu))[:, None]).T @ Z
        beta = beta + np.linalg.solve(H, Z.T @ (K * (y - mu)))
    J = (Z * (K**2 * mu * (1 - mu))[:, None]).T @ Z
    error = np.sqrt((np.linalg.inv(H) @ J @ np.linalg.inv(H))[0, 0])
    assert found["local"][place] == pytest.approx(expit(beta[0]), rel=1e-8)
    assert found["slope"][place] == pytest.approx(beta[1], rel=1e-7)
    assert found["low"][place] == pytest.approx(expit(beta[0] - 1.959963984540054 * error), rel=1e-7)
    assert found["high"][place] == pytest.approx(expit(beta[0] + 1.959963984540054 * error), rel=1e-7)


def test_the_risk_is_lower_for_the_young_and_levels_off_for_the_old(found):
    assert found["local"][0] < found["global"][0] and found["local"][-1] < found["global"][-1]
    inside = (found["low"] < found["global"]) & (found["global"] < found["high"])
    assert inside.mean() > 0.8
