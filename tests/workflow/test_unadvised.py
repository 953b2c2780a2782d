"""A family that is asked for by name is fitted, even where a comparison would leave it out."""

import numpy as np
import pytest

from separatrix.tables import Table, understand
from separatrix.workflow import models


def test_a_model_tree_of_few_rows_is_fitted_with_a_warning():
    rng = np.random.default_rng(0)
    columns = {f"c{j}": rng.standard_normal(32).round(3) for j in range(10)}
    table = Table((*columns, "y"), (*columns.values(), rng.standard_normal(32)))
    with pytest.warns(models.Unadvised, match="model tree would not take part.*5 rows a column"):
        pipeline, name = models.fitted(understand(table, "y"), table, table["y"], "model tree")
    assert name == "model tree" and np.isfinite(pipeline.predict(table)).all()
