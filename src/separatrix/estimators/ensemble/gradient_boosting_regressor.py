r"""Gradient boosting of a number by exact splits: :math:`F(x) = F_0 + \nu \sum_t f_t(x)`."""

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
from sklearn.base import RegressorMixin

from separatrix.core.declaration import DENSE, IMPORTANCES, SmallFit, declares
from separatrix.core.types import Array, MatrixLike
from separatrix.designs import as_dense
from separatrix.estimators import verification
from separatrix.estimators.ensemble.boosting import Rows
from separatrix.estimators.ensemble.gradient_boosting import GradientBoosting, tree_sum
from separatrix.estimators.validation import check_choice, check_number, enter
from separatrix.losses import Huber, Quantile, Squared
from separatrix.prediction import forms
from separatrix.solvers.linear_program import weighted_quantile
from separatrix.solvers.trees.boosting import score_of_mean
from separatrix.solvers.trees.gradient_boosting import huber_steps, newton_steps, quantile_steps

SMALLEST_DELTA = float(np.finfo(np.float64).tiny)  # Huber's loss needs a positive one; residuals may all be 0


@declares(
    task="regression",
    losses=(Squared, Quantile, Huber),
    solvers=(
        "solvers.trees.gradient_boosting",
        "solvers.trees.boosting",
        "solvers.trees.grow",
        "solvers.trees.committee",
    ),
    prediction=forms.BOOSTED_NUMBERS,
    verification=verification.OF_TRAINING_LOSS,
    certifies=verification.SCORES_ADDED,
    description=IMPORTANCES,
    tree_sum=tree_sum,
    small_fits=(
        SmallFit({"n_estimators": 3}, storages=DENSE),
        SmallFit({"loss": "huber", "n_estimators": 3}, storages=DENSE, called="Huber"),
        SmallFit({"loss": "quantile", "n_estimators": 3}, storages=DENSE, called="quantile"),
    ),
)
class GradientBoostingRegressor(RegressorMixin, GradientBoosting):
    r"""A sum of small regression trees by exact splits, each fitted to the negative slopes of the loss.

    .. math:: F_t = F_{t-1} + \nu f_t, \qquad f_t \approx -\frac{\partial \ell(y_i, F_{t-1}(x_i))}{\partial F}
              \text{ by least squares}

    Then the value of each leaf is set to what lowers the loss of its rows: the mean of the residuals (squared error),
    their lower median or quantile (absolute error, quantile), or Friedman's step from the median (Huber). All
    thresholds between values of a column are looked at; columns are ranked once for all rounds. Of equally good splits
    the lowest column and threshold win: the model is the same for every number of threads, and random only where rows
    or columns are drawn. :class:`HistGradientBoostingRegressor` is faster from some ten thousand rows on.

    There is no optimum to prove: trees are chosen greedily. With the squared error, all rows and a learning rate of at
    most 1 no round raises the training loss. ``verify`` recomputes ``training_loss_``.

    Parameters
    ----------
    loss : {"squared_error", "absolute_error", "huber", "quantile"}, default "squared_error".
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
    alpha : float, (0, 1), default 0.9.  The quantile of loss="quantile", and of the absolute residuals that become
        `delta` of loss="huber", in each round.
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
    n_estimators_ : int.  Rounds that were made.
    estimators_ : (n_estimators_, 1) array of :class:`DecisionTreeRegressor`, made when they are asked for.
    train_score_ : (n_estimators_,) array.  The loss after each round, of the rows that it was grown on: twice the half
        squared error, else the loss.
    oob_improvement_, oob_scores_, oob_score_ : with subsample < 1, the loss of the other rows, and by how much it fell.
    training_loss_ : (2,) array.  The mean loss of the training rows before the first round and after the last.
    certificate_ : Certificate.  How well the scores of the trees agree with those that ``training_loss_`` is the loss
        of, on 1,000 rows. It is no bound on how far the loss is above the least that sums of trees can reach.
    feature_importances_ : (p,) array.  Shares of the columns in what all splits take away of the impurity.
    init_ : the fitted initial estimator, where one was given.
    delta_ : float.  With loss="huber", where the loss of the last round turned linear.
    max_features_, n_trees_per_iteration_ : int.
    n_features_in_, feature_names_in_ : as in scikit-learn.

    Notes
    -----
    The best constant of loss="quantile" is the lower quantile, as that of the leaves is: the smallest y below or at
    which lies a share `alpha` of the weight. scikit-learn interpolates it where there are no weights.

    References: Friedman (2001), Ann. Statist. 29(5); Friedman (2002), Comput. Stat. Data Anal. 38(4).

    >>> X = np.arange(20.0)[:, None]
    >>> model = GradientBoostingRegressor(n_estimators=50).fit(X, np.floor(X[:, 0] / 10))
    >>> model.predict([[3.0], [15.0]]).round(2).tolist()
    [0.0, 1.0]
    """

    def __init__(
        self,
        *,
        loss: str = "squared_error",
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
        alpha: float = 0.9,
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
        self.alpha = alpha
        self.verbose = verbose
        self.max_leaf_nodes = max_leaf_nodes
        self.warm_start = warm_start
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.tol = tol
        self.ccp_alpha = ccp_alpha

    def predict(self, X: MatrixLike) -> Array:
        """Predict y for each row of X."""
        return self._raw(X)[:, 0]

    def staged_predict(self, X: MatrixLike) -> Iterator[Array]:
        """Predictions after each round."""
        for scores in self._staged_raw(X):
            yield scores[:, 0]

    def apply(self, X: MatrixLike) -> Array:
        """The leaf of each row in each tree, ``(n, n_estimators_)``."""
        return self._leaves(X)[:, :, 0]

    def _check_parameters(self):
        super()._check_parameters()
        check_choice(self, "loss", ("squared_error", "absolute_error", "huber", "quantile"))
        check_number(self, "alpha", 0, 1, open_low=True)

    def _checked_rows(self, X, y, sample_weight, *, reset):
        design, target = enter(self, X, y, sample_weight, multi_output=False, reset=reset)
        self.n_trees_per_iteration_ = 1
        return Rows(np.ascontiguousarray(as_dense(design.matrix())), target.y, target.s)

    def _best_constants(self, rows):
        if self.loss == "squared_error":
            return score_of_mean(Squared(), rows.y, rows.s)
        return np.array([weighted_quantile(rows.y, _weights(rows), self._quantile())])

    def _quantile(self):
        return self.alpha if self.loss == "quantile" else 0.5

    def _init_scores(self, X):
        return np.asarray(self.init_.predict(X), dtype=np.float64).reshape(-1, 1)

    def _stated_loss(self):
        """The loss by its verbs; of Huber's that of the last round."""
        if self.loss == "huber":
            return Huber(self.delta_)
        return Squared() if self.loss == "squared_error" else Quantile(self._quantile())

    def _loss_in_words(self):
        """The parameters that say which loss is lowered."""
        return f"{self.loss!r} with alpha={self.alpha!r}" if self.loss in ("huber", "quantile") else repr(self.loss)

    def _loss_at(self, rows, eta):
        """The loss of a round; Huber's turns linear at a quantile of the residuals."""
        if self.loss == "huber":
            delta = weighted_quantile(np.abs(rows.y - eta[:, 0]), _weights(rows), self.alpha)
            self.delta_ = max(delta, SMALLEST_DELTA)
        return self._stated_loss()

    def _steps(self, loss):
        if self.loss == "huber":
            return partial(huber_steps, delta=self.delta_)
        return newton_steps if self.loss == "squared_error" else partial(quantile_steps, q=self._quantile())

    def _slope_options(self):
        """The absolute error is twice the pinball loss of the median; at kinks its slope is that from below."""
        kinked = self.loss in ("absolute_error", "quantile")
        return {"below": kinked, "factor": 2.0 if self.loss == "absolute_error" else 1.0}

    def _loss_factor(self):
        """What scores of the loss are multiplied by: squared and absolute errors are not halved."""
        return 2.0 if self.loss in ("squared_error", "absolute_error") else 1.0


def _weights(rows):
    return np.ones(len(rows.y)) if rows.s is None else rows.s
