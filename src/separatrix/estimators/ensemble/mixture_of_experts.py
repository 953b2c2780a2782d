r"""Mixtures of experts: :math:`P(t \mid x) = \sum_k \pi_k(x) P(t \mid x, k)`, with a gate that looks at x."""

import time
from typing import Any, Self

import numpy as np
from numpy.random import RandomState
from numpy.typing import ArrayLike
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from separatrix.core.certificate import fixed_point, warn_if_not_certified
from separatrix.core.declaration import DENSE, SmallFit, declares
from separatrix.core.description import DescribedTable, Description, fit_notes
from separatrix.core.errors import cannot
from separatrix.core.family import Family, declare, needs
from separatrix.core.solution import Certificate, Trace
from separatrix.core.types import Array, MatrixLike
from separatrix.estimators import verification
from separatrix.estimators.all_or_nothing import all_or_nothing
from separatrix.estimators.coding import coded
from separatrix.estimators.saving import Estimator
from separatrix.estimators.validation import check_number, enter, validate_classes, validate_rows
from separatrix.losses import Logistic, Softmax, Squared
from separatrix.prediction import experts, forms
from separatrix.prediction.linear import decide, log_probabilities, probabilities
from separatrix.solvers.choose import BOUNDED, RIDGE, SMOOTH
from separatrix.solvers.expert_mixture import Experts, Mixture
from separatrix.solvers.mixture_of_experts import climb

ADVICE = "Raise max_iter, standardise the columns, or penalise more (alpha, gate_alpha)."
MOST_SHOWN = 20


def _described(model, names, X, y):
    """The gate and the experts, side by side."""
    K = len(model.expert_shares_)
    heads = tuple(f"expert {k + 1}" for k in range(K))
    shares = DescribedTable(
        "Who is responsible",
        ("expert", "share of the rows"),
        tuple((head, float(share)) for head, share in zip(heads, model.expert_shares_)),
    )
    size = np.abs(model.gate_coef_ - model.gate_coef_.mean(axis=0)).max(axis=0)
    order = np.argsort(-size, kind="stable")[:MOST_SHOWN]
    gate = DescribedTable(
        "What the gate looks at",
        ("column", *heads),
        tuple((names[j], *map(float, model.gate_coef_[:, j])) for j in order),
        "Coefficients of the log-shares: a larger one gives the expert more rows where the column is large.",
    )
    tables = [shares, gate]
    if model.expert_coef_.ndim == 2:
        size = np.abs(model.expert_coef_).max(axis=0)
        order = np.argsort(-size, kind="stable")[:MOST_SHOWN]
        rows = (
            ("(intercept)", *map(float, model.expert_intercept_)),
            *((names[j], *map(float, model.expert_coef_[:, j])) for j in order),
        )
        tables.append(DescribedTable("What the experts say", ("column", *heads), rows, "Coefficients of each expert."))
    kind = "linear" if "classes_" not in vars(model) else "logistic"
    looks = names[int(np.argmax(np.abs(model.gate_coef_ - model.gate_coef_.mean(axis=0)).max(axis=0)))]
    words = (
        f"The model blends {K} {kind} models: a gate gives each a share that depends on the row, most of all on "
        f"{looks!r}. The first is responsible for {model.expert_shares_[0]:.0%} of the rows."
    )
    return Description(words, tuple(tables), ("boundary",), fit_notes(model))


class MixtureModel(Estimator):
    """What mixtures of numbers and of classes share: parameters, the fit by EM, the gate."""

    gate_coef_: Array
    gate_intercept_: Array
    expert_coef_: Array
    expert_intercept_: Array
    trace_: Trace
    certificate_: Certificate

    def __init__(
        self,
        n_experts: int = 2,
        *,
        alpha: float = 1.0,
        gate_alpha: float = 1.0,
        n_init: int = 4,
        tol: float = 1e-6,
        max_iter: int = 1000,
        random_state: int | RandomState | None = 0,
    ) -> None:
        self.n_experts = n_experts
        self.alpha = alpha
        self.gate_alpha = gate_alpha
        self.n_init = n_init
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state

    def _climb(self, design, target, started):
        """Raise the likelihood from the best of several starts, publish the parameters, certify them."""
        for name, low in (("n_experts", 2), ("n_init", 1), ("max_iter", 1)):
            check_number(self, name, low, integer=True)
        tol = check_number(self, "tol", 0.0)
        mixture = self._mixture(design, target)
        if np.count_nonzero(mixture.s) < 2:
            raise cannot(
                f"fit {type(self).__name__}",
                because="there is 1 sample of positive weight, which no gate can divide",
                instead="two rows at least",
            )
        random = check_random_state(self.random_state)
        options = {"starts": self.n_init, "tol": tol, "max_iter": self.max_iter}
        at, self.trace_, self.n_iter_ = climb(mixture, self.n_experts, random=random, **options)
        self._publish(mixture, at)
        gradient = mixture.stationarity(self._experts())
        self.certificate_ = fixed_point(gradient, tol, iterations=self.n_iter_, started=started)
        warn_if_not_certified(self.certificate_, ADVICE, stacklevel=3)
        return self

    def _publish(self, mixture, at):
        """Parameters by scikit-learn's order of axes, the expert of the most rows first."""
        H, _ = mixture.expect(at)
        shares = mixture.s @ H / mixture.total
        order = np.argsort(-shares, kind="stable")
        self.expert_shares_ = shares[order]
        self.gate_coef_, self.gate_intercept_ = np.ascontiguousarray(at.V.T[order]), at.c[order]
        W, b = np.ascontiguousarray(at.W.transpose(1, 2, 0)[order]), at.b[order]
        single = W.shape[1] == 1
        self.expert_coef_, self.expert_intercept_ = (W[:, 0].copy(), b[:, 0].copy()) if single else (W, b)
        if mixture.is_gaussian:
            self.expert_variances_ = at.variances[order]
        # without the penalties, of the order that is published
        self.log_likelihood_ = float(mixture.expect(self._experts())[1] + self._penalty(mixture))

    def _penalty(self, mixture):
        at = self._experts()
        squares = (at.W**2).sum(axis=(0, 2)) / at.variances
        return 0.5 * (mixture.gate_alpha * (at.V**2).sum() + mixture.alpha * squares.sum())

    def _experts(self):
        """The published parameters, as the solver has them."""
        K = len(self.gate_intercept_)
        W = self.expert_coef_.reshape(K, -1, self.gate_coef_.shape[1]).transpose(2, 0, 1)
        variances = vars(self).get("expert_variances_", np.ones(K))
        return Experts(self.gate_coef_.T, self.gate_intercept_, W, self.expert_intercept_.reshape(K, -1), variances)

    def _strengths(self):
        return tuple(check_number(self, name, 0.0, open_low=True) for name in ("alpha", "gate_alpha"))

    def gate_proba(self, X: MatrixLike) -> Array:
        r"""The shares :math:`\pi_k(x)` of the experts, (n, K), rows summing to 1."""
        check_is_fitted(self)
        return experts.gate(vars(self), validate_rows(self, X))

    @property
    def likelihood_path_(self) -> Array:
        """The penalised log-likelihood, the mean of the rows, after every iteration: it never falls."""
        check_is_fitted(self)
        return -np.array(self.trace_.objective)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


@declares(
    task="regression",
    losses=(Squared, Softmax),
    penalties=("penalties:L2",),
    solvers=("solvers.mixture_of_experts", "solvers.expert_mixture", *RIDGE, *SMOOTH),
    prediction=forms.EXPERT_MEAN,
    verification=verification.OF_EXPERTS,
    description=_described,
    small_fits=(SmallFit(storages=DENSE),),
)
class MixtureOfExpertsRegressor(RegressorMixin, MixtureModel):
    r"""Linear models of a number, blended by a softmax gate: each is the expert for a part of the rows.

    .. math:: P(t \mid x) = \sum_{k=1}^K \pi_k(x)\, N(t \mid w_k^\top x + b_k, \sigma_k^2), \qquad
              \pi_k(x) = \frac{e^{v_k^\top x + c_k}}{\sum_l e^{v_l^\top x + c_l}}

    maximised by EM with the penalties :math:`\frac{\gamma}{2} \|V\|^2 + \sum_k \frac{\alpha}{2 \sigma_k^2} \|w_k\|^2`:
    each iteration fits the gate to the responsibilities, and each expert by a ridge regression with them as weights.
    The prediction is the mean :math:`\sum_k \pi_k(x) (w_k^\top x + b_k)`. A gate that is steep is a hard split: a tree
    with linear models in its leaves.

    Parameters
    ----------
    n_experts : int, [2, inf), default 2.
    alpha : float, (0, inf), default 1.0.  Penalty of the experts' coefficients, as in Ridge.
    gate_alpha : float, (0, inf), default 1.0.  Penalty of the gate's coefficients, as 1/C in LogisticRegression.
    n_init : int, [1, inf), default 4.  Starts; the best after a few iterations goes on.
    tol : float, [0, inf), default 1e-6.  Relative gradient of the penalised likelihood to be reached.
    max_iter : int, [1, inf), default 1000.  Most iterations.
    random_state : int, RandomState or None, default 0.  Seed of the starts.

    Attributes
    ----------
    gate_coef_ : (K, p) array.  gate_intercept_ : (K,) array.
    expert_coef_ : (K, p) array.  expert_intercept_, expert_variances_ : (K,) arrays.
    expert_shares_ : (K,) array.  The share of the rows that each expert is responsible for, largest first.
    log_likelihood_ : float.  Of all rows, without the penalties.
    likelihood_path_ : array.  The penalised log-likelihood, the mean of the rows, after every iteration.
    trace_ : Trace.  The same with the opposite sign.
    n_iter_ : int.
    certificate_ : Certificate.  The relative gradient: the fit is stationary, and another maximum may be higher.
    n_features_in_, feature_names_in_ : as in scikit-learn.

    Notes
    -----
    No variance falls below 1e-6 times that of y: without a floor the likelihood has no maximum.

    References: Jacobs, Jordan, Nowlan and Hinton (1991), Neural Computation 3(1). Jordan and Jacobs (1994), Neural
    Computation 6(2). Bishop (2006), Pattern Recognition and Machine Learning, section 14.5.3.

    >>> x = np.linspace(-2.0, 2.0, 81)[:, None]
    >>> model = MixtureOfExpertsRegressor(alpha=1e-3, gate_alpha=1e-3).fit(x, np.abs(x[:, 0]))
    >>> model.predict([[-1.5], [1.0]]).round(2), sorted(model.expert_coef_[:, 0].round(2).tolist())
    (array([1.5, 1. ]), [-1.0, 1.0])
    """

    def fit(self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit to X (n, p) and numbers y (n,); a weight is a number of repetitions."""
        with all_or_nothing(self):
            started = time.perf_counter()
            design, target = enter(self, X, y, sample_weight, multi_output=False)
            design.needs("vectors", "fit MixtureOfExpertsRegressor")
            return self._climb(design, target, started)

    def _mixture(self, design, target):
        return Mixture(design, target.y, target.weights, Squared(), *self._strengths())

    def predict(self, X: MatrixLike) -> Array:
        """The mean of y for each row of X."""
        check_is_fitted(self)
        return experts.mean(vars(self), validate_rows(self, X))

    def expert_predictions(self, X: MatrixLike) -> Array:
        """What each expert predicts, (n, K)."""
        check_is_fitted(self)
        return experts.means(vars(self), validate_rows(self, X))

    def responsibilities(self, X: MatrixLike, y: ArrayLike) -> Array:
        r"""The probabilities :math:`P(k \mid x, y)` that each expert made y, (n, K)."""
        check_is_fitted(self)
        design, target = enter(self, X, y, multi_output=False, reset=False)
        return self._mixture(design, target).expect(self._experts())[0]


@declares(
    task="classification",
    losses=(Logistic, Softmax),
    penalties=("penalties:L2",),
    solvers=("solvers.mixture_of_experts", "solvers.expert_mixture", *BOUNDED),
    prediction=forms.EXPERT_CLASSES,
    verification=verification.OF_EXPERTS,
    description=_described,
    small_fits=tuple(SmallFit(classes=k, storages=DENSE, called=f"{k} classes") for k in (2, 3)),
)
class MixtureOfExpertsClassifier(ClassifierMixin, MixtureModel):
    r"""Logistic models of a class, blended by a softmax gate: each is the expert for a part of the rows.

    .. math:: P(c \mid x) = \sum_{k=1}^K \pi_k(x)\, P(c \mid x, k), \qquad
              \pi_k(x) = \frac{e^{v_k^\top x + c_k}}{\sum_l e^{v_l^\top x + c_l}}

    maximised by EM with the penalties :math:`\frac{\gamma}{2} \|V\|^2 + \sum_k \frac{\alpha}{2} \|w_k\|^2`: each
    iteration fits the gate to the responsibilities, and each expert by a logistic regression (multinomial for more than
    two classes) with them as weights.

    Parameters
    ----------
    n_experts : int, [2, inf), default 2.
    alpha : float, (0, inf), default 1.0.  Penalty of the experts' coefficients, as 1/C in LogisticRegression.
    gate_alpha : float, (0, inf), default 1.0.  Penalty of the gate's coefficients, as 1/C in LogisticRegression.
    n_init : int, [1, inf), default 4.  Starts; the best after a few iterations goes on.
    tol : float, [0, inf), default 1e-6.  Relative gradient of the penalised likelihood to be reached.
    max_iter : int, [1, inf), default 1000.  Most iterations.
    random_state : int, RandomState or None, default 0.  Seed of the starts.

    Attributes
    ----------
    classes_ : (k,) array.
    gate_coef_ : (K, p) array.  gate_intercept_ : (K,) array.
    expert_coef_ : (K, p) array of log-odds, (K, k, p) for k > 2 classes.  expert_intercept_ : (K,) or (K, k) array.
    expert_shares_ : (K,) array.  The share of the rows that each expert is responsible for, largest first.
    log_likelihood_ : float.  Of all rows, without the penalties.
    likelihood_path_ : array.  The penalised log-likelihood, the mean of the rows, after every iteration.
    trace_ : Trace.  The same with the opposite sign.
    n_iter_ : int.
    certificate_ : Certificate.  The relative gradient: the fit is stationary, and another maximum may be higher.
    n_features_in_, feature_names_in_ : as in scikit-learn.

    References: Jacobs, Jordan, Nowlan and Hinton (1991), Neural Computation 3(1). Jordan and Jacobs (1994), Neural
    Computation 6(2). Bishop (2006), Pattern Recognition and Machine Learning, section 14.5.3.

    >>> X, y = [[-3], [-2], [-1], [0], [1], [2], [3]], ["b", "b", "a", "a", "a", "b", "b"]
    >>> model = MixtureOfExpertsClassifier(alpha=0.01, gate_alpha=0.01).fit(X, y)
    >>> model.predict([[-2.5], [0.2], [2.5]]).tolist(), model.gate_proba([[0.2]]).sum().round(12)
    (['b', 'a', 'b'], np.float64(1.0))
    """

    classes_: Array

    def fit(self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit to X (n, p) and labels y (n,); a weight is a number of repetitions."""
        with all_or_nothing(self):
            started = time.perf_counter()
            design, codes, s = validate_classes(self, X, y, sample_weight)
            return self._climb(design, (codes, s), started)

    def _mixture(self, design, target):
        codes, s = target
        k = len(self.classes_)
        y = coded(codes, k, "zero_one")
        s = np.ones(len(codes)) if s is None else s
        return Mixture(design, y, s, Logistic() if k == 2 else Softmax(), *self._strengths())

    def decision_function(self, X: MatrixLike) -> Array:
        """Log-odds (n,) of two classes, or log-probabilities (n, k)."""
        check_is_fitted(self)
        return experts.class_scores(vars(self), validate_rows(self, X))

    def predict(self, X: MatrixLike) -> Array:
        """The most probable class of each row of X."""
        return decide(self.decision_function(X), self.classes_)

    def predict_proba(self, X: MatrixLike) -> Array:
        """Probability of each class, (n, k)."""
        return probabilities(self.decision_function(X))

    def predict_log_proba(self, X: MatrixLike) -> Array:
        """Logarithms of :meth:`predict_proba`."""
        return log_probabilities(self.decision_function(X))

    def expert_probabilities(self, X: MatrixLike) -> Array:
        """Probability of each class by each expert, (n, K, k)."""
        check_is_fitted(self)
        return np.exp(experts.expert_log_probabilities(vars(self), validate_rows(self, X)))

    def responsibilities(self, X: MatrixLike, y: ArrayLike) -> Array:
        r"""The probabilities :math:`P(k \mid x, y)` that each expert made the label, (n, K)."""
        check_is_fitted(self)
        design, codes, s = validate_classes(self, X, y, reset=False)
        return self._mixture(design, (codes, s)).expect(self._experts())[0]


def mixture_of(model: Any, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None) -> Mixture:
    """The problem that a fitted mixture claims to be a maximum of, on data that are handed in again."""
    if "classes_" in vars(model):
        design, codes, s = validate_classes(model, X, y, sample_weight, reset=False)
        return model._mixture(design, (codes, s))
    return model._mixture(*enter(model, X, y, sample_weight, multi_output=False, reset=False))


def _family(model: type[MixtureModel], task: str, experts: str) -> Family:
    return Family(
        name="mixture of experts",
        task=task,
        model=model,
        make=lambda facts: model(n_init=2, tol=1e-3, random_state=facts.seed),
        complexity=52,
        description=f"Two {experts} models, blended with shares that depend on the row: each is the expert for a part "
        "of the rows, without a hard border between them.",
        why_excluded=needs(dense=True, columns=30, rows=10_000, rows_per_column=5.0, rows_per_class=2),
    )


declare(
    _family(MixtureOfExpertsClassifier, "classification", "logistic"),
    _family(MixtureOfExpertsRegressor, "regression", "linear"),
)
