r"""Decision trees for classes: a leaf predicts the class that most of its training rows have."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import ClassifierMixin
from sklearn.utils.class_weight import compute_sample_weight

from separatrix.core.declaration import IMPORTANCES, SmallFit, declares
from separatrix.core.types import Array, MatrixLike
from separatrix.estimators import verification
from separatrix.estimators.class_weights import weights_by_class
from separatrix.estimators.tree.base import DecisionTree, checked_weights
from separatrix.estimators.validation import encode, validate_labels
from separatrix.prediction import forms
from separatrix.solvers.trees.criterion import OF_CLASSES
from separatrix.solvers.trees.grow import TreeTarget


@declares(
    task="classification",
    solvers=("solvers.trees.grow", "solvers.trees.nodes", "solvers.trees.pruning"),
    prediction=forms.TREE_CLASSES,
    verification=verification.OF_TREE,
    description=IMPORTANCES,
    small_fits=(SmallFit(storages=("float64",)), SmallFit(classes=3, storages=("float64",), called="three classes")),
)
class DecisionTreeClassifier(ClassifierMixin, DecisionTree):
    r"""A tree of questions about single columns; a leaf predicts the shares of the classes among its training rows.

    .. math:: \hat p_c(x) = \frac{\sum_{i \in \text{leaf}(x)} s_i 1[y_i = c]}{\sum_{i \in \text{leaf}(x)} s_i}

    Each node is split by the threshold, or the grouping of categories, that lowers the impurity most (Hunt's algorithm,
    greedily). Of equally good splits the lowest column wins, in it the lowest threshold: the tree is the same for every
    seed and every number of threads, unless `max_features` or `splitter="random"` ask for randomness.

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
    random_state : int, RandomState or None, default None.  Used only where something is drawn.
    max_leaf_nodes : int, [2, inf), or None, default None.  Split the node that gains most first, up to so many leaves.
    min_impurity_decrease : float, [0, inf), default 0.0.  Least gain of a split, as a share of all weight.
    class_weight : dict, list of dicts, "balanced" or None, default None.  Factors of the weights of the classes.
    ccp_alpha : float, [0, inf), default 0.0.  Price of a leaf in cost-complexity pruning; 0 prunes nothing.
    monotonic_cst : (p,) array of -1, 0, 1 or None, default None.  Signs of the effect on P(second class).
    categorical_features : places, names or mask of columns, "from_dtype" or None, default "from_dtype".  Columns whose
        values are categories without an order. "from_dtype": those of a frame that hold no numbers.
    split : {"binary", "multiway"}, default "binary".  Two groups of categories, or a child for each.
    n_bins : int, [2, inf), or None, default None.  With split="multiway", cut columns of numbers into so many parts of
        about equal counts, a child for each; None for thresholds.

    Attributes
    ----------
    classes_ : (k,) array, or a list of them for y of several columns.  n_classes_ : int, or a list.
    nodes_ : NodeTable.  tree_ : the same under scikit-learn's names.
    categories_ : list.  Of each categorical column its categories; None for numbers.
    feature_importances_ : (p,) array.  max_features_, n_outputs_, n_parameters_ : int.
    certificate_ : Certificate.  How far the numbers of the nodes are from those counted anew.
    n_features_in_, feature_names_in_ : as in scikit-learn.

    Notes
    -----
    A category that a node has not met in training, and a missing value of a column of categories that had none there,
    end in that node: its own shares are the default. Missing numbers go where the split was better, and with most
    rows where there were none in training. Infinite values are refused.

    A greedy tree has no optimum to certify: each split is the best of its node, the whole is not the best of its size.

    References: Breiman, Friedman, Olshen and Stone (1984), Classification and Regression Trees; Quinlan (1986), Machine
    Learning 1(1).

    >>> import numpy as np
    >>> X = np.array([["sunny"], ["rain"], ["overcast"], ["rain"]], dtype=object)
    >>> model = DecisionTreeClassifier(split="multiway").fit(X, ["no", "yes", "yes", "yes"])
    >>> model.predict(np.array([["sunny"], ["snow"]], dtype=object))
    array(['no', 'yes'], dtype='<U3')
    """

    _criteria = OF_CLASSES

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
        self.class_weight = class_weight
        self.ccp_alpha = ccp_alpha
        self.monotonic_cst = monotonic_cst
        self.categorical_features = categorical_features
        self.split = split
        self.n_bins = n_bins

    def _validate(self, X, y, sample_weight):
        design, codes = validate_labels(self, X, y, missing=True)
        s = checked_weights(sample_weight, design.n)
        classes = self.classes_ if self.outputs_2d_ else [self.classes_]
        codes = codes.reshape(design.n, -1)
        if self.class_weight is not None:
            s = self._weighted(classes, codes, s)
        self.n_outputs_ = len(classes)
        counts = [len(each) for each in classes]
        self.n_classes_ = counts if self.outputs_2d_ else counts[0]
        return design, TreeTarget(codes.astype(np.int32), max(counts)), s

    def _target_again(self, y, s, n):
        if not self.outputs_2d_:
            classes, codes = [self.classes_], encode(self, y.reshape(n), reset=False)[:, None]
        else:
            classes = self.classes_
            codes = np.stack([np.searchsorted(each, y[:, k]) for k, each in enumerate(classes)], axis=1)
        if self.class_weight is not None:
            s = self._weighted(classes, codes, s)
        return TreeTarget(codes.astype(np.int32), max(map(len, classes))), s

    def _weighted(self, classes, codes, s):
        """Weights of the rows times those of their classes, of all outputs."""
        if codes.shape[1] == 1:
            return weights_by_class(self.class_weight, classes[0], codes[:, 0], s)
        labels = np.stack([each[codes[:, k]] for k, each in enumerate(classes)], axis=1)
        factors = compute_sample_weight(self.class_weight, labels)
        return factors if s is None else s * factors

    def _class_counts(self):
        return self.n_classes_ if self.outputs_2d_ else [self.n_classes_]

    def predict_proba(self, X: MatrixLike, check_input: bool = True) -> Any:
        """The shares of the classes in the leaf of each row, (n, k); a list of them for y of several columns."""
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
        """The class with the largest share in the leaf of each row; the first of equals."""
        shares = self.predict_proba(X)
        if self.n_outputs_ == 1:
            return self.classes_[np.argmax(shares, axis=1)]
        chosen = [classes[np.argmax(each, axis=1)] for classes, each in zip(self.classes_, shares, strict=True)]
        return np.stack(chosen, axis=1)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        return tags
