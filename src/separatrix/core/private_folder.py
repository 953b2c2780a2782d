"""Folders that no other user can change: what is read from one is as trustworthy as the user, and no less.

A folder is private if nobody but the user and root owns or can write to it, to any folder above it, or to any
symbolic link on the way. A folder above may be open to all if its sticky bit keeps them from renaming what is not
theirs, as in ``/tmp``. Write access by an access control list shows in the bits of the group, and counts.
"""

import os
import stat
from pathlib import Path

from separatrix.core.protocol import can

OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH
MOST_LINKS = 40  # as many as Linux follows


class NotPrivate(Exception):
    """Another user can change a folder; the message says where, and what to do."""


def private_folder(path: str | os.PathLike[str]) -> Path:
    """The absolute path of a private folder, which is made where it is missing; NotPrivate or OSError if it is not one.

    >>> import tempfile
    >>> folder = private_folder(os.path.join(tempfile.mkdtemp(), "a", "b"))
    >>> folder.is_dir(), not belongs_to_others(os.lstat(folder))
    (True, True)
    """
    path = Path(path).absolute()
    for folder in (*reversed(path.parents), path):
        if not os.path.lexists(folder):
            folder.mkdir(mode=0o700, exist_ok=True)  # another process may be faster
    os.listdir(path)  # refuses a file, and a folder that may not be read
    return _walked(path) if can(os, "getuid") else path


def belongs_to_others(about: os.stat_result) -> bool:
    """Whether a file is another user's, or may be written by one; not asked where files have no such owners."""
    return can(os, "getuid") and (about.st_uid not in (0, os.getuid()) or bool(about.st_mode & OTHERS_WRITE))


def _walked(path: Path) -> Path:
    """The path without links, if no step of the way to it is in the hands of another user."""
    here, ahead, links = Path(path.anchor), list(reversed(path.parts[1:])), 0
    _refuse_if_open(here, last=False)
    while ahead:
        part = ahead.pop()
        if part == "..":
            here = here.parent
            continue
        step = here / part
        if not step.is_symlink():
            _refuse_if_open(step, last=not ahead)
            here = step
            continue
        links += 1
        if os.lstat(step).st_uid not in (0, os.getuid()) or links > MOST_LINKS:
            raise NotPrivate(f"the link {str(step)!r} is another user's")
        target = Path(os.readlink(step))
        ahead += reversed(target.parts[1:] if target.is_absolute() else target.parts)
        here = Path(target.anchor) if target.is_absolute() else here
    return here


def _refuse_if_open(folder: Path, *, last: bool) -> None:
    about = os.lstat(folder)
    if about.st_uid not in (0, os.getuid()):
        raise NotPrivate(f"{str(folder)!r} belongs to another user")
    keeps = stat.S_ISVTX & about.st_mode and not last
    if about.st_mode & OTHERS_WRITE and not keeps:
        raise NotPrivate(f"others can write to {str(folder)!r} (chmod go-w forbids it)")
