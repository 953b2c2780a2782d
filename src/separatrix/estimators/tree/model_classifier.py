r"""Model trees for classes: a logistic regression in every leaf."""

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin

from separatrix.core.declaration import DENSE, SmallFit, declares
from separatrix.core.errors import NotCertified
from separatrix.core.family import Family, declare, needs
from separatrix.core.types import Array, MatrixLike
from separatrix.estimators import verification
from separatrix.estimators.class_weights import weights_by_class
from separatrix.estimators.linear.logistic import LogisticRegression
from separatrix.estimators.tree.leaf_text import described
from separatrix.estimators.tree.model_tree import ModelTree, NodeModel, rescaled, scored_node, tree_sum
from separatrix.estimators.validation import check_number, encode, validate_classes
from separatrix.prediction import forms
from separatrix.prediction.linear import decide, in_one_dimension, log_probabilities, probabilities
from separatrix.solvers.choose import SMOOTH

# The smallest curvature of a row in a search for splits: near probabilities of 0 and 1 a Newton step is far too long.
FLAT = 1e-6
_SMALL = {"min_samples_leaf": 2, "min_samples_split": 4}


@declares(
    task="classification",
    losses=("losses:Logistic", "losses:Softmax"),
    penalties=("penalties:L2",),
    solvers=("solvers.trees.model_split", "solvers.trees.nodes", *SMOOTH, "solvers.maximum_likelihood"),
    prediction=forms.MODEL_TREE_CLASSES,
    verification=verification.OF_MODEL_TREE,
    certifies=verification.LEAVES_SOLVED,
    description=described,
    rescaled=rescaled,
    tree_sum=tree_sum,
    small_fits=tuple(SmallFit(_SMALL, classes=k, storages=DENSE, called=f"{k} classes") for k in (2, 3)),
)
class ModelTreeClassifier(ClassifierMixin, ModelTree):
    r"""A tree of questions about single columns, with a logistic regression in every leaf.

    .. math:: P(c \mid x) = \frac{e^{w_{tc}^\top x + b_{tc}}}{\sum_d e^{w_{td}^\top x + b_{td}}}, \qquad
              (w_t, b_t) = \arg\min_{w, b} \ C \sum_{i \in t} s_i\,\ell(y_i, x_i^\top w + b) + \frac12 \|w\|_2^2

    where t is the leaf of x. A node is split where one Newton step from its own model takes most off the penalised loss
    of its children. A split is kept if the fitted models of the leaves lower the criterion `pruning`.

    Parameters
    ----------
    C : float, (0, inf), default 1.0.  Inverse strength of the penalty in every node, in the units of X: standardise
        columns of different units.
    max_depth : int, [0, 100], or None, default 3.  Splits on the way to a leaf; 0 is one logistic
        regression, None the most.
    min_samples_split : int or share of the rows, default 20.  Rows that a node must have to be split; a row of weight w
        counts as w.
    min_samples_leaf : int or share of the rows, default 10.  Rows that each child must have, counted likewise.
    pruning : {"bic", "aic", None}, default "bic".  The criterion by which a split must pay, or None to keep all.
    class_weight : dict, "balanced" or None, default None.  Factors of the weights of the rows of each class.
    categorical_features : places, names or mask of columns, "from_dtype" or None, default "from_dtype".  Columns whose
        values are categories without an order. "from_dtype": those of a frame that hold no numbers.
    tol : float, [0, inf), default 1e-8.  Relative gap to be certified, of every node.
    max_iter : int, [1, inf), default 100.  Most iterations of every node.

    Attributes
    ----------
    classes_ : (k,) array.
    nodes_ : NodeTable.  tree_ : the same under scikit-learn's names. The impurity of a node is the deviance per row
        that its own model leaves, its value the shares of the classes.
    node_coef_ : (n_nodes, p) array of log-odds, (n_nodes, k, p) for k > 2 classes.  node_intercept_ : (n_nodes,) or
        (n_nodes, k) array.  The model of every node.
    node_mean_ : (n_nodes, p) array.  What a missing value counts as in it.
    node_spread_ : (n_nodes, p) array.  Standard deviations of the columns among its rows.
    leaves_ : (n_leaves,) array.  Which nodes are leaves.  leaf_coef_, leaf_intercept_ : the rows of those.
    categories_ : list.  Of each categorical column its categories; None for numbers.
    n_iter_ : int.  The most iterations of a node.
    n_outputs_, n_parameters_ : int.
    certificate_ : Certificate.  The worst of the logistic regressions.
    n_features_in_, feature_names_in_ : as in scikit-learn.

    Notes
    -----
    In a node whose rows all have one class the probabilities do not depend on x. A class that no row of a node has
    counts as if half a row had it, so that no probability is 0. A node with rows of two of several classes has a
    logistic regression of those two. What is said at :class:`ModelTreeRegressor` of the search, of categories, of
    missing values and of the certificate holds here.

    References: Landwehr, Hall and Frank (2005), Machine Learning 59(1). Zeileis, Hothorn and Hornik (2008), J. Comput.
    Graph. Statist. 17(2).

    >>> x = np.linspace(-3.0, 3.0, 60)[:, None]
    >>> model = ModelTreeClassifier(C=10.0).fit(x, np.where(np.abs(x[:, 0]) < 1.5, "near", "far"))
    >>> model.predict([[-2.5], [0.2], [2.5]]).tolist(), len(model.leaves_)
    (['far', 'near', 'far'], 2)
    """

    classes_: Array

    def __init__(
        self,
        C: float = 1.0,
        *,
        max_depth: int | None = 3,
        min_samples_split: float = 20,
        min_samples_leaf: float = 10,
        pruning: str | None = "bic",
        class_weight: Mapping[Any, float] | str | None = None,
        categorical_features: Any = "from_dtype",
        tol: float = 1e-8,
        max_iter: int = 100,
    ) -> None:
        self.C = C
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.pruning = pruning
        self.class_weight = class_weight
        self.categorical_features = categorical_features
        self.tol = tol
        self.max_iter = max_iter

    def _check(self):
        super()._check()
        check_number(self, "C", 0.0, open_low=True)
        check_number(self, "tol", 0.0)
        check_number(self, "max_iter", 1, integer=True)

    def _validate(self, X, y, sample_weight):
        return validate_classes(self, X, y, sample_weight, class_weight=self.class_weight, missing=True)

    def _target_again(self, y, s, n):
        codes = encode(self, y.reshape(n), reset=False, seen=None if s is None else s > 0.0)
        return codes, s if self.class_weight is None else weights_by_class(self.class_weight, self.classes_, codes, s)

    def _node_model(self, Z, mean, codes, s, above):
        """A logistic regression of the classes that the rows have."""
        k, present = len(self.classes_), np.unique(codes)
        coef, intercept, certificate = np.zeros((k, Z.shape[1])), absent_scores(k, float(s.sum())), None
        intercept[present] = 0.0
        if len(present) > 1:
            fitted = self.leaf_regression()
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", NotCertified)  # the tree says it, once
                fitted.fit(Z, codes, sample_weight=s)
            coef[present], intercept[present] = of_each_class(fitted.coef_, fitted.intercept_)
            certificate = fitted.certificate_
        if k == 2:
            coef, intercept = coef[1:] - coef[:1], intercept[1:] - intercept[:1]
        scores = in_one_dimension(Z @ coef.T + intercept)
        deviance = -2.0 * float(s @ log_probabilities(scores)[np.arange(len(codes)), codes])
        shares = np.bincount(codes, s, k) / s.sum()
        mu, y = probabilities(scores), np.eye(k)[codes]
        mu, y = (mu[:, 1:], y[:, 1:]) if k == 2 else (mu, y)
        curvatures = s[:, None] * np.maximum(mu * (1.0 - mu), FLAT)
        scored = scored_node(Z, mean, s, s[:, None] * (y - mu), curvatures, 1.0 / self.C, coef)
        free = float(k - 1) if len(present) == 1 else scored.effective_parameters * (1.0 if k == 2 else (k - 1) / k)
        return NodeModel(coef, intercept, mean, shares, deviance, free, scored, certificate)

    def leaf_regression(self) -> LogisticRegression:
        """The logistic regression that is fitted to the rows of a node."""
        return LogisticRegression(C=self.C, tol=self.tol, max_iter=self.max_iter)

    def _is_perfect(self, model, codes, s):
        return np.count_nonzero(model.value) == 1

    def _scale(self, root, codes, s):
        return 1.0

    def _certify(self, root, started):
        super()._certify(root, started)
        self.n_iter_ = max(each.iterations for each in root.certificates())

    def decision_function(self, X: MatrixLike) -> Array:
        """Log-odds (n,) of two classes, or scores (n, k), of the model of the leaf of each row."""
        return self._scores(X)

    def predict(self, X: MatrixLike) -> Array:
        """The most probable class by the model of the leaf of each row."""
        return decide(self.decision_function(X), self.classes_)

    def predict_proba(self, X: MatrixLike) -> Array:
        """Probabilities of the classes by the model of the leaf of each row, (n, k)."""
        return probabilities(self.decision_function(X))

    def predict_log_proba(self, X: MatrixLike) -> Array:
        """Their logarithms."""
        return log_probabilities(self.decision_function(X))


def absent_scores(k: int, weight: float) -> Array:
    """Scores of k classes that none of the rows of a node has: half a row against all."""
    return np.full(k, np.log(0.5 / weight))


def of_each_class(coef: Array, intercept: Array) -> tuple[Array, Array]:
    """Coefficients of each class, of those of two, whose scores are halves of the log-odds, or of more."""
    return (
        (coef, intercept) if len(coef) > 1 else (0.5 * np.vstack([-coef, coef]), 0.5 * np.append(-intercept, intercept))
    )


def _searched(facts):
    return facts.searched(ModelTreeClassifier(), {"C": [0.01, 0.1, 1.0]})


declare(
    Family(
        name="model tree",
        task="classification",
        model=ModelTreeClassifier,
        make=_searched,
        complexity=50,
        description="A few questions about single columns lead to a logistic regression of the rows that answer alike; "
        "each has coefficients that can be read.",
        why_excluded=needs(dense=True, columns=100, rows_per_column=5.0, rows_per_class=2),
    )
)
