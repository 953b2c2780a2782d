r"""Rule lists: the rules of a tree, pruned one by one, sorted by estimated accuracy and asked in turn."""

import time
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import ClassifierMixin, clone
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from separatrix.core.certificate import closed_form, warn_if_not_certified
from separatrix.core.declaration import RULES, SmallFit, declares
from separatrix.core.errors import cannot
from separatrix.core.family import Family, declare, needs
from separatrix.core.rule_table import RuleTable, table_from
from separatrix.core.types import Array, MatrixLike
from separatrix.estimators import verification
from separatrix.estimators.all_or_nothing import all_or_nothing
from separatrix.estimators.saving import Estimator
from separatrix.estimators.tree.classifier import DecisionTreeClassifier
from separatrix.estimators.tree.coded_tree import checked_weights
from separatrix.estimators.tree.counts import ADVICE, count_tolerance
from separatrix.estimators.tree.held_out import divide
from separatrix.estimators.tree.rule_pruning import observed_accuracy, pessimistic_accuracy, prune_rules
from separatrix.estimators.tree.rules import count_decided, tree_cells, tree_rules
from separatrix.estimators.validation import check_choice, check_number
from separatrix.prediction import forms
from separatrix.prediction.rules import first_rules

COUNTED = (
    "supports and class shares of the rules are those of the training rows; a greedy search dropped conditions, and "
    "no list is proved to be the best"
)
ACCURACIES = {"pessimistic": pessimistic_accuracy, "validation": observed_accuracy}


@declares(
    task="classification",
    solvers=("solvers.trees.grow", "solvers.trees.nodes", "solvers.trees.pruning"),
    prediction=forms.RULES,
    verification=verification.OF_RULES,
    certifies=verification.RULES_COUNTED,
    description=RULES,
    small_fits=(SmallFit(storages=("float64",)),),
)
class RuleListClassifier(ClassifierMixin, Estimator):
    r"""Rule post-pruning: rules of a tree, each without the conditions that do not help it, asked in turn.

    .. math:: \hat p_c(x) = \frac{\sum_{i:\, r(x_i) = r(x)} s_i 1[y_i = c]}{\sum_{i:\, r(x_i) = r(x)} s_i},
        \qquad r(x) = \text{the first rule that holds for } x

    The path to each leaf becomes a rule. Its preconditions are dropped one after another, as long as the estimated
    accuracy of the rule does not fall, the one whose removal raises it most first. Rules are sorted by estimated
    accuracy. Rules that decide no training row are left out, and rows that no rule decides get a default. The class of
    a rule is that of most training rows that it decides.

    Parameters
    ----------
    estimator : DecisionTreeClassifier or None, default None.  The tree, unfitted; None for one with defaults.
    estimate : {"pessimistic", "validation"} or None, default "pessimistic".  On what accuracies are estimated.
        "pessimistic": on the training rows, by the upper 25 % limit of a binomial error rate, exact where C4.5
        approximates it: no row is set aside, nothing is drawn, and a weight equals a repetition. "validation": on rows
        that the tree has not seen. If the pruned list is less accurate on them than the tree, the rules of the tree are
        kept. None: nothing is pruned, and the list predicts what the tree does.
    validation_fraction : float, (0, 1), default 0.25.  The share of the rows for estimate="validation".
    random_state : int, RandomState or None, default None.  Draws that share.

    Attributes
    ----------
    classes_ : (k,) array.
    estimator_ : DecisionTreeClassifier.  The tree that the rules came from.
    rules_ : RuleTable.  The rules; :func:`separatrix.tree.rules.extract` gives them in words.
    n_parameters_ : int.  Ends of the conditions, and the shares of the classes of each rule.
    is_pruned_ : bool.  Whether the pruned rules were kept.
    certificate_ : Certificate.  How far supports and shares are from those counted anew.
    n_features_in_, feature_names_in_ : as in scikit-learn.

    Notes
    -----
    Supports and shares are of all rows of `fit`, which chose the rules: confidences on new rows are lower.
    :func:`separatrix.tree.rules.assess` counts them on other rows, with intervals that hold there. Where the tree has
    a `class_weight`, it is part of the weights. A category not met in training, and a missing value, pass the
    conditions that such rows pass in the tree. Pruned rules are not held to the tree's `monotonic_cst`.

    References: Quinlan (1993), C4.5: Programs for Machine Learning, chapter 5; Mitchell (1997), Machine Learning,
    section 3.7.1.2.

    >>> import numpy as np
    >>> X = np.array([["sunny"], ["rain"], ["overcast"], ["rain"]], dtype=object)
    >>> model = RuleListClassifier().fit(X, ["no", "yes", "yes", "yes"])
    >>> model.predict(np.array([["sunny"], ["rain"]], dtype=object))
    array(['no', 'yes'], dtype='<U3')
    """

    classes_: Array
    estimator_: DecisionTreeClassifier
    rules_: RuleTable
    n_features_in_: int

    def __init__(
        self,
        estimator: DecisionTreeClassifier | None = None,
        *,
        estimate: str | None = "pessimistic",
        validation_fraction: float = 0.25,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.estimate = estimate
        self.validation_fraction = validation_fraction
        self.random_state = random_state

    def fit(self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit to X (n, p) and y (n,). A row of weight w counts as w rows, one of weight 0 as none."""
        with all_or_nothing(self):
            started = time.perf_counter()
            tree = self._check()
            tree.fit(X, y, sample_weight=sample_weight)  # it checks the data
            if tree.outputs_2d_:
                raise cannot("fit RuleListClassifier", because="y has several columns", instead="y of one column")
            rows, target, s = tree._again(X, y, sample_weight)
            s = np.ones(len(rows)) if s is None else s
            self.__dict__.pop("_validation_seed", None)
            if self.estimate == "validation":
                self._validation_seed = int(check_random_state(self.random_state).randint(2**31 - 1))
            estimating = self._estimating(target, s)
            if self.estimate == "validation":
                tree.fit(X, y, sample_weight=self._growing(sample_weight, estimating, len(rows)))
                rows = tree._rows(X)  # the bins are those of the rows that it has grown on now
            self.estimator_, self.classes_, self.n_features_in_ = tree, tree.classes_, tree.n_features_in_
            self.__dict__.pop("feature_names_in_", None)
            if "feature_names_in_" in vars(tree):
                self.feature_names_in_ = tree.feature_names_in_
            self.rules_, self.is_pruned_ = self._listed(tree, rows, target.y[:, 0], s, estimating)
            self._certify(rows, target, s, started)
            return self

    def _certify(self, rows, target, s, started):
        message = COUNTED if self.estimate is not None else self.estimator_.certificate_.message
        value = decided_residual(self, rows, target, s)
        self.certificate_ = closed_form(value, count_tolerance(len(rows)), started=started, message=message)
        warn_if_not_certified(self.certificate_, ADVICE, stacklevel=3)

    def _check(self):
        if self.estimate is not None:
            check_choice(self, "estimate", ("pessimistic", "validation"))
        check_number(self, "validation_fraction", 0.0, 1.0, open_low=True, open_high=True)
        tree = DecisionTreeClassifier() if self.estimator is None else self.estimator
        if not isinstance(tree, DecisionTreeClassifier):
            raise cannot(
                f"make rules of {type(tree).__name__}",
                because="it is not a DecisionTreeClassifier of this library",
                instead="separatrix.tree.DecisionTreeClassifier(...)",
            )
        return clone(tree)

    def _estimating(self, target, s):
        """Places of the rows on which accuracies are estimated: the same in `fit` and whenever a list is verified."""
        if self.estimate != "validation":
            return np.flatnonzero(s > 0.0)
        return divide(target, s, self.validation_fraction, self._validation_seed, "estimate='pessimistic'")

    def _growing(self, sample_weight, estimating, n):
        """Weights of the rows that the tree grows on, or None: 0 for those held out."""
        if self.estimate != "validation":
            return sample_weight
        given = checked_weights(sample_weight, n)
        growing = np.ones(n) if given is None else np.array(given)
        growing[estimating] = 0.0
        return growing

    def _listed(self, tree, rows, codes, s, estimating):
        """The table of rules, and whether it is the pruned one."""
        columns = tree_cells(tree)
        whole = tree_rules(tree, columns)
        if self.estimate is None:
            return whole, False
        if self.estimate == "validation":
            value, weight = count_decided(whole, rows, columns, codes, s, whole.value)
            whole = whole._replace(value=value, weight=weight)
        some = codes[estimating], s[estimating], ACCURACIES[self.estimate]
        pruned = prune_rules(tree.nodes_, columns, rows[estimating], *some)
        table = _in_turn(pruned, rows, columns, codes, s, len(self.classes_))
        if self.estimate == "validation":
            some = rows[estimating], columns, codes[estimating], s[estimating]
            if _right(table, *some) < _right(whole, *some):
                return whole, False
        return table, True

    @property
    def n_parameters_(self) -> int:
        """Ends of the conditions, and the shares of the classes of each rule."""
        check_is_fitted(self)
        return int(self.rules_.bounds.size + self.rules_.value.size)

    def predict_proba(self, X: MatrixLike) -> Array:
        """Shares of the classes among the training rows that the first rule decides which holds for a row, (n, k)."""
        check_is_fitted(self)
        rows = self.estimator_._rows(X)
        return self.rules_.value[first_rules(self.rules_._asdict(), rows, tree_cells(self.estimator_))]

    def predict_log_proba(self, X: MatrixLike) -> Array:
        """Logarithms of the shares."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def predict(self, X: MatrixLike) -> Array:
        """The class with the largest share in the rule of each row; the first of equals."""
        shares = self.predict_proba(X)
        return self.classes_[np.argmax(shares, axis=1)]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = True
        return tags


def _in_turn(pruned, rows, columns, codes, s, k):
    """A table of the pruned rules that decide some row, with a default after them."""
    rest = np.tile(_all_shares(codes, s, k), (len(pruned) + 1, 1))

    def table(rules):
        empty = rest[: len(rules) + 1]
        estimates = np.append([rule.estimate for rule in rules], 0.0)
        made = table_from([*(rule.conditions for rule in rules), []], empty, np.zeros(len(empty)), estimates)
        value, weight = count_decided(made, rows, columns, codes, s, empty)
        return made._replace(value=value, weight=weight)

    listed = table(pruned)
    used = [rule for rule, weight in zip(pruned, listed.weight, strict=False) if weight > 0.0]
    return table(used)


def _all_shares(codes, s, k):
    """Shares of the classes among all rows: what a rule without rows predicts by."""
    everyone = np.bincount(codes, s, k)
    return everyone / everyone.sum()


def _right(table, rows, columns, codes, s):
    """The weight of the rows that a table predicts rightly."""
    chosen = np.argmax(table.value, axis=1)[first_rules(table._asdict(), rows, columns)]
    return float(s[chosen == codes].sum())


def decided_residual(model, rows, target, s):
    """How far weights and shares of the rules of a model are from those of rows, relative.

    Rules that were not pruned have the numbers of the leaves of the tree, whatever rows it learnt them from.
    """
    table, columns = model.rules_, tree_cells(model.estimator_)
    if model.estimate is None:
        whole = tree_rules(model.estimator_, columns)
        return 0.0 if all(map(np.array_equal, table, whole)) else np.inf
    codes = target.y[:, 0]
    if model.is_pruned_:
        otherwise = np.broadcast_to(_all_shares(codes, s, len(model.classes_)), table.value.shape)
    else:
        otherwise = tree_rules(model.estimator_, columns).value
    if otherwise.shape != table.value.shape:
        return np.inf
    value, weight = count_decided(table, rows, columns, codes, s, otherwise)
    if np.any((weight > 0.0) != (table.weight > 0.0)):
        return np.inf
    apart = np.abs(weight - table.weight) / np.where(weight > 0.0, weight, 1.0)
    return float(max(apart.max(), np.abs(value - table.value).max()))


def _few_rules(facts):
    from separatrix.estimators.preparation.compose import category_places  # brings scikit-learn's column transformer

    tree = DecisionTreeClassifier(categorical_features=category_places(facts.kinds), random_state=facts.seed)
    return facts.searched(RuleListClassifier(tree), {"estimator__max_leaf_nodes": [8, 32]})


declare(
    Family(
        name="rule list",
        task="classification",
        model=RuleListClassifier,
        make=_few_rules,
        complexity=46,
        description="Up to 32 rules and a default, asked one after the other: the first whose conditions hold decides, "
        "by the shares of the classes among its training rows.",
        preparation="trees",
        why_excluded=needs(dense=True, rows_per_class=2),
    )
)
