r"""Decision trees for classes: a leaf predicts the class that most of its training rows have."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from separatrix.core.declaration import IMPORTANCES, SmallFit, declares
from separatrix.core.family import Family, declare, needs
from separatrix.core.types import Array, MatrixLike
from separatrix.estimators import verification
from separatrix.estimators.tree.base import DecisionTree, tree_sum
from separatrix.estimators.tree.targets import ClassTarget
from separatrix.prediction import forms


@declares(
    task="classification",
    solvers=("solvers.trees.grow", "solvers.trees.nodes", "solvers.trees.pruning"),
    prediction=forms.TREE_CLASSES,
    verification=verification.OF_TREE,
    certifies=verification.NODES_COUNTED,
    description=IMPORTANCES,
    tree_sum=tree_sum,
    small_fits=(SmallFit(storages=("float64",)), SmallFit(classes=3, storages=("float64",), called="three classes")),
)
class DecisionTreeClassifier(ClassTarget, DecisionTree):
    r"""A tree of questions about single columns; a leaf predicts the shares of the classes among its training rows.

    .. math:: \hat p_c(x) = \frac{\sum_{i \in \text{leaf}(x)} s_i 1[y_i = c]}{\sum_{i \in \text{leaf}(x)} s_i}

    Each node is split by the threshold, or the grouping of categories, that lowers the impurity most (Hunt's algorithm,
    greedily). Of equally good splits the lowest column wins, in it missing values on the right, then the lowest
    threshold: the tree is the same for every seed and every number of threads, unless `max_features` or
    `splitter="random"` ask for randomness.

    Parameters
    ----------
    criterion : {"gini", "entropy", "log_loss", "information_gain", "gain_ratio", "classification_error"}, default
        "gini".  Impurity of a node; entropies are in bits. "log_loss" and "information_gain" are the entropy;
        "gain_ratio" ranks splits by the gain in entropy over the entropy of the sizes of the children.
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
    class_weight : dict, list of dicts, "balanced" or None, default None.  Factors of the weights of the classes.
    ccp_alpha : float, [0, inf), or {"best", "1se"}, default 0.0.  Complexity parameter of cost-complexity pruning, the
        cost of a leaf; 0 prunes nothing. "best" and "1se" choose it by cross-validation: the value of the least error
        on rows left out, or the largest value whose error is within one standard error of the least.
    monotonic_cst : (p,) array of -1, 0, 1 or None, default None.  Signs of the effect on P(second class).
    categorical_features : places, names or mask of columns, "from_dtype" or None, default "from_dtype".  Columns whose
        values are categories without an order. "from_dtype": those of a frame that hold no numbers.
    split : {"binary", "multiway"}, default "binary".  Two groups of categories, or a child for each.
    n_bins : int, [2, inf), or None, default None.  With split="multiway", cut columns of numbers into so many parts of
        about equal counts, a child for each; None for thresholds.
    pruning : {None, "reduced_error"}, default None.  "reduced_error" grows the tree on a part of the rows. Then, from
        the bottom up, each node but the root becomes a leaf if that does not raise the error on the other rows.
    validation_fraction : float, (0, 1), default 0.25.  With pruning="reduced_error", the share of the rows held
        out, of each class alike.
    cv : int or splitter, default 10.  With ccp_alpha="best" or "1se", the folds.

    Attributes
    ----------
    classes_ : (k,) array, or a list of them for y of several columns.  n_classes_ : int, or a list.
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
    A category that a node has not met in training ends in that node, and is predicted by the shares of all training
    rows of the node; so is a missing category, where the node had none in training. Missing numbers go to the side
    where the split was better; where the node had none in training, to the child of the larger weight. Infinite values
    are refused.

    Columns of a frame whose levels have an order (ordered categoricals of pandas, Enums of Polars, ordered dictionaries
    of pyarrow) are split between neighbouring levels, unless `categorical_features` names them. A level that the frame
    of the fit did not state is taken for a missing value. Dates and durations are refused, unless named there: use
    numbers in their place, such as days since 1970-01-01.

    With pruning="reduced_error" the numbers of the nodes are those of the rows that were not held out, and
    `random_state` divides the rows; `verify` divides them again. Rows are divided whatever their weights, which count
    in both parts. The error is the share of wrong classes. With cross-validation the numbers of the nodes are those of
    all rows. The trees of the folds are pruned at the geometric means of neighbouring values of `ccp_alphas_`, as in
    CART and rpart, and standard errors are taken over rows.

    Labels of rows of weight 0 make no classes, as if these rows were not there; in scikit-learn's trees they make
    classes of probability 0.

    A greedy tree has no optimum to certify: each split is the best of its node, but the tree need not be the best of
    its size.

    References: Breiman, Friedman, Olshen and Stone (1984), Classification and Regression Trees; Quinlan (1986), Machine
    Learning 1(1).

    >>> import numpy as np
    >>> X = np.array([["sunny"], ["rain"], ["overcast"], ["rain"]], dtype=object)
    >>> model = DecisionTreeClassifier(split="multiway").fit(X, ["no", "yes", "yes", "yes"])
    >>> model.predict(np.array([["sunny"], ["snow"]], dtype=object))
    array(['no', 'yes'], dtype='<U3')
    """

    def __init__(
        self,
        *,
        criterion: str = "gini",
        splitter: str = "best",
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: Any = None,
        random_state: Any = None,
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        class_weight: Any = None,
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
        self.class_weight = class_weight
        self.ccp_alpha = ccp_alpha
        self.monotonic_cst = monotonic_cst
        self.categorical_features = categorical_features
        self.split = split
        self.n_bins = n_bins
        self.pruning = pruning
        self.validation_fraction = validation_fraction
        self.cv = cv

    def predict_proba(self, X: MatrixLike, check_input: bool = True) -> Any:
        """The shares of the classes in the leaf of each row, (n, k); a list of them for y of several columns.

        `check_input` is accepted for compatibility with scikit-learn: rows are always checked.
        """
        shares = self.tree_.predict(self._rows(X))
        if self.n_outputs_ == 1:
            return shares
        return [shares[:, k, :count] for k, count in enumerate(self.n_classes_)]

    def predict_log_proba(self, X: MatrixLike) -> Any:
        """Logarithms of the shares."""
        shares = self.predict_proba(X)
        with np.errstate(divide="ignore"):
            return np.log(shares) if self.n_outputs_ == 1 else [np.log(each) for each in shares]

    def predict(self, X: MatrixLike, check_input: bool = True) -> Array:
        """The class with the largest share in the leaf of each row; the first of equals.

        `check_input` is accepted for compatibility with scikit-learn: rows are always checked.
        """
        shares = self.predict_proba(X)
        if self.n_outputs_ == 1:
            return self.classes_[np.argmax(shares, axis=1)]
        chosen = [classes[np.argmax(each, axis=1)] for classes, each in zip(self.classes_, shares, strict=True)]
        return np.stack(chosen, axis=1)


def _pruned(facts):
    from separatrix.estimators.preparation.compose import category_places  # brings scikit-learn's column transformer

    tree = DecisionTreeClassifier(categorical_features=category_places(facts.kinds), random_state=facts.seed)
    grid = {"ccp_alpha": [0.0, 1e-3, 5e-3, 2e-2], "min_samples_leaf": [2, 10]}
    return facts.searched(tree, grid)


declare(
    Family(
        name="decision tree",
        task="classification",
        model=DecisionTreeClassifier,
        make=_pruned,
        complexity=45,
        description="A few questions about single columns, one after the other, lead to a share of each class; it can "
        "be drawn and followed by hand.",
        preparation="trees",
        why_excluded=needs(dense=True, rows_per_class=2),
    )
)
