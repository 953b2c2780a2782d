"""The tree of symptoms is a part of the network that the rows were drawn from, and answers as its joint table does."""

import numpy as np
import pytest

# Lauritzen and Spiegelhalter (1988), J. R. Statist. Soc. B 50(2), section 2.
NETWORK = {("A", "T"), ("S", "L"), ("S", "B"), ("T", "E"), ("L", "E"), ("E", "X"), ("E", "D"), ("B", "D")}


@pytest.fixture(scope="module")
def shown(gallery):
    try:
        return gallery("symptoms").compute()
    except FileNotFoundError as absent:
        pytest.skip(str(absent))


@pytest.mark.mission("GM-05")
def test_all_edges_are_edges_of_the_network_but_the_one_that_closes_a_circle(shown):
    assert NETWORK - set(shown["edges"]) == {("E", "D")} and set(shown["edges"]) < NETWORK
    assert shown["certificate"].startswith("certified")


def test_the_page_quotes_the_answers_of_the_joint_table(shown):
    P = shown["model"].joint_table()  # axes A, S, T, L, B, E, X, D; no, yes
    by_hand = P[:, 1, :, 1, :, :, 1].sum() / P[:, 1, :, :, :, :, 1].sum()
    np.testing.assert_allclose(shown["smoker with a shadow"], by_hand, rtol=1e-12)
    said = [round(100 * shown[name], 1) for name in ("nothing known", "smoker", "smoker with a shadow")]
    assert said == [6.6, 11.8, 72.0]
