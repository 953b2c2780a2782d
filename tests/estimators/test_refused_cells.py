"""Words, dates and missing cells that a model does not take: the column and the remedy are named."""

import numpy as np
import pandas as pd
import pytest

from separatrix.ensemble import (
    AdaBoostClassifier,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingRegressor,
    MixtureOfExpertsClassifier,
    MixtureOfExpertsRegressor,
)
from separatrix.linear_model import Ridge

FRAME = pd.DataFrame({"mass": np.arange(20.0), "island": ["Torgersen", "Biscoe"] * 10})
Y = np.arange(20) % 2


@pytest.mark.parametrize(
    "model",
    [
        AdaBoostClassifier(),
        GradientBoostingClassifier(),
        GradientBoostingRegressor(),
        HistGradientBoostingRegressor(),
        MixtureOfExpertsClassifier(),
        MixtureOfExpertsRegressor(),
        Ridge(),
    ],
    ids=lambda model: type(model).__name__,
)
def test_a_column_of_words_or_dates_is_named_with_a_remedy(model):
    remedy = "categorical_features" if "categorical_features" in model.get_params() else "OneHotEncoder"
    with pytest.raises(ValueError, match=f"column 'island'.*'Torgersen'.*{remedy}"):
        model.fit(FRAME, Y)
    with pytest.raises(ValueError, match=f"column 1.*'Torgersen'.*{remedy}"):
        model.fit(FRAME.to_numpy(), Y)
    dated = FRAME.assign(island=pd.to_datetime("2020-01-01"))
    with pytest.raises((TypeError, ValueError), match=r"column 'island'.*dates.*days since"):
        model.fit(dated, Y)


def test_missing_cells_are_sent_to_the_boosting_of_this_library():
    for model, takes in ((GradientBoostingClassifier(), "Classifier"), (GradientBoostingRegressor(), "Regressor")):
        with pytest.raises(ValueError, match=f"NaN.*separatrix.ensemble.HistGradientBoosting{takes}") as refused:
            model.fit([[np.nan], [1.0], [2.0], [3.0]], [0, 1, 0, 1])
        assert "sklearn" not in str(refused.value)


def test_words_in_the_target_are_not_blamed_on_the_rows():
    with pytest.raises(ValueError, match="could not convert") as refused:
        Ridge().fit(FRAME[["mass"]], FRAME["island"])
    assert "mass" not in str(refused.value)
