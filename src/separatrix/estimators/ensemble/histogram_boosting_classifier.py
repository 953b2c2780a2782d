r"""Histogram gradient boosting of a class: log-odds, or logarithms of probabilities, as sums of trees."""

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import ClassifierMixin

from separatrix.core.declaration import DENSE, IMPORTANCES, SmallFit, declares
from separatrix.core.family import Family, declare, needs
from separatrix.core.types import MatrixLike
from separatrix.estimators import verification
from separatrix.estimators.all_or_nothing import all_or_nothing
from separatrix.estimators.ensemble.boosting import BoostedClasses, Rows
from separatrix.estimators.ensemble.histogram_boosting import HistogramBoosting, tree_sum
from separatrix.estimators.validation import check_choice, validate_class_target
from separatrix.losses import Logistic, Softmax
from separatrix.prediction import forms


@declares(
    task="classification",
    losses=(Logistic, Softmax),
    solvers=(
        "solvers.trees.boosting",
        "solvers.trees.histogram",
        "solvers.trees.gradients",
        "solvers.trees.committee",
    ),
    prediction=forms.BOOSTED_CLASSES,
    verification=verification.OF_TRAINING_LOSS,
    certifies=verification.SCORES_ADDED,
    description=IMPORTANCES,
    tree_sum=tree_sum,
    small_fits=(
        SmallFit({"max_iter": 3}, storages=DENSE),
        SmallFit({"max_iter": 3}, classes=3, storages=DENSE, called="several classes"),
    ),
)
class HistGradientBoostingClassifier(ClassifierMixin, BoostedClasses, HistogramBoosting):
    r"""Log-odds as a sum of regression trees on binned columns, each a Newton step of the log loss.

    .. math:: \log \frac{P(y=1 \mid x)}{P(y=0 \mid x)} = F_0 + \nu \sum_t f_t(x), \qquad
              v = -\frac{G}{H + l_2}, \qquad P(y=c \mid x) \propto e^{F_c(x)} \text{ of several classes}

    Trees, missing numbers, categories, ties and weights are as in :class:`HistGradientBoostingRegressor`. Sums are of
    whole numbers, exact: the model is the same for any number of threads.

    There is no optimum to prove: trees are chosen greedily, and a Newton step may raise the training loss. ``verify``
    recomputes ``training_loss_``.

    Parameters
    ----------
    loss : {"log_loss"}, default "log_loss".
    learning_rate : float, (0, inf), default 0.1.  By which the values of leaves are multiplied; 1 is the full step.
    max_iter : int, [1, inf), default 100.  Most iterations, each of one tree, or of one for each of several classes.
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
    class_weight : dict, "balanced" or None, default None.  Weights of the classes.

    Attributes
    ----------
    classes_ : (k,) array.
    do_early_stopping_ : bool.
    n_iter_ : int.  Iterations that were made.
    n_trees_per_iteration_ : int.  1, or the number of classes where there are more than two.
    train_score_, validation_score_ : arrays.  Scores before the first iteration and after each, with early stopping.
    training_loss_ : (2,) array.  The mean loss of the training rows at the baseline, and at the end.
    certificate_ : Certificate.  How well the scores of the trees agree with those that ``training_loss_`` is the loss
        of, on 1,000 rows. It is no bound on how far the loss is above the least that sums of trees can reach.
    feature_importances_ : (p,) array.  Shares of the columns in the gains of all splits.
    is_categorical_ : (p,) array of bool or None.
    n_features_in_, feature_names_in_ : as in scikit-learn.

    References: Friedman, Hastie and Tibshirani (2000), Ann. Statist. 28(2); Ke et al. (2017), NIPS 30.

    >>> X = np.arange(200.0)[:, None]
    >>> model = HistGradientBoostingClassifier(max_iter=50).fit(X, np.where(X[:, 0] < 120, "low", "high"))
    >>> model.predict([[3.0], [150.0]]).tolist(), model.n_iter_
    (['low', 'high'], 50)
    """

    def __init__(
        self,
        loss: str = "log_loss",
        *,
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
        class_weight: Any = None,
    ) -> None:
        self.loss = loss
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
        self.class_weight = class_weight

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
        check_choice(self, "loss", ("log_loss",))
        with all_or_nothing(self):
            return self._fit(X, y, sample_weight, X_val, y_val, sample_weight_val)

    def _stated_loss(self):
        """The loss by its verbs."""
        return Logistic() if self.n_trees_per_iteration_ == 1 else Softmax()

    def _loss_factor(self):
        return 1.0

    def _checked_rows(self, checker, X, y, sample_weight, *, reset, weighted):
        weight = self.class_weight if weighted else None
        design, target = validate_class_target(
            checker, X, y, sample_weight, class_weight=weight, sparse=False, reset=reset, missing=True
        )
        self.classes_ = checker.classes_
        k = len(self.classes_)
        self.n_trees_per_iteration_ = 1 if k == 2 else k
        return Rows(design.block(slice(None)), target.y.astype(np.float64 if k == 2 else np.int64), target.s)


def _of_table(facts):
    from separatrix.estimators.preparation.compose import category_places  # brings scikit-learn's column transformer

    return HistGradientBoostingClassifier(categorical_features=category_places(facts.kinds), random_state=facts.seed)


declare(
    Family(
        name="gradient boosting",
        task="classification",
        model=HistGradientBoostingClassifier,
        make=_of_table,
        complexity=70,
        description="Adds up a hundred small trees, each fitted to what the others left over; finds thresholds and "
        "interactions by itself.",
        preparation="trees",
        why_excluded=needs(
            dense=True, rows_per_class=2, fewest_rows=40
        ),  # twice min_samples_leaf: fewer rows are never split
    )
)
