"""A table of nodes under scikit-learn's names: what ``tree_`` is."""

import numpy as np
from scipy.sparse import csr_matrix

from separatrix.core.errors import cannot
from separatrix.solvers.trees import nodes as tables

NO_CHILD, NO_COLUMN = -1, -2  # scikit-learn's TREE_LEAF and TREE_UNDEFINED


class TreeArrays:
    """The nodes of a fitted tree: scikit-learn's arrays, made of the table when they are asked for.

    Attributes
    ----------
    nodes : NodeTable.  The table itself: routes of categories, and children of multiway splits, are only there.
    n_features, n_outputs, max_n_classes, node_count, n_leaves, max_depth : int.
    n_classes : (n_outputs,) array.
    children_left, children_right, feature, threshold, impurity, n_node_samples, weighted_n_node_samples,
    missing_go_to_left : (node_count,) arrays.  -1 for no child, and -2 for no column and no threshold, in leaves.
    value : (node_count, n_outputs, max_n_classes) array.
    """

    def __init__(self, nodes, n_features, n_classes):
        self.nodes, self.n_features, self.n_classes = nodes, n_features, np.asarray(n_classes, dtype=np.intp)
        self.n_outputs, self.max_n_classes = len(self.n_classes), int(self.n_classes.max())

    @property
    def node_count(self):
        return self.nodes.column.size

    capacity = node_count

    @property
    def n_leaves(self):
        return int(np.count_nonzero(self.nodes.column < 0))

    @property
    def max_depth(self):
        return int(tables.depths_of(self.nodes).max())

    @property
    def children_left(self):
        self._refuse_multiway()
        return self.nodes.left.astype(np.intp)

    @property
    def children_right(self):
        self._refuse_multiway()
        return self.nodes.right.astype(np.intp)

    @property
    def feature(self):
        return np.where(self.nodes.column < 0, NO_COLUMN, self.nodes.column).astype(np.intp)

    @property
    def threshold(self):
        return np.where(self.nodes.column < 0, float(NO_COLUMN), self.nodes.threshold)

    @property
    def impurity(self):
        return self.nodes.impurity

    @property
    def n_node_samples(self):
        return self.nodes.n_samples

    @property
    def weighted_n_node_samples(self):
        return self.nodes.weight

    @property
    def missing_go_to_left(self):
        return ((self.nodes.missing == self.nodes.left) & (self.nodes.left >= 0)).astype(np.uint8)

    @property
    def value(self):
        return self.nodes.value.reshape(self.node_count, self.n_outputs, self.max_n_classes)

    def _refuse_multiway(self):
        if np.any((self.nodes.column >= 0) & (self.nodes.left < 0)):
            raise cannot(
                "give a left and a right child of each node",
                because="some nodes have a child for each category",
                instead="tree_.nodes, or split='binary'",
            )

    def apply(self, X):
        """The node in which each row of X (codes for categories) ends."""
        return tables.apply(self.nodes, X).astype(np.int64)

    def predict(self, X):
        """The value of that node, (n, max_n_classes), with a middle axis for several outputs."""
        values = tables.predict_values(self.nodes, X).reshape(len(X), self.n_outputs, self.max_n_classes)
        return values[:, 0] if self.n_outputs == 1 else values

    def decision_path(self, X):
        """The nodes that each row passes, as a sparse matrix of ones (n, node_count)."""
        ends = tables.apply(self.nodes, X)
        depths = tables.depths_of(self.nodes)
        starts = np.concatenate([[0], np.cumsum(depths[ends] + 1)])
        ways = np.empty(starts[-1], np.int64)
        at, place = ends.astype(np.int64), starts[1:] - 1
        live = np.arange(len(ends))
        while live.size:
            ways[place[live]] = at[live]
            live = live[at[live] > 0]
            at[live] = self.nodes.parent[at[live]]
            place[live] -= 1
        return csr_matrix((np.ones(ways.size, np.int64), ways, starts), shape=(len(ends), self.node_count))

    def compute_feature_importances(self, normalize=True):
        """The impurity that the splits of each column take away, as a share of the total."""
        nodes, inner = self.nodes, self.nodes.column >= 0
        cost = nodes.weight * nodes.impurity
        gain = np.where(inner, cost, 0.0)
        np.subtract.at(gain, nodes.parent[1:], cost[1:])
        importances = np.bincount(nodes.column[inner], gain[inner], self.n_features) / nodes.weight[0]
        importances = np.maximum(importances, 0.0)  # splits that take nothing off leave a rounding error of either sign
        total = importances.sum()
        return importances / total if normalize and total > 0.0 else importances

    def compute_node_depths(self):
        """The depth of every node, counted from 1 as in scikit-learn."""
        return tables.depths_of(self.nodes) + 1
