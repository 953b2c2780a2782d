"""The network of the gallery learns exclusive or, which no line does, and the page says how its training went."""

from pathlib import Path

import pytest

PAGE = Path(__file__).resolve().parents[2] / "docs" / "gallery" / "xor_network.md"


@pytest.fixture(scope="module")
def shown(gallery):
    return gallery("xor_network").compute()


@pytest.mark.mission("NET-01")
def test_a_hidden_layer_is_right_where_a_line_guesses(shown):
    assert shown["right, network"] == 1.0
    assert 0.4 < shown["right, line"] < 0.6


def test_the_page_quotes_the_training(shown):
    page = PAGE.read_text(encoding="utf-8")
    first, last = shown["loss, first epoch"], shown["loss, last epoch"]
    assert f"falls from {first:.2f} to {last:.2f} in {shown['epochs']} epochs" in page
    assert f"right on {100 * shown['right, line']:.0f} % of new points" in page
