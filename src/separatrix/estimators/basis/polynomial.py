"""Polynomial basis: ``φ_a(x) = Π_j x_j^{a_j}``, |a| <= degree."""

from collections import Counter
from itertools import chain, combinations, combinations_with_replacement
from numbers import Integral
from typing import Literal, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from separatrix.core.declaration import SmallFit, declares
from separatrix.core.errors import cannot
from separatrix.core.types import Array, Matrix, MatrixLike
from separatrix.designs.monomials import count_monomials, monomials, plan_monomials
from separatrix.estimators.saving import Estimator
from separatrix.estimators.validation import check_choice, validate_first_rows, validate_rows
from separatrix.estimators.verification import EXPANDED


@declares(
    task="transformation",
    verification=EXPANDED,
    small_fits=(SmallFit({"degree": 2}),),
)
class PolynomialFeatures(TransformerMixin, Estimator):
    r"""All monomials of the features up to a degree, each correctly rounded.

    .. math:: \varphi_a(x) = \prod_j x_j^{a_j}, \qquad d_{\min} \le |a| \le d_{\max}

    A least-squares fit of high degree returns no more digits than its columns have. A repeated product is off by up to
    (d - 1)/2 units in the last place; here the rounding errors are carried along and added at the end, which makes
    each entry the nearest number (measured against mpmath: at most 0.5 units at degree 10, where scikit-learn's
    entries are off by up to 3).

    Parameters
    ----------
    degree : int >= 0, or a pair (least, greatest), default 2.  Degrees of the monomials; the constant is governed by
        `include_bias` alone.
    interaction_only : bool, default False.  Only products of distinct features.
    include_bias : bool, default True.  Begin with a column of ones.
    order : {"C", "F"}, default "C".  Memory order of a dense result.
    cross_terms : bool, default True.  False: only powers of single features, :math:`x_j, x_j^2, \dots`
    kernel_scaling : bool, default False.  Multiply each monomial by the square root of its multinomial coefficient
        :math:`\binom{d}{a}`, so that :math:`\varphi(x)'\varphi(z) = (1 + x'z)^d`; with ``degree=(d, d)`` and
        ``include_bias=False``, :math:`(x'z)^d`, for two features and d = 2 from :math:`(x_1^2, \sqrt2 x_1x_2, x_2^2)`.

    Attributes
    ----------
    powers_ : ndarray of shape (n_output_features_, n_features_in_).  The exponents a, one row per column of the result.
    n_output_features_ : int.

    References: Graillat (2009), IEEE Trans. Computers 58(7), for the products; Schölkopf and Smola (2002), Learning
    with Kernels, proposition 2.1, for the scaling.

    >>> import numpy as np
    >>> PolynomialFeatures(2).fit_transform(np.array([[2.0, 3.0]]))
    array([[1., 2., 3., 4., 6., 9.]])
    >>> PolynomialFeatures(2, include_bias=False, cross_terms=False).fit(np.ones((1, 2))).get_feature_names_out()
    array(['x0', 'x1', 'x0^2', 'x1^2'], dtype=object)
    """

    def __init__(
        self,
        degree: int | tuple[int, int] = 2,
        *,
        interaction_only: bool = False,
        include_bias: bool = True,
        order: Literal["C", "F"] = "C",
        cross_terms: bool = True,
        kernel_scaling: bool = False,
    ) -> None:
        self.degree = degree
        self.interaction_only = interaction_only
        self.include_bias = include_bias
        self.order = order
        self.cross_terms = cross_terms
        self.kernel_scaling = kernel_scaling

    def fit(self, X: MatrixLike, y: ArrayLike | None = None) -> Self:
        """Count the columns of the expansion; nothing else is learnt."""
        X = validate_first_rows(self, X, sparse=True)
        least, greatest = self._degrees()
        for name in ("include_bias", "cross_terms"):
            check_choice(self, name, (True, False))
        for name in ("interaction_only", "kernel_scaling"):
            check_choice(self, name, (False, True))
        check_choice(self, "order", ("C", "F"))
        self._check_combinations()
        p = X.shape[1]
        distinct, cross = self.interaction_only, self.cross_terms
        sizes = [count_monomials(d, p, distinct=distinct, cross=cross) for d in range(max(least, 1), greatest + 1)]
        self.n_output_features_ = sum(sizes) + int(self.include_bias)
        empty = greatest == 0 and not self.include_bias
        if empty or self.n_output_features_ > np.iinfo(np.intp).max:
            raise cannot(
                f"expand {p} features to degree={self.degree!r}",
                because=f"the result would have {self.n_output_features_} columns",
                instead="include_bias=True" if self.n_output_features_ == 0 else "a lower degree, or cross_terms=False",
            )
        return self

    def transform(self, X: MatrixLike) -> Matrix:
        """Expand each row; a numpy array gives a numpy array, a csr or csc matrix one of the same kind."""
        check_is_fitted(self)
        X = validate_rows(self, X)
        least, greatest = self._degrees()
        plan = plan_monomials(
            self.n_features_in_,
            least,
            greatest,
            bias=self.include_bias,
            distinct=self.interaction_only,
            cross=self.cross_terms,
            weighted=self.kernel_scaling,
        )
        return monomials(X, plan, order=self.order)

    @property
    def powers_(self) -> Array:
        """The exponent of each feature in each column of the result."""
        check_is_fitted(self)
        return np.array(
            [np.bincount(np.array(c, np.int64), minlength=self.n_features_in_) for c in self._factors()], dtype=np.int64
        )

    def get_feature_names_out(self, input_features: ArrayLike | None = None) -> Array:
        """Names such as ``1``, ``x0``, ``x0^2``, ``x0 x1``."""
        names = OneToOneFeatureMixin.get_feature_names_out(self, input_features)  # of the features that came in

        def name(features):  # in ascending order; not by powers_, whose size is that of all columns times all features
            powers = Counter(features)
            return " ".join(names[j] if power == 1 else f"{names[j]}^{power}" for j, power in powers.items()) or "1"

        return np.array([name(features) for features in self._factors()], dtype=object)

    def _degrees(self):
        """The least and the greatest degree."""
        degrees = self.degree
        if isinstance(degrees, Integral) and not isinstance(degrees, bool):
            degrees = (0, degrees)
        legal = isinstance(degrees, tuple | list | np.ndarray) and len(degrees) == 2
        if not (legal and all(isinstance(d, Integral) for d in degrees) and 0 <= degrees[0] <= degrees[1]):
            raise cannot(
                f"fit PolynomialFeatures with degree={self.degree!r}",
                because="degree must be an integer >= 0 or a pair of integers 0 <= least <= greatest",
                instead="degree=2 (default) or, for example, degree=(1, 3)",
            )
        return int(degrees[0]), int(degrees[1])

    def _check_combinations(self):
        """Refuse pairs of options that contradict each other."""
        if self.interaction_only and not self.cross_terms:
            raise cannot(
                "fit PolynomialFeatures with interaction_only=True and cross_terms=False",
                because="interactions are cross terms",
                instead="only one of the two",
            )
        if self.kernel_scaling and (self.interaction_only or not self.cross_terms):
            raise cannot(
                "fit PolynomialFeatures with kernel_scaling=True and only a part of the monomials",
                because="the products of the features then do not add up to a power of 1 + x'z",
                instead="interaction_only=False and cross_terms=True",
            )

    def _factors(self):
        """The features whose product each column is, in the order of the columns."""
        least, greatest = self._degrees()
        p = self.n_features_in_

        def of(d):
            if not self.cross_terms:
                return ((j,) * d for j in range(p))
            return (combinations if self.interaction_only else combinations_with_replacement)(range(p), d)

        constant = [()] if self.include_bias else []
        return chain(constant, *(of(d) for d in range(max(least, 1), greatest + 1)))

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
