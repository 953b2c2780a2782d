r"""Histogram gradient boosting of a number: :math:`F(x) = F_0 + \sum_t f_t(x)`, trees fitted to slopes of the loss."""

from collections.abc import Iterator
from math import e
from typing import Any, Self

from numpy.typing import ArrayLike
from sklearn.base import RegressorMixin

from separatrix.core.declaration import DENSE, IMPORTANCES, SmallFit, declares
from separatrix.core.errors import cannot
from separatrix.core.family import Family, declare, needs
from separatrix.core.types import Array, MatrixLike
from separatrix.core.verbs import link
from separatrix.estimators import verification
from separatrix.estimators.all_or_nothing import all_or_nothing
from separatrix.estimators.ensemble.boosting import Rows
from separatrix.estimators.ensemble.histogram_boosting import HistogramBoosting, tree_sum
from separatrix.estimators.validation import check_choice, check_number, enter
from separatrix.losses import Gamma, Poisson, Quantile, Squared
from separatrix.prediction import forms
from separatrix.prediction.linear import inverse_link

_LOSSES = {"squared_error": Squared(), "absolute_error": Quantile(0.5), "gamma": Gamma(), "poisson": Poisson()}


@declares(
    task="regression",
    losses=(Squared, Quantile, Gamma, Poisson),
    solvers=(
        "solvers.trees.boosting",
        "solvers.trees.histogram",
        "solvers.trees.gradients",
        "solvers.trees.committee",
    ),
    prediction=forms.BOOSTED_NUMBERS,
    verification=verification.OF_TRAINING_LOSS,
    certifies=verification.SCORES_ADDED,
    description=IMPORTANCES,
    tree_sum=tree_sum,
    small_fits=(
        SmallFit({"max_iter": 3}, storages=DENSE),
        SmallFit({"loss": "absolute_error", "max_iter": 3}, storages=DENSE, called="absolute error"),
        SmallFit({"loss": "poisson", "max_iter": 3}, positive=True, storages=DENSE, called="Poisson"),
    ),
)
class HistGradientBoostingRegressor(RegressorMixin, HistogramBoosting):
    r"""A sum of regression trees on binned columns, each a step down the slope of the loss.

    .. math:: F_t = F_{t-1} + \nu f_t, \qquad f_t \approx \arg\min_f \sum_i s_i \big(g_i f(x_i) +
              \tfrac12 h_i f(x_i)^2\big) + \tfrac12 l_2 \sum_{\text{leaves}} v^2, \qquad v = -\frac{G}{H + l_2}

    g and h are slope and curvature of the loss at ``F_{t-1}``. Trees are grown best-first: the split of the largest
    gain is made next. Missing numbers (NaN) go to the side that the gain prefers, categories are split in two groups by
    their mean slopes. Sums are of whole numbers, exact: the model is the same for any number of threads. Of equal gains
    the first column and the lowest threshold count.

    There is no optimum to prove: trees are chosen greedily. With the squared error and a learning rate of at most 1 no
    iteration raises the training loss. ``verify`` recomputes ``training_loss_``.

    A weight counts as repetitions of a row in slopes, curvatures, quantiles of the bins and the side of missing numbers
    that no row of a node had in training. `min_samples_leaf`, the least support of a category (10 rows) and the rows
    held out by `early_stopping` are counted in rows. So models with weights and with repeated rows are equal if
    `min_samples_leaf` forbids no split, there are no categories and no early stopping, and there are at most 200,000
    rows: of more, those that the quantiles are taken of are drawn at random. Gains that differ by
    rounding only may be ranked differently, and another of equally good splits be made.

    Parameters
    ----------
    loss : {"squared_error", "absolute_error", "gamma", "poisson", "quantile"} or a loss of separatrix.losses, default
        "squared_error".  "gamma" (y > 0) and "poisson" (y >= 0) have a log link. Any loss of a number is boosted by its
        slope and curvature; predictions are means where its link is a logarithm, else raw scores.
    quantile : float, [0, 1], or None, default None.  Which, for loss="quantile".
    learning_rate : float, (0, inf), default 0.1.  By which the values of leaves are multiplied; 1 is the full step.
    max_iter : int, [1, inf), default 100.  Most iterations, each of one tree.
    max_leaf_nodes : int, [2, inf), or None, default 31.  Most leaves of a tree.
    max_depth : int, [1, inf), or None, default None.  Most splits from the root to a leaf.
    min_samples_leaf : int, [1, inf), default 20.  Fewest rows in a leaf. Rows are counted, not their weights.
    l2_regularization : float, [0, inf), default 0.  Added to the curvature of a leaf.
    max_features : float, (0, 1], default 1.0.  The share of columns that a split may choose from, drawn for each.
    max_bins : int, [2, 255], default 255.  Most bins of a column; missing numbers have one more.
    categorical_features : array-like, "from_dtype" or None, default "from_dtype".  Columns of categories: positions,
        names or a mask; "from_dtype" takes those that a frame says are categories.
    monotonic_cst : array-like or dict, default None.  1 where the prediction may not fall with a column, -1 where it
        may not rise, 0 otherwise; a dict has names of columns.
    interaction_cst : {"pairwise", "no_interactions"}, list or None, default None.  Sets of columns that may meet on a
        path from the root to a leaf.
    warm_start : bool, default False.  Whether a further fit adds iterations to those that were made.
    early_stopping : "auto" or bool, default "auto".  Whether to stop when the score no longer improves; "auto" does
        with more than 10,000 rows.
    scoring : str, function or None, default "loss".  What early stopping looks at; None is the score of the model.
    validation_fraction : float, (0, 1), int or None, default 0.1.  Rows that early stopping holds out; None: none, it
        looks at the training rows.
    n_iter_no_change : int, [1, inf), default 10.  Iterations that early stopping waits for an improvement.
    tol : float, [0, inf), default 1e-7.  What counts as an improvement of the score.
    verbose : int, default 0.  Accepted for scikit-learn's sake; nothing is printed.
    random_state : int, RandomState or None, default None.  Draws the rows held out, the rows of which quantiles are
        taken (of more than 200,000) and the columns of a split (`max_features`); nothing else is random.

    Attributes
    ----------
    link_ : {"identity", "log"}.  What turns means into raw scores.
    do_early_stopping_ : bool.
    n_iter_ : int.  Iterations that were made.
    n_trees_per_iteration_ : int.  1.
    train_score_, validation_score_ : arrays.  Scores before the first iteration and after each, with early stopping.
    training_loss_ : (2,) array.  The mean loss of the training rows at the baseline, and at the end.
    certificate_ : Certificate.  How well the scores of the trees agree with those that ``training_loss_`` is the loss
        of, on 1,000 rows. It is no bound on how far the loss is above the least that sums of trees can reach.
    feature_importances_ : (p,) array.  Shares of the columns in the gains of all splits.
    is_categorical_ : (p,) array of bool or None.
    n_features_in_, feature_names_in_ : as in scikit-learn.

    References: Friedman (2001), Ann. Statist. 29(5); Ke et al. (2017), NIPS 30; Chen and Guestrin (2016), KDD.

    >>> import numpy as np
    >>> X = np.arange(200.0)[:, None]
    >>> model = HistGradientBoostingRegressor(max_iter=50).fit(X, np.floor(X[:, 0] / 100))
    >>> model.predict([[3.0], [150.0], [np.nan]]).round(2).tolist()
    [0.0, 1.0, 1.0]
    """

    def __init__(
        self,
        loss: Any = "squared_error",
        *,
        quantile: float | None = None,
        learning_rate: float = 0.1,
        max_iter: int = 100,
        max_leaf_nodes: int | None = 31,
        max_depth: int | None = None,
        min_samples_leaf: int = 20,
        l2_regularization: float = 0.0,
        max_features: float = 1.0,
        max_bins: int = 255,
        categorical_features: Any = "from_dtype",
        monotonic_cst: Any = None,
        interaction_cst: Any = None,
        warm_start: bool = False,
        early_stopping: str | bool = "auto",
        scoring: Any = "loss",
        validation_fraction: float | int | None = 0.1,
        n_iter_no_change: int = 10,
        tol: float = 1e-7,
        verbose: int = 0,
        random_state: Any = None,
    ) -> None:
        self.loss = loss
        self.quantile = quantile
        self.learning_rate = learning_rate
        self.max_iter = max_iter
        self.max_leaf_nodes = max_leaf_nodes
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf
        self.l2_regularization = l2_regularization
        self.max_features = max_features
        self.max_bins = max_bins
        self.categorical_features = categorical_features
        self.monotonic_cst = monotonic_cst
        self.interaction_cst = interaction_cst
        self.warm_start = warm_start
        self.early_stopping = early_stopping
        self.scoring = scoring
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.tol = tol
        self.verbose = verbose
        self.random_state = random_state

    def fit(
        self,
        X: MatrixLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        *,
        X_val: MatrixLike = None,
        y_val: ArrayLike | None = None,
        sample_weight_val: ArrayLike | None = None,
    ) -> Self:
        """Fit to X (n, p), where NaN is missing, and y (n,); X_val, y_val and their weights are for early stopping."""
        with all_or_nothing(self):
            return self._fit(X, y, sample_weight, X_val, y_val, sample_weight_val)

    def predict(self, X: MatrixLike) -> Array:
        """Predict y for each row of X."""
        scores = self._raw(X)[:, 0]
        return inverse_link(self.link_, scores)

    def staged_predict(self, X: MatrixLike) -> Iterator[Array]:
        """Predictions after each iteration."""
        for scores in self._staged_raw(X):
            yield inverse_link(self.link_, scores[:, 0])

    def _stated_loss(self):
        """The loss by its verbs."""
        if isinstance(self.loss, tuple):
            return self.loss
        if check_choice(self, "loss", (*_LOSSES, "quantile")) == "quantile":
            return Quantile(check_number(self, "quantile", 0, 1))
        return _LOSSES[self.loss]

    def _loss_in_words(self):
        """The parameters that say which loss is lowered."""
        return f"{self.loss!r} with quantile={self.quantile!r}" if self.quantile is not None else repr(self.loss)

    def _loss_factor(self):
        """What scores of the loss are multiplied by: |r| is twice the pinball loss of the median."""
        return 2.0 if isinstance(self.loss, str) and self.loss == "absolute_error" else 1.0

    def _checked_rows(self, checker, X, y, sample_weight, *, reset, weighted):
        design, target = enter(
            checker, X, y, sample_weight, sparse=False, multi_output=False, reset=reset, missing=True
        )
        loss, y = self._stated_loss(), target.y
        self._refuse_targets(y)
        self.n_trees_per_iteration_ = 1
        # a log link is known by what it makes of 1 and e
        self.link_ = "log" if (float(link(loss, 1.0)), float(link(loss, e))) == (0.0, 1.0) else "identity"
        return Rows(design.block(slice(None)), y, target.s)

    def _refuse_targets(self, y):
        """Refuse targets that the loss has no value for."""
        if isinstance(self.loss, str) and self.loss == "gamma" and not (y > 0.0).all():
            raise cannot(
                "fit loss='gamma'", because="it requires strictly positive y", instead="y > 0, or another loss"
            )
        if isinstance(self.loss, str) and self.loss == "poisson" and ((y < 0.0).any() or not y.any()):
            raise cannot(
                "fit loss='poisson'",
                because="it requires non-negative y and sum(y) > 0",
                instead="y >= 0 with some y > 0, or another loss",
            )


def _of_table(facts):
    from separatrix.estimators.preparation.compose import category_places  # brings scikit-learn's column transformer

    loss = "absolute_error" if facts.score in ("mae", "medae") else "squared_error"
    places = category_places(facts.kinds)
    return HistGradientBoostingRegressor(loss=loss, categorical_features=places, random_state=facts.seed)


declare(
    Family(
        name="gradient boosting",
        task="regression",
        model=HistGradientBoostingRegressor,
        make=_of_table,
        complexity=70,
        description="Adds up a hundred small trees, each fitted to what the others left over; finds thresholds and "
        "interactions by itself.",
        preparation="trees",
        why_excluded=needs(dense=True, fewest_rows=40),  # twice min_samples_leaf: fewer rows are never split
    )
)
