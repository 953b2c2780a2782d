r"""Decision trees for numbers: a leaf predicts the mean, or the median, of its training rows."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import RegressorMixin

from separatrix.core.declaration import IMPORTANCES, SmallFit, declares
from separatrix.core.errors import cannot
from separatrix.core.types import Array, MatrixLike
from separatrix.estimators import verification
from separatrix.estimators.tree.base import DecisionTree
from separatrix.estimators.validation import enter
from separatrix.prediction import forms
from separatrix.solvers.trees.criterion import OF_NUMBERS
from separatrix.solvers.trees.grow import TreeTarget


@declares(
    task="regression",
    solvers=("solvers.trees.grow", "solvers.trees.nodes", "solvers.trees.pruning"),
    prediction=forms.TREE_NUMBERS,
    verification=verification.OF_TREE,
    description=IMPORTANCES,
    small_fits=(SmallFit(storages=("float64",)),),
)
class DecisionTreeRegressor(RegressorMixin, DecisionTree):
    r"""A tree of questions about single columns; a leaf predicts the mean of its training rows.

    .. math:: \hat y(x) = \frac{\sum_{i \in \text{leaf}(x)} s_i y_i}{\sum_{i \in \text{leaf}(x)} s_i}

    Each node is split by the threshold, or the grouping of categories, that lowers the criterion most. Of equally good
    splits the lowest column wins, in it the lowest threshold: the tree is the same for every seed and every number of
    threads, unless `max_features` or `splitter="random"` ask for randomness.

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
    random_state : int, RandomState or None, default None.  Used only where something is drawn.
    max_leaf_nodes : int, [2, inf), or None, default None.  Split the node that gains most first, up to so many leaves.
    min_impurity_decrease : float, [0, inf), default 0.0.  Least gain of a split, as a share of all weight.
    ccp_alpha : float, [0, inf), default 0.0.  Price of a leaf in cost-complexity pruning; 0 prunes nothing.
    monotonic_cst : (p,) array of -1, 0, 1 or None, default None.  Signs of the effect of each column.
    categorical_features : places, names or mask of columns, "from_dtype" or None, default "from_dtype".  Columns whose
        values are categories without an order. "from_dtype": those of a frame that hold no numbers.
    split : {"binary", "multiway"}, default "binary".  Two groups of categories, or a child for each.
    n_bins : int, [2, inf), or None, default None.  With split="multiway", cut columns of numbers into so many parts of
        about equal counts, a child for each; None for thresholds.

    Attributes
    ----------
    nodes_ : NodeTable.  tree_ : the same under scikit-learn's names.
    categories_ : list.  Of each categorical column its categories; None for numbers.
    feature_importances_ : (p,) array.  max_features_, n_outputs_, n_parameters_ : int.
    certificate_ : Certificate.  How far the numbers of the nodes are from those counted anew.
    n_features_in_, feature_names_in_ : as in scikit-learn.

    Notes
    -----
    Where rows with unknown categories and missing values go is said at :class:`DecisionTreeClassifier`. A greedy tree
    has no optimum to certify: each split is the best of its node, the whole is not the best of its size.

    References: Breiman, Friedman, Olshen and Stone (1984), Classification and Regression Trees.

    >>> import numpy as np
    >>> model = DecisionTreeRegressor(max_depth=1).fit(np.array([[1.0], [2.0], [4.0]]), [1.0, 1.0, 7.0])
    >>> model.predict(np.array([[2.5], [3.5]]))
    array([1., 7.])
    """

    _criteria = OF_NUMBERS

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
        ccp_alpha: float = 0.0,
        monotonic_cst: ArrayLike | None = None,
        categorical_features: Any = "from_dtype",
        split: str = "binary",
        n_bins: int | None = None,
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

    def _validate(self, X, y, sample_weight):
        design, target = enter(self, X, y, sample_weight, missing=True)
        y = target.y.reshape(design.n, -1)
        if self.criterion == "poisson" and (y.min() < 0.0 or not y.any(axis=0).all()):
            raise cannot(
                "fit DecisionTreeRegressor with criterion='poisson'",
                because="Some value(s) of y are negative" if y.min() < 0.0 else "Sum of y is not positive",
                instead="y >= 0 with a positive value in every output",
            )
        self.n_outputs_ = y.shape[1]
        return design, TreeTarget(y), target.s

    def _target_again(self, y, s, n):
        return TreeTarget(np.asarray(y, dtype=np.float64).reshape(n, -1)), s

    def _class_counts(self):
        return [1] * self.n_outputs_

    def predict(self, X: MatrixLike, check_input: bool = True) -> Array:
        """The value of the leaf of each row, (n,), or (n, k) for y of several columns."""
        values = self.tree_.predict(self._rows(X))
        return np.ascontiguousarray(values[..., 0])
