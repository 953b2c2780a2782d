"""The closed table of classes that a model file may name, by short names; nothing else can be made from a file.

``Lasso``                    an estimator that is declared
``Certificate``              a record of the registry: what fitted estimators hold besides arrays
``loss:Huber``, ``penalty:L1``, ``kernel:Gaussian``   an atom of the registry
``sklearn:StandardScaler``   one of scikit-learn's classes whose state is data only

A new estimator enters itself with ``@declares(...)``, what it holds with ``@register("record")``.
"""

import inspect
from dataclasses import MISSING, dataclass, fields, is_dataclass
from importlib import import_module

from separatrix.core import registry
from separatrix.core.cached import cached_property
from separatrix.core.declaration import declaration
from separatrix.persist.archive import broken
from separatrix.persist.class_attributes import wrong_with

# Containers, preparers and splitters of scikit-learn whose state is numbers and words.
SKLEARN = {
    "sklearn.pipeline": ("Pipeline", "FeatureUnion"),
    "sklearn.compose": ("ColumnTransformer",),
    "sklearn.preprocessing": (
        "FunctionTransformer",
        "LabelBinarizer",
        "LabelEncoder",
        "MinMaxScaler",
        "OneHotEncoder",
        "OrdinalEncoder",
        "StandardScaler",
    ),
    "sklearn.impute": ("SimpleImputer", "MissingIndicator"),
    "sklearn.ensemble": ("StackingClassifier", "StackingRegressor", "VotingClassifier", "VotingRegressor"),
    "sklearn.frozen": ("FrozenEstimator",),
    "sklearn.model_selection": ("KFold", "StratifiedKFold"),
    "sklearn.multiclass": ("_ConstantPredictor",),  # what one-against-the-rest holds for a class that is always there
}
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

    @cached_property
    def is_model(self):
        """Whether it is an estimator: something that may stand at the top of a file."""
        return inspect.getattr_static(self.cls, "fit", None) is not None

    @cached_property
    def form(self):
        """The name of the form of its prediction; None where only the class itself can predict."""
        form = declaration(self.cls).prediction if self.is_model else None
        return None if form is None else form.name

    @cached_property
    def _makes_itself(self):
        """Whether instances say what their constructor is to be given again (``recipe``)."""
        return inspect.getattr_static(self.cls, "recipe", None) is not None

    @property
    def defaults(self):
        """Names that every instance has, parameters of the constructor or fields of a record, with their defaults."""
        if issubclass(self.cls, tuple):
            return {name: self.cls._field_defaults.get(name, MISSING) for name in self.cls._fields}
        if is_dataclass(self.cls):
            plain = {f.name: f.default for f in fields(self.cls)}
            return plain | {f.name: f.default_factory() for f in fields(self.cls) if f.default_factory is not MISSING}
        return {} if not self._makes_itself and not self.is_model else self._parameters

    @cached_property
    def _parameters(self):
        """Parameters of the constructor, with their defaults."""
        parameters = inspect.signature(self.cls.__init__).parameters
        return {
            name: MISSING if parameter.default is parameter.empty else parameter.default
            for name, parameter in parameters.items()
            if name != "self" and parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
        }

    @property
    def pinned(self):
        """Parameters that must be None."""
        return PINNED.get(self.name, ())

    @property
    def is_open(self):
        """Whether instances have attributes besides those of :attr:`defaults`."""
        return not (issubclass(self.cls, tuple) or is_dataclass(self.cls) or self._makes_itself)

    def state(self, instance):
        """What an instance holds, by name; what is computed from the rest on request is left out."""
        if issubclass(self.cls, tuple):
            return instance._asdict()
        if self._makes_itself:
            return instance.recipe()
        held = {name: getattr(instance, name) for name in self.defaults}
        if is_dataclass(self.cls):
            return held
        return held | {name: value for name, value in vars(instance).items() if not self._computed(name)}

    def _computed(self, name):
        return isinstance(inspect.getattr_static(self.cls, name, None), cached_property)

    def completed(self, state, older):
        """A checked state; what a file of an `older` version could not know, a new parameter, has its default."""
        defaults = self.defaults
        missing = [n for n, default in defaults.items() if n not in state and (default is MISSING or not older)]
        if missing:
            raise broken(f"its {self.name} has no {missing[0]!r}")
        for name in state:
            if name in defaults:
                continue
            if not self.is_open or not name.isidentifier() or name.startswith("__") or self._taken(name):
                raise broken(f"a {self.name} has no {name[:40]!r}")
        for name in self.pinned:
            if state.get(name) is not None:
                raise broken(f"the {name!r} of its {self.name} is not None")
        whole = {**defaults, **state}
        wrong = self.wrong_with(whole)
        if wrong is not None:
            raise broken(wrong)
        return whole

    def wrong_with(self, state):
        """What compiled loops could not bear in a state, in words; None where there is nothing."""
        return wrong_with(self.name, state, is_model=self.is_model)

    def _taken(self, name):
        """Whether the class itself gives the name a meaning: a method, a property."""
        own = inspect.getattr_static(self.cls, name, None)
        return callable(own) or inspect.getattr_static(type(own), "__get__", None) is not None

    def make(self, state, older=False):
        """An instance that holds checked values. No code of the file runs, because there is none in it."""
        state = self.completed(state, older)
        if issubclass(self.cls, tuple):
            return self.cls(**state)
        if self._makes_itself:
            try:
                return self.cls(**state)
            except Exception:  # a constructor that is given anything at all may fail in any way
                raise broken(f"the parts of its {self.name} do not fit together") from None
        instance = self.cls.__new__(self.cls)
        for name, value in state.items():
            object.__setattr__(instance, name, value)  # a frozen record refuses its own way
        return instance


def by_name():
    """The closed table, made anew: estimators may have been declared since it was last asked for."""
    entries = [Entry(name, cls) for name, cls in registry.members("estimator").items()]
    entries += [Entry(name, cls) for name, cls in registry.members("record").items()]
    for kind in ("loss", "joint loss", "penalty", "kernel"):
        entries += [Entry(f"{kind}:{name}", cls) for name, cls in registry.members(kind).items()]
    for module, names in SKLEARN.items():
        theirs = vars(import_module(module))
        entries += [Entry(f"sklearn:{name}", theirs[name]) for name in names]
    return {entry.name: entry for entry in entries}


def by_class():
    """The same table, looked up by class."""
    return {entry.cls: entry for entry in by_name().values()}
