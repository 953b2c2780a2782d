r"""AdaBoost for numbers (AdaBoost.R2): regressors trained one after the other, on rows that those before missed."""

import time
from collections.abc import Iterator
from typing import Any, Self

import numpy as np
from numpy.random import RandomState
from numpy.typing import ArrayLike
from sklearn.base import MetaEstimatorMixin, RegressorMixin
from sklearn.utils import check_random_state, get_tags
from sklearn.utils.validation import check_is_fitted

from separatrix.core.certificate import closed_form, warn_if_not_certified
from separatrix.core.declaration import declares
from separatrix.core.description import DescribedTable, Description, fit_notes
from separatrix.core.family import Family, declare, needs
from separatrix.core.protocol import row_count
from separatrix.core.solution import Certificate
from separatrix.core.types import Array, MatrixLike
from separatrix.estimators import verification
from separatrix.estimators.all_or_nothing import all_or_nothing
from separatrix.estimators.ensemble.adaboost import ADVICE, MOST_SHOWN, STAGEWISE
from separatrix.estimators.ensemble.answers import finite_answers
from separatrix.estimators.ensemble.bootstrap import LARGEST_SEED, draw_in_proportion, draws_of, seeded
from separatrix.estimators.ensemble.members import drawn_sample, enter_rows, later_rows
from separatrix.estimators.recompute.adaboost import ROUNDING, residual_of_rounds_of_numbers
from separatrix.estimators.saving import Estimator
from separatrix.estimators.tree.regressor import DecisionTreeRegressor
from separatrix.estimators.validation import check_choice, check_number, enter
from separatrix.prediction import forms
from separatrix.prediction.committees import weighted_median
from separatrix.solvers.boosted_stumps import weight_of_perfect

LOSSES = ("linear", "square", "exponential")
NO_SUM = (
    "The prediction is the weighted median of those of the learners: the prediction of one of them, and no sum. No "
    "contributions of columns add up to it."
)


def _described(model, names, X, y):
    """The heaviest learners."""
    rounds, kind = len(model.estimators_), type(model.estimators_[0]).__name__
    order = np.argsort(-model.estimator_weights_, kind="stable")[:MOST_SHOWN]
    rows = tuple((int(m) + 1, float(model.estimator_weights_[m]), float(model.estimator_errors_[m])) for m in order)
    words = (
        f"The model is the weighted median of {rounds} copies of {kind}, each trained on rows that were drawn at "
        "random, more of those that the copies before it predicted badly."
    )
    table = DescribedTable("The heaviest learners", ("round", "weight", "mean loss"), rows, f"{len(rows)} of {rounds}.")
    return Description(words, (table,), (), fit_notes(model))


@declares(
    task="regression",
    prediction=forms.BOOSTED_MEDIAN,
    verification=verification.OF_BOOSTED_NUMBERS,
    certifies=verification.VOTES_COUNTED,
    description=_described,
    tree_sum=NO_SUM,
)
class AdaBoostRegressor(MetaEstimatorMixin, RegressorMixin, Estimator):
    r"""The weighted median of regressors, each trained on rows that the ones before it predicted badly (AdaBoost.R2).

    .. math:: L_i = \ell\Bigl(\frac{|\hat y_m(x_i) - y_i|}{\max_j |\hat y_m(x_j) - y_j|}\Bigr), \quad
              \bar L = \sum_i w_i L_i, \quad \beta_m = \frac{\bar L}{1 - \bar L}, \quad
              w_i \leftarrow w_i\, \beta_m^{\nu (1 - L_i)}, \quad \alpha_m = \nu \ln \frac1{\beta_m}

    with :math:`\ell(u)` one of u, u² and 1 - e^(-u). In every round as many rows as there are, are drawn with
    replacement with probabilities w, and a copy of the base model is trained on them, so that any model will do.

    Parameters
    ----------
    estimator : regressor or None, default None.  None is ``DecisionTreeRegressor(max_depth=3)``.
    n_estimators : int, [1, inf), default 50.  Most rounds.
    learning_rate : float, (0, inf), default 1.0.  :math:`\nu`.
    loss : {"linear", "square", "exponential"}, default "linear".  :math:`\ell`.
    random_state : int, RandomState or None, default None.  Of the rows that are drawn, and of learners that have one.

    Attributes
    ----------
    estimator_ : the model that was copied.
    estimators_ : list of M fitted regressors.
    estimator_weights_, estimator_errors_ : (M,) arrays.  The weights :math:`\alpha_m` and mean losses :math:`\bar L`.
    feature_importances_ : (p,) array.  Where the learners have them, their mean with these weights.
    certificate_ : Certificate.  How well mean losses and weights agree with the learners' predictions, by a second
        count.
    n_features_in_, feature_names_in_ : as in scikit-learn.

    Notes
    -----
    Rounds end before a learner whose mean loss is not below 1/2, unless it is the first, which is then alone with
    weight 1; and after one that makes no error: its weight would be infinite, and is 1 more than all before it
    together, so that it decides alone (in scikit-learn it is 1). Rows are those of scikit-learn for the same seed, but
    for weights: these are repetitions here, and as many rows are drawn as they sum to, rounded.

    References: Drucker (1997), Improving Regressors using Boosting Techniques, ICML.

    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [0.0, 1.0, 2.0, 9.0]
    >>> model = AdaBoostRegressor(DecisionTreeRegressor(max_depth=1), n_estimators=5, random_state=0).fit(X, y)
    >>> len(model.estimators_), model.predict([[0.0], [3.0]]).tolist()
    (2, [2.0, 9.0])
    """

    estimators_: list[Any]
    certificate_: Certificate

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_estimators: int = 50,
        learning_rate: float = 1.0,
        loss: str = "linear",
        random_state: int | RandomState | None = None,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate
        self.loss = loss
        self.random_state = random_state

    def fit(self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit to X (n, p) and numbers y (n,); a weight is a number of repetitions."""
        with all_or_nothing(self):
            started = time.perf_counter()
            check_number(self, "n_estimators", 1, integer=True)
            check_number(self, "learning_rate", 0.0, open_low=True)
            check_choice(self, "loss", LOSSES)
            X, (y, s) = enter_rows(self, X, y, sample_weight)
            self.estimator_ = self._base()
            self._draws = draws_of(self, len(y), s)
            self._seed = self._first_seed()
            s = np.ones(len(y)) if s is None else s
            members, errors, weights = self._boost(X, y, s)
            self.estimators_ = members
            self.estimator_weights_, self.estimator_errors_ = np.array(weights), np.array(errors)
            residual, rounds = residual_of_rounds_of_numbers(self, X, y, s), len(members)
            self.certificate_ = closed_form(
                residual, ROUNDING, started=started, message=STAGEWISE, iterations=rounds, passes=rounds
            )
            warn_if_not_certified(self.certificate_, ADVICE, stacklevel=2)
            return self

    def _base(self):
        return DecisionTreeRegressor(max_depth=3) if self.estimator is None else self.estimator

    def _validate(self, X, y, sample_weight, reset=True):
        missing = get_tags(self._base()).input_tags.allow_nan
        design, target = enter(self, X, y, sample_weight, missing=missing, multi_output=False, reset=reset)
        return design, (target.y, target.s)

    def _first_seed(self):
        """A seed from which all rows can be drawn again: the one given, if one is."""
        given = self.random_state
        if given is None or isinstance(given, RandomState):
            return int(check_random_state(given).randint(LARGEST_SEED))
        check_random_state(given)  # refuses what is no seed
        return int(given)

    def _boost(self, X, y, s):
        """Members, their mean losses and weights."""
        random, w = RandomState(self._seed), s / s.sum()
        members, errors, weights = [], [], []
        for _ in range(self.n_estimators):
            member = seeded(self.estimator_, random)
            rows = draw_in_proportion(random, w, self._draws)
            part, targets, counts = drawn_sample(member, X, y, rows)
            member.fit(part, targets, **({} if counts is None else {"sample_weight": counts}))
            losses = self._losses(member, X, y, s)
            error = float((w * losses).sum() / w.sum())
            if error >= 0.5 and members:
                break
            members.append(member)
            errors.append(error)
            if error >= 0.5 or error <= 0.0:
                weights.append(weight_of_perfect(weights))
                break
            beta = error / (1.0 - error)
            weights.append(self.learning_rate * float(np.log(1.0 / beta)))
            w = w * beta ** ((1.0 - losses) * self.learning_rate)
            w /= w.sum()
        return members, errors, weights

    def _losses(self, member, X, y, s):
        """The loss of each row, in [0, 1]; that of a row without weight does not count for the largest."""
        distances = np.abs(finite_answers(member, member.predict(X), y.shape) - y)
        largest = distances[s > 0.0].max()
        shares = np.minimum(distances / largest, 1.0) if largest > 0.0 else np.zeros(len(y))
        if self.loss == "linear":
            return shares
        return shares**2 if self.loss == "square" else 1.0 - np.exp(-shares)

    @property
    def feature_importances_(self) -> Array:
        """The importances of the learners, averaged with their weights."""
        check_is_fitted(self)
        shares = np.array([member.feature_importances_ for member in self.estimators_])
        return self.estimator_weights_ @ shares / self.estimator_weights_.sum()

    def predict(self, X: MatrixLike) -> Array:
        """The weighted median of the learners' predictions."""
        return weighted_median(self._answers(X), self.estimator_weights_)

    def staged_predict(self, X: MatrixLike) -> Iterator[Array]:
        """The predictions after 1, 2, ..., M rounds."""
        answers = self._answers(X)
        for m in range(1, answers.shape[1] + 1):
            yield weighted_median(answers[:, :m], self.estimator_weights_[:m])

    def staged_score(self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Iterator[float]:
        """R² after 1, 2, ..., M rounds."""
        from sklearn.metrics import r2_score  # 0.2 s that a fit need not spend

        for prediction in self.staged_predict(X):
            yield float(r2_score(y, prediction, sample_weight=sample_weight))

    def _answers(self, X):
        """The predictions of all learners, (n, M)."""
        check_is_fitted(self)
        X = later_rows(self, X, missing=get_tags(self._base()).input_tags.allow_nan)
        n = row_count(X)
        return np.column_stack([finite_answers(each, each.predict(X), (n,)) for each in self.estimators_])

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        base = get_tags(self._base()).input_tags
        tags.input_tags.sparse, tags.input_tags.allow_nan = base.sparse, base.allow_nan
        return tags


def _boosted_trees(facts):
    from separatrix.estimators.preparation.compose import category_places  # brings scikit-learn's column transformer

    tree = DecisionTreeRegressor(max_depth=8, categorical_features=category_places(facts.kinds))
    return AdaBoostRegressor(tree, random_state=facts.seed)


declare(
    Family(
        name="AdaBoost",
        task="regression",
        model=AdaBoostRegressor,
        make=_boosted_trees,
        complexity=64,
        description="The weighted median of up to fifty trees, each trained on rows that the ones before it predicted "
        "badly; there is no formula to read.",
        preparation="trees",
        why_excluded=needs(dense=True),
        most_rows=20_000,
    )
)
