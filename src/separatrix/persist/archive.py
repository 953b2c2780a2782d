"""The outer shell of a model file: a zip with two members, read within limits and written all or nothing.

``manifest.json``         what the file is; deflated, at most 64 MB and two million values once unpacked
``arrays.safetensors``    the numbers; stored as they are, so that a small file cannot unfold to a large one

The comment of the zip, at its very end, is the SHA-256 of all bytes before it. Files of schemas 1 and 2 have none.
"""

import hashlib
import json
import math
import os
import struct
import zipfile
import zlib
from io import BytesIO

from separatrix.core.atomic_file import atomic_file
from separatrix.core.refusal import cannot

MANIFEST, ARRAYS = "manifest.json", "arrays.safetensors"
LARGEST_MANIFEST = 1 << 26
LARGEST_ARRAYS = 1 << 36
MOST_VALUES = 1 << 21  # of the manifest: a value takes fifty times the bytes that "[]" does in a deflated text
LARGEST_READ = 1 << 17  # bytes at once while the table of contents is read: ours takes 150, and a comment 65,557
SEAL = 2 * hashlib.sha256().digest_size  # letters of the hash at the end
# Any date will do, but it must always be the same: equal models then make equal files.
DATE = (1980, 1, 1, 0, 0, 0)


class CannotLoad(ValueError):
    """A file that is no model of ours, is damaged, or holds something that is not known here."""


class CannotSave(ValueError):
    """A model that holds something which a file without code cannot hold."""


def broken(because, where="the file"):
    """The exception for a file that cannot be read as a model."""
    return cannot(
        f"load {where}",
        because=because,
        instead="a file written by separatrix.save, as it was written",
        kind=CannotLoad,
    )


def packed(manifest, arrays):
    """The bytes of a model file."""
    text = json.dumps(manifest, ensure_ascii=True, allow_nan=False, separators=(",", ":")).encode()
    if len(text) > LARGEST_MANIFEST:
        raise cannot(
            "save this model",
            because=f"its description takes {len(text) >> 20} MB and may take {LARGEST_MANIFEST >> 20}",
            instead="a model with fewer words or categories",
            kind=CannotSave,
        )
    buffer = BytesIO()
    with zipfile.ZipFile(buffer, "w") as file:
        for name, content, method in ((MANIFEST, text, zipfile.ZIP_DEFLATED), (ARRAYS, arrays, zipfile.ZIP_STORED)):
            member = zipfile.ZipInfo(name, DATE)
            member.compress_type, member.create_system, member.external_attr = method, 3, 0o644 << 16
            file.writestr(member, content)
        file.comment = bytes(SEAL)
    before = buffer.getvalue()[:-SEAL]
    return before + hashlib.sha256(before).hexdigest().encode()


def write(path, content):
    """Write bytes to a file, all of them or none."""
    with atomic_file(path) as file:
        file.write(content)


class Archive:
    """A model file that is open for reading; a path or a binary file object.

    Only the table of contents is read at first, and hashed all that comes before the hash; then what is asked for.
    """

    def __init__(self, source):
        self.name = repr(os.fspath(source)) if isinstance(source, str | os.PathLike) else "the file"
        self._source = source

    def __enter__(self):
        try:
            self._own = open(self._source, "rb") if isinstance(self._source, str | os.PathLike) else None
        except FileNotFoundError:
            raise cannot(
                f"load {self.name}", because="there is no such file", instead="the path of one", kind=FileNotFoundError
            ) from None
        except (IsADirectoryError, PermissionError) as error:
            raise cannot(
                f"load {self.name}", because=error.strerror.lower(), instead="a file you may read", kind=type(error)
            ) from None
        file = _Bounded(self._own or self._source)
        try:
            self._zip = zipfile.ZipFile(file)
            file.limit = None
            self.is_sealed = self._sealed(file)
            self._members = self._contents()
        except CannotLoad:
            self._close()
            raise
        except _DAMAGE:
            self._close()
            raise broken("it is not a zip, or a damaged one", self.name) from None
        return self

    def __exit__(self, *_):
        self._close()

    def _close(self):
        if self._own is not None:
            self._own.close()

    def manifest(self):
        """The manifest, parsed."""
        text = self._read(MANIFEST)
        if text.count(b",") + text.count(b"[") + text.count(b"{") > MOST_VALUES:
            raise broken(f"its manifest has more than {MOST_VALUES} values", self.name)
        try:
            document = json.loads(
                text.decode("ascii"), object_pairs_hook=_distinct, parse_constant=_not_a_number, parse_float=_finite
            )
        except (ValueError, RecursionError):  # UnicodeDecodeError and JSONDecodeError are ValueErrors
            raise broken("its manifest is not plain JSON", self.name) from None
        if type(document) is not dict:
            raise broken("its manifest is not a JSON object", self.name)
        return document

    def arrays(self):
        """The bytes of the block of numbers."""
        return self._read(ARRAYS)

    def _sealed(self, file):
        """Whether there is a hash of all bytes; one that differs is refused."""
        told = self._zip.comment
        if not told:
            return False
        left, digest = file.seek(0, os.SEEK_END) - SEAL, hashlib.sha256()
        file.seek(0)
        while left > 0:
            piece = file.read(min(left, 1 << 20))
            if not piece:
                break
            digest.update(piece)
            left -= len(piece)
        if left or file.read() != told or told != digest.hexdigest().encode():
            raise broken("its bytes are not those that were written: their hash differs", self.name)
        return True

    def _contents(self):
        members = self._zip.infolist()
        if sorted(member.filename for member in members) != sorted([MANIFEST, ARRAYS]):
            raise broken(f"it does not hold exactly {MANIFEST} and {ARRAYS}", self.name)
        by_name = {member.filename: member for member in members}
        for name, limit in ((MANIFEST, LARGEST_MANIFEST), (ARRAYS, LARGEST_ARRAYS)):
            member = by_name[name]
            if member.flag_bits & 0x41 or member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                raise broken(f"{name} is encrypted or packed in an unknown way", self.name)
            if member.file_size > limit:
                raise broken(f"{name} claims {member.file_size} bytes and may have {limit}", self.name)
        if (
            by_name[ARRAYS].compress_type != zipfile.ZIP_STORED
            or by_name[ARRAYS].compress_size != by_name[ARRAYS].file_size
        ):
            raise broken(f"{ARRAYS} is packed, and ours never is", self.name)
        return by_name

    def _read(self, name):
        member = self._members[name]
        try:
            with self._zip.open(member) as file:
                content = file.read(member.file_size + 1)
        except _DAMAGE:
            raise broken(f"{name} is damaged", self.name) from None
        if len(content) != member.file_size:
            raise broken(f"{name} is cut short or too long", self.name)
        return content


class _Bounded:
    """A binary file that refuses to read much at once while it has a `limit`: a table of contents may be any size."""

    def __init__(self, file):
        self._file, self.limit = file, LARGEST_READ
        self.seek, self.tell, self.seekable = file.seek, file.tell, lambda: True

    def read(self, size=-1):
        if self.limit is None or 0 <= size <= self.limit:
            return self._file.read(size)
        content = self._file.read(self.limit + 1)  # a device has no end, and need not say so
        if len(content) > self.limit:
            raise ValueError("its table of contents is too long")
        return content


# What zipfile raises for damaged files, depending on which byte is wrong.
_DAMAGE = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    OSError,
    OverflowError,
    MemoryError,
    NotImplementedError,
    RuntimeError,
    ValueError,
)


def _distinct(pairs):
    entries = dict(pairs)
    if len(entries) != len(pairs):
        raise ValueError("a key occurs twice")
    return entries


def _not_a_number(text):
    raise ValueError(f"{text} is not JSON")


def _finite(text):
    value = float(text)
    return value if math.isfinite(value) else _not_a_number(text)
