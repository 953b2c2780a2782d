"""The first step of every pipeline: from a table to the columns that the model knows, in order."""

from collections.abc import Sequence
from typing import Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from separatrix.core.declaration import declares
from separatrix.core.errors import cannot
from separatrix.core.types import Matrix, MatrixLike
from separatrix.estimators.saving import Estimator
from separatrix.estimators.validation import validate_numbers
from separatrix.estimators.verification import PREPARED
from separatrix.prediction import forms
from separatrix.prediction.table_columns import select
from separatrix.tables.dates import FORMS
from separatrix.tables.understanding import MIXED, USED


@declares(
    task="transformation",
    prediction=forms.TABLE_COLUMNS,
    verification=PREPARED,
)
class TableColumns(OneToOneFeatureMixin, TransformerMixin, Estimator):
    """The named columns of a table, each as what it was understood to be.

    The table is a :class:`separatrix.tables.Table`, a frame (pandas, polars, pyarrow), a dict of columns, or an array
    with exactly these columns; else their order does not matter, nor what other columns there are. Numbers come out as
    float64 (NaN where missing), dates as days since 1970-01-01, all else as text (None where missing), in which a
    number is written in one way only. Nothing is learnt.

    Parameters
    ----------
    names : sequence of str or None, default None.  The columns; None takes all columns of an array of numbers as they
        are.
    kinds : sequence of str or None, default None.  What each of them is: "number", "category", "flag", "date" or
        "text"; None: all are numbers.
    forms : sequence of str or None, default None.  How each date is written: "iso" (2024-12-31), "dmy", "mdy" or
        "named" (31 Dec 2024); of numbers, "mixed" takes a cell that is no number for missing, "" refuses it; "" for
        other columns. None: "iso" for dates, "" for the others.

    Attributes
    ----------
    n_features_in_, feature_names_in_ : as in scikit-learn; of the columns that are selected.

    >>> columns = TableColumns(["age", "sex"], ["number", "flag"]).fit(None)
    >>> columns.transform({"sex": ["f", "m"], "name": ["Ann", "Bob"], "age": ["31", None]})
    array([[31.0, 'f'],
           [nan, 'm']], dtype=object)
    """

    def __init__(
        self, names: Sequence[str] | None = None, kinds: Sequence[str] | None = None, forms: Sequence[str] | None = None
    ) -> None:
        self.names = names
        self.kinds = kinds
        self.forms = forms

    def fit(self, X: MatrixLike, y: ArrayLike | None = None) -> Self:
        """Check the parameters; of X only the number of columns matters, and only if there are no names."""
        if self.names is None:
            validate_numbers(self, X, reset=True)
            return self
        for parameter, legal in (("kinds", USED), ("forms", ("", MIXED, *FORMS))):
            given = getattr(self, parameter)
            unknown = [] if given is None else [one for one in given if one not in legal]
            if unknown or not len(self.names) or (given is not None and len(given) != len(self.names)):
                raise cannot(
                    f"fit TableColumns with {len(self.names)} names and {parameter}={given!r}",
                    because=f"{unknown[0]!r} is not known" if unknown else "each name has one of them",
                    instead="one of " + ", ".join(map(repr, legal)) + " for each name",
                )
        self.feature_names_in_ = np.array(list(self.names), dtype=object)
        self.n_features_in_ = len(self.names)
        return self

    def transform(self, X: MatrixLike) -> Matrix:
        """The columns of X: float64 (n, p) if none of them is text, else object."""
        check_is_fitted(self)
        return validate_numbers(self, X, reset=False) if self.names is None else select(vars(self), X)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags
