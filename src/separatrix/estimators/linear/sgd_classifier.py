"""Linear classification by stochastic gradient descent, from data at hand or from a stream."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.random import RandomState
from scipy.special import expit
from sklearn.utils.metaestimators import available_if

from separatrix.core.declaration import SmallFit, declares
from separatrix.core.errors import cannot
from separatrix.estimators import verification
from separatrix.estimators.linear.online_classifier import OnlineClassifier
from separatrix.prediction import forms


def _gives_probabilities(model):
    if model.loss not in ("log_loss", "modified_huber"):
        raise cannot(
            f"give probabilities with loss={model.loss!r}",
            because="its minimiser is not a function of the probability alone",
            instead="loss='log_loss' or loss='modified_huber', or calibrate the scores",
            kind=AttributeError,
        )
    return True


@declares(
    task="classification",
    losses=(
        "losses:Hinge",
        "losses:SquaredHinge",
        "losses:Logistic",
        "losses:ModifiedHuber",
        "losses:Squared",
        "losses:Huber",
        "losses:EpsilonInsensitive",
        "losses:SquaredEpsilonInsensitive",
    ),
    penalties=("penalties:L2", "penalties:L1", "penalties:ElasticNet", "penalties:NoPenalty"),
    solvers=("solvers.stochastic",),
    prediction=forms.LINEAR_SCORES,
    verification=verification.OF_PROBLEMS,
    small_fits=tuple(
        SmallFit({"loss": loss, "max_iter": 2}, called=f"{loss} l2")
        for loss in ("hinge", "log_loss", "modified_huber", "squared_hinge")
    ),
)
class SGDClassifier(OnlineClassifier):
    r"""A linear classifier that learns from one example at a time.

    .. math:: \min_{\beta, b} \frac1n \sum_i s_i\,\ell(y_i, x_i'\beta + b) + \alpha\,\Omega(\beta), \qquad
              \beta \leftarrow \beta - \eta_t\,\big(s_i\,\ell'_i\,x_i + \alpha \nabla\Omega\big)

    Made for data that are too many or that keep coming. Columns should be of similar size: standardise them first.
    More than two classes are learnt each against the rest.

    Parameters
    ----------
    loss : {'hinge', 'log_loss', 'modified_huber', 'squared_hinge', 'perceptron', 'squared_error', 'huber',
        'epsilon_insensitive', 'squared_epsilon_insensitive'}, default 'hinge'.  The last four are losses of a number,
        and take the classes for -1 and +1.
    penalty : {'l2', 'l1', 'elasticnet', None}, default 'l2'.  ``|beta|²/2``, ``|beta|_1``, or a mixture.
    alpha : float, [0, inf), default 0.0001.  Strength of the penalty; also sets the 'optimal' learning rate.
    l1_ratio : float, [0, 1], or None, default 0.15.  Share of L1 in 'elasticnet'.
    fit_intercept : bool, default True.
    max_iter : int, [1, inf), default 1000.  Passes over the data at the most.
    tol : float, [0, inf), or None, default 1e-3.  A pass that lowers the best objective by less (or raises the
        validation score by less) is no improvement. None makes all `max_iter` passes.
    shuffle : bool, default True.  Whether each pass takes a new random order.
    verbose : int, default 0.  Accepted for compatibility, no effect here; use `trace`.
    epsilon : float, [0, inf), default 0.1.  Where Huber's loss turns linear (then it must not be 0), or the half-width
        of the tube that is forgiven.
    n_jobs : int or None, default None.  Accepted for compatibility, no effect here.
    random_state : int, RandomState or None, default None.
    learning_rate : {'optimal', 'constant', 'invscaling', 'adaptive', 'pa1', 'pa2'}, default 'optimal'.
        ``1 / (alpha (t0 + t))``; ``eta0``; ``eta0 / t**power_t``; eta0, divided by 5 at each halt; or the
        passive-aggressive rules for 'hinge', with eta0 as their aggressiveness.
    eta0 : float, (0, inf), default 0.01.
    power_t : float, (-inf, inf), default 0.5.
    early_stopping : bool, default False.  Whether to hold out a validation set and judge by its accuracy.
    validation_fraction : float, (0, 1), default 0.1.
    n_iter_no_change : int, [1, inf), default 5.  Passes without improvement after which to stop.
    class_weight : dict, 'balanced' or None, default None.  Factors of the steps of each class; with more than two
        classes, of its steps against the rest.
    warm_start : bool, default False.  Whether `fit` starts where the last one ended.
    average : bool or int, [1, inf), default False.  Whether to publish the mean of all iterates, or of those from this
        update on.
    trace : bool, default False.  Whether to keep objective and coefficients after each pass in ``trace_``; costs one
        more pass each.

    Attributes
    ----------
    coef_ : (1, p) or (k, p) array.  intercept_ : (1,) or (k,) array.  classes_ : (k,) array.
    n_iter_ : int.  Passes made, the most of any class.
    t_ : float.  Updates made, plus 1.
    certificate_ : Certificate.  The duality gap where there is a penalty, else the relative gradient; of the worst
        class. The descent stops by its own rule, usually far from a tight certificate: no warning is given then, but
        ``converged`` tells the truth. After `partial_fit` it certifies nothing, for the data are gone.
    trace_ : Trace, or one for each class, if asked for.

    Notes
    -----
    Without shuffling the results are those of scikit-learn, but for the decisions that
    :class:`~separatrix.linear_model.SGDRegressor` tells of, and these. The weights of class_weight='balanced' count
    `sample_weight`. With early_stopping the validation score of 'log_loss' is the accuracy, as for the other losses
    (scikit-learn 1.9 compares labels 0 and 1 with predictions -1 and 1 there). A score of exactly 0 counts for
    ``classes_[1]``. `sample_weight` multiplies the step of an example.

    References: Bottou (2012), Stochastic Gradient Descent Tricks. Zhang (2004), ICML. Zadrozny and Elkan (2002), KDD.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((500, 2))
    >>> model = SGDClassifier("log_loss", random_state=0).fit(X, np.where(X @ [1.0, -2.0] > 0.0, "yes", "no"))
    >>> model.predict([[1.0, 0.0], [0.0, 1.0]])
    array(['yes', 'no'], dtype='<U3')
    """

    def __init__(
        self,
        loss: str = "hinge",
        *,
        penalty: str | None = "l2",
        alpha: float = 0.0001,
        l1_ratio: float | None = 0.15,
        fit_intercept: bool = True,
        max_iter: int = 1000,
        tol: float | None = 1e-3,
        shuffle: bool = True,
        verbose: int = 0,
        epsilon: float = 0.1,
        n_jobs: int | None = None,
        random_state: int | RandomState | None = None,
        learning_rate: str = "optimal",
        eta0: float = 0.01,
        power_t: float = 0.5,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        n_iter_no_change: int = 5,
        class_weight: Mapping[Any, float] | str | None = None,
        warm_start: bool = False,
        average: int | bool = False,
        trace: bool = False,
    ) -> None:
        self.loss = loss
        self.penalty = penalty
        self.alpha = alpha
        self.l1_ratio = l1_ratio
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.tol = tol
        self.shuffle = shuffle
        self.verbose = verbose
        self.epsilon = epsilon
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.learning_rate = learning_rate
        self.eta0 = eta0
        self.power_t = power_t
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.class_weight = class_weight
        self.warm_start = warm_start
        self.average = average
        self.trace = trace

    @available_if(_gives_probabilities)
    def predict_proba(self, X):
        r"""Probability of each class, in the order of ``classes_``.

        For 'log_loss' :math:`\sigma(f)`, for 'modified_huber' :math:`(f + 1)/2` held between 0 and 1. With more than
        two classes each is asked against the rest, and the answers are divided by their sum (where all are 0, every
        class is as likely).
        """
        scores = self._raw_score(X)
        chances = expit(scores) if self.loss == "log_loss" else (np.clip(scores, -1.0, 1.0) + 1.0) / 2.0
        if chances.shape[1] == 1:
            return np.column_stack([1.0 - chances, chances])
        total = chances.sum(axis=1, keepdims=True)
        return np.divide(chances, total, out=np.full(chances.shape, 1.0 / chances.shape[1]), where=total > 0.0)

    @available_if(_gives_probabilities)
    def predict_log_proba(self, X):
        """Logarithms of :meth:`predict_proba`; that of a probability of 0 is -inf."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))
