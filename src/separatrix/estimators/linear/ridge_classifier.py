r"""Ridge regression of classes coded as ±1: :math:`\min \sum_i s_i (t_i - x_i^\top w - b)^2 + \alpha \|w\|_2^2`."""

import time
from collections.abc import Callable, Mapping
from typing import Any, Self

import numpy as np
from numpy.random import RandomState
from numpy.typing import ArrayLike
from sklearn.utils.multiclass import type_of_target

from separatrix.core.declaration import Search, declares
from separatrix.core.errors import cannot
from separatrix.core.family import Family, declare, needs
from separatrix.core.protocol import is_sparse
from separatrix.core.target import Target
from separatrix.core.types import Array, MatrixLike
from separatrix.designs import as_dense
from separatrix.estimators import verification
from separatrix.estimators.base import LinearClassifier, with_probabilities
from separatrix.estimators.coding import coded
from separatrix.estimators.linear.least_squares import NOT_REACHED
from separatrix.estimators.linear.ridge import Ridge
from separatrix.estimators.linear.ridge_cv import RidgeCV
from separatrix.estimators.published import certify_published
from separatrix.estimators.routing import ChoosesByFolds
from separatrix.estimators.validation import enter, validate_classes
from separatrix.solvers.choose import RIDGE


class _RidgeOnClasses(LinearClassifier):
    """A ridge regression of ±1 targets, one column of them for two classes and one for each of more, or of labels."""

    multilabel_: bool

    def fit(self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit to X (n, p) and labels y (n,), or to zeros and ones y (n, k) that say which of k labels a row has."""
        design, target = self._enter(X, y, sample_weight, reset=True)
        started, regression = time.perf_counter(), self._regression()
        solution, problems = regression._solution(design, target)
        return self._keep(regression, solution, problems, started)

    def _enter(self, X, y, sample_weight, *, reset):
        """Design and ±1 targets: (n,) for two classes, (n, k) for more or for k labels."""
        shape = y.shape if is_sparse(y) else np.asarray(y).shape
        multilabel = len(shape) == 2 and shape[1] > 1 and type_of_target(y, "y").startswith("multilabel")
        if reset:
            self.multilabel_ = multilabel
        if multilabel:
            return _validate_indicators(self, X, y, sample_weight, reset=reset)
        design, codes, s = validate_classes(
            self, X, y, sample_weight, class_weight=self.class_weight, summed=reset, reset=reset, weightless=True
        )
        return design, Target(coded(codes, len(self.classes_), "plus_minus"), s)

    def _keep(self, regression, solution, problems, started):
        """Publish, and certify what is published."""
        design = problems[0].design
        for name in ("solver_", "alpha_", "best_score_", "scores_", "cv_results_"):
            if name in vars(regression):
                setattr(self, name, vars(regression)[name])
        self._publish(solution.beta, solution.intercept if self.fit_intercept else 0.0, design.dtype)
        if len(self.coef_) == 1:  # the shape that scikit-learn's has since 1.6
            self.coef_ = self.coef_[0]
        if not self.fit_intercept:
            self.intercept_ = 0.0
        tol = float(self.get_params(deep=False).get("tol", Ridge().tol))
        self.certificate_ = certify_published(self, problems, tol, solution, started, NOT_REACHED)
        self.n_iter_ = max(1, solution.iterations)
        return self

    def _restate(self, X, y, sample_weight):
        """The problem that the fitted model claims to solve, for each column of targets."""
        design, target = self._enter(X, y, sample_weight, reset=False)
        strength = vars(self).get("alpha_")
        regression = self._regression() if strength is None else Ridge(strength, fit_intercept=self.fit_intercept)
        return regression._problems(design, target)


@declares(
    task="classification",
    losses=("losses:Squared",),
    penalties=("penalties:L2", "penalties:NoPenalty", "penalties:ElasticNet"),
    solvers=(*RIDGE, "solvers.nonnegative"),
    verification=verification.OF_PROBLEMS,
)
class RidgeClassifier(_RidgeOnClasses):
    r"""Ridge regression of targets -1 and +1; the sign of the score, or the largest of k, is the class.

    .. math:: \min_{w, b} \ \sum_i s_i (t_i - x_i^\top w - b)^2 + \alpha \|w\|_2^2

    Parameters
    ----------
    alpha : float or (k,) array, [0, inf), default 1.0.  Strength.
    fit_intercept : bool, default True.  Whether to fit b, which is never penalised.
    copy_X : bool, default True.  Accepted for compatibility; X is never changed.
    max_iter : int, [1, inf), or None, default None.  Most iterations where the problem is too wide to factorise.
    tol : float, [0, inf), default 1e-14.  Relative gap to be certified.
    class_weight : dict, "balanced" or None, default None.  Weights of the classes, times those of the rows.
    solver : str, default "auto".  scikit-learn's names are accepted for compatibility and all mean "auto".
    positive : bool, default False.  Whether coefficients must not be negative.
    random_state : accepted for compatibility; nothing here is random.

    Attributes
    ----------
    classes_, coef_, intercept_, n_iter_, solver_, n_features_in_, feature_names_in_ : as in scikit-learn.
    certificate_ : Certificate.  The relative gap.

    As in scikit-learn, ``coef_`` of two classes is (p,). With y of zeros and ones (n, k) a row has any of k labels:
    ``classes_`` are then 0, 1, ..., k - 1, and predictions are zeros and ones.

    >>> import numpy as np
    >>> model = RidgeClassifier(alpha=1.0).fit(np.array([[-1.0], [1.0]]), ["left", "right"])
    >>> model.coef_.round(12), model.predict([[0.1]]).tolist()
    (array([0.66666667]), ['right'])
    """

    def __init__(
        self,
        alpha: float | Array = 1.0,
        *,
        fit_intercept: bool = True,
        copy_X: bool = True,
        max_iter: int | None = None,
        tol: float = 1e-14,
        class_weight: Mapping[Any, float] | str | None = None,
        solver: str = "auto",
        positive: bool = False,
        random_state: int | RandomState | None = None,
    ) -> None:
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.copy_X = copy_X
        self.max_iter = max_iter
        self.tol = tol
        self.class_weight = class_weight
        self.solver = solver
        self.positive = positive
        self.random_state = random_state

    def _regression(self):
        return Ridge(
            self.alpha,
            fit_intercept=self.fit_intercept,
            max_iter=self.max_iter,
            tol=self.tol,
            solver=self.solver,
            positive=self.positive,
        )


@declares(
    task="classification",
    losses=("losses:Squared",),
    penalties=("penalties:L2",),
    solvers=("solvers.leave_one_out", *RIDGE),
    search=Search(RidgeClassifier, {"alpha": "alpha_"}, grid="alphas", strength="alpha"),
    verification=verification.OF_PROBLEMS,
)
class RidgeClassifierCV(ChoosesByFolds, _RidgeOnClasses):
    r"""Ridge classifier with its strength chosen by the exact leave-one-out error of the ±1 targets.

    .. math:: \mathrm{loo}(\alpha) = \frac1{\sum s} \sum_i s_i \Big( \frac{r_i(\alpha)}{1 - h_i(\alpha)} \Big)^2

    Parameters
    ----------
    alphas : array, (0, inf), default (0.1, 1.0, 10.0).  Strengths to try.
    fit_intercept : bool, default True.  Whether to fit b.
    scoring : str, callable or None, default None.  A scorer of classifiers, such as "accuracy", asked about the
        leave-one-out scores; None is minus the mean squared error of the targets.
    cv : int, splitter or None, default None.  None is leave-one-out; anything else goes through GridSearchCV.
    class_weight : dict, "balanced" or None, default None.  Weights of the classes, times those of the rows.
    store_cv_results : bool, default False.  Whether to keep the squared error of each row in ``cv_results_``.

    Attributes
    ----------
    alpha_ : float.  The strength chosen.     best_score_ : float.  Its score.
    cv_results_ : (n, L) or (n, k, L) array, if stored.
    classes_, coef_, intercept_, n_features_in_, feature_names_in_ : as in scikit-learn.
    certificate_ : Certificate.  The relative gap of the final fit.

    References: Golub, Heath and Wahba (1979), Technometrics 21(2).

    >>> import numpy as np
    >>> X = np.random.default_rng(0).standard_normal((60, 3))
    >>> RidgeClassifierCV(alphas=[1.0, 1e4]).fit(X, X[:, 0] > 0.0).alpha_
    1.0
    """

    def __init__(
        self,
        alphas: ArrayLike = (0.1, 1.0, 10.0),
        *,
        fit_intercept: bool = True,
        scoring: str | Callable[..., Any] | None = None,
        cv: Any = None,
        class_weight: Mapping[Any, float] | str | None = None,
        store_cv_results: bool = False,
    ) -> None:
        self.alphas = alphas
        self.fit_intercept = fit_intercept
        self.scoring = scoring
        self.cv = cv
        self.class_weight = class_weight
        self.store_cv_results = store_cv_results

    def fit(self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None, **metadata: Any) -> Self:
        """Choose alpha, then fit to X and y; `metadata` go to splitter and scorer if routing is enabled."""
        design, target = self._enter(X, y, sample_weight, reset=True)
        started, regression = time.perf_counter(), self._regression()
        y = target.y.reshape(target.n, -1)  # cv_results_ of one column of targets have an axis for it
        routed = self._route(sample_weight, metadata)
        solution, problems = regression._solution(design, Target(y, target.s), routed)
        return self._keep(regression, solution, problems, started)

    def _regression(self):
        options = {"fit_intercept": self.fit_intercept, "cv": self.cv, "store_cv_results": self.store_cv_results}
        return _ChosenByClasses(
            self.alphas, scoring=self.scoring, classes=None if self.multilabel_ else self.classes_, **options
        )

    def _routed_scorer(self):
        from sklearn.metrics import check_scoring  # imported late: 0.2 s

        return None if self.scoring is None else check_scoring(self, scoring=self.scoring)


class _ChosenByClasses(RidgeCV):
    """RidgeCV whose user scorer judges classes, or labels where there are no classes, instead of targets."""

    def __init__(self, alphas, *, classes, **options):
        super().__init__(alphas, **options)
        self.classes = classes

    def _told(self, y):
        return _ToldClassifier(self.classes), [(slice(None), self._labels(y))]

    def _plain(self, target):
        return RidgeClassifier(fit_intercept=self.fit_intercept), self._labels(target.y)

    def _labels(self, Y):
        if self.classes is None:
            return (Y > 0.0).astype(int)
        return self.classes[(Y[:, 0] > 0.0).astype(int) if Y.shape[1] == 1 else Y.argmax(axis=1)]


class _ToldClassifier(LinearClassifier):
    """A classifier whose scores are what it is told: scorers then work on scores made elsewhere."""

    def __init__(self, classes):
        self.classes = classes

    @property
    def classes_(self):
        return np.array([0, 1]) if self.classes is None else self.classes

    def fit(self, X, y):
        return self

    def decision_function(self, X):
        return X[:, 0] if X.shape[1] == 1 else X

    def predict(self, X):
        return (X > 0.0).astype(int) if self.classes is None else super().predict(X)


def _validate_indicators(model, X, y, sample_weight, *, reset):
    """Check zeros and ones y (n, k) that say which of k labels a row has; return a design and targets of -1 and 1."""
    if model.class_weight is not None:
        raise cannot(
            f"fit {type(model).__name__} with class_weight={model.class_weight!r} to rows of several labels",
            because="a row is of no single class that could have a weight",
            instead="class_weight=None and sample_weight",
        )
    design, target = enter(model, X, as_dense(y), sample_weight, reset=reset)
    if reset:
        model.classes_ = np.arange(target.y.shape[1])
    return design, Target(2.0 * target.y - 1.0, target.s)


declare(
    Family(
        name="ridge classifier",
        task="classification",
        model=RidgeClassifierCV,
        make=with_probabilities(lambda facts: RidgeClassifierCV(alphas=np.logspace(-3.0, 5.0, 17))),
        complexity=20,
        description="Fits a plane to classes coded as numbers, with coefficients shrunk towards zero by as much as "
        "leave-one-out asks for. Probabilities are a logistic curve of the distance from the boundary.",
        why_excluded=needs(dense=True),  # leave-one-out decomposes X, which fills what was sparse
    )
)
