"""How the certificates of models are recomputed, for their declarations to name.

Each is a function ``(model, X, y, sample_weight) -> Certificate`` that is imported when a model is verified, so that
fitting does not wait for it; or a sentence that says why there is nothing to verify.
"""

from separatrix.core.registry import late

_RECOMPUTE = "separatrix.estimators.recompute"

OF_PROBLEMS = late("separatrix.estimators.verify:of_problems")
OF_MODIFIED_SCORE = late(f"{_RECOMPUTE}.scores:of_modified_score")
OF_CURVE = late(f"{_RECOMPUTE}.scores:of_curve")
OF_CALIBRATION = late(f"{_RECOMPUTE}.parts:of_calibration")
OF_ONE_VS_REST = late(f"{_RECOMPUTE}.parts:of_one_vs_rest")
OF_ONE_VS_ONE = late(f"{_RECOMPUTE}.parts:of_one_vs_one")
OF_COLUMN_MODELS = late(f"{_RECOMPUTE}.parts:of_column_models")
OF_STORED_ROWS = late(f"{_RECOMPUTE}.rows:of_stored_rows")
OF_LOCAL_ROWS = late(f"{_RECOMPUTE}.rows:of_local_rows")
OF_SHARES = late(f"{_RECOMPUTE}.sums:of_shares")
OF_MEAN = late(f"{_RECOMPUTE}.sums:of_mean")
OF_CLASS_MEANS = late(f"{_RECOMPUTE}.sums:of_class_means")
OF_CLASS_VARIANCES = late(f"{_RECOMPUTE}.sums:of_class_variances")
OF_COUNTS = late(f"{_RECOMPUTE}.sums:of_counts")
OF_DIRECTION = late(f"{_RECOMPUTE}.covariances:of_direction")
OF_POOLED_COVARIANCE = late(f"{_RECOMPUTE}.covariances:of_pooled_covariance")
OF_CLASS_COVARIANCES = late(f"{_RECOMPUTE}.covariances:of_class_covariances")
OF_PRINCIPAL_AXES = late(f"{_RECOMPUTE}.covariances:of_principal_axes")

PREPARED = "it solves no problem: it keeps medians, levels or dates of the columns of a table"
EXPANDED = "it solves no problem: its columns are formulas of each row"
