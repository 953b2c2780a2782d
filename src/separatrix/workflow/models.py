"""Models by the names that people type: a family of the leaderboard, or a class with its parameters."""

import ast
import warnings
from difflib import get_close_matches

from separatrix.core import registry
from separatrix.core.declaration import declaration, without_search
from separatrix.core.family import DataFacts, families, spread_of
from separatrix.core.refusal import cannot


class Unadvised(UserWarning):
    """A family that was asked for by name is fitted, although a comparison would leave it out."""


def family_named(name, task):
    """The family of a task by its name, in any spelling, or by some of its words where only one family has them all.

    None if there is none, or if it is the name of a class.
    """
    known = families(task)
    exact = [family for family in known if bare_name(family.name) == bare_name(name)]
    if not exact and name in registry.members("estimator"):
        return None
    words = [bare_name(word) for word in name.split()]
    near = exact or [family for family in known if all(word in bare_name(family.name) for word in words)]
    if len(near) > 1:
        raise cannot(
            f"tell which family {name!r} means",
            because=f"{len(near)} families have that in their name",
            instead=_quoted(near),
        )
    return near[0] if near else None


def _quoted(some):
    return " or ".join(repr(family.name) for family in some)


def fitted(understanding, table, y, name, settings=(), seed=0):
    """A pipeline of preparation and model, fitted to a table; and what the leaderboard calls it.

    Parameters
    ----------
    understanding : Understanding.  table : Table.  y : array.
    name : str.  A family of the task, or the name of a class.
    settings : sequence of "name=value".  Parameters of the model.
    seed : int.
    """
    from sklearn.pipeline import Pipeline

    from separatrix.estimators.preparation.compose import prepared

    family = family_named(name, understanding.task)
    cls = None if family else _class_named(name, understanding.task)
    view = family.preparation if family else _view_of(cls, understanding.task)
    steps, X = prepared(understanding, view, table)
    facts = _facts(understanding, X, y, seed)
    reason = family.why_excluded(facts) if family else ""
    if reason:
        warnings.warn(
            Unadvised(f"{family.name} would not take part in a comparison of these data: {reason}."), stacklevel=2
        )
    model = family.to_keep(facts) if family else cls()
    _set(model, settings)
    try:
        model.fit(X, y)
    except (TypeError, ValueError) as failure:
        if not reason:
            raise
        raise cannot(f"fit {family.name} to these data", because=reason, instead="another family") from failure
    return found_model(Pipeline([*steps.steps, ("model", model)])), family.name if family else cls.__name__


def found_model(pipeline):
    """The pipeline with the model that a search found in place of the search, which a file could not hold."""
    from sklearn.pipeline import Pipeline

    *before, (name, last) = pipeline.steps
    best = without_search(last)
    return pipeline if best is last else Pipeline([*before, (name, best)])


def _facts(understanding, X, y, seed):
    import numpy as np

    counts = np.unique(y, return_counts=True)[1] if understanding.task == "classification" else ()
    return DataFacts(
        rows=X.shape[0],
        columns=X.shape[1],
        classes=len(counts),
        smallest_class=int(min(counts, default=0)),
        sparse=not isinstance(X, np.ndarray),
        kinds=tuple(column.kind for column in understanding.used),
        seed=seed,
        spread=1.0 if understanding.task == "classification" else spread_of(y),
    )


def _class_named(name, task):
    members = registry.members("estimator")
    classes = {each: cls for each, cls in members.items() if declaration(cls).task == task and _takes_no_model(cls)}
    by_bare = {bare_name(each): each for each in classes}
    if bare_name(name) in by_bare:
        return classes[by_bare[bare_name(name)]]
    known = [family.name for family in families(task)]
    by_first: dict[str, list[str]] = {}
    for each in known:
        by_first.setdefault(each.split()[0].strip(","), []).append(each)
    near = get_close_matches(name, [*by_first, *known, *classes], n=3, cutoff=0.5)
    near = list(dict.fromkeys(one for each in near for one in by_first.get(each, [each])))[:3]
    other = "regression" if task == "classification" else "classification"
    wrong_task = family_named(name, other) is not None or bare_name(name) in {bare_name(each) for each in members}
    raise cannot(
        f"fit {name!r}",
        because=f"it is not for {task}" if wrong_task else "no family or class is called that",
        instead=" or ".join(map(repr, near)) if near else _quoted(families(task)),
    )


def _takes_no_model(cls):
    """Whether a class can be made without handing it another model."""
    from inspect import Parameter, signature

    given = list(signature(cls.__init__).parameters.values())[1:]
    return all(p.default is not Parameter.empty or p.kind in (p.VAR_KEYWORD, p.VAR_POSITIONAL) for p in given)


def _view_of(cls, task):
    """The view that a class gets: that of the family that makes it, else the standard one."""
    for family in families(task):
        if family.model is cls:
            return family.preparation
    return "standard"


def _set(model, settings):
    known = model.get_params()
    for setting in settings:
        key, equals, text = setting.partition("=")
        if not equals or key not in known:
            near = get_close_matches(key, known, n=1)
            raise cannot(
                f"set {setting!r} of {type(model).__name__}",
                because="a setting is NAME=VALUE" if not equals else f"it has no parameter {key!r}",
                instead=f"--set {near[0]}=…" if near else f"one of {', '.join(sorted(known))}",
            )
        model.set_params(**{key: _value(text)})


def _value(text):
    """A value as Python would read it; inf, true and none as people write them; else the text itself."""
    words = {"inf": float("inf"), "true": True, "false": False, "none": None}
    if text.lower() in words:
        return words[text.lower()]
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text


def bare_name(name):
    """Letters and digits of a name, in lower case: how names are compared."""
    return "".join(letter for letter in str(name).lower() if letter.isalnum())
