"""What a model is, declared beside its class. Nobody guesses it from attributes, names or bytecode.

    @declares(task="regression", losses=(Squared,), penalties=(L1,), solvers=("solvers.proximal_newton",), ...)
    class Lasso(LinearRegressor): ...

The README's map, ``separatrix where``, warm-up, describe, summary, verify, model files and prediction without
scikit-learn read the declaration and nothing else. Classes of other libraries are known only if they are in the table
of :func:`declare_foreign`.
"""

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from importlib import import_module
from types import ModuleType
from typing import Any

from separatrix.core import registry
from separatrix.core.protocol import fitted_attribute

# Kinds of likelihood: what inference may compute from a fit.
LEAST_SQUARES, LOGISTIC, FIRTH, GENERALIZED = "least squares", "logistic", "Firth", "generalised linear"
LIKELIHOODS = (None, LEAST_SQUARES, LOGISTIC, FIRTH, GENERALIZED)
# What a fitted model is described by.
COEFFICIENTS, CLASSES, ROWS, SHARES, IMPORTANCES, RULES, SETTINGS = (
    "coefficients",
    "class models",
    "stored rows",
    "class shares",
    "importances",
    "rules",
    "settings",
)
TASKS = ("regression", "classification", "transformation", "outlier detection")

# A class, a function or a module; or, where importing it early would cost time, its path below the package:
# "losses:Squared", "solvers.direct", or "solvers.choose:LEAST_SQUARES", a tuple of them.
Part = type | Callable[..., Any] | ModuleType | str


@dataclass(frozen=True)
class SmallFit:
    """A fit that compiles loops ahead: parameters of the model, and the data that it is fitted to.

    Parameters
    ----------
    settings : dict.  Parameters of the constructor.
    classes : int, default 2.  Number of classes, for a classifier.
    counts : bool, default False.  Whether X holds counts in the place of any numbers.
    positive : bool, default False.  Whether y holds positive numbers only, for a regressor.
    storages : tuple of str, default all.  Element types and storages whose loops differ.
    called : str, default "".  What tells it from the other small fits of the model.
    """

    settings: dict[str, Any] = field(default_factory=dict)
    classes: int = 2
    counts: bool = False
    positive: bool = False
    storages: tuple[str, ...] = ("float64", "float32", "sparse float64", "sparse float32")
    called: str = ""


DENSE = ("float64",)


@dataclass(frozen=True)
class Search:
    """What a model searches for, and the model without the search.

    Parameters
    ----------
    plain : Part.  The estimator that is fitted at each setting.
    chosen : dict.  From a parameter of `plain` to the attribute that holds what the search chose.
    grid : str, default "".  The attribute that holds the strengths tried, where these were one list of numbers.
    strength : str, default "".  The parameter of `plain` that they are values of.
    """

    plain: Part
    chosen: dict[str, str]
    grid: str = ""
    strength: str = ""


@dataclass(frozen=True)
class Declaration:
    """What a model is.

    Parameters
    ----------
    task : {"regression", "classification", "transformation", "outlier detection"}.
    losses, penalties : tuple of Part.  Classes of the losses and penalties that its problem can have.
    solvers : tuple of Part.  Modules that solve it.
    sums : tuple of Part.  Modules whose sums over rows a closed form is made of.
    likelihood : {None, "least squares", "logistic", "Firth", "generalised linear"}.  What inference may compute from a
        fit.
    prediction : Form or None.  The arithmetic of its prediction (:mod:`separatrix.prediction.forms`); None where only
        the class itself can predict.
    inside : callable or None.  From a fitted model to the fitted model inside it: of a search, a pipeline, a
        calibration.
    before : callable or None.  From a fitted pipeline to the transformers that rows pass before the model inside.
    search : Search or None.  What it searches for by itself.
    equivalent : Part or None.  Of a class that does not state its problem itself, one that does, with the same
        parameters: inference asks it for the penalty.
    verification : callable or str.  ``(model, X, y, sample_weight) -> Certificate``, which recomputes the certificate
        from the data; or a sentence that says why there is nothing to verify.
    certifies : str.  What the value of its certificate says, for a reader; "" where the kind of the certificate does.
    tree_sum : callable, str or None.  ``(model, X) -> TreeSum`` (:mod:`separatrix.core.tree_sum`) or None, of a model
        whose prediction is a sum over trees: the trees, and the rows X as they ask them. Or a sentence that says why a
        prediction made of trees is no sum.
    description : str or callable.  What it is described by, or ``(model, feature_names, X, y) -> Description``.
    rescaled : callable or None.  ``(model, origin, unit) -> model``: the fitted model as one of the columns
        ``origin + unit z``, where its own are z; a description in the units of the table is of that one.
    has_margins : bool.  Whether it is a support vector machine, which publishes the slack of its rows and its two
        objectives: its summary, a picture and a section of the report show these.
    small_fits : tuple of SmallFit.  Fits that compile every loop of the model.
    """

    task: str
    losses: tuple[Part, ...] = ()
    penalties: tuple[Part, ...] = ()
    solvers: tuple[Part, ...] = ()
    sums: tuple[Part, ...] = ()
    likelihood: str | None = None
    prediction: Any = None
    inside: Callable[[Any], Any] | None = None
    before: Callable[[Any], Any] | None = None
    search: Search | None = None
    equivalent: Part | None = None
    verification: Callable[..., Any] | str = "it does not declare how its numbers could be recomputed"
    certifies: str = ""
    tree_sum: Callable[..., Any] | str | None = None
    description: str | Callable[..., Any] = SETTINGS
    rescaled: Callable[..., Any] | None = None
    has_margins: bool = False
    small_fits: tuple[SmallFit, ...] = ()

    def __post_init__(self) -> None:
        if self.task not in TASKS or self.likelihood not in LIKELIHOODS:
            raise ValueError(f"no such task or likelihood: {self.task!r}, {self.likelihood!r}")

    @property
    def is_linear(self) -> bool:
        """Whether its prediction is made of ``X coef_' + intercept_`` alone."""
        return self.prediction is not None and self.prediction.is_linear


UNKNOWN = Declaration("transformation", verification="it is not a model that this library knows")

FOREIGN = "separatrix.estimators.foreign"  # where the classes of other libraries are declared
_DECLARATIONS: dict[type, Declaration] = {}
_FOREIGN: list[tuple[str, str, Declaration]] = []


def declares(**facts: Any) -> Callable[[type], type]:
    """Declare a class and enter it in the registry of estimators.

    The parameters are those of :class:`Declaration`; what is not given is that of the nearest declared base class.
    """

    def enter(cls: type) -> type:
        base = next((_DECLARATIONS[each] for each in cls.__mro__ if each in _DECLARATIONS), None)
        declare_class(cls, Declaration(**facts) if base is None else replace(base, **facts))
        return registry.register("estimator")(cls)

    return enter


def declare_class(cls: type, facts: Declaration) -> None:
    """Declare a class that is no model of its own but a base of models: they inherit what they do not declare."""
    _DECLARATIONS[cls] = facts


def declare_foreign(module: str, names: tuple[str, ...], declaration: Declaration) -> None:
    """Declare classes of another library, which is imported by whoever has an instance, never here."""
    _FOREIGN.extend((module, name, declaration) for name in names)


def declaration(model: Any) -> Declaration:
    """The declaration of the nearest class of a model; UNKNOWN where there is none.

    >>> declaration("a word") is UNKNOWN
    True
    """
    cls = model if isinstance(model, type) else type(model)
    foreign = dict(_foreign_classes())
    known = (_DECLARATIONS.get(base) or foreign.get(base) for base in cls.__mro__)
    return next((each for each in known if each is not None), UNKNOWN)


def predicts_classes(model: Any) -> bool:
    """Whether a model is declared to predict classes."""
    return declaration(model).task == "classification"


def _foreign_classes() -> Iterator[tuple[type, Declaration]]:
    """Classes of the table whose module is imported already: an instance of any other cannot exist."""
    import_module(FOREIGN)
    for module, name, each in _FOREIGN:
        cls = vars(sys.modules[module]).get(name) if module in sys.modules else None
        if cls is not None:
            yield cls, each


def unwrap(model: Any) -> Any:
    """The fitted model itself: the last step of a pipeline, the best of a search, the model inside a calibration.

    This is the one way to look inside a model; what is inside is what its class declares.
    """
    return list(layers(model))[-1]


def best_found(search: Any) -> Any:
    """What a search of scikit-learn found; None where it was told not to refit."""
    return vars(search).get("best_estimator_")


def without_search(model: Any) -> Any:
    """The model that a search of scikit-learn found, in place of the search; any other model itself."""
    best = best_found(model) if declaration(model).inside is best_found else None
    return model if best is None else best


def layers(model: Any) -> Iterator[Any]:
    """The model, the model inside it, and so on, outermost first."""
    while model is not None:
        yield model
        inside = declaration(model).inside
        model = None if inside is None else inside(model)


def steps_of(model: Any) -> list[Any]:
    """The transformers of a pipeline and, last, its model; a model without a pipeline is the only step."""
    known = declaration(model)
    return [model] if known.before is None or known.inside is None else [*known.before(model), known.inside(model)]


def certificate_of(model: Any) -> Any:
    """The certificate of a fitted model, or of the model inside it; None where there is none."""
    fitted = (vars(layer).get("certificate_") for layer in layers(model))
    return next((certificate for certificate in fitted if certificate is not None), None)


def evidence_of(model: Any) -> Any:
    """What a fit keeps for inference (``evidence_``), made when it is asked for; None where it keeps nothing."""
    return fitted_attribute(model, "evidence_")


def resolve(part: Part) -> Any:
    """The class, function or module that a part of a declaration names."""
    if not isinstance(part, str):
        return part
    module, _, name = part.partition(":")
    home = import_module(f"separatrix.{module}")
    return getattr(home, name) if name else home


def resolved(parts: tuple[Part, ...]) -> Iterator[Any]:
    """What the parts of a declaration name, one by one; a part may name a tuple of others."""
    for part in map(resolve, parts):
        yield from resolved(part) if isinstance(part, tuple) else (part,)


def file_of(part: Part) -> str:
    """The module path of a part: "separatrix.losses.squared"."""
    part = resolve(part)
    return part.__name__ if isinstance(part, ModuleType) else part.__module__
