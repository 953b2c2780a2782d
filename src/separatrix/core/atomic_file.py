"""Files that appear under their name when they are complete, or not at all."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from separatrix.core.refusal import cannot


@contextmanager
def atomic_file(path: str | os.PathLike[str], mode: str = "wb", **options: Any) -> Iterator[IO[Any]]:
    """Open a temporary file in the folder of `path`; rename it to `path` at the end of the block.

    If the block raises, the temporary file is deleted and a file that was there before is unchanged. The permissions
    are those of the file that is replaced, or those that ``open`` would give.

    Parameters
    ----------
    path : str or path.
    mode : {"wb", "w"}, default "wb".
    options : of ``open``: encoding, newline.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> with atomic_file(folder / "a.txt", "w") as file:
    ...     _ = file.write("all or nothing")
    >>> [each.name for each in folder.iterdir()], (folder / "a.txt").read_text()
    (['a.txt'], 'all or nothing')
    """
    path = Path(path)
    try:
        handle, temporary = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    except OSError as error:
        raise _unwritable(path, error) from None
    try:
        with os.fdopen(handle, mode, **options) as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, _permissions(path))
        os.replace(temporary, path)
    except OSError as error:
        if error.errno is None:  # an exception of ours, raised within the block
            raise
        raise _unwritable(path, error) from None
    finally:
        Path(temporary).unlink(missing_ok=True)


def _permissions(path: Path) -> int:
    if path.exists():
        return path.stat().st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


def _unwritable(path: Path, error: OSError) -> Exception:
    because = (error.strerror or str(error)).lower()
    return cannot(
        f"write {str(path)!r}", because=because, instead="a folder that exists and that you may write to", kind=OSError
    )
