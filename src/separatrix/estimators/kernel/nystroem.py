r"""Nystroem's features: :math:`\phi(x) = K_{mm}^{-1/2} (k(z_1, x), \ldots, k(z_m, x))` about m of the rows."""

import warnings
from collections.abc import Callable, Mapping
from copy import copy
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
from separatrix.designs.kernels import Kernel
from separatrix.estimators.kernel.parameters import is_precomputed, kernel_of
from separatrix.estimators.saving import Estimator
from separatrix.estimators.validation import check_number, validate_first_rows, validate_rows

OF_NAMED = ("gamma", "coef0", "degree")  # parameters of kernels that are named by a word
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
    kernel_params : dict or None, default None.  Further arguments of a function given as `kernel`; of a kernel
        that is named by a word gamma, coef0 and degree, where these are None.
    n_components : int, [1, inf), default 100.  m; as many as there are rows, where these are fewer.
    random_state : int, RandomState or None, default None.  Draws the rows. A number draws those that scikit-learn
        draws.
    n_jobs : int or None, default None.  Accepted for compatibility; ``$SEPARATRIX_THREADS`` says how many threads there
        are.

    Attributes
    ----------
    components_ : (m, p) array or sparse array.  The rows drawn.
    kernel_ : Kernel or "precomputed".  The kernel with its parameters, as they were when it was fitted.
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
        rows = validate_first_rows(self, X, sparse=True)
        self.kernel_ = self._chosen_kernel(rows.shape[1])
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
        tags.input_tags.pairwise = is_precomputed(self)
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    @property
    def _n_features_out(self) -> int:
        return int(self.normalization_.shape[0])

    def _chosen_kernel(self, p: int) -> Kernel | str:
        """The kernel of the parameters; those of one with a name may stand in `kernel_params`, as in scikit-learn."""
        given = [name for name in OF_NAMED if getattr(self, name) is not None]
        if not isinstance(self.kernel, str) or is_precomputed(self):
            if not given:
                return kernel_of(self, p)
            raise cannot(
                f"fit Nystroem with kernel={self.kernel!r} and {given[0]}={getattr(self, given[0])!r}",
                because="only kernels that are named by a word have gamma, coef0 and degree",
                instead=f"{given[0]}=None, and kernel_params= for a function",
            )
        filled, more = copy(self), self.kernel_params
        for name, value in more.items() if isinstance(more, Mapping) else ():
            if name not in OF_NAMED:
                raise cannot(
                    f"fit Nystroem with kernel={self.kernel!r} and kernel_params={self.kernel_params!r}",
                    because=f"kernels that are named by a word have no {name!r}",
                    instead=f"some of {', '.join(OF_NAMED)}",
                )
            if name not in given:
                setattr(filled, name, value)
        return kernel_of(filled, p)

    def _kernel_of_drawn(self, rows: Any, drawn: Array) -> Array:
        if isinstance(self.kernel_, Kernel):
            centres = kernel_rows(self.components_)
            with np.errstate(over="ignore", invalid="ignore"):  # looked at below
                K = self.kernel_.block(centres, centres)
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
        if isinstance(self.kernel_, Kernel):
            return kernel_product(self.kernel_, kernel_rows(rows), kernel_rows(self.components_), root)
        return np.asarray(rows[:, self.component_indices_] @ root)

    def _missed(self, rows: Any) -> float:
        if not isinstance(self.kernel_, Kernel):
            return float("nan")
        whole = self.kernel_.diagonal(kernel_rows(rows)) if rows.shape[0] else np.zeros(0)
        kept = np.einsum("ij,ij->i", *[self._features(rows)] * 2)
        return float(np.maximum(whole - kept, 0.0).sum() / whole.sum()) if whole.any() else 0.0
