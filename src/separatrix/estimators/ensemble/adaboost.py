r"""AdaBoost: weak classifiers trained one after the other, each on the rows that those before it got wrong."""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.random import RandomState
from numpy.typing import ArrayLike
from sklearn.base import ClassifierMixin, clone
from sklearn.metrics import accuracy_score
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from separatrix.core.certificate import closed_form, warn_if_not_certified
from separatrix.core.declaration import DENSE, SmallFit, declares
from separatrix.core.description import DescribedTable, Description, fit_notes
from separatrix.core.errors import cannot
from separatrix.core.family import Family, declare, needs
from separatrix.core.solution import Certificate
from separatrix.core.types import Array, MatrixLike
from separatrix.estimators import verification
from separatrix.estimators.all_or_nothing import all_or_nothing
from separatrix.estimators.ensemble import stump_votes
from separatrix.estimators.ensemble.answers import finite_answers
from separatrix.estimators.recompute.adaboost import ROUNDING, residual_of_rounds
from separatrix.estimators.saving import Estimator
from separatrix.estimators.validation import check_number, encode, validate_classes, validate_rows
from separatrix.prediction import forms, stumps
from separatrix.prediction.linear import decide, log_probabilities, probabilities
from separatrix.solvers.boosted_stumps import boost_stumps, log_odds, refuse_overflow, weight_of_perfect

STAGEWISE = (
    "errors and weights of the learners are those of their answers, recomputed round by round; learners are added one "
    "after another, so that there is no optimum of the committee to prove"
)
SEARCHED = "; that every stump has the smallest weighted error of all is proved by verify"
ADVICE = "A base estimator whose predictions stay the same from call to call."
MOST_SHOWN = 20


@dataclass(frozen=True)
class Stump:
    """A threshold on one column: the label `below` where ``x[feature] <= threshold``, else the label `above`."""

    feature: int
    threshold: float
    below: Any
    above: Any

    def predict(self, X: ArrayLike) -> Array:
        """The label of each row."""
        return np.where(np.asarray(X)[:, self.feature] <= self.threshold, self.below, self.above)


def _described(model, names, X, y):
    """The heaviest learners, and how much weight each column has."""
    total = float(model.estimator_weights_.sum())
    rounds = len(model.estimator_weights_)
    order = np.argsort(-model.estimator_weights_, kind="stable")[:MOST_SHOWN]
    notes = (
        "Scores are log-odds: minimising the exponential loss, the committee approaches half of them (Friedman, Hastie "
        "and Tibshirani 2000). With many rounds such probabilities tend to be too sure.",
        *fit_notes(model),
    )
    if "members_" in vars(model):
        kind = type(model.members_[0]).__name__
        rows = tuple((int(m) + 1, float(model.estimator_weights_[m]), float(model.estimator_errors_[m])) for m in order)
        table = DescribedTable("The heaviest learners", ("round", "weight", "weighted error"), rows)
        words = f"The model is a weighted vote of {rounds} copies of {kind}, each trained on mistakes of the others."
        return Description(words, (table,), ("boundary",), notes)
    rows = tuple(_shown(model, names, m) for m in order)
    votes = DescribedTable(
        "The heaviest stumps",
        ("round", "question", "if so", "else", "weight", "weighted error"),
        rows,
        f"{len(rows)} of {rounds}; each vote moves the score by its weight.",
    )
    shares = model.feature_importances_
    used = [j for j in np.argsort(-shares, kind="stable") if shares[j] > 0.0][:MOST_SHOWN]
    table = DescribedTable(
        "Which columns matter",
        ("column", "share of the votes"),
        tuple((names[j], float(shares[j])) for j in used) or ((names[0], 0.0),),
        "The weights of the stumps on a column, as a share of all.",
    )
    most = f" Most of the votes look at {names[used[0]]!r}." if used else ""
    words = (
        f"The model is a weighted vote of {rounds} thresholds on single columns, with weights that sum to "
        f"{total:.3g}.{most}"
    )
    return Description(words, (votes, table), ("importances", "boundary"), notes)


def _shown(model, names, m):
    labels = [str(model.classes_[codes[m]]) for codes in (model.below_, model.above_)]
    finite = np.isfinite(model.thresholds_[m])
    question = f"{names[model.features_[m]]} <= {model.thresholds_[m]:.6g}" if finite else "(the same for all rows)"
    numbers = float(model.estimator_weights_[m]), float(model.estimator_errors_[m])
    return (int(m) + 1, question, labels[0] if finite else labels[1], labels[1], *numbers)


@declares(
    task="classification",
    solvers=("solvers.boosted_stumps",),
    prediction=forms.BOOSTED,
    verification=verification.OF_BOOSTED,
    certifies=verification.VOTES_COUNTED,
    tree_sum=stump_votes.tree_sum,
    description=_described,
    small_fits=tuple(SmallFit(classes=k, storages=DENSE, called=f"{k} classes") for k in (2, 3)),
)
class AdaBoostClassifier(ClassifierMixin, Estimator):
    r"""A weighted vote of weak classifiers, each trained on the rows that the ones before it got wrong.

    .. math:: e_m = \frac{\sum_i w_i [h_m(x_i) \ne y_i]}{\sum_i w_i}, \quad
              \alpha_m = \nu \left(\ln \frac{1 - e_m}{e_m} + \ln (k - 1)\right), \quad
              w_i \leftarrow w_i\, e^{\alpha_m [h_m(x_i) \ne y_i]}

    The first weights are those of the rows. For two classes coded :math:`\pm 1` this descends on the exponential loss
    :math:`\sum_i s_i e^{-t_i f(x_i)}` with :math:`f = \frac12 \sum_m \alpha_m h_m`, whose minimiser is half the
    log-odds: probabilities are :math:`\sigma(2 f)`. For k classes it is SAMME, and probabilities are proportional to
    :math:`e^{V_c}`, :math:`V_c` being the votes :math:`\sum_m \alpha_m [h_m = c]`.

    Without a base estimator the learners are stumps: in every round the threshold on one column with the smallest
    weighted error of all. Weights of rows are then summed exactly, so that the stumps depend neither on the order of
    the rows nor on threads, and a row of weight 3 is three rows to the last bit.

    Parameters
    ----------
    estimator : classifier that takes `sample_weight`, or None, default None.  The weak classifier; None is a stump. Its
        weights sum to those of the data in every round.
    n_estimators : int, [1, inf), default 50.  Most rounds.
    learning_rate : float, (0, inf), default 1.0.  Factor of the weight of every learner.
    random_state : int, RandomState or None, default None.  Of base estimators that have one; stumps have none.

    Attributes
    ----------
    classes_ : (k,) array.  n_classes_ : int.
    estimator_weights_, estimator_errors_ : (M,) arrays.  The weights and the weighted errors of the M learners.
    features_, thresholds_, below_, above_ : (M,) arrays, without a base estimator.  Stump m answers the class
        ``classes_[below_[m]]`` where column ``features_[m]`` is at most ``thresholds_[m]``, else
        ``classes_[above_[m]]``; a threshold of minus infinity is a constant answer.
    members_ : list of fitted classifiers, with a base estimator.
    certificate_ : Certificate.  How well errors and weights agree with the learners' answers, by a second count.
    n_features_in_, feature_names_in_ : as in scikit-learn.

    Notes
    -----
    Rounds end early where a learner makes no mistake: its weight would be infinite, and is 1 more than all before it
    together, so that it decides alone (in scikit-learn it is 1); and where no learner has an error below 1 - 1/k, which
    in the first round is an error. scikit-learn divides scores by the sum of the weights and takes probabilities from
    these, which has no meaning as a likelihood; here scores are log-odds. For the same learners, none of them without
    mistakes, predicted classes are those of scikit-learn.

    References: Freund and Schapire (1997), J. Comput. Syst. Sci. 55(1). Friedman, Hastie and Tibshirani (2000), Ann.
    Statist. 28(2). Zhu, Zou, Rosset and Hastie (2009), Statistics and its Interface 2(3).

    >>> X, y = [[0], [1], [2], [3], [4], [5]], ["a", "a", "b", "b", "a", "a"]
    >>> model = AdaBoostClassifier(n_estimators=3).fit(X, y)
    >>> model.thresholds_.tolist(), model.estimator_errors_.round(3).tolist()
    ([1.5, 3.5, -inf], [0.333, 0.25, 0.167])
    >>> model.predict(X).tolist(), model.predict_proba([[2.5]]).round(3).tolist()
    (['a', 'a', 'b', 'b', 'a', 'a'], [[0.455, 0.545]])
    """

    classes_: Array
    certificate_: Certificate

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_estimators: int = 50,
        learning_rate: float = 1.0,
        random_state: int | RandomState | None = None,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate
        self.random_state = random_state

    def fit(self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit to X (n, p) and labels y (n,); a weight is a number of repetitions."""
        with all_or_nothing(self):
            started = time.perf_counter()
            check_number(self, "n_estimators", 1, integer=True)
            check_number(self, "learning_rate", 0.0, open_low=True)
            design, codes, s = validate_classes(self, X, y, sample_weight)
            self.n_classes_ = len(self.classes_)
            s = np.ones(len(codes)) if s is None else s
            for name in ("members_", "features_", "thresholds_", "below_", "above_"):
                self.__dict__.pop(name, None)
            if self.estimator is None:
                self._boost_stumps(design, codes, s)
            else:
                self._boost_members(design.matrix(), codes, s)
            residual = residual_of_rounds(self, self._answers(design.matrix()), codes, s)
            rounds = len(self.estimator_weights_)
            message = STAGEWISE + (SEARCHED if self.estimator is None else "")
            self.certificate_ = closed_form(
                residual, ROUNDING, started=started, message=message, iterations=rounds, passes=rounds
            )
            warn_if_not_certified(self.certificate_, ADVICE, stacklevel=2)
            return self

    def _boost_stumps(self, design, codes, s):
        """Rounds of stumps."""
        design.needs("columns, rows", "fit AdaBoostClassifier")
        if (s == 0.0).any():  # rows that are not there have no thresholds
            rows = np.flatnonzero(s)
            design, codes, s = design.take(rows), codes[rows], s[rows]
        options = {"rounds": int(self.n_estimators), "learning_rate": float(self.learning_rate)}
        committee = boost_stumps(design, codes, s, self.n_classes_, **options)
        if not len(committee.weights):
            raise self._worse_than_guessing("a stump", "estimator=DecisionTreeClassifier(max_depth=2)")
        self.features_, self.thresholds_ = committee.feature, committee.threshold
        self.below_, self.above_ = committee.below, committee.above
        self.estimator_weights_, self.estimator_errors_ = committee.weights, committee.errors

    def _boost_members(self, X, codes, s):
        """The same with copies of the base estimator."""
        name = type(self.estimator).__name__
        if not has_fit_parameter(self.estimator, "sample_weight"):
            raise cannot(
                f"boost {name}",
                because="its fit takes no sample_weight, and boosting is a change of weights",
                instead="BaggingClassifier, or a base estimator with weights",
            )
        random, k, labels = check_random_state(self.random_state), self.n_classes_, self.classes_[codes]
        w, members, errors, weights = s / s.sum(), [], [], []
        for _ in range(self.n_estimators):
            member = clone(self.estimator)
            if "random_state" in member.get_params():
                member.set_params(random_state=random.randint(np.iinfo(np.int32).max))
            member.fit(X, labels, sample_weight=w * s.sum())
            missed = self._codes(member, X) != codes
            wrong, right = float(w[missed].sum()), float(w[~missed].sum())
            if wrong >= (1.0 - 1.0 / k) * (wrong + right):
                break
            members.append(member)
            errors.append(wrong / (wrong + right))
            if wrong == 0.0:
                weights.append(weight_of_perfect(weights))
                break
            weights.append(self.learning_rate * log_odds(wrong, right, k))
            refuse_overflow(weights[-1])
            w = np.where(missed, np.exp(weights[-1]) * w, w)
            w /= w.sum()
        if not members:
            raise self._worse_than_guessing(name, "another base estimator")
        self.members_ = members
        self.estimator_weights_, self.estimator_errors_ = np.array(weights), np.array(errors)

    def _worse_than_guessing(self, name, instead):
        return cannot(
            f"boost {name}",
            because=f"in the first round its weighted error is not below {1.0 - 1.0 / self.n_classes_:.3g}, "
            "which guessing achieves",
            instead=instead,
        )

    @property
    def estimators_(self) -> list[Any]:
        """The learners, in the order in which they were trained: fitted classifiers, or :class:`Stump` objects."""
        check_is_fitted(self)
        if "members_" in vars(self):
            return self.members_
        places = zip(self.features_.tolist(), self.thresholds_.tolist(), self.below_, self.above_)
        return [Stump(j, t, self.classes_[below], self.classes_[above]) for j, t, below, above in places]

    @property
    def feature_importances_(self) -> Array:
        """The weights of the learners on each column, as a share of all; a constant answer is on none."""
        check_is_fitted(self)
        if "members_" in vars(self):
            shares = np.array([member.feature_importances_ for member in self.members_])
            return self.estimator_weights_ @ shares / self.estimator_weights_.sum()
        asking = np.isfinite(self.thresholds_)
        votes = np.bincount(self.features_[asking], self.estimator_weights_[asking], minlength=self.n_features_in_)
        return votes / self.estimator_weights_.sum()

    def decision_function(self, X: MatrixLike) -> Array:
        """Log-odds :math:`\\sum_m \\alpha_m h_m(x)`, (n,), or for k > 2 log-probabilities that sum to 0: (n, k)."""
        *_, scores = self.staged_decision_function(X)
        return scores

    def predict(self, X: MatrixLike) -> Array:
        """The class with the largest sum of weights; of two with equal sums the second, of more the first."""
        return decide(self.decision_function(X), self.classes_)

    def predict_proba(self, X: MatrixLike) -> Array:
        r"""Probabilities (n, k): :math:`\sigma(\sum_m \alpha_m h_m)`, or shares of :math:`e^{V_c}`."""
        return probabilities(self.decision_function(X))

    def predict_log_proba(self, X: MatrixLike) -> Array:
        """Logarithms of :meth:`predict_proba`."""
        return log_probabilities(self.decision_function(X))

    def staged_decision_function(self, X: MatrixLike) -> Iterator[Array]:
        """The scores after 1, 2, ..., M rounds."""
        check_is_fitted(self)
        X = validate_rows(self, X)
        weights = self.estimator_weights_.tolist()
        for votes in stumps.summed_votes(self._answers(X), weights, self.n_classes_, X.shape[0]):
            yield stumps.scores_of(votes)

    def staged_predict(self, X: MatrixLike) -> Iterator[Array]:
        """The classes after 1, 2, ..., M rounds."""
        for scores in self.staged_decision_function(X):
            yield decide(scores, self.classes_)

    def staged_predict_proba(self, X: MatrixLike) -> Iterator[Array]:
        """The probabilities after 1, 2, ..., M rounds."""
        yield from map(probabilities, self.staged_decision_function(X))

    def staged_score(self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Iterator[float]:
        """The share of rows whose class is predicted after 1, 2, ..., M rounds."""
        for labels in self.staged_predict(X):
            yield accuracy_score(y, labels, sample_weight=sample_weight)

    def staged_weights(self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Iterator[Array]:
        """The weights (n,), summing to 1, that rows have in rounds 1, 2, ..., M."""
        check_is_fitted(self)
        _, codes, s = validate_classes(self, X, y, sample_weight, reset=False)
        s = np.ones(len(codes)) if s is None else s
        yield s / s.sum()
        stages = list(self.staged_decision_function(X))[:-1]
        for scores in stages:
            logs = -self._own_score(scores, codes)
            w = s * np.exp(logs - logs[s > 0.0].max())
            yield w / w.sum()

    def staged_exponential_loss(
        self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> Iterator[float]:
        r"""The mean of :math:`e^{-t f(x)}` after 1, 2, ..., M rounds; SAMME's loss for more than two classes."""
        check_is_fitted(self)
        _, codes, s = validate_classes(self, X, y, sample_weight, reset=False)
        for scores in self.staged_decision_function(X):
            yield float(np.average(np.exp(-self._own_score(scores, codes)), weights=s))

    def _own_score(self, scores, codes):
        """t f(x) of two classes, of more the centred score of the class of each row."""
        if scores.ndim == 1:
            return 0.5 * np.where(codes == 1, scores, -scores)
        return scores[np.arange(len(codes)), codes]

    def _answers(self, X):
        """The codes that each learner answers, one array after the other."""
        if "members_" in vars(self):
            return (self._codes(member, X) for member in self.members_)
        return stumps.codes_of(vars(self), X)

    def _codes(self, member, X):
        return encode(self, finite_answers(member, member.predict(X), X.shape[:1]), reset=False)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def _searched(facts):
    return facts.searched(AdaBoostClassifier(learning_rate=0.5), {"n_estimators": [25, 100, 400]})


declare(
    Family(
        name="AdaBoost",
        task="classification",
        model=AdaBoostClassifier,
        make=_searched,
        complexity=50,
        description="A weighted vote of thresholds on single columns, each chosen for the rows that the others got "
        "wrong: additive steps, whatever the units.",
        why_excluded=needs(dense=True, columns=500),
    )
)
