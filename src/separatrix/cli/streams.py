"""Standard streams that take any text: of any encoding, closed, full, or a pipe that nobody reads any more."""

import codecs
import os
import sys
from contextlib import suppress

# Characters of our own sentences and tables where a stream has no better ones; all others become escapes.
_PLAIN = {
    "–": "-", "—": "-", "−": "-", "→": ">", "←": "<", "±": "+-", "×": "x", "·": ".", "…": "...", "“": '"', "”": '"',
    "‘": "'", "’": "'", "²": "^2", "≤": "<=", "≥": ">=", "≠": "!=", "≈": "~", "∞": "inf", "χ": "chi",
}  # fmt: skip
_HANDLER = "separatrix.plain"


def plain_letters(error):
    r"""Stand-ins for characters that an encoding has not, as :func:`codecs.register_error` wants them.

    >>> codecs.register_error("plain", plain_letters)
    >>> "R² 0.9 ± 0.1 → Жук".encode("ascii", "plain")
    b'R^2 0.9 +- 0.1 > \\u0416\\u0443\\u043a'
    """
    if not isinstance(error, UnicodeEncodeError):
        raise error
    wrong = error.object[error.start : error.end]
    return "".join(_PLAIN.get(char) or char.encode("ascii", "backslashreplace").decode() for char in wrong), error.end


def prepare_streams():
    """Give closed standard streams the null device, and all of them an answer to characters that they cannot encode."""
    codecs.register_error(_HANDLER, plain_letters)
    for number, name, mode in ((0, "stdin", "r"), (1, "stdout", "w"), (2, "stderr", "w")):
        stream = getattr(sys, name)
        if stream is None:
            _open_null_device(number)
            setattr(sys, name, open(number, mode, encoding="utf-8", closefd=False))  # noqa: SIM115
        elif mode == "w":
            with suppress(AttributeError, ValueError):  # a stream of somebody else's, or a closed one
                stream.reconfigure(errors=_HANDLER)


def data_stream():
    """Standard output for data that another program reads: UTF-8 with its own ends of lines, as in a file."""
    if not sys.stdout.isatty():
        with suppress(AttributeError, ValueError):
            sys.stdout.reconfigure(encoding="utf-8", errors="surrogateescape", newline="")
    return sys.stdout


def stdout_fails():
    """Whether what stdout holds cannot be written, to a full disk, say; then it is discarded."""
    try:
        sys.stdout.flush()
    except (OSError, ValueError):
        discard_stdout()
        return True
    return False


def discard_stdout():
    """Redirect stdout to the null device, so that flushing its buffer at exit does not fail again."""
    with suppress(OSError, ValueError):  # stdout is not a file, as in tests
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _open_null_device(number):
    """Descriptor `number`, where it is free: a file opened later would get it, and whatever is printed."""
    try:
        os.fstat(number)
    except OSError:
        opened = os.open(os.devnull, os.O_RDWR)
        if opened != number:
            os.dup2(opened, number)
            os.close(opened)
