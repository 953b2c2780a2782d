"""Extremely randomised trees: means of trees whose thresholds are drawn at random."""

from typing import Any

from numpy.typing import ArrayLike

from separatrix.core.declaration import IMPORTANCES, SmallFit, declares
from separatrix.core.family import Family, declare, needs
from separatrix.estimators import verification
from separatrix.estimators.ensemble.forest import forest_sum
from separatrix.estimators.ensemble.forest_answers import ForestOfClasses, ForestOfNumbers
from separatrix.prediction import forms


@declares(
    task="classification",
    solvers=("solvers.trees.grow", "solvers.trees.nodes", "solvers.trees.packed", "solvers.trees.pruning"),
    prediction=forms.FOREST_CLASSES,
    verification=verification.OF_FOREST,
    certifies=verification.SOME_TREES_COUNTED,
    description=IMPORTANCES,
    tree_sum=forest_sum,
    small_fits=(
        SmallFit({"n_estimators": 2}, storages=("float64",)),
        SmallFit({"n_estimators": 2}, classes=3, storages=("float64",), called="three classes"),
    ),
)
class ExtraTreesClassifier(ForestOfClasses):
    r"""The mean of M trees of classes whose thresholds are drawn at random, one for each column drawn.

    .. math:: \hat p_c(x) = \frac1M \sum_{m=1}^M \hat p_{mc}(x)

    For each node m columns are drawn, and for each of them one threshold between the least and the largest value of the
    node; the best of these m splits is taken. Trees see all rows unless `bootstrap`. Thresholds drawn at random make
    trees differ more than those of a random forest do, at the price of a little bias; small `min_samples_leaf` lowers
    it.

    Parameters
    ----------
    n_estimators : int, [1, inf), default 100.  Trees, M.
    criterion : {"gini", "entropy", "log_loss", "information_gain", "gain_ratio", "classification_error"}, default
        "gini".  Impurity of a node. "gain_ratio" is the normalised information gain.
    max_depth : int, [1, inf), or None, default None.  Splits on the way to a leaf.
    min_samples_split : int or share of the rows, default 2.  Rows that a node must have to be split: distinct rows that
        were drawn are counted, whatever their weight.
    min_samples_leaf : int or share of the rows, default 1.  Rows that each child must have.
    min_weight_fraction_leaf : float, [0, 0.5], default 0.0.  Share of the weight that each child must have.
    max_features : int, share, {"sqrt", "log2"} or None, default "sqrt".  Columns drawn for each node, m; None for all.
    max_leaf_nodes : int, [2, inf), or None, default None.  Split the node that gains most first, up to so many leaves.
    min_impurity_decrease : float, [0, inf), default 0.0.  Least gain of a split, as a share of all weight.
    bootstrap : bool, default False.  Whether each tree has a sample of the rows, drawn with replacement; else all rows.
    oob_score : bool or callable, default False.  Whether to score each row by the trees that have not seen it; a
        callable is the measure, ``(truth, answers) -> float``; of classes it is given their codes 0, 1, ...
    n_jobs, verbose : accepted for compatibility; threads are set by ``SEPARATRIX_THREADS``, and the forest is the same
        at any number of them.
    random_state : int, RandomState or None, default None.  Seed of the columns and thresholds drawn for each node, and
        of bootstrap samples.
    warm_start : bool, default False.  Whether another fit keeps the trees and only adds to them.
    class_weight : dict, list of dicts, "balanced", "balanced_subsample" or None, default None.  Factors of the weights
        of the classes; "balanced_subsample" balances each sample by itself.
    ccp_alpha : float, [0, inf), default 0.0.  Price of a leaf in cost-complexity pruning; 0 prunes nothing.
    max_samples : int, share in (0, 1], or None, default None.  Rows of each sample; None for as many as there are,
        which is what the weights sum to.
    monotonic_cst : (p,) array of -1, 0, 1 or None, default None.  Signs of the effect of each column on P(second
        class).
    categorical_features : places, names or mask of columns, "from_dtype" or None, default "from_dtype".  Columns whose
        values are categories without an order. "from_dtype": those of a frame that hold no numbers.

    Attributes
    ----------
    classes_ : (k,) array, or a list of them for y of several columns.  n_classes_ : int, or a list.
    estimators_ : list of M fitted trees, made when they are asked for. They predict the codes 0, 1, ... of the classes.
        estimator_ : such a tree, not fitted.
    estimators_samples_ : list of M arrays.  The places of the rows of each, drawn again when they are asked for.
    feature_importances_ : (p,) array.  max_features_, n_outputs_, n_parameters_ : int.
    categories_ : list.  Of each categorical column its categories; None for numbers.
    oob_decision_function_ : array, oob_score_ : float, with `oob_score`.  Answers of the trees that have not seen
        a row, NaN where all have; the share of rows whose class they predict.
    certificate_ : Certificate.  How far the numbers of the nodes of three trees are from those counted anew.
    n_features_in_, feature_names_in_ : as in scikit-learn.

    Notes
    -----
    Splits are exact: all thresholds between neighbouring values are possible. Columns are ranked once for all trees.
    Weights are repetitions: a row of weight 3 counts as three equal rows would, in every tree. Where rows with
    unknown categories and missing values go is said at :class:`DecisionTreeClassifier`.

    References: Geurts, Ernst and Wehenkel (2006), Machine Learning 63(1).

    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], ["a", "a", "b", "b"]
    >>> model = ExtraTreesClassifier(n_estimators=20, random_state=0).fit(X, y)
    >>> model.predict([[0.2], [2.9]]).tolist()
    ['a', 'b']
    """

    splitter = "random"

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        criterion: str = "gini",
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: Any = "sqrt",
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        bootstrap: bool = False,
        oob_score: Any = False,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
        warm_start: bool = False,
        class_weight: Any = None,
        ccp_alpha: float = 0.0,
        max_samples: float | None = None,
        monotonic_cst: ArrayLike | None = None,
        categorical_features: Any = "from_dtype",
    ) -> None:
        self.n_estimators = n_estimators
        self.criterion = criterion
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_features = max_features
        self.max_leaf_nodes = max_leaf_nodes
        self.min_impurity_decrease = min_impurity_decrease
        self.bootstrap = bootstrap
        self.oob_score = oob_score
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.warm_start = warm_start
        self.class_weight = class_weight
        self.ccp_alpha = ccp_alpha
        self.max_samples = max_samples
        self.monotonic_cst = monotonic_cst
        self.categorical_features = categorical_features


@declares(
    task="regression",
    solvers=("solvers.trees.grow", "solvers.trees.nodes", "solvers.trees.packed", "solvers.trees.pruning"),
    prediction=forms.FOREST_NUMBERS,
    verification=verification.OF_FOREST,
    certifies=verification.SOME_TREES_COUNTED,
    description=IMPORTANCES,
    tree_sum=forest_sum,
    small_fits=(SmallFit({"n_estimators": 2}, storages=("float64",)),),
)
class ExtraTreesRegressor(ForestOfNumbers):
    r"""The mean of M trees of numbers whose thresholds are drawn at random, one for each column drawn.

    .. math:: \hat y(x) = \frac1M \sum_{m=1}^M \hat y_m(x)

    For each node m columns are drawn, and for each of them one threshold between the least and the largest value of the
    node; the best of these m splits is taken. Trees see all rows unless `bootstrap`. Thresholds drawn at random make
    trees differ more than those of a random forest do, at the price of a little bias; small `min_samples_leaf` lowers
    it.

    Parameters
    ----------
    n_estimators : int, [1, inf), default 100.  Trees, M.
    criterion : {"squared_error", "friedman_mse", "absolute_error", "poisson"}, default "squared_error".  What a split
        lowers. With "absolute_error" a leaf predicts the median.
    max_depth : int, [1, inf), or None, default None.  Splits on the way to a leaf.
    min_samples_split : int or share of the rows, default 2.  Rows that a node must have to be split: distinct rows that
        were drawn are counted, whatever their weight.
    min_samples_leaf : int or share of the rows, default 1.  Rows that each child must have.
    min_weight_fraction_leaf : float, [0, 0.5], default 0.0.  Share of the weight that each child must have.
    max_features : int, share, {"sqrt", "log2"} or None, default 1.0.  Columns drawn for each node, m; None for all.
    max_leaf_nodes : int, [2, inf), or None, default None.  Split the node that gains most first, up to so many leaves.
    min_impurity_decrease : float, [0, inf), default 0.0.  Least gain of a split, as a share of all weight.
    bootstrap : bool, default False.  Whether each tree has a sample of the rows, drawn with replacement; else all rows.
    oob_score : bool or callable, default False.  Whether to score each row by the trees that have not seen it; a
        callable is the measure, ``(truth, answers) -> float``; of classes it is given their codes 0, 1, ...
    n_jobs, verbose : accepted for compatibility; threads are set by ``SEPARATRIX_THREADS``, and the forest is the same
        at any number of them.
    random_state : int, RandomState or None, default None.  Seed of the columns and thresholds drawn for each node, and
        of bootstrap samples.
    warm_start : bool, default False.  Whether another fit keeps the trees and only adds to them.
    ccp_alpha : float, [0, inf), default 0.0.  Price of a leaf in cost-complexity pruning; 0 prunes nothing.
    max_samples : int, share in (0, 1], or None, default None.  Rows of each sample; None for as many as there are,
        which is what the weights sum to.
    monotonic_cst : (p,) array of -1, 0, 1 or None, default None.  Signs of the effect of each column.
    categorical_features : places, names or mask of columns, "from_dtype" or None, default "from_dtype".  Columns whose
        values are categories without an order. "from_dtype": those of a frame that hold no numbers.

    Attributes
    ----------
    estimators_ : list of M fitted trees, made when they are asked for.  estimator_ : such a tree, not fitted.
    estimators_samples_ : list of M arrays.  The places of the rows of each, drawn again when they are asked for.
    feature_importances_ : (p,) array.  max_features_, n_outputs_, n_parameters_ : int.
    categories_ : list.  Of each categorical column its categories; None for numbers.
    oob_prediction_ : array, oob_score_ : float, with `oob_score`.  Answers of the trees that have not seen
        a row, NaN where all have; their R².
    certificate_ : Certificate.  How far the numbers of the nodes of three trees are from those counted anew.
    n_features_in_, feature_names_in_ : as in scikit-learn.

    Notes
    -----
    Splits are exact: all thresholds between neighbouring values are possible. Columns are ranked once for all trees.
    Weights are repetitions: a row of weight 3 counts as three equal rows would, in every tree. Where rows with
    unknown categories and missing values go is said at :class:`DecisionTreeClassifier`.

    References: Geurts, Ernst and Wehenkel (2006), Machine Learning 63(1).

    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [0.0, 0.0, 8.0, 8.0]
    >>> model = ExtraTreesRegressor(n_estimators=20, random_state=0).fit(X, y)
    >>> bool(model.predict([[0.2]])[0] < 4.0 < model.predict([[2.9]])[0])
    True
    """

    splitter = "random"

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        criterion: str = "squared_error",
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: Any = 1.0,
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        bootstrap: bool = False,
        oob_score: Any = False,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
        warm_start: bool = False,
        ccp_alpha: float = 0.0,
        max_samples: float | None = None,
        monotonic_cst: ArrayLike | None = None,
        categorical_features: Any = "from_dtype",
    ) -> None:
        self.n_estimators = n_estimators
        self.criterion = criterion
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_features = max_features
        self.max_leaf_nodes = max_leaf_nodes
        self.min_impurity_decrease = min_impurity_decrease
        self.bootstrap = bootstrap
        self.oob_score = oob_score
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.warm_start = warm_start
        self.ccp_alpha = ccp_alpha
        self.max_samples = max_samples
        self.monotonic_cst = monotonic_cst
        self.categorical_features = categorical_features


def _class_forest(facts):
    from separatrix.estimators.preparation.compose import category_places  # brings scikit-learn's column transformer

    forest = ExtraTreesClassifier(categorical_features=category_places(facts.kinds), random_state=facts.seed)
    # pure leaves make probabilities too sure where classes are noisy
    return facts.searched(forest, {"min_samples_leaf": [1, 5]})


declare(
    Family(
        name="extra trees",
        task="classification",
        model=ExtraTreesClassifier,
        make=_class_forest,
        complexity=63,
        description="Many trees with thresholds drawn at random vote; there is no formula to read.",
        preparation="trees",
        why_excluded=needs(dense=True, rows_per_class=2),
    )
)


def _number_forest(facts):
    from separatrix.estimators.preparation.compose import category_places  # brings scikit-learn's column transformer

    forest = ExtraTreesRegressor(categorical_features=category_places(facts.kinds), random_state=facts.seed)
    return facts.searched(forest, {"max_features": [1 / 3, 1.0]})


declare(
    Family(
        name="extra trees",
        task="regression",
        model=ExtraTreesRegressor,
        make=_number_forest,
        complexity=63,
        description="The mean of many trees with thresholds drawn at random; there is no formula to read.",
        preparation="trees",
        why_excluded=needs(dense=True),
    )
)
