"""Additive basis: ``f(x) = f_1(x_1) + ... + f_p(x_p)``, each function in its own block of columns."""

from collections.abc import Iterable, Mapping
from numbers import Integral
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from separatrix.core.declaration import declares
from separatrix.core.errors import cannot
from separatrix.core.protocol import can, fitted_attribute
from separatrix.core.registry import register
from separatrix.core.types import Array, Matrix, MatrixLike
from separatrix.estimators.basis.natural_spline import NaturalSpline
from separatrix.estimators.saving import Estimator
from separatrix.estimators.validation import validate_columns, validate_first_rows, validate_rows
from separatrix.estimators.verification import EXPANDED


@declares(
    task="transformation",
    verification=EXPANDED,
)
class AdditiveBasis(TransformerMixin, Estimator):
    r"""A basis for each feature, side by side, with a map from features to columns.

    .. math:: f(x) = \beta_0 + \sum_j f_j(x_j), \quad f_j(x_j) = h_j(x_j)'\beta_j, \quad H = [h_1(x_1), \dots, h_p(x_p)]

    Parameters
    ----------
    terms : mapping or list of pairs (column, basis), or None, default None.  The column by name or number; the basis is
        a transformer of one column, ``"linear"`` or, with the same meaning, ``"passthrough"``. Columns that are not
        named take no part. None: a :class:`NaturalSpline` of each feature, in which a binary feature keeps one column.
        A basis must not contain the constant, which belongs to the model: choose ``include_bias=False`` where there is
        a choice.

    Attributes
    ----------
    blocks_ : dict.  From the name of a feature to the slice of its columns.
    bases_ : dict.  From the name of a feature to its fitted transformer.
    df_ : int.  Degrees of freedom of a linear model on this basis, ``1 + Σ_j df_j``, the constant included.

    References: Hastie, Tibshirani and Friedman (2009), The Elements of Statistical Learning, 5.2.2 and 9.1.

    >>> import numpy as np
    >>> X = np.column_stack([np.linspace(0.0, 1.0, 9), [0.0, 1.0, 0.0] * 3])
    >>> basis = AdditiveBasis([(0, NaturalSpline(df=4)), (1, "linear")]).fit(X)
    >>> basis.blocks_, basis.df_
    ({'x0': slice(0, 4, None), 'x1': slice(4, 5, None)}, 6)
    """

    def __init__(self, terms: Any = None) -> None:
        self.terms = terms

    def fit(self, X: MatrixLike, y: ArrayLike | None = None) -> Self:
        """Fit the basis of each feature to its column."""
        from sklearn.compose import ColumnTransformer  # costs as much to import as all the rest: only when needed

        X = validate_columns(self, X, reset=True)
        names = OneToOneFeatureMixin.get_feature_names_out(self)
        chosen = [(self._position(column, names), basis) for column, basis in self._pairs()]
        if len({j for j, _ in chosen}) < len(chosen):
            raise cannot(
                "fit AdditiveBasis",
                because="a column has two bases",
                instead="one pair (column, basis) for each column",
            )
        blocks = [(names[j], _transformer(basis, names[j]), [j]) for j, basis in chosen]
        self._blocks = ColumnTransformer(blocks, sparse_threshold=0.0, verbose_feature_names_out=False).fit(X, y)
        self.bases_ = {name: self._blocks.named_transformers_[name] for name, _, _ in blocks}
        self.blocks_ = {name: self._blocks.output_indices_[name] for name in self.bases_}
        self.df_ = 1 + sum(block.stop - block.start for block in self.blocks_.values())
        return self

    def transform(self, X: MatrixLike) -> Matrix:
        """Stack the blocks of all features."""
        check_is_fitted(self)
        return self._blocks.transform(validate_columns(self, X, reset=False))

    def get_feature_names_out(self, input_features: ArrayLike | None = None) -> Array:
        """The names that each basis gives to its columns."""
        names = OneToOneFeatureMixin.get_feature_names_out(self, input_features)
        return self._blocks.get_feature_names_out(names)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    def _pairs(self):
        """The terms as a list of pairs (column, basis)."""
        if self.terms is None:
            return [(j, NaturalSpline()) for j in range(self.n_features_in_)]
        terms = self.terms.items() if isinstance(self.terms, Mapping) else self.terms
        pairs = list(terms) if isinstance(terms, Iterable) else []
        if not pairs or not all(isinstance(pair, tuple | list) and len(pair) == 2 for pair in pairs):
            raise cannot(
                f"fit AdditiveBasis with terms={self.terms!r}",
                because="it must hold at least one pair (column, basis), and only such pairs",
                instead='for example terms={"age": NaturalSpline(df=4), "sex": "linear"}',
            )
        return pairs

    def _position(self, column, names):
        """The number of a column that is given by number or name."""
        p = self.n_features_in_
        if isinstance(column, Integral) and not isinstance(column, bool) and -p <= column < p:
            return int(column) % p
        if isinstance(column, str) and column in names:
            return int(np.flatnonzero(names == column)[0])
        raise cannot(
            f"fit AdditiveBasis with a term for column {column!r}",
            because="X has no such column",
            instead=f"a number from 0 to {p - 1} or one of {', '.join(map(repr, names[:8]))}{', …' if p > 8 else ''}",
        )


def _transformer(basis, name):
    """The transformer that a term stands for."""
    if isinstance(basis, str) and basis in ("linear", "passthrough"):
        return _Linear()
    if not (can(basis, "fit") and can(basis, "transform")) or isinstance(basis, type):
        raise cannot(
            f"fit AdditiveBasis with {basis!r} for column {name!r}",
            because="it is no transformer",
            instead="'linear', 'passthrough' or a transformer such as NaturalSpline(df=4)",
            kind=TypeError,
        )
    if fitted_attribute(basis, "include_bias", False):
        raise cannot(
            f"fit AdditiveBasis with {basis!r} for column {name!r}",
            because="its columns contain the constant, which would be in the model twice",
            instead="include_bias=False",
        )
    return basis


@register("record")
class _Linear(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    """The identity ``φ(x) = x``, on numbers."""

    def fit(self, X, y=None):
        validate_first_rows(self, X)
        return self

    def transform(self, X):
        return validate_rows(self, X, sparse=False)
