r"""Gradient boosting of a class by exact splits: log-odds, or logarithms of probabilities, as sums of trees."""

from functools import partial
from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin

from separatrix.core.declaration import DENSE, IMPORTANCES, SmallFit, declares
from separatrix.core.errors import cannot
from separatrix.core.types import Array, MatrixLike
from separatrix.core.verbs import link
from separatrix.designs import as_dense
from separatrix.estimators import verification
from separatrix.estimators.ensemble.boosting import BoostedClasses, Rows
from separatrix.estimators.ensemble.gradient_boosting import GradientBoosting, tree_sum
from separatrix.estimators.validation import check_choice, validate_class_target
from separatrix.losses import Exponential, Logistic, Softmax
from separatrix.prediction import forms
from separatrix.solvers.trees.boosting import baseline, score_of_mean
from separatrix.solvers.trees.gradient_boosting import newton_steps


@declares(
    task="classification",
    losses=(Logistic, Softmax, Exponential),
    solvers=(
        "solvers.trees.gradient_boosting",
        "solvers.trees.boosting",
        "solvers.trees.grow",
        "solvers.trees.committee",
    ),
    prediction=forms.BOOSTED_CLASSES,
    verification=verification.OF_TRAINING_LOSS,
    certifies=verification.SCORES_ADDED,
    description=IMPORTANCES,
    tree_sum=tree_sum,
    small_fits=(
        SmallFit({"n_estimators": 3}, storages=DENSE),
        SmallFit({"n_estimators": 3}, classes=3, storages=DENSE, called="several classes"),
        SmallFit({"loss": "exponential", "n_estimators": 3}, storages=DENSE, called="exponential"),
    ),
)
class GradientBoostingClassifier(ClassifierMixin, BoostedClasses, GradientBoosting):
    r"""Log-odds as a sum of small regression trees by exact splits, each a step down the slope of the loss.

    .. math:: \log \frac{P(y=1 \mid x)}{P(y=0 \mid x)} = F_0 + \nu \sum_t f_t(x), \qquad
              v = \frac{\sum_{\text{leaf}} s_i (y_i - p_i)}{\sum_{\text{leaf}} s_i\, p_i (1 - p_i)}

    A tree is fitted to the negative slopes by least squares, then each leaf takes one step of Newton's method. Of k > 2
    classes each round has k trees, :math:`P(y=c \mid x) \propto e^{F_c(x)}`, and steps are (k - 1)/k of Newton's, as
    Friedman's are. The exponential loss is AdaBoost's; its scores are half the log-odds. Splits, ties and threads are
    as in :class:`GradientBoostingRegressor`.

    There is no optimum to prove: trees are chosen greedily, and a Newton step may raise the training loss. ``verify``
    recomputes ``training_loss_``.

    Parameters
    ----------
    loss : {"log_loss", "exponential"}, default "log_loss".  The exponential loss is for two classes.
    learning_rate : float, [0, inf), default 0.1.  By which the steps of leaves are multiplied.
    n_estimators : int, [1, inf), default 100.  Most rounds.
    subsample : float, (0, 1], default 1.0.  The share of the rows that each tree is grown on, drawn without repetition.
    criterion : str, default "deprecated".  Accepted for scikit-learn's sake; it has no effect there, either.
    min_samples_split : int or share of the rows, default 2.  Rows that a node must have to be split, not their weights.
    min_samples_leaf : int or share of the rows, default 1.  Rows that each leaf must have.
    min_weight_fraction_leaf : float, [0, 0.5], default 0.0.  Share of the weight that each leaf must have.
    max_depth : int, [1, inf), or None, default 3.  Splits on the way to a leaf.
    min_impurity_decrease : float, [0, inf), default 0.0.  Least gain of a split, as a share of all weight.
    init : estimator, "zero" or None, default None.  What the rounds start from; None is the best constant.
    random_state : int, RandomState or None, default None.  Draws rows, columns and the rows held out.
    max_features : int, share, {"sqrt", "log2"} or None, default None.  Columns drawn for each node; None for all.
    verbose : int, default 0.  Accepted for scikit-learn's sake; nothing is printed.
    max_leaf_nodes : int, [2, inf), or None, default None.  Split the node that gains most first, up to so many leaves.
    warm_start : bool, default False.  Whether a further fit adds rounds to those that were made.
    validation_fraction : float, (0, 1), default 0.1.  Rows that early stopping holds out.
    n_iter_no_change : int, [1, inf), or None, default None.  Stop where the loss of rows held out was no lower, by more
        than `tol`, than in any of so many rounds; None never stops.
    tol : float, [0, inf), default 1e-4.
    ccp_alpha : float, [0, inf), default 0.0.  Price of a leaf in cost-complexity pruning of each tree.

    Attributes
    ----------
    classes_ : (k,) array.  n_classes_ : int.
    n_estimators_ : int.  Rounds that were made.
    estimators_ : (n_estimators_, 1 or k) array of :class:`DecisionTreeRegressor`, made when they are asked for.
    train_score_ : (n_estimators_,) array.  The loss after each round, of the rows that it was grown on: of two classes
        the deviance, twice the log loss.
    oob_improvement_, oob_scores_, oob_score_ : with subsample < 1, the loss of the other rows, and by how much it fell.
    training_loss_ : (2,) array.  The mean loss of the training rows before the first round and after the last.
    certificate_ : Certificate.  How well the scores of the trees agree with those that ``training_loss_`` is the loss
        of, on 1,000 rows. It is no bound on how far the loss is above the least that sums of trees can reach.
    feature_importances_ : (p,) array.  Shares of the columns in what all splits take away of the impurity.
    init_ : the fitted initial estimator, where one was given.
    max_features_, n_trees_per_iteration_ : int.
    n_features_in_, feature_names_in_ : as in scikit-learn.

    References: Friedman (2001), Ann. Statist. 29(5); Friedman, Hastie and Tibshirani (2000), Ann. Statist. 28(2).

    >>> X = np.arange(20.0)[:, None]
    >>> model = GradientBoostingClassifier(n_estimators=20).fit(X, np.where(X[:, 0] < 12, "low", "high"))
    >>> model.predict([[3.0], [15.0]]).tolist(), model.estimators_.shape
    (['low', 'high'], (20, 1))
    """

    def __init__(
        self,
        *,
        loss: str = "log_loss",
        learning_rate: float = 0.1,
        n_estimators: int = 100,
        subsample: float = 1.0,
        criterion: str = "deprecated",
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_depth: int | None = 3,
        min_impurity_decrease: float = 0.0,
        init: Any = None,
        random_state: Any = None,
        max_features: Any = None,
        verbose: int = 0,
        max_leaf_nodes: int | None = None,
        warm_start: bool = False,
        validation_fraction: float = 0.1,
        n_iter_no_change: int | None = None,
        tol: float = 1e-4,
        ccp_alpha: float = 0.0,
    ) -> None:
        self.loss = loss
        self.learning_rate = learning_rate
        self.n_estimators = n_estimators
        self.subsample = subsample
        self.criterion = criterion
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_depth = max_depth
        self.min_impurity_decrease = min_impurity_decrease
        self.init = init
        self.random_state = random_state
        self.max_features = max_features
        self.verbose = verbose
        self.max_leaf_nodes = max_leaf_nodes
        self.warm_start = warm_start
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.tol = tol
        self.ccp_alpha = ccp_alpha

    @property
    def n_classes_(self) -> int:
        """The number of classes."""
        return len(self.classes_)

    def apply(self, X: MatrixLike) -> Array:
        """The leaf of each row in each tree, ``(n, n_estimators_, 1 or k)``."""
        return self._leaves(X)

    def _check_parameters(self):
        super()._check_parameters()
        check_choice(self, "loss", ("log_loss", "exponential"))

    def _checked_rows(self, X, y, sample_weight, *, reset):
        design, target = validate_class_target(self, X, y, sample_weight, reset=reset)
        k = len(self.classes_)
        if self.loss == "exponential" and k > 2:
            raise cannot(
                "fit loss='exponential'",
                because=f"it is only suitable for a binary classification problem, and y has {k} classes",
                instead="loss='log_loss'",
            )
        self.n_trees_per_iteration_ = 1 if k == 2 else k
        codes = target.y.astype(np.float64 if k == 2 else np.int64)
        return Rows(np.ascontiguousarray(as_dense(design.matrix())), codes, target.s)

    def _best_constants(self, rows):
        loss = self._stated_loss()
        if self.n_trees_per_iteration_ == 1:
            return score_of_mean(loss, rows.y, rows.s)
        return baseline(loss, rows.y, rows.s, self.n_trees_per_iteration_)

    def _init_scores(self, X):
        """Scores of the probabilities of the initial estimator; of several classes they sum to 0."""
        eps = float(np.finfo(np.float64).eps)
        shares = np.clip(self.init_.predict_proba(X), eps, 1.0 - eps)
        loss = self._stated_loss()
        if self.n_trees_per_iteration_ == 1:
            return np.array([[link(loss, float(share))] for share in shares[:, 1]])
        scores = np.asarray(link(loss, shares))
        return scores - scores.mean(axis=1, keepdims=True)

    def _stated_loss(self):
        """The loss by its verbs."""
        if self.loss == "exponential":
            return Exponential()
        return Logistic() if self.n_trees_per_iteration_ == 1 else Softmax()

    def _loss_at(self, rows, eta):
        return self._stated_loss()

    def _steps(self, loss):
        k = self.n_trees_per_iteration_
        return newton_steps if k == 1 else partial(newton_steps, factor=(k - 1.0) / k)

    def _loss_factor(self):
        """What scores of the loss are multiplied by: of two classes they are deviances."""
        return 2.0 if self.loss == "log_loss" and self.n_trees_per_iteration_ == 1 else 1.0
