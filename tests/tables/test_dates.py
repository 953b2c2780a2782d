"""Dates in text, against Python's and pandas' own readers."""

import datetime

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from separatrix.tables import days
from separatrix.tables.dates import form_of

WRITTEN = {
    "iso": ["%Y-%m-%d", "%Y/%m/%d", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M"],
    "dmy": ["%d/%m/%Y", "%d.%m.%Y", "%d-%m-%Y %H:%M:%S"],
    "mdy": ["%m/%d/%Y", "%m/%d/%Y %I:%M %p"],
    "named": ["%d %B %Y", "%b %d, %Y", "%d-%b-%Y", "%A, %d %B %Y", "%B %d, %Y %H:%M"],
}
moments = st.datetimes(datetime.datetime(1800, 1, 1), datetime.datetime(2200, 1, 1))


@given(st.lists(moments, min_size=1), st.sampled_from([(f, w) for f, ways in WRITTEN.items() for w in ways]))
def test_what_python_writes_is_read_back(times, way):
    form, pattern = way
    text = [time.strftime(pattern) for time in times]
    expected = [datetime.datetime.strptime(cell, pattern) for cell in text]
    expected = [(time - datetime.datetime(1970, 1, 1)) / datetime.timedelta(days=1) for time in expected]
    np.testing.assert_allclose(days(np.array(text, dtype=object), form), expected, rtol=1e-15, atol=1e-10)
    found, guessed = form_of(text)
    assert found == form or guessed


@pytest.mark.parametrize(
    "cell, form, iso",
    [
        ("2024-12-31T23:30:00Z", "iso", "2024-12-31T23:30"),
        ("2024-12-31T23:30:00+02:00", "iso", "2024-12-31T21:30"),
        ("2024-12-31 23:30:00.250-0500", "iso", "2025-01-01T04:30:00.250"),
        ("12/31/24 11:30 pm", "mdy", "2024-12-31T23:30"),
        ("31.12.69", "dmy", "2069-12-31"),
        ("31.12.70", "dmy", "1970-12-31"),
        ("3rd Sept 2020", "named", "2020-09-03"),
        ("12/31/2024 12:05 am", "mdy", "2024-12-31T00:05"),
    ],
)
def test_zones_halves_of_the_day_and_short_years(cell, form, iso):
    expected = np.datetime64(iso, "us").astype(np.int64) / 86_400_000_000
    np.testing.assert_allclose(days(np.array([cell], dtype=object), form), [expected], rtol=1e-15)


@pytest.mark.parametrize(
    "cells",
    [
        ["2024-02-30"],
        ["31/12/2024", "12/31/2024"],
        ["2024"],
        ["12:30"],
        ["1.2.3"],
        ["2024-01-01", "x"],
        ["32 May 2020"],
        ["1 Marble 2020"],
        ["12/31/2024 13:05 pm"],
        [],
    ],
)
def test_what_is_no_date(cells):
    assert form_of(cells) == ("", False)


def test_a_cell_that_is_no_date_is_refused_with_its_row():
    with pytest.raises(ValueError, match=r"'soon' in row 3 of the column 'start'.* such as 31/12/2024"):
        days(np.array(["1/2/2024", None, "soon"], dtype=object), "dmy", "start")


def test_missing_cells_and_numbers():
    assert np.isnan(days(np.array([None], dtype=object))[0])
    assert days(np.array([1.5])).tolist() == [1.5]
