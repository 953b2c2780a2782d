"""``save`` and ``load``: a fitted model into one file, and back, to the last bit.

The manifest of a file, with schema 3:

``format``, ``schema``     "separatrix model", 3
``separatrix``, ``with``   versions of this library, and of those whose classes and numbers are in the file
``about``                  whatever the writer wanted to say of the model: plain JSON
``arrays``                 how many, how many bytes, and their SHA-256
``forms``                  for each class that can predict without its class being loaded, the form of its prediction
``objects``, ``model``     the objects of classes, each after those it refers to; which of them is the model

Schema 1 had no ``forms``; :mod:`separatrix.persist.past` has what its files leave unsaid. Before schema 3 no hash
covered the manifest.
"""

import hashlib
import math
import os
import warnings
from copy import copy
from typing import Any, BinaryIO

import numpy as np

from separatrix import __version__
from separatrix.core.declaration import declaration, without_search
from separatrix.core.refusal import cannot
from separatrix.persist import past, tensors
from separatrix.persist.archive import Archive, CannotLoad, CannotSave, broken, packed, write
from separatrix.persist.reading import Reader

FORMAT, SCHEMA = "separatrix model", 3
_KEYS = {"format", "schema", "separatrix", "with", "about", "arrays", "objects", "model"}
KEYS = {1: _KEYS, 2: _KEYS | {"forms"}, 3: _KEYS | {"forms"}}


class OtherVersion(UserWarning):
    """A file whose scikit-learn objects were written by another version of scikit-learn."""


def save(model: Any, path: str | os.PathLike[str] | BinaryIO, *, about: dict[str, Any] | None = None) -> None:
    """Write a fitted model to a file, all of it or nothing.

    Parameters
    ----------
    model : estimator of this library, or a Pipeline or ColumnTransformer of them. A search of scikit-learn
        (GridSearchCV, ...), also as a step of a Pipeline, is saved as the best estimator that it found.
    path : str, path or binary file object.  By custom the name ends in ``.sepx``.
    about : dict or None, default None.  Plain values to keep beside the model, for :func:`about`.

    >>> import io, numpy as np
    >>> from separatrix.linear_model import Ridge
    >>> model, file = Ridge(alpha=0.1).fit(np.eye(3), [1.0, 2.0, 3.0]), io.BytesIO()
    >>> save(model, file, about={"target": "y"})
    >>> bool((load(file).coef_ == model.coef_).all())
    True
    """
    content = to_bytes(model, about)
    if isinstance(path, str | os.PathLike):
        write(path, content)
    else:
        path.write(content)


def to_bytes(model, about=None):
    """The bytes of the file of a model; the same for equal models."""
    import sklearn

    from separatrix.persist.classes import by_class
    from separatrix.persist.writing import Writer

    model = searched(model)
    table = by_class()
    entry = table.get(type(model))
    if entry is not None and not entry.is_model:
        raise cannot(
            f"save a {type(model).__name__}",
            because="it is part of a model, not a model",
            instead="the estimator that holds it",
            kind=CannotSave,
        )
    writer = Writer(table)
    node = writer.node(model, type(model).__name__)
    if entry is None:
        raise cannot(
            f"save a {type(model).__name__}", because="it is no model", instead="a fitted estimator", kind=CannotSave
        )
    numbers = tensors.pack(writer.arrays)
    manifest = {
        "format": FORMAT,
        "schema": SCHEMA,
        "separatrix": __version__,
        "with": {"numpy": np.__version__, "scikit-learn": sklearn.__version__},
        "about": _plain({} if about is None else about, "about"),
        "arrays": {"count": len(writer.arrays), "bytes": len(numbers), "sha256": hashlib.sha256(numbers).hexdigest()},
        "forms": writer.forms(),
        "objects": writer.objects,
        "model": node["at"],
    }
    return packed(manifest, numbers)


def searched(model):
    """A model in which every search of scikit-learn gives way to the best estimator that it found."""
    model = without_search(model)
    known = declaration(model)
    if known.before is None:
        return model
    steps = [(name, searched(step)) for name, step in model.steps]
    if all(new is old for (_, new), (_, old) in zip(steps, model.steps, strict=True)):
        return model
    model = copy(model)
    model.steps = steps
    return model


def load(path: str | os.PathLike[str]) -> Any:
    """Read a model from a file that :func:`save` wrote; its answers are the same to the last bit.

    Loading runs no code and imports nothing that the file names: an object is made only if its class is in a closed
    table. :class:`CannotLoad` is raised for everything else.

    Parameters
    ----------
    path : str, path or binary file object.
    """
    from separatrix.persist.classes import by_name

    manifest, numbers = contents(path)
    table, renamed = by_name(), past.NAMES.get(manifest["schema"], {})
    older = manifest["separatrix"] != __version__ or manifest["schema"] < SCHEMA
    if type(manifest["model"]) is not int:
        raise broken("it does not say which object is the model")

    def build(name, state):
        name = renamed.get(name, name)
        if name not in table:
            raise _unknown(name, manifest)
        unnamed = manifest["schema"] < SCHEMA and name not in manifest.get("forms", ())  # there was no form yet
        if not unnamed and manifest["forms"].get(name) != table[name].form:
            raise broken(f"it does not name the form of prediction of a {name}")
        return table[name].make(state, older=older)

    model = made(manifest, numbers, build)
    if type(model) not in {entry.cls for entry in table.values() if entry.is_model}:
        raise broken("what it holds is part of a model, not a model")
    _compare_versions(manifest)
    return model


def about(path: str | os.PathLike[str]) -> dict[str, Any]:
    """What was said of a model when it was saved: plain values, read without loading the model.

    Parameters
    ----------
    path : str, path or binary file object.
    """
    with Archive(path) as archive:
        return checked(archive)["about"]


def contents(path):
    """The manifest and the arrays of a file, checked as far as that can be done without any class."""
    with Archive(path) as archive:
        manifest = checked(archive)
        return manifest, numbers_of(archive, manifest)


def checked(archive):
    """The manifest of an open file, after the checks that need no class."""
    manifest = archive.manifest()
    if manifest.get("format") != FORMAT:
        raise broken("it is not a model of separatrix", archive.name)
    schema = manifest.get("schema")
    if type(schema) is not int or schema < 1:
        raise broken("its schema is not a number", archive.name)
    if schema > SCHEMA:
        raise cannot(
            f"load {archive.name}",
            because=f"it was written by a newer separatrix (schema {schema}; this one reads up to {SCHEMA})",
            instead="a newer separatrix",
            kind=CannotLoad,
        )
    if schema > 2 and not archive.is_sealed:
        raise broken("its hash is missing", archive.name)
    if set(manifest) != KEYS[schema]:
        raise broken("its manifest has other keys than it should", archive.name)
    if type(manifest["about"]) is not dict or type(manifest["objects"]) is not list:
        raise broken("a part of its manifest is of the wrong type", archive.name)
    forms = forms_of(manifest)
    if type(forms) is not dict or not all(type(form) is str for form in forms.values()):
        raise broken("it does not name forms of prediction", archive.name)
    return manifest


def forms_of(manifest):
    """The form of prediction of each class that has one, by the name of the class."""
    return manifest["forms"] if manifest["schema"] > 1 else past.FORMS


def numbers_of(archive, manifest):
    """The arrays of an open file, after the comparison of their hash."""
    told = manifest["arrays"]
    if type(told) is not dict or set(told) != {"count", "bytes", "sha256"} or type(told["count"]) is not int:
        raise broken("it does not describe its arrays", archive.name)
    content = archive.arrays()
    if len(content) != told["bytes"] or hashlib.sha256(content).hexdigest() != told["sha256"]:
        raise broken("its arrays are not those that were written: their hash differs", archive.name)
    return tensors.unpack(content, told["count"])


def made(manifest, numbers, build):
    """The model that a manifest describes, of objects made by `build`."""
    reader = Reader(numbers, build)
    for node in manifest["objects"]:
        reader.add(node)
    return reader.value({"is": "object", "at": manifest["model"]})


def _unknown(name, manifest):
    ours = manifest["separatrix"]
    because = f"it holds a {name[:60]!r}, which this separatrix ({__version__}) does not know"
    newer = type(ours) is str and ours != __version__
    return cannot(
        "load the file",
        because=because,
        instead=f"separatrix {ours[:20]}, which wrote it" if newer else "a file written by separatrix.save",
        kind=CannotLoad,
    )


def _compare_versions(manifest):
    import sklearn

    foreign = any(str(node.get("class")).startswith("sklearn:") for node in manifest["objects"])
    told = manifest["with"]
    wrote = told.get("scikit-learn") if type(told) is dict else None
    here = sklearn.__version__
    if foreign and str(wrote).split(".")[:2] != here.split(".")[:2]:
        warnings.warn(
            f"Parts of this model are scikit-learn's, written by version {str(wrote)[:20]} and read by {here}: "
            "if they fail or differ, use the version that wrote them, or save the model again.",
            OtherVersion,
            stacklevel=3,
        )


def _plain(value, where, depth=0):
    """A value as JSON has it: numpy's numbers become Python's, tuples become lists."""
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or type(value) in (bool, int, str) or (type(value) is float and math.isfinite(value)):
        return value
    if isinstance(value, list | tuple) and depth < 32:
        return [_plain(item, f"{where}[{i}]", depth + 1) for i, item in enumerate(value)]
    if isinstance(value, dict) and depth < 32 and all(type(key) is str for key in value):
        return {key: _plain(item, f"{where}[{key!r}]", depth + 1) for key, item in value.items()}
    raise cannot(
        f"keep {where} = {value!r:.60} beside the model",
        because="only plain JSON is kept there",
        instead="finite numbers, strings, lists and dicts with strings for keys",
        kind=CannotSave,
    )
