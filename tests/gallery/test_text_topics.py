"""The words that speak most for each class: the toy by hand, the messages where they are at hand."""

import importlib.util
import sys
from pathlib import Path

import numpy as np
import pytest

SCRIPT = Path(__file__).resolve().parents[2] / "docs" / "gallery" / "text_topics.py"


@pytest.fixture(scope="module")
def script():
    spec = importlib.util.spec_from_file_location("gallery_text_topics", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.mark.mission("EX-20", "NB-06", "NB-07", "NB-08")
def test_the_toy_has_the_golden_numbers(script):
    """G055."""
    found = script.toy()
    np.testing.assert_allclose(found["likeliest"][1], [1.0, 0.0, 0.5], atol=1e-15)
    np.testing.assert_allclose(found["laplace"], [[0.4, 0.8, 0.4], [0.75, 0.25, 0.5]], rtol=1e-14)
    np.testing.assert_allclose(found["posterior"][1], 0.2455795678, atol=1e-9)
    assert found["posterior_unsmoothed"][1] == 0.0


@pytest.mark.mission("EX-20")
def test_the_words_of_spam_are_those_of_prizes_and_phones(script):
    found = script.spam()
    if found is None:
        pytest.skip("the messages are not here")
    assert {"claim", "prize"} <= {word for word, _ in found["spam"]}
    assert all(weight > 3.0 for _, weight in found["spam"]) and all(weight < -1.0 for _, weight in found["ham"])
    assert found["accuracy"] > 0.97


def test_without_the_messages_the_toy_is_drawn_alone(script, tmp_path, monkeypatch):
    pytest.importorskip("matplotlib").use("Agg")
    monkeypatch.setattr(script, "messages", lambda: None)
    script.draw(tmp_path / "picture.png")
    assert (tmp_path / "picture.png").stat().st_size > 10_000
