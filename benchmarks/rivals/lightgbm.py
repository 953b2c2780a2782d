"""LightGBM: histogram boosting with the settings that scikit-learn's has by default."""

from benchmarks.contestant import Contestant, held_out


def fit(data, settings):
    from lightgbm import LGBMClassifier, LGBMRegressor

    model = (LGBMClassifier if settings["classes"] else LGBMRegressor)(
        n_estimators=100,
        learning_rate=0.1,
        num_leaves=31,
        min_child_samples=20,
        min_child_weight=0.0,
        max_bin=255,
        n_jobs=settings["threads"],
        verbose=-1,
    )
    return model.fit(data.X, data.y)


CONTESTANTS = {"hist_boosting": [Contestant("LightGBM", "lightgbm", fit, answer=held_out)]}
