"""The South African heart data: Tables 4.2 and 4.3, odds, risk, and the additive model with its bands."""

import importlib.util
import sys
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

SCRIPT = Path(__file__).resolve().parents[2] / "docs" / "gallery" / "heart.py"
TABLE_42 = {
    "coef": [-4.12959973, 0.005760676691, 0.07952563069, 0.184779334, 0.9391854892, -0.03454343376, 0.0006065017264,
             0.04254120986],
    "se": [0.9641871825, 0.005632669785, 0.02621530255, 0.05741239206, 0.2248737124, 0.02910577325, 0.00445505704,
           0.01017534872],
    "printed_z": [-4.285, 1.023, 3.034, 3.219, 4.178, -1.187, 0.136, 4.184],
}  # fmt: skip
TABLE_43 = {
    "coef": [-4.204275421, 0.08070058556, 0.1675841529, 0.9241166947, 0.04404246885],
    "se": [0.4983480012, 0.02551477286, 0.05418978728, 0.223182949, 0.009743205515],
    "printed_z": [-8.45, 3.16, 3.09, 4.14, 4.52],
}


def script():
    spec = importlib.util.spec_from_file_location("gallery_heart", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def heart():
    try:
        return script().compute()
    except FileNotFoundError as absent:
        pytest.skip(str(absent))


def column(found, field):
    return [getattr(row, field) for row in found.rows]


@pytest.mark.mission("EX-14", "SI-01")
@pytest.mark.parametrize("table, name", [(TABLE_42, "summary"), (TABLE_43, "chosen")], ids=["4.2", "4.3"])
def test_coefficients_errors_and_z_are_those_of_the_tables(heart, table, name):
    found = heart[name]
    assert_allclose(column(found, "estimate"), table["coef"], rtol=2e-6)
    assert_allclose(column(found, "error"), table["se"], rtol=2e-6)
    # the printed z are those of a fourth iteration that had not quite arrived
    assert_allclose(column(found, "z"), table["printed_z"], atol=0.005 if name == "summary" else 0.02)
    assert_allclose(column(found, "z"), np.divide(table["coef"], table["se"]), rtol=1e-5)


@pytest.mark.mission("SI-02", "EX-14")
def test_four_terms_pass_the_wald_test_and_p_values_say_the_same(heart):
    names = ["intercept", *script().NAMES]
    rows = dict(zip(names, heart["summary"].rows))
    assert [name for name, row in rows.items() if abs(row.z) > 2.0] == ["intercept", "tobacco", "ldl", "famhist", "age"]
    from statistics import NormalDist

    for row in rows.values():
        assert row.p == pytest.approx(2.0 * NormalDist().cdf(-abs(row.z)), rel=1e-9)
        assert (row.p < 0.0455002639) == (abs(row.z) > 2.0)


@pytest.mark.mission("SI-03", "EX-14")
def test_dropping_the_least_significant_term_again_and_again_keeps_four(heart):
    selection = heart["selection"]
    assert selection.terms == ("tobacco", "ldl", "famhist", "age")
    assert selection.path.columns["step"] == ("(start)", "- alcohol", "- sbp", "- obesity")
    assert_allclose(selection.path.columns["aic"][0], 499.1740324, rtol=1e-9)
    assert_allclose(selection.path.columns["aic"][-1], 495.443861, rtol=1e-9)


@pytest.mark.mission("SI-03")
def test_aic_selects_the_same_four(heart):
    from separatrix.inference import stepwise

    module = script()
    X, y = module.data()
    model = module.maximum_likelihood().fit(X, y)
    for direction in ("backward", "both"):
        assert stepwise(model, X, y, direction=direction).columns == (1, 2, 3, 6)


@pytest.mark.mission("SI-04")
def test_the_odds_ratio_of_tobacco_has_its_interval(heart):
    row = heart["chosen"].rows[1]
    # from the printed, rounded numbers: exp(0.081 ± 2 · 0.026)
    assert_allclose([row.odds_low, row.odds_high], [1.0294245944751308, 1.1422499983308942], atol=0.005)
    assert row.odds_ratio == pytest.approx(np.exp(0.08070058556), rel=1e-8)
    reach = 1.959963984540054 * row.error
    assert_allclose([row.odds_low, row.odds_high], np.exp([row.estimate - reach, row.estimate + reach]), rtol=1e-12)


@pytest.mark.mission("SI-09")
def test_the_risk_of_a_man_and_its_correction_for_the_sampling_of_cases(heart):
    assert heart["y"].sum() == 160 and len(heart["y"]) == 462
    assert heart["risk_in_sample"] == pytest.approx(0.5411566682, abs=2e-3)  # there with rounded coefficients
    assert heart["risk_in_region"] == pytest.approx(0.1068498659, abs=1e-3)
    # the same by weighing the posteriors with the ratios of the shares
    ratio = np.array([(1 - 0.051) / (302 / 462), 0.051 / (160 / 462)])
    posterior = np.array([1 - heart["risk_in_sample"], heart["risk_in_sample"]]) * ratio
    assert heart["risk_in_region"] == pytest.approx(posterior[1] / posterior.sum(), rel=1e-10)


@pytest.mark.mission("SI-05", "SI-06", "SI-08")
def test_the_additive_model_has_its_deviance_and_drops_alcohol(heart):
    with_alcohol, without = heart["with_alcohol"], heart["without_alcohol"]
    assert (with_alcohol["df"], without["df"]) == (26, 22)
    assert_allclose([with_alcohol["deviance"], with_alcohol["aic"]], [457.6317858, 509.6317858], atol=1e-4)
    assert_allclose([without["deviance"], without["aic"]], [458.0879441, 502.0879441], atol=1e-4)
    drop = with_alcohol["drops"]["x5"]
    assert drop["df"] == 4 and drop["aic"] == pytest.approx(502.0879441, abs=1e-4)
    assert drop["aic"] == min(with_alcohol["drops"].columns["aic"])


@pytest.mark.mission("SI-07")
def test_bands_are_two_standard_errors_of_a_direct_computation(heart):
    X, y = heart["X"], heart["y"]
    module = script()
    shapes = [
        (j, "linear" if n == "famhist" else module.NaturalSpline(df=4)) for j, n in enumerate(module.NAMES) if j != 5
    ]
    basis = module.AdditiveBasis(shapes).fit(X)
    H = np.column_stack([np.ones(len(y)), basis.transform(X)])
    theta = np.zeros(H.shape[1])
    for _ in range(30):
        mu = 1.0 / (1.0 + np.exp(-H @ theta))
        information = (H * (mu * (1 - mu))[:, None]).T @ H
        theta = theta + np.linalg.solve(information, H.T @ (y - mu))
    S = np.linalg.inv(information)
    for name, band in heart["without_alcohol"]["bands"].items():
        block = basis.blocks_[f"x{module.NAMES.index(name)}"]
        inner = slice(block.start + 1, block.stop + 1)
        h = basis.bases_[f"x{module.NAMES.index(name)}"].transform(band.x[:, None]) - H[:, inner].mean(axis=0)
        assert_allclose(band.f, h @ theta[inner], rtol=1e-6, atol=1e-8)
        assert_allclose(band.error, np.sqrt(np.einsum("ia,ab,ib->i", h, S[inner, inner], h)), rtol=1e-6, atol=1e-10)
        assert_allclose(band.high - band.low, 4.0 * band.error, rtol=1e-12)
        assert (band.error**2 >= 0.0).all() and band.error.max() > 0.0


def test_without_the_data_the_script_says_where_to_get_them(tmp_path):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    module = script()
    module.HERE = tmp_path / "heart.py"
    with pytest.raises(FileNotFoundError, match=r"Save https.*SAheart\.data as SAheart\.csv"):
        module.compute()
    (tmp_path / "gallery.mplstyle").write_text("")
    module.draw(tmp_path / "picture.png")
    assert (tmp_path / "picture.png").stat().st_size > 10_000
