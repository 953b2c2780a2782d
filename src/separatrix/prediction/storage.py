"""Rows in memory, whatever storage the preparation chose."""

import numpy as np


def dense(block):
    """An array of all numbers of a block that may be stored sparsely."""
    if isinstance(block, np.ndarray):
        return block
    cells = block.tocoo()
    out = np.zeros(block.shape)
    out[cells.row, cells.col] = cells.data
    return out
