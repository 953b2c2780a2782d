"""What bagging of classes and of numbers shares: samples, members, their certificates and out-of-bag answers."""

import time
import warnings
from collections.abc import Callable, Iterator
from numbers import Integral
from typing import Any, Self

import numpy as np
from numpy.random import RandomState
from numpy.typing import ArrayLike
from sklearn.base import MetaEstimatorMixin
from sklearn.utils import check_random_state, get_tags
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from separatrix.core.declaration import certificate_of, predicts_classes
from separatrix.core.description import DescribedTable, Description, fit_notes
from separatrix.core.errors import cannot
from separatrix.core.protocol import can
from separatrix.core.solution import Certificate
from separatrix.core.threads import parallel_map
from separatrix.core.tree_sum import TreeSum, WalkedTree, mean_of_trees
from separatrix.core.types import Array, MatrixLike
from separatrix.designs import as_dense
from separatrix.estimators.all_or_nothing import all_or_nothing
from separatrix.estimators.ensemble.bootstrap import LARGEST_SEED, Bags, bags_of, draw_columns, seeded
from separatrix.estimators.ensemble.members import enter_rows, later_rows, take_columns, take_rows
from separatrix.estimators.ensemble.warm_start import count_kept, facts_of, facts_of_samples, refuse_other_data
from separatrix.estimators.published import timed, worst
from separatrix.estimators.saving import Estimator
from separatrix.estimators.tree.base import DecisionTree, answers_medians
from separatrix.estimators.tree.columns import has_words
from separatrix.estimators.validation import check_choice, check_number
from separatrix.prediction.committees import spread_shares

AT_ONCE = 32  # members whose answers are held side by side before they are summed


class Bagging(MetaEstimatorMixin, Estimator):
    """Copies of one model, each trained on rows (and columns) drawn at random; the mean of their answers."""

    estimators_: list[Any]
    estimators_features_: list[Array]
    _seeds: Array
    certificate_: Certificate

    def __init__(
        self,
        estimator: Any = None,
        n_estimators: int = 10,
        *,
        max_samples: float | None = None,
        max_features: float = 1.0,
        bootstrap: bool = True,
        bootstrap_features: bool = False,
        oob_score: bool = False,
        warm_start: bool = False,
        n_jobs: int | None = None,
        random_state: int | RandomState | None = None,
        verbose: int = 0,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.max_samples = max_samples
        self.max_features = max_features
        self.bootstrap = bootstrap
        self.bootstrap_features = bootstrap_features
        self.oob_score = oob_score
        self.warm_start = warm_start
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit the members to X (n, p) and y; a weight is a number of repetitions, of a row that is drawn as often."""
        with all_or_nothing(self):
            started = time.perf_counter()
            self._check()
            done = count_kept(self, "estimators_", "committee", "member")
            known = self._facts() if done else {}
            before: tuple[Any, ...] = ([], [], [])
            if done:
                before = self.estimators_, self.estimators_features_, self._seeds
            rows, (y, s) = enter_rows(self, X, y, sample_weight)
            self.estimator_, self._n_outputs = self._base(), y.shape[1] if y.ndim == 2 else 1
            self._bags = bags_of(self, rows.shape[0], s)
            self._drawn_columns = self._number_of_columns()
            self._replaces_columns = bool(self.bootstrap_features)
            refuse_other_data(known, self._facts() if done else {}, "members")
            # all seeds come from one stream, so that a warm start goes on as if it had never stopped
            seeds = check_random_state(self.random_state).randint(LARGEST_SEED, size=self.n_estimators)
            self._seeds = np.array([*before[2], *seeds[done:]], dtype=np.int64)
            new = parallel_map(
                lambda m: self._fit_member(m, rows, y), range(done, self.n_estimators), numbers=_size(rows)
            )
            self.estimators_ = [*before[0], *(member for member, _ in new)]
            self.estimators_features_ = [*before[1], *(columns for _, columns in new)]
            self._certify(started)
            for name in ("oob_score_", *self._out_of_bag):
                self.__dict__.pop(name, None)
            if self.oob_score:
                self._score_out_of_bag(rows, y, s)
            return self

    def _check(self):
        check_number(self, "n_estimators", 1, integer=True)
        for name in ("bootstrap", "bootstrap_features", "oob_score", "warm_start"):
            check_choice(self, name, (False, True))
        if self.oob_score and (self.warm_start or not self.bootstrap):
            raise cannot(
                "score rows out of the bag",
                because="members of another fit may have seen them" if self.warm_start else "every row may be drawn",
                instead="bootstrap=True and warm_start=False",
            )

    def _facts(self):
        """What a warm start must have in common with the first fit, so that the samples of all can be drawn again."""
        return facts_of(
            self,
            rows=self._bags.n,
            outputs=self._n_outputs,
            estimator=type(self.estimator_).__name__,
            columns_of_a_sample=self._drawn_columns,
            bootstrap_features=self._replaces_columns,
            **facts_of_samples(self._bags),
        )

    def _base(self):
        if self.estimator is None:
            return self._default()
        if not can(self.estimator, "fit"):
            raise cannot(
                f"fit a committee of {self.estimator!r}",
                because="it is no estimator",
                instead="an estimator, or None for decision trees",
                kind=TypeError,
            )
        return self.estimator

    def _number_of_columns(self):
        p = self.n_features_in_
        if isinstance(self.max_features, Integral) and not isinstance(self.max_features, bool):
            return check_number(self, "max_features", 1, p, integer=True)
        return max(1, int(check_number(self, "max_features", 0.0, 1.0, open_low=True) * p))

    def _fit_member(self, m, X, y):
        """Member m and the places of its columns."""
        member = seeded(self.estimator_, RandomState(self._seeds[m]))
        columns, drawn = self._draw(m)
        X = take_columns(X, columns)
        if self._takes_weights():
            counts = np.bincount(drawn, minlength=self._bags.n).astype(np.float64)
            return member.fit(X, y, sample_weight=counts), columns
        return member.fit(take_rows(X, drawn), y[drawn]), columns

    def _takes_weights(self):
        """Whether rows that are drawn several times can be counted, in the place of being copied."""
        return has_fit_parameter(self.estimator_, "sample_weight")

    def _draw(self, m, bags=None):
        """Places of the columns and the rows of member m."""
        random = RandomState(self._seeds[m])
        columns = draw_columns(random, self.n_features_in_, self._drawn_columns, self._replaces_columns)
        return columns, (bags or self._bags).rows(random)

    def _certify(self, started):
        self.__dict__.pop("certificate_", None)
        proofs = [certificate_of(member) for member in self.estimators_]
        if all(proof is not None for proof in proofs):
            self.certificate_ = timed(worst(proofs), started)

    @property
    def estimators_samples_(self) -> list[Array]:
        """The places of the rows that each member was trained on, in the order of drawing; drawn again when asked."""
        check_is_fitted(self)
        return [self._draw(m)[1] for m in range(len(self.estimators_))]

    def _answers(self, X: Any, question: Callable[[Any, Any], Array]) -> Iterator[Array]:
        """``question(member, its columns of X)`` of all members, in their order."""
        places = list(zip(self.estimators_, self.estimators_features_))
        for start in range(0, len(places), AT_ONCE):
            part = places[start : start + AT_ONCE]
            yield from parallel_map(lambda pair: question(pair[0], take_columns(X, pair[1])), part, numbers=_size(X))

    def _later(self, X):
        check_is_fitted(self)
        return later_rows(self, X, missing=get_tags(self._base()).input_tags.allow_nan)

    def _out_of_bag_means(self, X, question, shape):
        """The mean answer to each row of the members that have not seen it, and how many these are."""
        total, counts = np.zeros(shape), np.zeros(shape[0])

        def ask(m):
            _, drawn = self._draw(m)
            out = np.ones(shape[0], dtype=bool)
            out[drawn] = False
            places = np.flatnonzero(out)
            part = take_columns(take_rows(X, places), self.estimators_features_[m])
            return places, question(self.estimators_[m], part) if len(places) else np.zeros((0, *shape[1:]))

        for places, answer in parallel_map(ask, range(len(self.estimators_)), numbers=_size(X)):
            total[places] += answer
            counts[places] += 1.0
        with np.errstate(invalid="ignore"):  # NaN where no member answers
            return (total.T / counts).T, counts

    def _scored_rows(self, counts, s):
        """The rows that have an out-of-bag answer, and their weights."""
        rows = np.flatnonzero((counts > 0.0) & (True if s is None else s > 0.0))
        if not len(rows):
            raise cannot(
                "score rows out of the bag",
                because=f"each row is in all {self.n_estimators} samples",
                instead="more estimators, or smaller samples (max_samples)",
            )
        seen = int(np.count_nonzero(counts == 0.0))
        if seen:
            warnings.warn(
                f"{seen} of {len(counts)} rows are in all {self.n_estimators} samples: they have no out-of-bag answer. "
                "Use more estimators.",
                stacklevel=4,
            )
        return rows, None if s is None else s[rows]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        base = get_tags(self._base()).input_tags
        tags.input_tags.sparse, tags.input_tags.allow_nan = base.sparse, base.allow_nan
        return tags


def _size(X):
    return X.shape[0] * X.shape[1]


def tree_sum(model: Any, X: MatrixLike) -> TreeSum | None:
    """The mean of trees as a sum over trees; None where the members are other models, or code categories or bins.

    Members number categories and bins by their own samples: one row is not the same codes to all of them.
    """
    members, of_classes = model.estimators_, predicts_classes(model)
    if has_words(X) or not all(isinstance(member, DecisionTree) and member._is_plain() for member in members):
        return None
    trees = []
    for member, columns in zip(members, model.estimators_features_, strict=True):
        nodes, value = member.nodes_._asdict(), member.nodes_.value
        nodes["column"] = np.where(nodes["column"] >= 0, columns[nodes["column"]], -1)
        value = (spread_shares(value, member.classes_, model.n_classes_) if of_classes else value) / len(members)
        trees.append(WalkedTree(nodes, 0, value, value, rows=nodes["n_samples"]))
    base, medians = np.zeros(trees[0].value.shape[1]), answers_medians(members[0])
    return mean_of_trees(as_dense(model._later(X)), base, trees, shares=of_classes, medians=medians)


def described(model: Any, names: list[str], X: Any, y: Any) -> Description:
    """How many members there are, of what kind, and what they were trained on."""
    kind, members, bags = type(model.estimator_).__name__, len(model.estimators_), model._bags
    how = "with replacement" if bags.replace else "without replacement"
    rows = [
        ("members", members),
        ("rows of each sample", bags.draws),
        ("columns of each sample", model._drawn_columns),
    ]
    if "oob_score_" in vars(model):
        rows.append(("out-of-bag score", float(model.oob_score_)))
    words = (
        f"The model is the mean of {members} copies of {kind}, each trained on {bags.draws} rows that were drawn at "
        f"random {how}. A mean varies less from one training set to the next than its members do."
    )
    table = DescribedTable("The committee", ("of what", "number"), tuple(rows))
    return Description(words, (table,), ("boundary",), fit_notes(model))


def bags_again(model: Any, n: int, s: Any) -> Bags:
    """The samples that a fitted committee claims to have drawn, of other weights if these differ."""
    return Bags(n, s, model._bags.draws, model._bags.replace)
