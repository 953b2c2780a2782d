"""separatrix.tree and separatrix.ensemble"""

from benchmarks.contestant import Contestant, held_out, predict_held_out, trained


def fit(module, name, **options):
    """A fit of the classifier or the regressor of that name, whichever the problem asks for."""

    def run(data, settings):
        from importlib import import_module

        kind = "Classifier" if settings["classes"] else "Regressor"
        return getattr(import_module(f"separatrix.{module}"), name + kind)(**options).fit(data.X, data.y)

    return run


FOREST = fit("ensemble", "RandomForest", random_state=0, n_jobs=-1)


def entry(run):
    return [Contestant("separatrix", "separatrix", run, answer=held_out)]


CONTESTANTS = {
    "tree": entry(fit("tree", "DecisionTree")),
    "forest": entry(FOREST),
    "extra_trees": entry(fit("ensemble", "ExtraTrees", random_state=0, n_jobs=-1)),
    "adaboost": entry(fit("ensemble", "AdaBoost", n_estimators=200)),
    "hist_boosting": entry(fit("ensemble", "HistGradientBoosting", early_stopping=False)),
    "forest_predict": [Contestant("separatrix", "separatrix", predict_held_out, prepare=trained(FOREST))],
}
