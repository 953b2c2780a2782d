"""The rivals, one file per package; each holds CONTESTANTS = {group: [...]}."""

from dataclasses import replace
from importlib import import_module

FILES = (
    "sklearn",
    "sklearnex",
    "celer",
    "skglm",
    "adelie",
    "glmnet",
    "glum",
    "snapml",
    "liblinear",
    "statsmodels",
    "mlpack",
    "lightgbm",
    "pgmpy",
    "torch",
    "by_hand",
)


def contestants(group, only=None):
    """All rivals of a group, or those that `only` names: files, or single contestants, which run even if slow."""
    found = {file: import_module(f"benchmarks.rivals.{file}").CONTESTANTS for file in FILES}
    names = {contestant.name for groups in found.values() for listed in groups.values() for contestant in listed}
    for name in only or ():
        if name not in FILES and name not in names:
            raise SystemExit(
                f"Cannot run the rival {name!r}: there is none. Use {', '.join([*FILES, *sorted(names)])}."
            )
    chosen = []
    for file, groups in found.items():
        for contestant in groups.get(group, []):
            if only is not None and contestant.name in only and contestant.name not in FILES:
                chosen.append(replace(contestant, slow=lambda settings: False))
            elif only is None or file in only:
                chosen.append(contestant)
    return chosen
