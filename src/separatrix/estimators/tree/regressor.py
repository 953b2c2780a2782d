r"""Decision trees for numbers: a leaf predicts the mean, or the median, of its training rows."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from separatrix.core.declaration import IMPORTANCES, SmallFit, declares
from separatrix.core.family import Family, declare, needs
from separatrix.core.types import Array, MatrixLike
from separatrix.estimators import verification
from separatrix.estimators.tree.base import DecisionTree, tree_sum
from separatrix.estimators.tree.targets import NumberTarget
from separatrix.prediction import forms


@declares(
    task="regression",
    solvers=("solvers.trees.grow", "solvers.trees.nodes", "solvers.trees.pruning"),
    prediction=forms.TREE_NUMBERS,
    verification=verification.OF_TREE,
    certifies=verification.NODES_COUNTED,
    description=IMPORTANCES,
    tree_sum=tree_sum,
    small_fits=(SmallFit(storages=("float64",)),),
)
class DecisionTreeRegressor(NumberTarget, DecisionTree):
    r"""A tree of questions about single columns; a leaf predicts the mean of its training rows.

    .. math:: \hat y(x) = \frac{\sum_{i \in \text{leaf}(x)} s_i y_i}{\sum_{i \in \text{leaf}(x)} s_i}

    Each node is split by the threshold, or the grouping of categories, that lowers the criterion most. Of equally good
    splits the lowest column wins, in it missing values on the right, then the lowest threshold: the tree is the same
    for every seed and every number of threads, unless `max_features` or `splitter="random"` ask for randomness.

    Parameters
    ----------
    criterion : {"squared_error", "friedman_mse", "absolute_error", "poisson"}, default "squared_error".  What a split
        lowers. With "absolute_error" a leaf predicts the median. "friedman_mse" chooses the same splits as
        "squared_error", and is accepted for scikit-learn's sake.
    splitter : {"best", "random"}, default "best".  Search all thresholds, or draw one for each column.
    max_depth : int, [1, inf), or None, default None.  Splits on the way to a leaf.
    min_samples_split : int or share of the rows, default 2.  Rows that a node must have to be split: rows are counted,
        whatever their weight.
    min_samples_leaf : int or share of the rows, default 1.  Rows that each child must have.
    min_weight_fraction_leaf : float, [0, 0.5], default 0.0.  Share of the weight that each child must have.
    max_features : int, share, {"sqrt", "log2"} or None, default None.  Columns drawn for each node; None for all.
    random_state : int, RandomState or None, default None.  Used only where something is drawn, and for the division of
        the rows by pruning="reduced_error".
    max_leaf_nodes : int, [2, inf), or None, default None.  Split the node that gains most first, up to so many leaves.
        A node whose best split has more children than there is room for stays a leaf.
    min_impurity_decrease : float, [0, inf), default 0.0.  Least gain of a split, as a share of all weight.
    ccp_alpha : float, [0, inf), or {"best", "1se"}, default 0.0.  Complexity parameter of cost-complexity pruning, the
        cost of a leaf; 0 prunes nothing. "best" and "1se" choose it by cross-validation: the value of the least error
        on rows left out, or the largest value whose error is within one standard error of the least.
    monotonic_cst : (p,) array of -1, 0, 1 or None, default None.  Signs of the effect of each column.
    categorical_features : places, names or mask of columns, "from_dtype" or None, default "from_dtype".  Columns whose
        values are categories without an order. "from_dtype": those of a frame that hold no numbers.
    split : {"binary", "multiway"}, default "binary".  Two groups of categories, or a child for each.
    n_bins : int, [2, inf), or None, default None.  With split="multiway", cut columns of numbers into so many parts of
        about equal counts, a child for each; None for thresholds.
    pruning : {None, "reduced_error"}, default None.  "reduced_error" grows the tree on a part of the rows. Then, from
        the bottom up, each node but the root becomes a leaf if that does not raise the error on the other rows.
    validation_fraction : float, (0, 1), default 0.25.  With pruning="reduced_error", the share of the rows held
        out.
    cv : int or splitter, default 10.  With ccp_alpha="best" or "1se", the folds.

    Attributes
    ----------
    nodes_ : NodeTable.  tree_ : the same under scikit-learn's names.
    categories_ : list.  Of each categorical column its categories; None for numbers.
    feature_importances_ : (p,) array.  max_features_, n_outputs_, n_parameters_ : int.
    ccp_alpha_ : float.  The value chosen.  ccp_alphas_, cv_errors_, cv_standard_errors_ : (L,) arrays.  The values
        tried, from the whole tree to the root alone, the errors on rows left out and their standard errors. With
        ccp_alpha="best" or "1se" only.
    certificate_ : Certificate.  How far the numbers of the nodes are from those counted anew.
    n_features_in_, feature_names_in_ : as in scikit-learn.

    Notes
    -----
    Where rows with unknown categories and missing values go, and how pruning divides the rows, is said at
    :class:`DecisionTreeClassifier`; errors on rows left out are measured as the criterion does. A greedy tree has no
    optimum to certify: each split is the best of its node, the whole is not the best of its size.

    References: Breiman, Friedman, Olshen and Stone (1984), Classification and Regression Trees.

    >>> import numpy as np
    >>> model = DecisionTreeRegressor(max_depth=1).fit(np.array([[1.0], [2.0], [4.0]]), [1.0, 1.0, 7.0])
    >>> model.predict(np.array([[2.5], [3.5]]))
    array([1., 7.])
    """

    def __init__(
        self,
        *,
        criterion: str = "squared_error",
        splitter: str = "best",
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: Any = None,
        random_state: Any = None,
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        ccp_alpha: float | str = 0.0,
        monotonic_cst: ArrayLike | None = None,
        categorical_features: Any = "from_dtype",
        split: str = "binary",
        n_bins: int | None = None,
        pruning: str | None = None,
        validation_fraction: float = 0.25,
        cv: Any = 10,
    ) -> None:
        self.criterion = criterion
        self.splitter = splitter
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_features = max_features
        self.random_state = random_state
        self.max_leaf_nodes = max_leaf_nodes
        self.min_impurity_decrease = min_impurity_decrease
        self.ccp_alpha = ccp_alpha
        self.monotonic_cst = monotonic_cst
        self.categorical_features = categorical_features
        self.split = split
        self.n_bins = n_bins
        self.pruning = pruning
        self.validation_fraction = validation_fraction
        self.cv = cv

    def predict(self, X: MatrixLike, check_input: bool = True) -> Array:
        """The value of the leaf of each row, (n,), or (n, k) for y of several columns.

        `check_input` is accepted for compatibility with scikit-learn: rows are always checked.
        """
        values = self.tree_.predict(self._rows(X))
        return np.ascontiguousarray(values[..., 0])


def _pruned(facts):
    from separatrix.estimators.preparation.compose import category_places  # brings scikit-learn's column transformer

    tree = DecisionTreeRegressor(categorical_features=category_places(facts.kinds), random_state=facts.seed)
    prices = [share * facts.spread**2 for share in (0.0, 1e-3, 5e-3, 2e-2)]  # of the variance of the target
    grid = {"ccp_alpha": prices, "min_samples_leaf": [2, 10]}
    return facts.searched(tree, grid)


declare(
    Family(
        name="decision tree",
        task="regression",
        model=DecisionTreeRegressor,
        make=_pruned,
        complexity=45,
        description="A few questions about single columns, one after the other, lead to a mean; it can be drawn and "
        "followed by hand.",
        preparation="trees",
        why_excluded=needs(dense=True),
    )
)
