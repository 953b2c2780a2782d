"""The recommended model of a comparison against scikit-learn's gradient boosting, on held-out rows of tables.

python -m benchmarks.tables folder/with/tables --budget 60 --seeds 3

Each seed draws a test part. Our side is `compare`, which never sees it before its model is chosen; the rival is
HistGradientBoosting of scikit-learn with defaults, fitted to the same training rows with categories as categories and
missing cells as missing. Both are scored by the same measure, computed here from predictions.
"""

import argparse
import json
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np

# The target of each table, by the name of its file.
TARGETS = {
    "SAheart.csv": "chd",
    "mixture.csv": "y",
    "prostate.csv": "lpsa",
    "spam.csv": "spam",
    "vowel.train.csv": "y",
    "zip.test.csv": "digit",
    "car.csv": "class",
    "contact-lenses.csv": "contact-lenses",
    "mushroom.csv": "class",
    "play_tennis.csv": "play",
    "tax_cheat.csv": "cheat",
    "titanic_train.csv": "Survived",
}
TASKS = {"vowel.train.csv": "classification", "zip.test.csv": "classification"}  # whose classes are numbers
LEFT_OUT = {"prostate.csv": ["train"], "spam.csv": ["test"]}  # marks of somebody else's test parts


class Held(NamedTuple):
    """One test part: what was recommended, the scores of both sides on it, and seconds of both."""

    table: str
    seed: int
    measure: str
    recommended: str
    ours: float
    rival: float
    lead: float  # ours less the rival's, turned so that more is better
    seconds: float
    rival_seconds: float


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="python -m benchmarks.tables", description=__doc__.splitlines()[0])
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--budget", type=float, default=60.0, help="seconds of a comparison")
    parser.add_argument("--seeds", type=int, default=3, help="test parts drawn from each table")
    parser.add_argument("--only", nargs="*", help="names of files")
    parser.add_argument("--out", type=Path, help="a JSON file for the rows")
    options = parser.parse_args(arguments)
    rows = []
    for path in sorted(path for folder in options.folders for path in folder.iterdir() if path.name in TARGETS):
        if options.only and path.name not in options.only:
            continue
        mine = [measured(path, seed, options.budget) for seed in range(options.seeds)]
        rows += mine
        print(told(mine), flush=True)
    if options.out:
        options.out.write_text(json.dumps([row._asdict() for row in rows], indent=1))


def measured(path, seed, budget):
    """Both sides on one test part of a table."""
    from separatrix.assess import compare

    started = time.perf_counter()
    name = path.name
    comparison = compare(
        path, TARGETS[name], task=TASKS.get(name), exclude=LEFT_OUT.get(name, ()), budget=budget, seed=seed
    )
    seconds = time.perf_counter() - started
    started = time.perf_counter()
    rival = fitted_rival(comparison, seed)
    rival_seconds = time.perf_counter() - started
    ours = score(comparison, comparison.model, comparison.test)
    theirs = score(comparison, rival, frame_of(comparison, comparison.test, rival.categories_of))
    lead = (ours - theirs) * (1.0 if comparison.higher_is_better else -1.0)
    return Held(name, seed, comparison.measure, comparison.recommended, ours, theirs, lead, seconds, rival_seconds)


def fitted_rival(comparison, seed):
    """scikit-learn's HistGradientBoosting with defaults, on the training rows as a frame."""
    from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

    of_classes = comparison.understanding.task == "classification"
    model = (HistGradientBoostingClassifier if of_classes else HistGradientBoostingRegressor)(random_state=seed)
    frame = frame_of(comparison, comparison.train)
    model.categories_of = {name: frame[name].cat.categories for name in frame if frame[name].dtype == "category"}
    return model.fit(frame, comparison.y_train)


def frame_of(comparison, table, categories=None):
    """The used columns as a pandas frame: numbers and days as they are, levels as categories, without free text."""
    import pandas as pd

    columns = comparison.model[0]
    cells, frame = columns.transform(table), {}
    for j, (name, kind) in enumerate(zip(columns.names, columns.kinds)):
        if kind in ("number", "date"):
            frame[name] = pd.Series(cells[:, j].astype(np.float64))
        elif kind != "text":
            known = None if categories is None else categories[name]
            frame[name] = pd.Series(pd.Categorical(cells[:, j], categories=known))
    return pd.DataFrame(frame)


def score(comparison, model, X):
    """The measure of the comparison on its test rows, from the predictions of a model."""
    from separatrix.assess.compare.fit_once import predictions_of

    classes = None if comparison.understanding.task == "regression" else np.unique(comparison.y_train)
    predictions = predictions_of(model, X, classes)
    return predictions.measured(comparison.y_test, classes, (comparison.measure,))[comparison.measure]


def told(rows):
    """One line for a table: mean scores of both sides, and the mean lead with its standard error."""
    lead = np.array([row.lead for row in rows])
    error = lead.std(ddof=1) / np.sqrt(len(lead)) if len(lead) > 1 else float("nan")
    chosen = ", ".join(dict.fromkeys(row.recommended for row in rows))
    ours, rival = (np.mean([getattr(row, side) for row in rows]) for side in ("ours", "rival"))
    seconds = np.mean([row.seconds for row in rows])
    scores = f"ours {ours:.4f}  rival {rival:.4f}  lead {lead.mean():+.4f} ± {error:.4f}"
    return f"{rows[0].table:20} {rows[0].measure:18} {scores}  {seconds:5.1f} s  ({chosen})"


if __name__ == "__main__":
    main()
