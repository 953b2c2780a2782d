"""Text as UTF-8 in pieces that end with a line, from UTF-8, UTF-16 with a mark, or single bytes of Windows-1252."""

import codecs

from separatrix.core.refusal import cannot
from separatrix.tables import limits

PIECE = 1 << 20  # bytes read at a time; larger pieces cost more page faults
FIRST = 4  # pieces at once in the beginning, from which the layout is guessed
_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_KNOWN = {
    b"PAR1": "a Parquet file (its name should end in .parquet)",
    b"ARROW1": "an Arrow file (its name should end in .arrow)",
    b"SQLite format 3\0": "an SQLite database (its name should end in .db)",
    b"PK\x03\x04": "a zip archive or a workbook of a spreadsheet: save the sheet as CSV",
    b"\xd0\xcf\x11\xe0": "an old workbook of a spreadsheet: save the sheet as CSV",
    b"%PDF": "a PDF",
    b"\x89PNG": "a picture",
    b"\x28\xb5\x2f\xfd": "compressed by zstd: unpack it first",
    b"BZh": "compressed by bzip2: unpack it first",
    b"\xfd7zXZ\0": "compressed by xz: unpack it first",
}


def kind_of_bytes(start):
    """What the first bytes of a file say it is, if it is no text; else "".

    >>> kind_of_bytes(b"PAR1...")
    'a Parquet file (its name should end in .parquet)'
    >>> kind_of_bytes(b"a,b")
    ''
    """
    for mark, words in _KNOWN.items():
        if start.startswith(mark):
            return words
    if start.startswith(_UTF16):
        return ""
    return "not text: it holds zero bytes" if b"\0" in start else ""


def _one_by_one(fault):
    """Bytes that are no UTF-8, each as Windows-1252 has it; the five that it leaves open, as Latin-1."""
    wrong = fault.object[fault.start : fault.end]
    return "".join(bytes([b]).decode("cp1252", errors="ignore") or chr(b) for b in wrong), fault.end


codecs.register_error("separatrix.windows", _one_by_one)


class Pieces:
    """An iterator over a stream of bytes in pieces of UTF-8 that end with a line.

    Parameters
    ----------
    stream : binary file.
    size : int, default PIECE.  Bytes to read at a time, four times as many in the beginning.

    Attributes
    ----------
    fallback : bool.  Whether bytes had to be read as Windows-1252, so far.
    ended : bool.  Whether the last piece was given.
    head : bytes or None.  The first bytes, once they are read.

    >>> import io
    >>> list(Pieces(io.BytesIO(b"a,b\\n1,2\\n3,4"), size=2))
    [b'a,b\\n1,2\\n', b'3,4']
    """

    def __init__(self, stream, size=PIECE):
        self.stream, self.size = stream, size
        self.fallback = self.ended = False
        self.head = None
        self._rest = b""
        self._wide = None  # a decoder, if the file is UTF-16

    def __iter__(self):
        return self

    def __next__(self):
        while not self.ended:
            chunk = self.stream.read(self.size * (1 if self.head is not None else FIRST))
            self.ended = not chunk
            if self.head is None:
                self.head = chunk[:4096]
                if chunk.startswith(_UTF16):
                    self._wide = codecs.getincrementaldecoder("utf-16")("replace")
                chunk = chunk.removeprefix(codecs.BOM_UTF8)
            if self._wide:
                chunk = self._wide.decode(chunk, final=self.ended).encode("utf-8", "replace")
            piece = self._lines(chunk)
            if piece:
                return piece
        raise StopIteration

    def _lines(self, chunk):
        """The lines that are complete by now; a carriage return at the very end may be half of a line's end."""
        newline = chunk.rfind(b"\n")
        end = len(chunk) if self.ended else max(newline, chunk.rfind(b"\r", newline + 1, -1)) + 1
        piece = b"".join((self._rest, memoryview(chunk)[:end])) if end or self.ended else b""
        self._rest = chunk[end:] if piece else self._rest + chunk[end:]
        if len(self._rest) > limits.LONGEST_LINE:
            raise cannot(
                "read this file as lines of text",
                because=f"one line is longer than {limits.LONGEST_LINE >> 20} MB",
                instead="a file with an end of line after every row",
            )
        if piece.isascii():
            return piece
        try:
            piece.decode("utf-8")
            return piece
        except UnicodeDecodeError:
            self.fallback = True
            return piece.decode("utf-8", errors="separatrix.windows").encode("utf-8")
