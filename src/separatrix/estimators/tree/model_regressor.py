r"""Model trees for numbers: a ridge regression in every leaf."""

from typing import Any

import numpy as np
from sklearn.base import RegressorMixin

from separatrix.core.declaration import DENSE, SmallFit, declares
from separatrix.core.family import Family, declare, needs
from separatrix.core.types import Array, MatrixLike
from separatrix.estimators import verification
from separatrix.estimators.linear.ridge import Ridge
from separatrix.estimators.tree.leaf_text import described
from separatrix.estimators.tree.model_tree import EPS, ModelTree, NodeModel, rescaled, scored_node, tree_sum
from separatrix.estimators.validation import check_number, enter
from separatrix.prediction import forms
from separatrix.solvers.choose import RIDGE

ROUNDED = (64.0 * EPS) ** 2  # a share of the squares of y that rounding alone leaves
# A root mean square error below a ten-thousandth of the standard deviation of y counts as 0. Where y has no noise only
# the bias of the ridge regression is left, and further splits would fit that.
SMALLEST = 1e-8


@declares(
    task="regression",
    losses=("losses:Squared",),
    penalties=("penalties:L2",),
    solvers=("solvers.trees.model_split", "solvers.trees.nodes", *RIDGE),
    prediction=forms.MODEL_TREE_NUMBERS,
    verification=verification.OF_MODEL_TREE,
    certifies=verification.LEAVES_SOLVED,
    description=described,
    rescaled=rescaled,
    tree_sum=tree_sum,
    small_fits=(SmallFit({"min_samples_leaf": 2, "min_samples_split": 4}, storages=DENSE),),
)
class ModelTreeRegressor(RegressorMixin, ModelTree):
    r"""A tree of questions about single columns, with a ridge regression in every leaf.

    .. math:: \hat y(x) = w_t^\top x + b_t, \qquad
              (w_t, b_t) = \arg\min_{w, b} \sum_{i \in t} s_i (y_i - x_i^\top w - b)^2 + \alpha \|w - w_{u}\|_2^2

    where t is the leaf of x, and u the node above t: each node is a ridge regression of the residuals of the model
    above it, so that leaves of few rows stay near the model of many. At the root :math:`w_u = 0`. A node is split where
    the models of its children fit best, which is computed exactly. A split is kept if it lowers the criterion
    `pruning`.

    Parameters
    ----------
    alpha : float, (0, inf), default 1.0.  Strength with which coefficients are drawn to those of the node above, in the
        units of X: standardise columns of different units.
    max_depth : int, [0, 100], or None, default 3.  Splits on the way to a leaf; 0 is one ridge
        regression, None the most.
    min_samples_split : int or share of the rows, default 20.  Rows that a node must have to be split; a row of weight w
        counts as w.
    min_samples_leaf : int or share of the rows, default 10.  Rows that each child must have, counted likewise.
    pruning : {"bic", "aic", None}, default "bic".  The criterion by which a split must pay, or None to keep all.
    categorical_features : places, names or mask of columns, "from_dtype" or None, default "from_dtype".  Columns whose
        values are categories without an order. "from_dtype": those of a frame that hold no numbers.

    Attributes
    ----------
    nodes_ : NodeTable.  tree_ : the same under scikit-learn's names. The impurity of a node is the mean square that its
        own model leaves, its value the mean of y.
    node_coef_ : (n_nodes, p) array.  node_intercept_ : (n_nodes,) array.  The model of every node.
    node_mean_ : (n_nodes, p) array.  What a missing value counts as in it.
    node_spread_ : (n_nodes, p) array.  Standard deviations of the columns among its rows.
    leaves_ : (n_leaves,) array.  Which nodes are leaves.  leaf_coef_, leaf_intercept_ : the rows of those.
    categories_ : list.  Of each categorical column its categories; None for numbers.
    n_outputs_, n_parameters_ : int.
    certificate_ : Certificate.  The worst of the ridge regressions.
    n_features_in_, feature_names_in_ : as in scikit-learn.

    Notes
    -----
    Nothing is random: the tree is the same whatever the number of threads. A greedy tree has no optimum to certify:
    the certificate is that of the models, not of the splits. Up to 64 quantiles of each column are tried as thresholds,
    then others between the neighbours of the best, until no value lies between. With more than 8 columns a score test
    chooses 8 to search. With more than 200 in the models, only the intercepts of the children are taken into account.

    Categories, and levels with an order (ordered categoricals of pandas, Enums of Polars), are used by splits but not
    by the models; one-hot columns of 0 and 1 are used by both. A category that a node has not met ends in that node,
    and is predicted by its model. Missing numbers go to the side where the split was better, or to the child of the
    larger weight where the node had none in training. In a model they count as the mean of the rows of the node.

    Predictions are not continuous where leaves meet, and nothing bounds them outside the rows of a leaf.

    References: Quinlan (1992), Learning with continuous classes. Zeileis, Hothorn and Hornik (2008), J. Comput. Graph.
    Statist. 17(2).

    >>> x = np.arange(-20.0, 20.0)[:, None]
    >>> model = ModelTreeRegressor(alpha=1e-6).fit(x, np.where(x[:, 0] < 3.0, 1.0 - x[:, 0], 4.0 + 2.0 * x[:, 0]))
    >>> print(model.to_text())
    if x0 <= 2.5 or missing then y = 1 - 1 x0  (23 rows)
    if x0 > 2.5 then y = 4 + 2 x0  (17 rows)
    """

    def __init__(
        self,
        alpha: float = 1.0,
        *,
        max_depth: int | None = 3,
        min_samples_split: float = 20,
        min_samples_leaf: float = 10,
        pruning: str | None = "bic",
        categorical_features: Any = "from_dtype",
    ) -> None:
        self.alpha = alpha
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.pruning = pruning
        self.categorical_features = categorical_features

    def _check(self):
        super()._check()
        check_number(self, "alpha", 0.0, open_low=True)

    def _validate(self, X, y, sample_weight):
        design, target = enter(self, X, y, sample_weight, missing=True, multi_output=False)
        return design, target.y, target.s

    def _target_again(self, y, s, n):
        return np.asarray(y, dtype=np.float64).reshape(n), s

    def _node_model(self, Z, mean, y, s, above):
        """A ridge regression of what the model above leaves."""
        p = Z.shape[1]
        coef, intercept = (np.zeros(p), 0.0) if above is None else (above.coef[0], above.intercept[0])
        left = y - Z @ coef - intercept
        certificate = None
        if above is None or s @ left**2 > ROUNDED * (s @ y**2):
            step = Ridge(alpha=self.alpha).fit(Z, left, sample_weight=s)
            coef, intercept, certificate = coef + step.coef_, intercept + step.intercept_, step.certificate_
        left = y - Z @ coef - intercept
        scored = scored_node(Z, mean, s, (s * left)[:, None], s[:, None], float(self.alpha), None)
        value, squares = np.array([s @ y / s.sum()]), float(s @ left**2)
        parameters = scored.effective_parameters
        return NodeModel(coef[None], np.array([intercept]), mean, value, squares, parameters, scored, certificate)

    def _is_perfect(self, model, y, s):
        return model.deviance <= ROUNDED * float(s @ y**2)

    def _scale(self, root, y, s):
        """The variance that the leaves of the whole tree leave, and no less than a small share of that of y."""
        leaves = root.leaves()
        squares, total = sum(leaf.model.deviance for leaf in leaves), float(s.sum())
        parameters = sum(leaf.model.parameters + 1.0 for leaf in leaves)
        smallest = SMALLEST * float(s @ (y - root.model.value[0]) ** 2) / total
        return max(squares / max(total - parameters, 1.0), smallest) or 1.0

    def predict(self, X: MatrixLike) -> Array:
        """What the model of the leaf of each row predicts, (n,)."""
        return self._scores(X)


def _searched(facts):
    return facts.searched(ModelTreeRegressor(), {"alpha": [1.0, 10.0, 100.0]})


declare(
    Family(
        name="model tree",
        task="regression",
        model=ModelTreeRegressor,
        make=_searched,
        complexity=50,
        description="A few questions about single columns lead to a linear model of the rows that answer alike; each "
        "has coefficients that can be read.",
        why_excluded=needs(dense=True, columns=100, rows_per_column=5.0),
    )
)
