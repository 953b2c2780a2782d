r"""The Chow-Liu tree: the best model of discrete columns in which each depends on one other at the most.

.. math:: P'(x) = \frac{\prod_{(j,l) \in E} P(x_j, x_l)}{\prod_j P(x_j)^{d_j - 1}}, \qquad
          D(P \| P') = -\sum_{(j,l) \in E} I(X_j; X_l) + \sum_j H(X_j) - H(X_1, \ldots, X_p)
"""

import time
from collections.abc import Mapping, Sequence
from math import prod
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.random import RandomState
from numpy.typing import ArrayLike
from scipy.special import xlogy
from sklearn.base import OneToOneFeatureMixin, TransformerMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from separatrix.core.blocks import row_blocks
from separatrix.core.declaration import DENSE, SmallFit, declares
from separatrix.core.errors import cannot
from separatrix.core.solution import Certificate
from separatrix.core.types import Array, MatrixLike
from separatrix.designs.pair_counts import pair_counts
from separatrix.estimators import verification
from separatrix.estimators.graphical.categories import Coded, learn_categories, values_of
from separatrix.estimators.graphical.described import tree_described
from separatrix.estimators.graphical.messages import conditionals, drawn, most_probable
from separatrix.estimators.graphical.tables import refuse_too_many_cells
from separatrix.estimators.graphical.tree_tables import TreeTables, directed, informations, shares, tree_tables
from separatrix.estimators.saving import Estimator
from separatrix.estimators.validation import check_choice, check_number, validate_cells, validate_weights
from separatrix.prediction.chow_liu import codes_of, log_likelihood, name_of

UNSEEN = ("error", "ignore")


class TreeLemma(NamedTuple):
    """Both sides of the lemma of Chow and Liu, in nats: the divergence, and the sums that it is said to be made of."""

    divergence: float
    information: float
    entropies: float
    joint_entropy: float

    @property
    def by_lemma(self) -> float:
        """``-Σ I + Σ H - H(joint)``."""
        return -self.information + self.entropies - self.joint_entropy


@declares(
    task="transformation",
    sums=("designs.pair_counts",),
    solvers=("solvers.spanning_tree",),
    verification=verification.OF_CHOW_LIU_TREE,
    description=tree_described,
    certifies=verification.SPANNING_TREE,
    small_fits=(
        SmallFit(counts=True, storages=DENSE),
        SmallFit({"categories": [range(9)] * 5}, counts=True, storages=DENSE, called="of many categories"),
    ),
)
class ChowLiuTree(OneToOneFeatureMixin, TransformerMixin, Estimator):
    r"""A tree over categorical columns: the joint distribution of largest likelihood with edges that form a tree.

    .. math:: \max_{E \text{ a tree}} \sum_{(j,l) \in E} I(X_j; X_l), \qquad
              P'(x) = P(x_r) \prod_{j \neq r} P(x_j \mid x_{\mathrm{parent}(j)})

    Columns are arrays or frames of numbers, words or truth values, each different value a category. Rows with missing
    cells (None, NaN) are left out of the fit, with a warning; everything else takes them, and sums over what is
    missing exactly. ``transform`` fills missing cells in.

    Parameters
    ----------
    smoothing : float, [0, inf), default 1.0.  How many rows are pretended, spread evenly over all cells of the joint
        table; 0 is maximum likelihood. (Laplace's rule with one half a pair of switches: 2.)
    root : int, str or None, default None.  The column that the tree hangs from, by number or name; None for the
        first. It changes `parents_` and `conditional_tables_`, and no probability.
    categories : list of p lists, or None, default None.  The categories of each column; None for those that are met.
    unseen : {"error", "ignore"}, default "error".  What a category that is none of these means later: a mistake, or
        a missing cell.

    Attributes
    ----------
    categories_ : list of p lists.  The categories of each column, in the order of the tables.
    edges_ : (p - 1, 2) array.  The tree, undirected: pairs of numbers of columns, ascending.
    parents_ : (p,) array.  The parent of each column, -1 for the root.
    mutual_information_ : (p, p) array.  I in nats, of the smoothed shares; the entropies on the diagonal.
    marginal_tables_ : list of p arrays (V_j,).  P(x_j).
    pair_tables_ : list of p - 1 arrays (V_j, V_l).  P(x_j, x_l) of each edge.
    conditional_tables_ : list of p arrays.  P(x_r), (V_r,), of the root, P(x_j | x_parent), (V_parent, V_j), of others.
    n_parameters_ : int.  Free numbers of the tables.
    certificate_ : Certificate.  How much more information another tree could have, relative to the sum of entropies.
    n_features_in_, feature_names_in_ : as in scikit-learn.

    References: Chow and Liu (1968), IEEE Transactions on Information Theory 14(3).   Theory: docs/theory/chow_liu.md.

    >>> import numpy as np
    >>> X = np.array([["rain", "wet"], ["rain", "wet"], ["sun", "dry"], ["sun", "wet"]])
    >>> model = ChowLiuTree(smoothing=0.0).fit(X)
    >>> model.conditional(1, {0: "sun"})
    {'dry': 0.5, 'wet': 0.5}
    >>> model.transform(np.array([[None, "dry"]], dtype=object))
    array([['sun', 'dry']], dtype='<U4')
    """

    certificate_: Certificate

    def __init__(
        self,
        *,
        smoothing: float = 1.0,
        root: int | str | None = None,
        categories: Sequence[Sequence[Any]] | None = None,
        unseen: str = "error",
    ) -> None:
        self.smoothing = smoothing
        self.root = root
        self.categories = categories
        self.unseen = unseen

    def fit(self, X: MatrixLike, y: Any = None, sample_weight: ArrayLike | None = None) -> Self:
        """Fit to X (n, p), an array or a frame; a weight of a row means so many rows like it. y is not used."""
        started = time.perf_counter()
        check_number(self, "smoothing", 0.0)
        check_choice(self, "unseen", UNSEEN)
        X = validate_cells(self, X, reset=True)
        s = None if sample_weight is None else validate_weights(sample_weight, len(X))
        return self._learn(learn_categories(X, s, self.categories, self._name), started)

    def _learn(self, coded: Coded, started: float) -> Self:
        """Set the fitted attributes to what rows of codes say."""
        sizes = coded.sizes
        P = shares(pair_counts(coded.codes, sizes, coded.s), sizes, coded.total, self.smoothing)
        learnt = informations(P, sizes)
        tables = tree_tables(P, sizes, learnt.informations)
        self.categories_, self.mutual_information_ = coded.categories, learnt.informations
        self.edges_, self.marginal_tables_, self.pair_tables_ = tables
        self.parents_, self.conditional_tables_ = directed(tables, self._place(self.root))
        self.n_parameters_ = sum(prod(table.shape[:-1]) * (table.shape[-1] - 1) for table in self.conditional_tables_)
        self.certificate_ = learnt.certify(self.edges_, started)
        return self

    def directed(self, root: int | str) -> tuple[Array, list[Array]]:
        """Parents and conditional tables of the same tree, hung from another column: the joint is the same."""
        check_is_fitted(self)
        return directed(TreeTables(self.edges_, self.marginal_tables_, self.pair_tables_), self._place(root))

    def score_samples(self, X: MatrixLike) -> Array:
        """``log P'(x)`` (n,) in nats; of a row with missing cells, that of the others."""
        codes, missing = self._enter(X)
        return log_likelihood(self.parents_, self.conditional_tables_, codes, missing)

    def score(self, X: MatrixLike, y: Any = None, sample_weight: ArrayLike | None = None) -> float:
        """The mean of ``log P'(x)``, in nats a row."""
        log_p = self.score_samples(X)
        return float(
            np.average(log_p, weights=None if sample_weight is None else validate_weights(sample_weight, len(log_p)))
        )

    def conditionals(self, X: MatrixLike) -> list[Array]:
        """P(x_j | the cells of the row that are not missing) for each column: a list of p arrays (n, V_j)."""
        codes, missing = self._enter(X)
        missing = np.zeros(codes.shape, dtype=bool) if missing is None else missing
        parts = []
        for rows in row_blocks(len(codes), sum(map(len, self.categories_))):
            answers, log_p = conditionals(self.parents_, self.conditional_tables_, codes[rows], missing[rows])
            self._refuse_impossible(log_p, rows.start)
            parts.append(answers)
        return [np.concatenate(part) for part in zip(*parts, strict=True)]

    def conditional(self, variable: int | str, evidence: Mapping[Any, Any] | None = None) -> dict[Any, float]:
        """P(variable | evidence): {category: probability}, the evidence as {column: category}, by number or name."""
        check_is_fitted(self)
        j, row = self._place(variable), np.full((1, self.n_features_in_), None, dtype=object)
        for column, value in (evidence or {}).items():
            row[0, self._place(column)] = value
        codes, missing = self._codes(row)
        missing = np.zeros(codes.shape, dtype=bool) if missing is None else missing
        answers, log_p = conditionals(self.parents_, self.conditional_tables_, codes, missing)
        self._refuse_impossible(log_p, 0)
        return dict(zip(self.categories_[j], answers[j][0].tolist(), strict=True))

    def impute(self, X: MatrixLike, how: str = "most probable") -> Array:
        """X with its missing cells filled in.

        Parameters
        ----------
        X : (n, p) array or frame.
        how : {"most probable", "marginal"}, default "most probable".  The most probable cells of a row together, or
            each the most probable by itself: fewer single cells are wrong that way, and the row may be impossible.
        """
        codes, missing = self._enter(X)
        if how not in ("most probable", "marginal"):
            raise cannot(f"impute how={how!r}", because="it is no such way", instead='"most probable" or "marginal"')
        if missing is None:
            return values_of(codes, self.categories_)
        part = np.flatnonzero(missing.any(axis=1))
        widest = max(len(known) for known in self.categories_)
        for rows in row_blocks(len(part), widest * sum(map(len, self.categories_))):
            mine = part[rows]
            tree = self.parents_, self.conditional_tables_, codes[mine], missing[mine]
            if how == "marginal":
                answers, log_p = conditionals(*tree)
                codes[mine] = np.column_stack([answer.argmax(axis=1) for answer in answers])
            else:
                codes[mine], log_p = most_probable(*tree)
            self._refuse_impossible(log_p, mine)
        return values_of(codes, self.categories_)

    def transform(self, X: MatrixLike) -> Array:
        """X with its missing cells filled in by the most probable ones together (:meth:`impute`)."""
        return self.impute(X)

    def sample(self, n_samples: int = 1, random_state: int | RandomState | None = None) -> Array:
        """Rows (n_samples, p) drawn from the tree."""
        check_is_fitted(self)
        if not isinstance(n_samples, int | np.integer) or n_samples < 1:
            raise cannot(
                f"draw n_samples={n_samples!r} rows",
                because="it is not a positive whole number",
                instead="a whole number above 0",
            )
        random = check_random_state(random_state)
        return values_of(drawn(self.parents_, self.conditional_tables_, n_samples, random), self.categories_)

    def joint_table(self) -> Array:
        """P'(x) of all cells, (V_1, ..., V_p): for few columns; of more than 2^31 cells it is refused."""
        check_is_fitted(self)
        shape = tuple(len(known) for known in self.categories_)
        refuse_too_many_cells(shape, "make the joint table")
        cells = np.indices(shape).reshape(len(shape), -1).T
        return np.exp(log_likelihood(self.parents_, self.conditional_tables_, cells)).reshape(shape)

    def kl_lemma(self, X: MatrixLike, sample_weight: ArrayLike | None = None) -> TreeLemma:
        r"""Both sides of the lemma for the distribution P of the rows of X and the tree P'.

        .. math:: D(P \| P') = -\sum_{(j,l) \in E} I(X_j; X_l) + \sum_j H(X_j) - H(X_1, \ldots, X_p)

        The left side is summed over the different rows, the right side is made of informations and entropies of P.
        They are equal where P' has the tables of P: of a fit without smoothing, on the rows that it was fitted to.
        """
        codes, missing = self._enter(X)
        if missing is not None:
            raise cannot(
                "compare X with the tree",
                because="the distribution of rows with missing cells is not known",
                instead="complete rows",
            )
        s = validate_weights(sample_weight, len(codes))
        rows, place = np.unique(codes[s > 0.0], axis=0, return_inverse=True)
        P = np.bincount(place.reshape(-1), s[s > 0.0]) / s.sum()
        sizes = np.array([len(known) for known in self.categories_])
        counts = pair_counts(codes[s > 0.0], sizes, s[s > 0.0])
        learnt = informations(shares(counts, sizes, float(s.sum()), 0.0), sizes)
        joint_entropy = -float(xlogy(P, P).sum())
        divergence = -joint_entropy - float(P @ log_likelihood(self.parents_, self.conditional_tables_, rows))
        information = float(learnt.informations[tuple(self.edges_.T)].sum())
        return TreeLemma(divergence, information, float(learnt.entropies.sum()), joint_entropy)

    def _enter(self, X: MatrixLike) -> tuple[Array, Array | None]:
        """Codes (n, p) of checked rows, and which cells are missing, or None."""
        check_is_fitted(self)
        return self._codes(validate_cells(self, X, reset=False))

    def _codes(self, X: Array) -> tuple[Array, Array | None]:
        return codes_of(X, self.categories_, self.unseen, self._name)

    def _name(self, j: int) -> str:
        return name_of(vars(self), j)

    def _place(self, column: Any) -> int:
        """The number of a column that is given by number or name; None is the first."""
        names = list(map(str, vars(self).get("feature_names_in_", ())))
        if column is None:
            return 0
        whole = isinstance(column, int | np.integer) and not isinstance(column, bool)
        if whole and 0 <= column < self.n_features_in_:
            return int(column)
        if isinstance(column, str) and column in names:
            return names.index(column)
        shown = ", ".join(map(repr, names[:8])) + (", …" if len(names) > 8 else "")
        raise cannot(
            f"find the column {column!r}",
            because="the tree has no such column",
            instead=f"a number from 0 to {self.n_features_in_ - 1}" + (f" or one of {shown}" if names else ""),
        )

    def _refuse_impossible(self, log_p: Array, first: Any) -> None:
        """Raise where a row has probability 0: nothing follows from it."""
        if (log_p == -np.inf).any():
            i = int(np.argmax(log_p == -np.inf))
            row = first + i if isinstance(first, int) else int(first[i])
            raise cannot(
                f"condition on row {row}",
                because="what it says is impossible: the tree gives it the probability 0",
                instead="smoothing > 0, or other evidence",
            )

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        tags.input_tags.allow_nan = True
        tags.transformer_tags.preserves_dtype = []
        return tags
