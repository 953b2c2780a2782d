"""Ways to spoil a model file: its bytes, or its meaning with every check sum made right again."""

import hashlib
import io
import json
import zipfile

MANIFEST, ARRAYS = "manifest.json", "arrays.safetensors"
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
    return buffer.getvalue()


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
