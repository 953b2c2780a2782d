"""The base of all estimators here: scikit-learn's, and ``model.save(path)``."""

import os
from typing import Any, BinaryIO

from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from separatrix.core.registry import late

_save = late("separatrix.persist.files:save")


class Estimator(BaseEstimator):
    """An estimator that can be written to a file once it is fitted.

    >>> import io
    >>> from separatrix import load
    >>> from separatrix.linear_model import Ridge
    >>> file = io.BytesIO()
    >>> Ridge(alpha=0.0).fit([[0.0], [1.0]], [1.0, 3.0]).save(file)
    >>> load(file).predict([[2.0]]).round(12)
    array([5.])
    """

    def save(self, path: str | os.PathLike[str] | BinaryIO, *, about: dict[str, Any] | None = None) -> None:
        """Write the fitted model to a file, which :func:`separatrix.load` reads.

        Parameters
        ----------
        path : str, path or binary file object.  By custom the name ends in ``.sepx``.
        about : dict or None, default None.  Plain values to keep beside the model.
        """
        check_is_fitted(self)
        _save(self, path, about=about)
