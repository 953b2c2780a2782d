"""The closed table of classes that a model file may name, by short names; nothing else can be made from a file.

``Lasso``                    an estimator of the registry
``Certificate``              a record of the registry: what fitted estimators hold besides arrays
``loss:Huber``, ``penalty:L1``   an atom of the registry
``sklearn:StandardScaler``   one of scikit-learn's classes whose state is data only

A new estimator enters itself with ``@register("estimator")``, what it holds with ``@register("record")``.
"""

import inspect
from dataclasses import dataclass, fields, is_dataclass
from functools import cache, cached_property
from importlib import import_module

from separatrix.core import registry
from separatrix.persist.archive import broken

# Containers, preparers and splitters of scikit-learn whose state is numbers and words.
SKLEARN = {
    "sklearn.pipeline": ("Pipeline", "FeatureUnion"),
    "sklearn.compose": ("ColumnTransformer",),
    "sklearn.preprocessing": (
        "FunctionTransformer",
        "LabelBinarizer",
        "MinMaxScaler",
        "OneHotEncoder",
        "OrdinalEncoder",
        "StandardScaler",
    ),
    "sklearn.impute": ("SimpleImputer", "MissingIndicator"),
    "sklearn.frozen": ("FrozenEstimator",),
    "sklearn.model_selection": ("KFold", "StratifiedKFold"),
    "sklearn.multiclass": ("_ConstantPredictor",),  # what one-against-the-rest holds for a class that is always there
}
# Ours that live above the rooms which register estimators.
OURS = {"separatrix.decision": ("CostSensitiveClassifier",)}
# A cache on disk and functions are no data: these parameters must be None.
PINNED = {
    "sklearn:Pipeline": ("memory",),
    "sklearn:FunctionTransformer": ("func", "inverse_func", "kw_args", "inv_kw_args"),
}


@dataclass(frozen=True)
class Entry:
    """One class of the table: its name in files, and what its instances may hold."""

    name: str
    cls: type
    ours: bool = True

    @property
    def is_model(self):
        """Whether it is an estimator: something that may stand at the top of a file."""
        return hasattr(self.cls, "fit")

    @cached_property
    def required(self):
        """Names that every instance has: parameters of the constructor, fields of a record."""
        if issubclass(self.cls, tuple):
            return self.cls._fields
        if is_dataclass(self.cls):
            return tuple(field.name for field in fields(self.cls))
        if hasattr(self.cls, "recipe"):
            return tuple(name for name in inspect.signature(self.cls).parameters)
        if hasattr(self.cls, "get_params"):
            return tuple(
                name
                for name, parameter in inspect.signature(self.cls.__init__).parameters.items()
                if name != "self" and parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
            )
        return ()

    @property
    def pinned(self):
        """Parameters that must be None."""
        return PINNED.get(self.name, ())

    @property
    def is_open(self):
        """Whether instances have attributes besides the required ones."""
        return not (issubclass(self.cls, tuple) or is_dataclass(self.cls) or hasattr(self.cls, "recipe"))

    def state(self, instance):
        """What an instance holds, by name; what is computed from the rest on request is left out."""
        if issubclass(self.cls, tuple):
            return instance._asdict()
        if is_dataclass(self.cls):
            return {name: getattr(instance, name) for name in self.required}
        if hasattr(self.cls, "recipe"):
            return instance.recipe()
        held = {name: getattr(instance, name) for name in self.required}
        return held | {name: value for name, value in vars(instance).items() if not self._computed(name)}

    def _computed(self, name):
        return isinstance(inspect.getattr_static(self.cls, name, None), cached_property)

    def check_names(self, state):
        """Refuse attributes that no instance of this class can have."""
        missing = [name for name in self.required if name not in state]
        if missing:
            raise broken(f"its {self.name} has no {missing[0]!r}")
        for name in state:
            if name in self.required:
                continue
            if not self.is_open or not name.isidentifier() or name.startswith("__") or self._taken(name):
                raise broken(f"a {self.name} has no {name[:40]!r}")
        for name in self.pinned:
            if state[name] is not None:
                raise broken(f"the {name!r} of its {self.name} is not None")

    def _taken(self, name):
        """Whether the class itself gives the name a meaning: a method, a property."""
        own = inspect.getattr_static(self.cls, name, None)
        return callable(own) or hasattr(type(own), "__get__")

    def make(self, state):
        """An instance that holds checked values. No code of the file runs, because there is none in it."""
        self.check_names(state)
        if issubclass(self.cls, tuple):
            return self.cls(**state)
        if hasattr(self.cls, "recipe"):
            try:
                return self.cls(**state)
            except Exception:  # a constructor that is given anything at all may fail in any way
                raise broken(f"the parts of its {self.name} do not fit together") from None
        instance = self.cls.__new__(self.cls)
        for name, value in state.items():
            object.__setattr__(instance, name, value)  # a frozen record refuses its own way
        return instance


@cache
def by_name():
    """The closed table."""
    entries = [Entry(name, cls) for name, cls in registry.members("estimator").items()]
    entries += [Entry(name, cls) for name, cls in registry.members("record").items()]
    for kind in ("loss", "joint loss", "penalty"):
        entries += [Entry(f"{kind}:{name}", cls) for name, cls in registry.members(kind).items()]
    for module, names in OURS.items():
        entries += [Entry(name, getattr(import_module(module), name)) for name in names]
    for module, names in SKLEARN.items():
        found = import_module(module)
        entries += [Entry(f"sklearn:{name}", getattr(found, name), ours=False) for name in names]
    return {entry.name: entry for entry in entries}


@cache
def by_class():
    """The same table, looked up by class."""
    return {entry.cls: entry for entry in by_name().values()}
