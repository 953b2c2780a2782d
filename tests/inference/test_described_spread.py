"""What is said of the spread of effects: confidence intervals, profiles and resamples each by their own name."""

import numpy as np
import pytest

from separatrix.core.description import CONFIDENCE, RESAMPLES
from separatrix.inference import describe
from separatrix.linear_model import FirthLogisticRegression, Lasso, LinearRegression, LogisticRegression, Ridge
from separatrix.plots import coefficients

rng = np.random.default_rng(0)
X = rng.standard_normal((60, 2))
Y = X[:, 0] + rng.standard_normal(60)
LABELS = (Y > 0.0).astype(int)
NAMES = ["a", "b"]


@pytest.mark.parametrize("model", [Ridge(), Lasso(alpha=0.05), LogisticRegression(C=1.0)], ids=str)
def test_spread_of_penalised_effects_is_not_called_an_interval(model):
    target = LABELS if isinstance(model, LogisticRegression) else Y
    description = describe(model.fit(X, target), NAMES, X, target)
    assert all(table.spread == RESAMPLES for table in description.tables)
    assert "95 % interval" not in "".join(table.caption for table in description.tables)
    assert any("not a confidence interval" in note for note in description.notes)


def test_effects_of_least_squares_have_confidence_intervals():
    description = describe(LinearRegression().fit(X, Y), NAMES, X, Y)
    assert all(table.spread == CONFIDENCE for table in description.tables)


def test_profile_intervals_are_not_said_to_be_standard_errors():
    description = describe(FirthLogisticRegression().fit(X, LABELS), NAMES, X, LABELS)
    notes = " ".join(description.notes)
    assert "1.96 standard errors" not in notes and "profile of the penalised likelihood" in notes


def test_a_picture_of_the_spread_over_resamples_does_not_say_what_excludes_zero():
    drawn = coefficients(NAMES, [1.0, 0.0], [[0.5, 1.5], [-1.0, 1.0]], confidence=False)
    again = coefficients(NAMES, [1.0, 0.0], [[0.5, 1.5], [-1.0, 1.0]])
    said, confident = (ax.get_figure().axes[0].collections[-1].get_facecolors() for ax in (drawn, again))
    assert np.array_equal(said[0], said[1]) and not np.array_equal(confident[0], confident[1])
