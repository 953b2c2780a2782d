"""The types that annotations name throughout the library.

A loss, a penalty or the rows of a storage is an atom: a flat NamedTuple, of this package or not, known by the verbs
that it implements (:mod:`separatrix.core.verbs`). Its class says nothing to a solver, so that its type is a tuple.
"""

from typing import Any

from numpy.typing import NDArray

Array = NDArray[Any]  # its shape stands in the docstring
Matrix = Any  # two-dimensional: a numpy array or a scipy sparse array, which has no types
Loss = tuple[Any, ...]
Penalty = tuple[Any, ...]
RowsAtom = tuple[Any, ...]
MatrixLike = Any  # rows to fit or to predict: numpy, scipy.sparse, a data frame, a design, a list of lists
Parts = tuple[float, float, float, float]  # kink, ridge, low and high of the penalty on one coefficient
