"""Ways to spoil a model file: its bytes, or its meaning with every check sum made right again."""

import hashlib
import io
import json
import warnings
import zipfile

import numpy as np
from safetensors.numpy import load, save

MANIFEST, ARRAYS, SEAL = "manifest.json", "arrays.safetensors", 64
POOL = (
    None,
    True,
    -1,
    0,
    7,
    10**30,
    -(2**63),
    0.5,
    1e308,
    -0.0,
    "",
    "x",
    "__class__",
    "predict",
    "os.system",
    "é" * 300,
    "\ud800",
    [],
    [[]],
    {},
    {"is": "object", "at": 0},
    {"is": "object", "at": 10**9},
    {"is": "array", "at": 0, "dtype": "<f8", "shape": [2]},
    {"is": "array", "at": 0, "dtype": "|O", "shape": [1]},
    {"is": "array", "at": 0, "dtype": "<f8", "shape": [0, 2**47]},
    {"is": "words", "dtype": "<U9999999", "shape": [9], "items": [""] * 9},
    {"is": "objects", "shape": [2**40], "items": []},
    {"is": "int", "hex": "0x" + "f" * 4096},
    {"is": "float", "value": "nan"},
    {"is": "tuple", "items": [1, 2]},
    {"is": "dict", "items": [[[], 1]]},
    {"is": "slice", "ends": [0, None, 0]},
    {"is": "type", "name": "numpy float64"},
    {"is": "scalar", "dtype": "<f8", "hex": "000000000000f07f"},
    {"is": "spline", "parts": [1, 2, 3]},
    {"is": "random", "kind": "Generator", "state": {"is": "dict", "items": [["bit_generator", "PCG64"]]}},
    {"is": "sparse", "kind": "csr_array", "shape": [2**40, 3], "parts": [1, 2, 3]},
    {"class": "Lasso", "state": {}},
    {"class": "builtins.eval", "state": {"x": "1"}},
)


def spoil_bytes(content, rng):
    """A file with some of its bytes changed, lost, doubled or moved."""
    content = bytearray(content)
    n = len(content)
    kind = rng.integers(8)
    at, length = int(rng.integers(n)), int(rng.integers(1, 40))
    if kind <= 2:  # as often as all others: flips reach every field of every header
        for _ in range(int(rng.integers(1, 4))):
            content[int(rng.integers(n))] ^= 1 << int(rng.integers(8))
    elif kind == 3:
        content[at] = int(rng.choice([0, 1, 127, 255]))
    elif kind == 4:
        del content[at:]
    elif kind == 5:
        del content[at : at + length]
    elif kind == 6:
        content[at:at] = bytes(rng.integers(0, 256, length, dtype="u1"))
    else:
        to = int(rng.integers(n))
        content[at : at + length], content[to : to + length] = (
            content[to : to + length],
            content[at : at + length],
        )
    return bytes(content)


def sealed(before):
    """A file of those bytes, with the hash that belongs to them at its end."""
    return before + hashlib.sha256(before).hexdigest().encode()


def spoil_shell(content, rng):
    """A file with some bytes of the zip changed, headers and packed members alike, and the hash to go with them."""
    return sealed(spoil_bytes(content[:-SEAL], rng))


def spoil_text(content, rng):
    """A file with some letters of the unpacked manifest changed, packed again with every check sum made right."""
    manifest, arrays = opened(content)
    text = spoil_bytes(json.dumps(manifest).encode(), rng)
    return closed(None, arrays, ((MANIFEST, text), (ARRAYS, arrays)))


def spoil_numbers(content, rng):
    """A file with some bytes of its block of arrays changed, header and numbers alike, and every check sum right."""
    manifest, arrays = opened(content)
    return closed(manifest, spoil_bytes(arrays, rng))


def opened(content):
    """Manifest and arrays of a file."""
    with zipfile.ZipFile(io.BytesIO(content)) as file:
        return json.loads(file.read(MANIFEST)), file.read(ARRAYS)


def closed(manifest, arrays, members=None):
    """A file of that manifest and those arrays, with the right hash and check sums."""
    if isinstance(manifest, dict) and isinstance(manifest.get("arrays"), dict):
        told = manifest["arrays"]
        told |= {"bytes": len(arrays), "sha256": hashlib.sha256(arrays).hexdigest()} if len(told) == 3 else {}
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as file:
        for name, part in members or ((MANIFEST, json.dumps(manifest)), (ARRAYS, arrays)):
            file.writestr(zipfile.ZipInfo(name), part)
        file.comment = bytes(SEAL)
    return sealed(buffer.getvalue()[:-SEAL])


def places(value, path=()):
    """The paths of all values inside a JSON value."""
    yield path
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in inside:
        yield from places(part, (*path, key))


def spoil_meaning(content, rng):
    """A file whose manifest or arrays say something else, with the hash and the check sums to go with it."""
    manifest, arrays = opened(content)
    if rng.random() < 0.2:
        return closed(manifest, spoil_tensors(arrays, rng))
    paths = [path for path in places(manifest) if path]
    for _ in range(int(rng.integers(1, 4))):
        manifest = _spoilt(manifest, paths[int(rng.integers(len(paths)))], paths, rng)
    return closed(manifest, arrays)


def _spoilt(manifest, path, paths, rng):
    try:
        holder = _at(manifest, path[:-1])
        key, old = path[-1], _at(manifest, path)
        kind = rng.integers(7)
        if kind <= 1:
            holder[key] = _copy(POOL[int(rng.integers(len(POOL)))])
        elif kind == 2:
            del holder[key]
        elif kind == 3:
            holder[key] = _copy(_at(manifest, paths[int(rng.integers(len(paths)))]))
        elif kind == 4 and isinstance(holder, dict):
            holder[f"{key}_" if rng.random() < 0.5 else str(POOL[int(rng.integers(len(POOL)))])] = holder.pop(key)
        elif kind == 5 and isinstance(old, int | float | str) and not isinstance(old, bool):
            holder[key] = old + 1 if not isinstance(old, str) else old[: int(rng.integers(len(old) + 1))]
        elif isinstance(holder, list):
            holder.insert(int(rng.integers(len(holder) + 1)), _copy(old))
        else:
            for _ in range(int(rng.integers(2, 150))):  # nested deeper and deeper
                old = [old] if rng.random() < 0.5 else {"is": "tuple", "items": [old]}
            holder[key] = old
    except (KeyError, IndexError, TypeError):
        pass  # an earlier change took this place away
    return manifest


def _copy(value):
    return json.loads(json.dumps(value))


def _at(value, path):
    for key in path:
        value = value[key]
    return value


def spoil_tensors(arrays, rng):
    """The block of numbers with another header, or with some of its bytes missing."""
    length = int.from_bytes(arrays[:8], "little")
    header, body = json.loads(arrays[8 : 8 + length]), arrays[8 + length :]
    names = sorted(header)
    name = names[int(rng.integers(len(names)))] if names else ""
    kind = rng.integers(7)
    if not names or kind == 0:
        return arrays[: int(rng.integers(len(arrays) + 1))]
    if kind == 1:
        header[name]["shape"] = [int(2 ** rng.integers(0, 63)), int(rng.integers(0, 9))]
    elif kind == 2:
        header[name]["dtype"] = str(rng.choice(["F64", "F32", "I64", "U8", "BF16", "F8_E4M3", "BOOL", "X"]))
    elif kind == 3:
        header[name]["data_offsets"] = [int(v) for v in rng.integers(0, 2 * len(body) + 1, 2)]
    elif kind == 4:
        header[str(rng.choice(["", "-1", "99", "x"]))] = header.pop(name)
    elif kind == 5:
        other = names[int(rng.integers(len(names)))]
        header[name], header[other] = header[other], header[name]
    else:
        del header[name]
    text = json.dumps(header).encode()
    size = len(text) if rng.random() < 0.9 else int(2 ** rng.integers(0, 63))
    return size.to_bytes(8, "little") + text + body


NUMBERS = (
    -1,
    0,
    1,
    2,
    3,
    5,
    7,
    100,
    2**31,
    2**40,
    -(2**40),
    2**62,
    -(2**63),
    0.5,
    -0.5,
    1e-300,
    1e300,
    True,
    False,
    None,
)


def craft(content, rng):
    """A file with right hashes whose values were changed one by one: numbers, arrays, shapes, types."""
    if rng.random() < 0.1:
        return spoil_meaning(content, rng)
    manifest, arrays = opened(content)
    tensors = load(arrays)
    kept = [tensors[str(i)].copy() for i in range(len(tensors))]
    nodes = [path for path in places(manifest["objects"]) if path]
    arrays_of = [path for path in nodes if path[-1] == "at"]
    entries = [path for path in nodes if len(path) == 3]  # an object, its state, an attribute
    for _ in range(1 + int(rng.random() < 0.3)):
        pool = (nodes, entries or nodes, arrays_of or nodes)[int(rng.integers(3))]
        path = pool[int(rng.integers(len(pool)))]
        path = path[:-1] if pool is arrays_of else path
        try:
            holder, value = _at(manifest["objects"], path[:-1]), _at(manifest["objects"], path)
        except (KeyError, IndexError, TypeError):
            continue
        if isinstance(value, dict) and value.get("is") == "array" and type(value.get("at")) is int:
            _change_array(value, kept, rng)
        elif isinstance(value, dict) and isinstance(value.get("state"), dict) and value["state"]:
            del value["state"][str(rng.choice(list(value["state"])))]
        elif isinstance(value, bool | int | float) or value is None:
            holder[path[-1]] = NUMBERS[int(rng.integers(len(NUMBERS)))]
        elif isinstance(value, str) and path[-1] not in ("is", "dtype"):
            words = [str(p[-1]) for p in nodes] + ["", "auto", "brute", "gaussian", "distance", "l1", "cosine"]
            holder[path[-1]] = words[int(rng.integers(len(words)))]
        elif isinstance(value, list) and value and rng.random() < 0.5:
            value.pop(int(rng.integers(len(value))))
        elif isinstance(value, list) and value:
            value.append(_copy(value[int(rng.integers(len(value)))]))
        elif isinstance(holder, dict):
            holder[path[-1]] = _copy(manifest["objects"][int(rng.integers(len(manifest["objects"])))])
    manifest["arrays"]["count"] = len(kept)
    return closed(manifest, save({str(i): array for i, array in enumerate(kept)}))


# What each attribute of each class is replaced by, beside what `rng` makes of its own value: kinds, not only numbers.
OTHERS = (
    *NUMBERS,
    "",
    "auto",
    "predict",
    "é" * 300,
    [],
    [1, 2],
    [[1.5], ["a"]],
    *POOL[20:36],
)
VARIANTS = len(OTHERS) + 24


def attributes(content):
    """(class, place of the object, name) of every attribute of every object in a file."""
    manifest, _ = opened(content)
    return [(node["class"], at, name) for at, node in enumerate(manifest["objects"]) for name in node["state"]]


def exchange(content, at, name, variant, rng):
    """A file with right hashes in which one attribute of one object has another value, number `variant` of them."""
    manifest, arrays = opened(content)
    tensors = load(arrays)
    kept = [tensors[str(i)].copy() for i in range(len(tensors))]
    state = manifest["objects"][at]["state"]
    if variant < len(OTHERS):
        state[name] = _copy(OTHERS[variant])
    elif isinstance(state[name], dict) and state[name].get("is") == "array" and variant % 3:
        _change_array(state[name], kept, rng)
    elif type(state[name]) in (int, float) and variant % 3:
        state[name] = [state[name] - 1, state[name] + 1, 2 * state[name], -state[name], 1000 * state[name]][variant % 5]
    elif variant % 6 == 0:
        del state[name]
    elif variant % 6 == 3 and kept:
        array = kept[int(rng.integers(len(kept)))]
        state[name] = {
            "is": "array", "at": len(kept), "dtype": array.dtype.str, "shape": list(array.shape)}  # fmt: skip
        kept.append(array)
        _change_array(state[name], kept, rng)
    else:  # the value of another attribute of any object, or a later object in the place of an earlier one
        other = manifest["objects"][int(rng.integers(at + 1))]["state"] or state
        state[name] = _copy(other[list(other)[int(rng.integers(len(other)))]])
    manifest["arrays"]["count"] = len(kept)
    return closed(manifest, save({str(i): array for i, array in enumerate(kept)}))


def _change_array(node, kept, rng):
    """Another array in the place of one: other contents, another shape, another type."""
    array = kept[node["at"] % len(kept)]
    kind = rng.integers(6)
    if kind <= 1 and array.size:
        array = array.copy()
        extremes = [0, 1, -1, 2**31 - 1, -(2**31), 2**62, 1000] if array.dtype.kind in "iu" else [
            np.nan, np.inf, -np.inf, 1e308, -1.0, 0.0, 0.5, 1e-320]  # fmt: skip
        with np.errstate(all="ignore"):
            place, extreme = int(rng.integers(array.size)), extremes[int(rng.integers(len(extremes)))]
            array.reshape(-1)[place] = np.asarray(extreme).astype(array.dtype)
    elif kind == 2 and array.ndim:
        axis = int(rng.integers(array.ndim))
        array = np.ascontiguousarray(np.delete(array, np.s_[: int(rng.integers(1, 3))], axis=axis))
    elif kind == 3 and array.ndim:
        axis = int(rng.integers(array.ndim))
        array = np.repeat(array, int(rng.integers(2, 40)), axis=axis)
    elif kind == 4:
        array = np.ascontiguousarray(array.T) if array.ndim > 1 else array[None].copy()
    else:
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            array = array.astype(str(rng.choice(["f8", "f4", "i8", "i4", "u1", "?"])))
    kept.append(array)
    node.pop("axes", None)
    node.update(at=len(kept) - 1, dtype=array.dtype.str, shape=list(array.shape))
