"""The rivals, one file per package; each holds CONTESTANTS = {group: [...]}."""

from importlib import import_module

FILES = ("sklearn", "sklearnex", "celer", "skglm", "adelie", "glmnet", "by_hand")


def contestants(group, only=None):
    """All rivals of a group, or those of the files named in `only`."""
    found = []
    for file in FILES if only is None else only:
        if file not in FILES:
            raise SystemExit(f"Cannot run the rival {file!r}: there is no such file. Use one of {', '.join(FILES)}.")
        found += import_module(f"benchmarks.rivals.{file}").CONTESTANTS.get(group, [])
    return found
