r"""Nystroem's features: :math:`\phi(x) = K_{mm}^{-1/2} (k(z_1, x), \ldots, k(z_m, x))` about m of the rows."""

import warnings
from collections.abc import Callable, Mapping
from typing import Any, Self

import numpy as np
from numpy.random import RandomState
from scipy.linalg import eigh
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from separatrix.core.declaration import declares
from separatrix.core.errors import FewerRows, cannot
from separatrix.core.types import Array, MatrixLike
from separatrix.designs.gram import checked_gram
from separatrix.designs.kernel_matrix import kernel_product, kernel_rows, refuse_if_not_finite
from separatrix.estimators.kernel.parameters import PRECOMPUTED, kernel_of
from separatrix.estimators.saving import Estimator
from separatrix.estimators.validation import check_number, validate_first_rows, validate_rows

SMALLEST = 1e-12  # eigenvalues are raised to it, as in scikit-learn
MEASURED = 500  # rows on which the error of the approximation is measured


@declares(
    task="transformation",
    verification="it solves no problem: it keeps rows that were drawn at random, and the root of their kernel",
)
class Nystroem(ClassNamePrefixFeaturesOutMixin, TransformerMixin, Estimator):
    r"""Features whose plain products approximate a kernel, from m of the rows, drawn at random.

    .. math:: \phi(x)'\phi(z) = k_m(x)' K_{mm}^{-1} k_m(z) \approx k(x, z)

    Exact for the rows that were drawn. A linear model on these features is a kernel model about these rows.

    Parameters
    ----------
    kernel : str, function or Kernel, default "rbf".  As in :class:`~separatrix.kernel_ridge.KernelRidge`.
    gamma : float, (0, inf), or None, default None.  None is one over the number of columns.
    coef0 : float or None, default None.  Of "poly" and "sigmoid"; None is 1.
    degree : float, [0, inf), or None, default None.  Of "poly"; None is 3.
    kernel_params : dict or None, default None.  Further arguments of a function given as `kernel`.
    n_components : int, [1, inf), default 100.  m; as many as there are rows, where these are fewer.
    random_state : int, RandomState or None, default None.  Draws the rows. A number draws those that scikit-learn
        draws.
    n_jobs : int or None, default None.  Accepted for compatibility; ``$SEPARATRIX_THREADS`` says how many threads there
        are.

    Attributes
    ----------
    components_ : (m, p) array or sparse array.  The rows drawn.
    component_indices_ : (m,) array of int.  Their places among the rows of the fit.
    normalization_ : (m, m) array.  :math:`K_{mm}^{-1/2}`.
    approximation_error_ : float.  The share of the trace of K that is missed, :math:`\mathrm{tr}(K - \Phi\Phi') /
        \mathrm{tr}(K)`, measured on up to 500 rows that were not drawn; 0 where all were. NaN for a precomputed kernel.
    n_features_in_, feature_names_in_ : as in scikit-learn.

    References: Williams and Seeger (2001), Using the Nyström Method to Speed Up Kernel Machines, NIPS.

    >>> import numpy as np
    >>> X = np.arange(6.0)[:, None]
    >>> features = Nystroem(gamma=0.1, n_components=6, random_state=0).fit_transform(X)
    >>> bool(np.allclose(features @ features.T, np.exp(-0.1 * (X - X.T) ** 2)))
    True
    """

    def __init__(
        self,
        kernel: str | Callable[..., Any] | Any = "rbf",
        *,
        gamma: float | None = None,
        coef0: float | None = None,
        degree: float | None = None,
        kernel_params: Mapping[str, Any] | None = None,
        n_components: int = 100,
        random_state: int | RandomState | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.kernel = kernel
        self.gamma = gamma
        self.coef0 = coef0
        self.degree = degree
        self.kernel_params = kernel_params
        self.n_components = n_components
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: MatrixLike, y: Any = None) -> Self:
        """Draw the rows from X (n, p); y is not looked at."""
        m = check_number(self, "n_components", 1, integer=True)
        self._refuse_unused()
        rows = validate_first_rows(self, X, sparse=True)
        n = rows.shape[0]
        if m > n:
            warnings.warn(FewerRows(m, n), stacklevel=2)
        order = check_random_state(self.random_state).permutation(n)
        drawn = order[: min(m, n)]
        self.components_, self.component_indices_ = rows[drawn], drawn
        values, V = eigh(self._kernel_of_drawn(rows, drawn))
        # of an indefinite kernel, as in scikit-learn, the singular values count
        signs, size = np.where(values < 0.0, -1.0, 1.0), np.maximum(np.abs(values), SMALLEST)
        self.normalization_ = ((V * (signs / np.sqrt(size))) @ V.T).astype(rows.dtype)
        self.approximation_error_ = self._missed(rows[order[len(drawn) : len(drawn) + MEASURED]])
        return self

    def transform(self, X: MatrixLike) -> Array:
        """The features of each row of X: (n, m), in the type of X."""
        check_is_fitted(self)
        rows = validate_rows(self, X)
        return self._features(rows).astype(rows.dtype, copy=False)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = self._is_precomputed
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    @property
    def _n_features_out(self) -> int:
        return int(self.normalization_.shape[0])

    @property
    def _is_precomputed(self) -> bool:
        return isinstance(self.kernel, str) and self.kernel == PRECOMPUTED

    def _refuse_unused(self) -> None:
        """A function, an object and a matrix have no use for the parameters of kernels with a name."""
        given = [name for name in ("gamma", "coef0", "degree") if getattr(self, name) is not None]
        if given and (self._is_precomputed or not isinstance(self.kernel, str)):
            raise cannot(
                f"fit Nystroem with kernel={self.kernel!r} and {given[0]}={getattr(self, given[0])!r}",
                because="only kernels that are named by a word have gamma, coef0 and degree",
                instead=f"{given[0]}=None, and kernel_params= for a function",
            )

    def _kernel_of_drawn(self, rows: Any, drawn: Array) -> Array:
        if not self._is_precomputed:
            centres = kernel_rows(self.components_)
            with np.errstate(over="ignore", invalid="ignore"):  # looked at below
                K = kernel_of(self, rows.shape[1]).block(centres, centres)
            refuse_if_not_finite(K)
            return 0.5 * (K + K.T)
        if rows.shape[0] != rows.shape[1]:
            raise cannot(
                f"fit Nystroem with kernel='precomputed' to X of shape {rows.shape}",
                because="X should be a square kernel matrix, with a value for each pair of rows",
                instead="X of shape (n, n)",
            )
        return checked_gram(rows)[np.ix_(drawn, drawn)]

    def _features(self, rows: Any) -> Array:
        root = self.normalization_.astype(np.float64).T
        if self._is_precomputed:
            return np.asarray(rows[:, self.component_indices_] @ root)
        return kernel_product(kernel_of(self, rows.shape[1]), kernel_rows(rows), kernel_rows(self.components_), root)

    def _missed(self, rows: Any) -> float:
        if self._is_precomputed:
            return float("nan")
        whole = kernel_of(self, rows.shape[1]).diagonal(kernel_rows(rows)) if rows.shape[0] else np.zeros(0)
        kept = np.einsum("ij,ij->i", *[self._features(rows)] * 2)
        return float(np.maximum(whole - kept, 0.0).sum() / whole.sum()) if whole.any() else 0.0
