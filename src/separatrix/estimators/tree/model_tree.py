r"""Trees whose nodes hold models: growth by what the models gain, and pruning by an information criterion.

Every node has a model of the rows that reach it. A node is split where the models of the children gain most
(:mod:`separatrix.solvers.trees.model_split`), down to `max_depth`; then, from the bottom up, a subtree is kept only if

.. math:: \sum_{\text{leaves}} \Big( \frac{D}{\hat\phi} + \lambda\,(\text{df} + 1) \Big)
          < \frac{D_t}{\hat\phi} + \lambda\,(\text{df}_t + 1)

where D is the deviance of a node's model and df its effective number of parameters, to which each leaf adds one, for
the threshold that parts it off. The price :math:`\lambda` is log W (BIC, W the sum of the weights) or 2 (AIC). The
scale :math:`\hat\phi` is 1 for classes; for numbers it is the error variance that the whole tree leaves.
"""

import time
from copy import copy
from dataclasses import dataclass, field
from math import log
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike

from separatrix.core.certificate import closed_form, warn_if_not_certified
from separatrix.core.declaration import predicts_classes
from separatrix.core.solution import Certificate
from separatrix.core.threads import on_one_blas_thread
from separatrix.core.tree_sum import MEAN, SCORE, TreeSum, WalkedTree
from separatrix.core.types import Array, MatrixLike
from separatrix.designs import as_dense
from separatrix.estimators.all_or_nothing import all_or_nothing
from separatrix.estimators.published import timed, worst
from separatrix.estimators.tree.coded_tree import CodedTree
from separatrix.estimators.validation import check_choice, check_number
from separatrix.prediction.model_trees import scores_at
from separatrix.solvers.trees.model_split import ScoredNode, Split, best_split
from separatrix.solvers.trees.nodes import apply, empty_nodes

EPS = float(np.finfo(np.float64).eps)
ADVICE = "Raise max_iter, standardise the columns, or penalise more (a smaller C)."
CRITERIA = ("bic", "aic")
DEEPEST = 100  # splits on the way to a leaf, whatever is asked


class NodeModel(NamedTuple):
    """The model of a node.

    Attributes
    ----------
    coef : (m, p) array.  intercept : (m,) array.  One score, or one for each of more than two classes.
    mean : (p,) array.  What a missing value counts as.
    value : (v,) array.  The mean of y, or the shares of the classes.
    deviance : float.  The sum of squares that is left, or twice the negative log-likelihood.
    parameters : float.  Effective number.
    scored : ScoredNode.  What its split is searched with.
    certificate : Certificate or None.  None where nothing had to be solved.
    """

    coef: Array
    intercept: Array
    mean: Array
    value: Array
    deviance: float
    parameters: float
    scored: ScoredNode
    certificate: Certificate | None


@dataclass
class GrownNode:
    """A node while the tree is made: its rows, its model, and its children, if it has any."""

    rows: Array
    weight: float
    model: NodeModel
    spread: Array
    split: Split | None = None
    children: list["GrownNode"] = field(default_factory=list)

    def leaves(self) -> list["GrownNode"]:
        """The leaves below the node, itself if it is one."""
        return [leaf for child in self.children for leaf in child.leaves()] if self.children else [self]

    def certificates(self) -> list[Certificate]:
        """Those of its model and of all below."""
        own = [] if self.model.certificate is None else [self.model.certificate]
        return own + [each for child in self.children for each in child.certificates()]


class ModelTree(CodedTree):
    """What trees with models in their nodes share."""

    node_coef_: Array
    node_intercept_: Array
    node_mean_: Array
    node_spread_: Array
    certificate_: Certificate

    def fit(self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit to X (n, p) and y (n,). A row of weight w counts as w rows, one of weight 0 as none."""
        with all_or_nothing(self):
            started = time.perf_counter()
            self._check()
            encoded, target, s = self._enter(X, y, sample_weight)
            self.n_outputs_ = 1
            X = np.asarray(as_dense(encoded), dtype=np.float64)
            s = np.ones(len(X)) if s is None else s
            rows = np.flatnonzero(s > 0.0)
            root = self._grown(X[rows], target[rows], s[rows])
            self._prune(root, target[rows], s[rows])
            self._publish(root)
            self._certify(root, started)
            return self

    def _check(self):
        check_choice(self, "pruning", (*CRITERIA, None))
        check_number(self, "max_depth", 0, DEEPEST, integer=True, none=True)
        self._count_of("min_samples_split", 2, 100)
        self._count_of("min_samples_leaf", 1, 100)

    def _in_models(self):
        """Which columns are in the models: those of numbers."""
        return ~(self._is_category | self._is_ordinal)

    def filled(self, X: Array, s: Array) -> tuple[Array, Array]:
        """Columns of the models of a node, missing values filled in, and the means that they are filled with.

        Columns that only splits use are 0, and so are columns without any value.
        """
        kept = self._in_models()
        known = ~np.isnan(X) & kept
        weight = s @ known
        mean = np.divide(s @ np.where(known, X, 0.0), weight, out=np.zeros(X.shape[1]), where=weight > 0.0)
        return np.where(known, X, np.where(kept, mean, 0.0)), mean

    @on_one_blas_thread
    def _grown(self, X, target, s):
        """The tree before pruning."""
        total = float(s.sum())
        least = float(self._count_of("min_samples_leaf", 1, total))
        fewest = max(float(self._count_of("min_samples_split", 2, total)), 2.0 * least)
        n_codes = np.array([0 if names is None else len(names) for names in self.categories_])
        n_codes[self._is_ordinal] = 0
        most = DEEPEST if self.max_depth is None else self.max_depth

        def grow(rows, depth, above):
            Z, mean = self.filled(X[rows], s[rows])
            model = self._node_model(Z, mean, target[rows], s[rows], above)
            node = GrownNode(rows, float(s[rows].sum()), model, spread_of(Z, mean, s[rows]))
            if depth >= most or node.weight < fewest or self._is_perfect(model, target[rows], s[rows]):
                return node
            node.split = best_split(model.scored, X[rows], n_codes, least)
            if node.split is not None:
                left = node.split.goes_left(X[rows, node.split.column])
                node.children = [grow(rows[side], depth + 1, model) for side in (left, ~left)]
            return node

        return grow(np.arange(len(X)), 0, None)

    def _prune(self, root, target, s):
        """Make leaves of the nodes whose subtrees do not lower the criterion."""
        if self.pruning is None:
            return
        scale, total = self._scale(root, target, s), float(s.sum())
        price = 2.0 if self.pruning == "aic" else log(max(total, np.e))

        def cost(node):
            own = node.model.deviance / scale + price * (node.model.parameters + 1.0)
            if not node.children:
                return own
            below = sum(map(cost, node.children))
            if below < own:
                return below
            node.children, node.split = [], None
            return own

        cost(root)

    def _publish(self, root):
        """The nodes as a table, parents before children, and an array for each part of their models."""
        nodes = [root]
        for node in nodes:
            nodes += node.children
        self.nodes_ = self._table(nodes)
        coef, intercept = (np.stack([getattr(node.model, part) for node in nodes]) for part in ("coef", "intercept"))
        one = coef.shape[1] == 1
        self.node_coef_, self.node_intercept_ = (coef[:, 0], intercept[:, 0]) if one else (coef, intercept)
        self.node_mean_ = np.stack([node.model.mean for node in nodes])
        self.node_spread_ = np.stack([node.spread for node in nodes])

    def _table(self, nodes):
        number = {id(node): place for place, node in enumerate(nodes)}
        routed = [node for node in nodes if node.children and node.split.left_codes is not None]
        widths = [len(self.categories_[node.split.column]) for node in routed]
        table = empty_nodes(len(nodes), len(nodes[0].model.value), sum(widths))
        used = 0
        for at, node in enumerate(nodes):
            table.weight[at], table.n_samples[at] = node.weight, len(node.rows)
            table.value[at], table.impurity[at] = node.model.value, node.model.deviance / node.weight
            if not node.children:
                continue
            left, right = (number[id(child)] for child in node.children)
            table.parent[[left, right]] = at
            table.column[at], table.left[at], table.right[at] = node.split.column, left, right
            heavier = left if node.children[0].weight > node.children[1].weight else right
            known = {True: left, False: right}.get(node.split.missing_left)
            if node.split.left_codes is None:
                table.threshold[at] = node.split.threshold
                table.missing[at] = heavier if known is None else known
                continue
            table.missing[at] = -1 if known is None else known
            table.offset[at], table.width[at] = used, len(self.categories_[node.split.column])
            for child, codes in ((left, node.split.left_codes), (right, node.split.right_codes)):
                table.routes[used + codes.astype(np.int64)] = child
            used += int(table.width[at])
        return table

    def _certify(self, root, started):
        """The worst certificate of the models that are left."""
        proofs = root.certificates()
        none = closed_form(0.0, 0.0, started=started, message="no node has anything to solve")
        self.certificate_ = timed(worst(proofs) if proofs else none, started)
        warn_if_not_certified(self.certificate_, ADVICE, stacklevel=4)

    def _class_counts(self):
        return [self.nodes_.value.shape[1]]

    def _scores(self, X):
        """Scores of the models where the rows end."""
        rows = self._rows(X)
        at = apply(self.nodes_, rows)
        return scores_at(at, self.node_coef_, self.node_intercept_, self.node_mean_, rows)

    @property
    def leaves_(self) -> Array:
        """Numbers of the leaves among the nodes, (n_leaves,)."""
        return np.flatnonzero(self.nodes_.column < 0)

    @property
    def leaf_coef_(self) -> Array:
        """Coefficients of the model of each leaf, (n_leaves, p), or (n_leaves, k, p) for k > 2 classes."""
        return self.node_coef_[self.leaves_]

    @property
    def leaf_intercept_(self) -> Array:
        """Intercepts of the model of each leaf, (n_leaves,), or (n_leaves, k) for k > 2 classes."""
        return self.node_intercept_[self.leaves_]

    @property
    def n_parameters_(self) -> int:
        """Thresholds, routes, and the coefficients and intercepts of the leaves."""
        inner = self.nodes_.column.size - len(self.leaves_)
        return inner + self.nodes_.routes.size + self.leaf_coef_.size + self.leaf_intercept_.size

    def to_text(self, *, feature_names: Any = None) -> str:
        """The tree as text: a line for each leaf, with what leads there and the formula of its model.

        Parameters
        ----------
        feature_names : sequence of str or None, default None.  None for those of the fit, or x0, x1.
        """
        from separatrix.estimators.tree.leaf_text import tree_text

        return tree_text(self, feature_names)


def tree_sum(model: ModelTree, X: MatrixLike) -> TreeSum:
    """What the models of the nodes give on average, and what each column adds in the model where a row ends."""
    nodes, rows = model.nodes_, model._rows(X)
    coef = model.node_coef_.reshape(nodes.column.size, -1, rows.shape[1])
    level = np.einsum("tmp,tp->tm", coef, model.node_mean_) + model.node_intercept_.reshape(len(coef), -1)
    at = apply(nodes, rows)
    apart = np.where(np.isnan(rows), 0.0, rows - model.node_mean_[at])
    linear = apart[:, :, None] * coef[at].transpose(0, 2, 1)
    tree = WalkedTree(nodes._asdict(), 0, level, level, rows=nodes.n_samples)
    scale = SCORE if predicts_classes(model) else MEAN
    return TreeSum(rows, np.zeros(level.shape[1]), [tree], scale, linear=linear)


def rescaled(model: ModelTree, origin: Array, unit: Array) -> ModelTree:
    r"""The same model as one of the columns :math:`x_j = \text{origin}_j + \text{unit}_j z_j`, where its own are z."""
    nodes, twin = model.nodes_, copy(model)
    j = np.maximum(nodes.column, 0)
    by_threshold = (nodes.column >= 0) & (nodes.offset < 0)
    twin.nodes_ = nodes._replace(
        threshold=np.where(by_threshold, origin[j] + unit[j] * nodes.threshold, nodes.threshold)
    )
    # a column of unit 0 was constant in training: it has the coefficient 0
    twin.node_coef_ = np.divide(model.node_coef_, unit, out=np.zeros_like(model.node_coef_), where=unit > 0.0)
    twin.node_intercept_ = model.node_intercept_ - twin.node_coef_ @ origin
    twin.node_mean_, twin.node_spread_ = origin + unit * model.node_mean_, unit * model.node_spread_
    return twin


def spread_of(Z: Array, mean: Array, s: Array) -> Array:
    """The standard deviation of each column among the rows of a node; 0 for columns that are not in the models."""
    return np.sqrt(s @ (Z - mean) ** 2 / s.sum())


def scored_node(
    Z: Array, mean: Array, s: Array, slopes: Array, curvatures: Array, strength: float, coef: Array | None
) -> ScoredNode:
    r"""A node as its split is searched, with columns of mean 0 and variance 1; constant ones are left out.

    The penalty is :math:`\frac{\text{strength}}{2} |w|^2` of coefficients in the units of the columns, drawn to 0
    where `coef` (m, p) is given, and to the coefficients of the node where it is None.
    """
    centred = Z - mean
    spread = spread_of(Z, mean, s)
    live = spread > 8.0 * EPS * np.abs(Z).max(axis=0)
    centred, spread = centred[:, live] / spread[live], spread[live]
    ridge = np.append(0.0, strength / spread**2)
    pull = np.zeros((len(ridge), slopes.shape[1]))
    if coef is not None:
        pull[1:] = strength * (coef[:, live] / spread).T
    return ScoredNode(np.column_stack([np.ones(len(Z)), centred]), slopes, curvatures, s, ridge, pull)
