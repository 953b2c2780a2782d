"""Our side, one file per family, through the public interface alone; each holds CONTESTANTS = {group: [...]}."""

from importlib import import_module

from benchmarks.problems import GROUPS


def contestants(group):
    return import_module(f"benchmarks.ours.{GROUPS[group]}").CONTESTANTS[group]
