"""How a summary looks: text, HTML, frames and dicts."""

import io
import json
import re
from dataclasses import replace

import narwhals as nw
import numpy as np
import pandas as pd
import pytest

from separatrix.inference import Coefficient, Summary, Table
from separatrix.inference.render import MOST_ROWS, significant
from separatrix.linear_model import GammaRegressor, GeneralizedLinearRegressor, LogisticRegression, PoissonRegressor


@pytest.fixture
def model(exact):
    rng = np.random.default_rng(3)
    X = pd.DataFrame(
        {
            "age": rng.integers(20, 80, 50).astype(float),
            "income [k€] & more": np.round(rng.normal(50, 12, 50), 1),
            "<script>alert(1)</script>": np.round(rng.random(50), 2),
        }
    )
    X["twice"] = 2 * X["age"]
    y = np.round(0.3 * X["age"] - 0.01 * X.iloc[:, 1] + rng.normal(size=50), 3)
    return exact().fit(X, y)


def test_text_fits_a_hundred_columns_and_carries_no_colour(model):
    page = str(model.summary())
    assert max(map(len, page.splitlines())) <= 100
    assert "\x1b" not in page and repr(model.summary()) == page
    assert "income [k€] & more" in page  # square brackets are not read as markup


def test_decimal_points_stand_under_each_other(model):
    lines = [line for line in str(model.summary()).splitlines() if line.startswith((" intercept", " age", " income"))]
    points = [[i for i, c in enumerate(line) if c == "."][:3] for line in lines]  # estimate, error, t
    assert len(lines) == 3 and points[0] == points[1] == points[2]


def test_html_escapes_names_and_stands_alone(model):
    page = model.summary()._repr_html_()
    assert "<script>" not in page and "&lt;script&gt;" in page
    assert "http" not in page
    outside = re.sub(r"<style>.*?</style>", "", page, flags=re.S)
    for tag in ("div", "table", "tr", "th", "td", "dl", "dt", "dd", "p"):
        assert len(re.findall(rf"<{tag}[ >]", outside)) == outside.count(f"</{tag}>")


def test_terminals_get_colour_through_rich(model):
    from rich.console import Console

    console = Console(width=100, force_terminal=True, color_system="standard", record=True, file=io.StringIO())
    console.print(model.summary())
    assert "\x1b[1mExactLeastSquares" in console.export_text(styles=True)


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_frames_hold_every_row_with_missing_values_where_nothing_is_defined(model, backend):
    pytest.importorskip(backend)
    native = model.summary().to_frame(backend)
    assert type(native).__module__.split(".")[0] == backend
    frame = nw.from_native(native, eager_only=True)
    assert frame.columns == [
        "term", "estimate", "std_error", "t", "p_value", "ci_low", "ci_high", "digits", "recorded", "aliased",
    ]  # fmt: skip
    assert frame["term"].to_list()[:2] == ["intercept", "age"]
    assert frame["aliased"].to_list() == [False] * 4 + [True]
    assert frame["estimate"].to_list()[:4] == [row.estimate for row in model.summary().rows[:4]]
    last = frame["estimate"].to_list()[4]
    assert last is None or np.isnan(last)


def test_frames_of_several_outputs_say_which(exact):
    X = np.arange(12.0).reshape(6, 2) ** 2
    Y = np.column_stack([X[:, 0] % 5, X[:, 1] % 7])
    frame = exact().fit(X, Y).summary().to_frame("pandas")
    assert list(frame["output"]) == ["y0"] * 3 + ["y1"] * 3


def test_a_frame_without_any_library_is_refused_with_advice(model, monkeypatch):
    with pytest.raises(ValueError, match=r"backend='excel'.*Use backend='pandas'"):
        model.summary().to_frame("excel")
    monkeypatch.setattr("separatrix.inference.table.find_spec", lambda name: None)
    for backend in (None, "polars"):
        with pytest.raises(ImportError, match=r"Use to_dict\(\), or install pandas, polars or pyarrow"):
            model.summary().to_frame(backend)


def test_the_dict_is_plain_json(model):
    found = model.summary().to_dict()
    again = json.loads(json.dumps(found))
    assert again == json.loads(json.dumps(again))
    rows = again["tables"][0]["rows"]
    assert [row["name"] for row in rows][:2] == ["intercept", "age"] and rows[-1]["aliased"] is True
    assert again["tables"][0]["statistics"]["n"] == 50.0


@pytest.mark.parametrize(
    ("value", "wanted", "trusted", "shown"),
    [
        (3.14159265, 4, 15, "3.142"),
        (3.14159265, 9, 2, "3.1"),
        (-3482258.6, 5, 15, "-3482259"),
        (-3482258.6, 5, 3, "-3.48e+06"),
        (9.9996, 4, 15, "10.00"),
        (1e-12, 3, 15, "1.00e-12"),
        (0.0, 3, 15, "0"),
        (float("nan"), 3, 15, "–"),
        (None, 3, 15, "–"),
        (-np.inf, 3, 15, "-∞"),
    ],
)
def test_numbers_show_no_more_digits_than_are_trusted(value, wanted, trusted, shown):
    assert significant(value, wanted, trusted) == shown


def test_estimates_with_few_trusted_digits_are_printed_with_few(model):
    digits = np.array([[15.0], [2.7], [0.4], [15.0], [np.nan]])
    model.evidence_ = replace(model.evidence_, digits=digits)
    page = str(model.summary())
    age = next(line for line in page.splitlines() if line.startswith(" age"))
    assert re.match(r" age +0\.\d\d +0\.", age)
    assert re.search(r"income.* -?0\.0\d\? ", page) or re.search(r"income.* -?\d(e-\d\d)?\? ", page)
    assert "marked ? have no digit" in page


def test_long_tables_are_cut_and_say_so():
    rows = tuple(Coefficient(f"x{j}", 1.0) for j in range(MOST_ROWS + 5))
    found = Summary("Lasso", (Table("y0", rows, {"nonzero": len(rows), "p": len(rows)}),), None, None, 0.95)
    for page in (str(found), found._repr_html_()):
        assert "5 more rows are in to_frame()" in page and f"x{MOST_ROWS}" not in page
    assert len(found.to_frame("pandas")) == MOST_ROWS + 5


@pytest.mark.parametrize("width", [100, 90, 80, 70, 60, 50])
def test_a_narrow_terminal_gets_fewer_columns_but_whole_numbers(model, width):
    from separatrix.inference.render import columns, text

    found = model.summary()
    page = text(found, width)
    assert max(map(len, page.splitlines())) <= width
    cells = columns(found.tables[0], found.level)
    words = page.replace("\n", " ").split(" ")
    for label in ("estimate", "std. error", "p"):
        assert set(cells[label]) - {""} <= set(words)
    assert ("95% from" in page) == (width >= 80)
    if "95% from" in page:
        assert set(cells["95% from"]) - {""} <= set(words)


def test_a_frame_has_the_statistic_that_the_tests_are_made_of():
    """t where a dispersion is estimated, as in the text; z where it is known."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((30, 2))
    y = rng.gamma(2.0, np.exp(0.3 * X[:, 0]))
    for model, statistic, other in ((GammaRegressor(alpha=0.0), "t", "z"), (PoissonRegressor(alpha=0.0), "z", "t")):
        frame = model.fit(X, np.ceil(y)).summary().to_frame("pandas")
        assert frame[statistic].to_numpy() == pytest.approx((frame["estimate"] / frame["std_error"]).to_numpy())
        assert other not in frame


def test_odds_beyond_the_largest_number_are_infinite():
    """Both models of one likelihood agree: a model of shares had 8e307 where exp overflows."""
    X = 1e-3 * np.array([[0.0], [0.0], [0.0], [0.0], [1.0], [1.0]])
    y = np.array([0.0, 1.0, 1.0, 1.0, 1.0, 0.0])
    for model in (LogisticRegression(C=np.inf), GeneralizedLinearRegressor(family="binomial", alpha=0.0)):
        row = model.fit(X, y).summary(X, y)["x0"]
        assert row.high > 1e3 and row.odds_high == np.inf and row.odds_low == 0.0
