"""Registry of losses, penalties, designs, solvers and estimators, by kind.

Contract tests run over the registry, so a new loss is tested before anyone remembers to.
"""

import ast
from collections import defaultdict
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any, TypeVar

Class = TypeVar("Class", bound=type)
_MEMBERS: defaultdict[str, dict[str, tuple[type, tuple[Any, ...]]]] = defaultdict(dict)

# The rooms that register something when they are imported.
_ROOMS = (
    "losses",
    "penalties",
    "designs",
    "solvers",
    "estimators.linear",
    "estimators.basis",
    "estimators.ensemble",
    "estimators.generative",
    "estimators.graphical",
    "estimators.kernel",
    "estimators.local",
    "estimators.margin",
    "estimators.baseline",
    "estimators.calibration",
    "estimators.multiclass",
    "estimators.naive_bayes",
    "estimators.neural",
    "estimators.preparation",
    "estimators.tree",
    "estimators.projection",
    "decision.costs",
    "kernels",
)


def register(kind: str, *instances: Any) -> Callable[[Class], Class]:
    """Enter a class in the registry, with the instances that contract tests should look at."""

    def enter(cls: Class) -> Class:
        before, _ = _MEMBERS[kind].get(cls.__name__, (cls, ()))
        if kind == "estimator" and before.__module__ != cls.__module__:  # a model file would not know which is meant
            raise ValueError(f"{before.__module__} has an estimator called {cls.__name__} already")
        _MEMBERS[kind][cls.__name__] = (cls, instances or (cls,))
        return cls

    return enter


def members(kind: str) -> dict[str, type]:
    """All classes of a kind, by name."""
    for room in _ROOMS:
        module = import_module(f"separatrix.{room}")
        for name in vars(module).get("__all__", ()):  # a room may import its members when they are first asked for
            getattr(module, name)
    return {name: cls for name, (cls, _) in sorted(_MEMBERS[kind].items())}


def instances(kind: str) -> list[Any]:
    """Instances of all classes of a kind: what contract tests are parametrised with."""
    made: list[Any] = []
    for name in members(kind):
        cls, arguments = _MEMBERS[kind][name]
        made += [cls(*a) if isinstance(a, tuple) else a() for a in arguments]
    return made


def late(path: str) -> Callable[..., Any]:
    """A function of a higher room, by its path ``"separatrix.inference.summary:summary"``, imported when it is called.

    Imports point one way only; this is the one way in which a lower room may call a higher one, by name.
    """
    module, name = path.split(":")

    def call(*args: Any, **kwargs: Any) -> Any:
        return getattr(import_module(module), name)(*args, **kwargs)

    return call


def lazily(room: str, file: str) -> tuple[list[str], Callable[[str], Any], Callable[[], list[str]]]:
    """``__all__``, ``__getattr__`` and ``__dir__`` of a room whose members are imported when first asked for.

    Which module each member lives in is read from the stub beside `file` (``__init__.pyi``, or that of a facade), where
    type checkers find it too. A facade names what it takes from scikit-learn first and what is ours after it: ours is
    given where both have a name. A public name that the stub does not list is asked of scikit-learn, which may be newer
    or may give it only after an import of ``sklearn.experimental``.
    """
    stub = ast.parse(Path(file).with_suffix(".pyi").read_text(encoding="utf-8"))
    imports = [node for node in stub.body if isinstance(node, ast.ImportFrom)]
    homes: dict[str, str] = {}
    for node in imports:
        given = [alias.name for alias in node.names]
        homes |= dict.fromkeys(import_module(str(node.module)).__all__ if given == ["*"] else given, str(node.module))
    names = sorted(homes)
    namesake = next((home for home in homes.values() if home.startswith("sklearn.")), None)

    def find(name: str) -> Any:
        if name in homes:
            return getattr(import_module(homes[name]), name)
        if namesake is not None and not name.startswith("_"):
            with suppress(AttributeError):
                return getattr(import_module(namesake), name)
        raise AttributeError(f"module {room!r} has no attribute {name!r}")

    return names, find, lambda: names
