"""How the certificates of models are recomputed, for their declarations to name.

Each is a function ``(model, X, y, sample_weight) -> Certificate`` that is imported when a model is verified, so that
fitting does not wait for it; or a sentence that says why there is nothing to verify.
"""

from separatrix.core.registry import late

OF_PROBLEMS = late("separatrix.estimators.verify:of_problems")
OF_INSIDE = late("separatrix.estimators.verify:of_inside")
OF_MODIFIED_SCORE = late("separatrix.estimators.recompute:of_modified_score")
OF_ONE_VS_REST = late("separatrix.estimators.recompute:of_one_vs_rest")
OF_ONE_VS_ONE = late("separatrix.estimators.recompute:of_one_vs_one")
OF_COLUMN_MODELS = late("separatrix.estimators.recompute:of_column_models")
OF_STORED_ROWS = late("separatrix.estimators.recompute:of_stored_rows")
OF_SHARES = late("separatrix.estimators.recompute:of_shares")
OF_MEAN = late("separatrix.estimators.recompute:of_mean")
OF_CLASS_MEANS = late("separatrix.estimators.recompute:of_class_means")
OF_COUNTS = late("separatrix.estimators.recompute:of_counts")

LOCAL = "it fits nothing until it is asked; each local fit is certified when it is made (local_coefficients)"
AXES = "its residual is certified at the fit and is not recomputed from the rows yet"
CURVE = "the curve is a closed form of scores, which are not kept"
PREPARED = "it solves no problem: it keeps medians, levels or dates of the columns of a table"
EXPANDED = "it solves no problem: its columns are formulas of each row"
