"""Files by the hundred, valid and damaged: see many_files.py, which reads as many as it is asked for."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from many_files import many

pytest.importorskip("pandas")


def check(kind, first, last, least):
    counts, wrong = many(kind, first, last)
    assert wrong == {}
    assert counts["read"] + counts["refused"] == last - first and min(counts["read"], counts["refused"]) > least


def test_some_text_files():
    check("text", 0, 400, least=30)


def test_some_columnar_files():
    check("columnar", 0, 400, least=30)


@pytest.mark.slow
def test_a_hundred_thousand_text_files():
    check("text", 1000, 101_000, least=10_000)


@pytest.mark.slow
def test_ten_thousand_columnar_files():
    check("columnar", 1000, 11_000, least=500)
