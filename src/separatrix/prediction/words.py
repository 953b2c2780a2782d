"""The arithmetic of free text: words counted, weighted by how rare they are, rows brought to length 1."""

import re
from collections import Counter

import numpy as np

from separatrix.prediction.cells import as_text
from separatrix.prediction.storage import dense

# A run of letters and digits; an apostrophe inside belongs to it. Single letters count: "u" and "2" say a lot.
WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")


def words_of(text):
    """The words of a text, in lower case.

    >>> words_of("Don't miss it: win £100 NOW!")
    ["don't", 'miss', 'it', 'win', '100', 'now']
    """
    return [] if text is None else WORD.findall(text.lower())


def bag(state, X):
    """What Words makes of X (n, p), text in each column: the vocabularies side by side, a CSR array if they are many.

    Model files of versions before `sparse_` hold models of sparse arrays.

    >>> state = {"vocabulary_": [["free", "win"]], "idf_": [np.array([1.0, 2.0])], "weighting": "counts"}
    >>> bag(state, np.array([["Win, win!"], [None]], dtype=object)).sum(axis=1).tolist()
    [2.0, 0.0]
    """
    from scipy.sparse import hstack

    blocks = [_column(state, as_text(X[:, j]), j) for j in range(X.shape[1])]
    words = blocks[0] if len(blocks) == 1 else hstack(blocks).tocsr()
    return words if state.get("sparse_", True) else dense(words)


def _column(state, texts, j):
    from scipy.sparse import csr_array

    place = {word: m for m, word in enumerate(state["vocabulary_"][j])}
    indices, values, ends = [], [], [0]
    for text in texts:
        for m, count in sorted(Counter(place[word] for word in words_of(text) if word in place).items()):
            indices.append(m)
            values.append(count)
        ends.append(len(indices))
    indices, data = np.array(indices, dtype=np.int32), np.array(values, dtype=np.float64)
    data = _weighted(data, indices, np.array(ends), state["idf_"][j], state["weighting"])
    return csr_array((data, indices, ends), shape=(len(texts), len(place)))


def _weighted(data, indices, ends, idf, weighting):
    if weighting == "counts":
        return data
    if weighting == "presence":
        return np.ones_like(data)
    data = data * idf[indices]
    rows = np.repeat(np.arange(len(ends) - 1), np.diff(ends))
    length = np.sqrt(np.bincount(rows, data * data, minlength=len(ends) - 1))
    return data / length[rows]
