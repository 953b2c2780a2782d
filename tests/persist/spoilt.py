"""Spoilt model files by the million, read in child processes: a refusal in words, or an equal model, nothing else.

    python tests/persist/spoilt.py 1000000 --seed 1

Three of four files (``--share``) have other bytes than were written: they are refused, or give the model that was
written. The others have the right hash: their zip, the letters of their unpacked manifest, the bytes of their arrays or
the meaning of their manifest are changed; they are refused, or give an object of a class in the table.
``separatrix.load``, ``about`` and the light reader read each of them.
"""

import argparse
import io
import sys
import warnings
from functools import partial
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))
import children
from mutations import spoil_bytes, spoil_meaning, spoil_numbers, spoil_shell, spoil_text

import separatrix
from separatrix.persist import CannotLoad, about, light
from separatrix.persist.classes import by_class
from separatrix.persist.files import to_bytes

AT_ONCE = 50_000  # files of one child
REFUSED, SAME, OTHER = range(3)
ANSWERS = ("refused", "the same model", "another model, its hash being right")
RIGHT_HASH = (spoil_shell, spoil_text, spoil_numbers, spoil_meaning)


def refused_in_words(read, content):
    """What a reader gives, or None where it refuses; any other exception passes."""
    try:
        return read(io.BytesIO(content))
    except CannotLoad as error:
        assert str(error).startswith("Cannot load "), error
        return None


def look_at(files, seed, share, i):
    """Read file number i of a seed; a number of `ANSWERS`."""
    rng = np.random.default_rng([seed, i])
    whole = files[i % len(files)]
    change = spoil_bytes if rng.random() < share else RIGHT_HASH[int(rng.integers(len(RIGHT_HASH)))]
    content = change(whole, rng)
    told = refused_in_words(about, content)
    assert told is None or type(told) is dict
    refused_in_words(light, content)
    model = refused_in_words(separatrix.load, content)
    if model is None:
        return REFUSED
    assert type(model) in by_class()
    if change is spoil_bytes:
        assert content == whole or to_bytes(model) == whole, "other bytes give another model"
        return SAME
    return OTHER


def files():
    """A file of every kind that is used with crafted contents."""
    import used

    return [content for content, _, _ in used.cases()]


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("count", type=int)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--start", type=int, default=0)
    parser.add_argument("--share", type=float, default=0.75)
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    task = partial(look_at, files(), given.seed, given.share)
    sys.exit(not children.at_length(task, given.start, given.start + given.count, AT_ONCE, ANSWERS))
