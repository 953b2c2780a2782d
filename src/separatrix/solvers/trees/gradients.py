r"""Slopes and curvatures of a loss as whole numbers, so that their sums over rows are exact.

A slope g is rounded to a multiple of a power of two, a curvature h likewise, and rows are counted. Sums of whole
numbers do not depend on their order: histograms are the same for any number of threads, and the histogram of a node
minus that of one child *is* that of the other. What is lost is the rounding of each row, at most
:math:`2^{-b-1} \max|g|` with b >= 22 bits; of fewer rows b is larger (42 of a thousand).

Three layouts hold (g, h, 1) of a row and the sums of a bin, chosen by :func:`layout_for`:

- `Packed`: one word ``g 2^shift + 1``, where the curvature is the same number for all rows;
- `Paired`: two words, g and ``h 2^shift + 1``;
- `Tripled`: three words, of which a row holds two; for very many rows.
"""

from math import frexp, ldexp
from typing import Any, NamedTuple

import numpy as np

from separatrix.core.dispatch import atom, generic, implements
from separatrix.core.jit import compiled
from separatrix.core.pair_sum import add_pair
from separatrix.core.types import Array

LEAST_BITS = 22  # of a packed slope or curvature, in units of the largest
MOST_BITS = 50  # a double has 53; sums of 2^12 rows and more never reach 2^62
WORD_BITS = 62


@atom
class Packed(NamedTuple):
    """One word for each row (n,), and the number of bits of its count."""

    words: Array
    shift: int


@atom
class Paired(NamedTuple):
    """Two words for each row (n, 2): slope, and curvature above the count."""

    words: Array
    shift: int


@atom
class Tripled(NamedTuple):
    """Slope and curvature of each row (n, 2); the bins hold a third word, the count."""

    words: Array
    shift: int


Gradients = Packed | Paired | Tripled


@atom
class One(NamedTuple):
    """The word of a row."""

    word: int


@atom
class Two(NamedTuple):
    """The two words of a row."""

    first: int
    second: int


@atom
class Three(NamedTuple):
    """The two words of a row whose bins count rows in a third."""

    first: int
    second: int


@generic
def words_of(gradients: Gradients, i: int) -> Any:
    """The words of row i."""


@generic
def add_words(words: One | Two | Three, histogram: Array, place: Any) -> None:
    """Add the words of a row to those of the bin at `place`."""


@generic
def sums_at(gradients: Gradients, histogram: Array, place: Any) -> Any:
    """Sums of slopes and curvatures, and the number of rows, in the bin at `place`."""


@generic
def set_words(gradients: Gradients, i: int, g: Any, h: Any) -> None:
    """Set the words of row i."""


@implements(words_of, Packed)
def _(gradients: Packed, i: int) -> One:
    return One(gradients.words[i])


@implements(words_of, Paired)
def _(gradients: Paired, i: int) -> Two:
    return Two(gradients.words[i, 0], gradients.words[i, 1])


@implements(words_of, Tripled)
def _(gradients: Tripled, i: int) -> Three:
    return Three(gradients.words[i, 0], gradients.words[i, 1])


@implements(add_words, One)
def _(words: One, histogram: Array, place: int) -> None:
    histogram[place] += words.word


@implements(add_words, Two)
def _(words: Two, histogram: Array, place: int) -> None:
    add_pair(histogram, 2 * place, words.first, words.second)


@implements(add_words, Three)
def _(words: Three, histogram: Array, place: int) -> None:
    histogram[3 * place] += words.first
    histogram[3 * place + 1] += words.second
    histogram[3 * place + 2] += 1


@implements(sums_at, Packed)
def _(gradients: Packed, histogram: Array, place: int) -> tuple[int, int, int]:
    word = histogram[place]
    g = word >> gradients.shift  # rounds down, and the count is not negative: the slope exactly
    count = word - (g << gradients.shift)
    return g, count, count


@implements(sums_at, Paired)
def _(gradients: Paired, histogram: Array, place: int) -> tuple[int, int, int]:
    word = histogram[2 * place + 1]
    h = word >> gradients.shift
    return histogram[2 * place], h, word - (h << gradients.shift)


@implements(sums_at, Tripled)
def _(gradients: Tripled, histogram: Array, place: int) -> tuple[int, int, int]:
    return histogram[3 * place], histogram[3 * place + 1], histogram[3 * place + 2]


@implements(set_words, Packed)
def _(gradients: Packed, i: int, g: int, h: int) -> None:
    gradients.words[i] = (g << gradients.shift) + 1


@implements(set_words, Paired)
def _(gradients: Paired, i: int, g: int, h: int) -> None:
    gradients.words[i, 0] = g
    gradients.words[i, 1] = (h << gradients.shift) + 1


@implements(set_words, Tripled)
def _(gradients: Tripled, i: int, g: int, h: int) -> None:
    gradients.words[i, 0] = g
    gradients.words[i, 1] = h


@compiled
def fill_words(gradients: Gradients, g: Array, h: Array, g_scale: float, h_scale: float, start: int, stop: int) -> None:
    """Round slopes and curvatures of the rows `start` to `stop`; h of one number is that of all rows."""
    alike = h.shape[0] == 1
    for i in range(start, stop):
        curvature = h[0] if alike else h[i]
        set_words(gradients, i, np.int64(np.rint(g[i] * g_scale)), np.int64(np.rint(curvature * h_scale)))


class Layout(NamedTuple):
    """How slopes and curvatures are stored.

    Attributes
    ----------
    gradients : Packed, Paired or Tripled.  To be filled.
    size : int.  Words of a bin.
    g_scale, h_scale : float.  Powers of two by which slopes and curvatures are multiplied before they are rounded;
        where all curvatures are one number, its reciprocal.
    """

    gradients: Gradients
    size: int
    g_scale: float
    h_scale: float


def layout_for(n: int, largest_g: float, smallest_h: float, largest_h: float) -> Layout:
    """The layout for n rows of these slopes and curvatures.

    >>> layout = layout_for(1000, 3.0, 1.0, 1.0)
    >>> type(layout.gradients).__name__, layout.size, layout.h_scale
    ('Packed', 1, 1.0)
    >>> type(layout_for(1000, 3.0, 0.1, 0.25).gradients).__name__
    'Paired'
    """
    count_bits = int(n).bit_length()
    together = min(MOST_BITS, WORD_BITS - 2 * count_bits)
    apart = min(MOST_BITS, WORD_BITS - count_bits)
    alike = smallest_h == largest_h
    if alike and together >= LEAST_BITS:
        packed = Packed(np.empty(n, np.int64), count_bits)
        return Layout(packed, 1, _scale(largest_g, together), 1.0 / largest_h)
    words = np.empty((n, 2), np.int64)
    if alike or together >= LEAST_BITS:
        h_scale = 1.0 / largest_h if alike else _scale(largest_h, together)
        return Layout(Paired(words, count_bits), 2, _scale(largest_g, apart), h_scale)
    return Layout(Tripled(words, count_bits), 3, _scale(largest_g, apart), _scale(largest_h, apart))


def _scale(largest: float, bits: int) -> float:
    """The power of two that makes of the largest number one of so many bits; of no size 1."""
    if not largest > 0.0:
        return 1.0
    return ldexp(1.0, min(max(bits - frexp(largest)[1], -1000), 1000))
