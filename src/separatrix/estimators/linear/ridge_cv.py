"""Ridge regression with its strength chosen: by exact leave-one-out, generalised cross-validation, or folds."""

import time
import warnings
from collections.abc import Callable
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn import get_config
from sklearn.base import is_classifier

from separatrix.core.declaration import LEAST_SQUARES, Search, declares
from separatrix.core.errors import NotCertified, RankDeficient, cannot
from separatrix.core.family import Family, declare, needs
from separatrix.core.types import MatrixLike
from separatrix.estimators import verification
from separatrix.estimators.linear.least_squares import SquaredErrorModel
from separatrix.estimators.linear.one_standard_error import (
    check_rule,
    standard_errors,
    strongest_within,
    warn_at_end,
)
from separatrix.estimators.linear.ridge import Ridge
from separatrix.estimators.routing import ChoosesByFolds
from separatrix.estimators.scores_without_folds import Told, scorer_of
from separatrix.estimators.validation import check_choice, check_numbers, enter
from separatrix.solvers.choose import RIDGE
from separatrix.solvers.leave_one_out import generalised_cross_validation, leave_one_out


@declares(
    task="regression",
    losses=("losses:Squared",),
    penalties=("penalties:L2",),
    solvers=("solvers.leave_one_out", *RIDGE),
    likelihood=LEAST_SQUARES,
    search=Search(Ridge, {"alpha": "alpha_"}, grid="alphas", strength="alpha"),
    verification=verification.OF_PROBLEMS,
)
class RidgeCV(ChoosesByFolds, SquaredErrorModel):
    r"""Ridge with its strength chosen by exact leave-one-out over the whole grid, from one decomposition.

    .. math:: \mathrm{loo}(\alpha) = \frac1{\sum s} \sum_i s_i \Big( \frac{r_i(\alpha)}{1 - h_i(\alpha)} \Big)^2

    A row of weight 2 counts as two rows, of which one at a time is left out.

    Parameters
    ----------
    alphas : array, (0, inf), default (0.1, 1.0, 10.0).  Strengths to try; with `cv` also 0.
    fit_intercept : bool, default True.  Whether to fit b.
    scoring : str, callable or None, default None.  A scorer of the leave-one-out predictions of all outputs, or, with
        `alpha_per_target`, of each; None is minus the mean squared error.
    cv : int, splitter or None, default None.  None is leave-one-out; anything else goes through GridSearchCV.
    gcv_mode : {None, "auto", "svd", "eigen"}, default None.  Accepted for compatibility.
    store_cv_results : bool, default False.  Whether to keep the squared error of each row, or with `scoring` its
        leave-one-out prediction, in ``cv_results_``.
    alpha_per_target : bool, default False.  Whether each output gets a strength of its own.
    criterion : {"loo", "gcv"}, default "loo".  Leave-one-out, or its rotation-invariant cousin, generalised
        cross-validation, which needs only the moments.
    rule : {"best", "1se"}, default "best".  Which strength to take: the best, or the strongest within one standard
        error of it. "1se" needs the error of each row, or folds (`cv`).

    Attributes
    ----------
    alpha_ : float or (k,) array.  The strength chosen.
    alpha_1se_ : float or (k,) array.  The strongest within one standard error of the best; with folds, rule="1se" or
        store_cv_results.
    best_score_ : float or (k,) array.  Its score.
    scores_ : (L,) or (L, k) array.  Minus the criterion for each strength (leave-one-out and GCV only).
    cv_results_ : (n, L) or (n, k, L) array, if stored.
    coef_, intercept_, certificate_, evidence_, n_features_in_, feature_names_in_ : as in Ridge.

    References: Golub, Heath and Wahba (1979), Technometrics 21(2).

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((50, 3))
    >>> RidgeCV(alphas=[1.0, 1e4]).fit(X, X @ [1.0, 2.0, 3.0] + rng.standard_normal(50)).alpha_
    1.0
    """

    def __init__(
        self,
        alphas: ArrayLike = (0.1, 1.0, 10.0),
        *,
        fit_intercept: bool = True,
        scoring: str | Callable[..., Any] | None = None,
        cv: Any = None,
        gcv_mode: str | None = None,
        store_cv_results: bool = False,
        alpha_per_target: bool = False,
        criterion: str = "loo",
        rule: str = "best",
    ) -> None:
        self.alphas = alphas
        self.fit_intercept = fit_intercept
        self.scoring = scoring
        self.cv = cv
        self.gcv_mode = gcv_mode
        self.store_cv_results = store_cv_results
        self.alpha_per_target = alpha_per_target
        self.criterion = criterion
        self.rule = rule

    _flat = True

    def fit(self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None, **metadata: Any) -> Self:
        """Choose alpha, then fit to all rows; `metadata` go to splitter and scorer if routing is on."""
        started = time.perf_counter()
        design, target = enter(self, X, y, sample_weight, summed=True)
        solution, problems = self._solution(design, target, self._route(sample_weight, metadata))
        return self._keep(solution, problems, Ridge().tol, started)

    def _solution(self, design, target, routed):
        """Choose alpha and solve for it; also returns the problems solved."""
        check_choice(self, "gcv_mode", (None, "auto", "svd", "eigen"))
        criterion = check_choice(self, "criterion", ("loo", "gcv"))
        by_rows = self.cv is None and criterion == "loo" and self.scoring is None
        because = "without folds it needs the squared error of each row, and there is one score of all rows only"
        rule = check_rule(self, possible=by_rows or self.cv is not None, because=because)
        alphas = self._grid()
        vars(self).pop("alpha_1se_", None)
        if self.cv is not None:
            self._search(design, target, alphas, rule, routed)
        else:
            self._leave_one_out(design, target, alphas, criterion, rule, routed)
        return Ridge(self.alpha_, fit_intercept=self.fit_intercept)._solution(design, target)

    def _problems(self, design, target):
        return Ridge(self.alpha_, fit_intercept=self.fit_intercept)._problems(design, target)

    def _grid(self):
        alphas = check_numbers(self, "alphas", "alphas=numpy.logspace(-3, 3, 50), say")
        lowest = float(alphas.min(initial=np.inf))
        wrong = lowest <= 0.0 if self.cv is None else lowest < 0.0
        if not len(alphas) or not np.all(np.isfinite(alphas)) or wrong:
            raise cannot(
                f"fit RidgeCV with alphas={self.alphas!r}",
                because="every strength must be a finite number above 0, or with cv not below 0",
                instead="alphas=numpy.logspace(-3, 3, 50), say",
            )
        return alphas

    def _leave_one_out(self, design, target, alphas, criterion, rule, routed):
        if criterion == "gcv":
            errors = generalised_cross_validation(design, target, alphas, intercept=self.fit_intercept)
            residuals = None
        else:
            keep = self.store_cv_results or self.scoring is not None or rule == "1se"
            errors, residuals = leave_one_out(design, target, alphas, intercept=self.fit_intercept, keep=keep)
        scored = self.scoring is not None and residuals is not None
        predictions = target.y.reshape(target.n, -1, 1) - residuals if scored else None
        scores = self._scored(target, predictions, routed.score) if scored else -errors
        if self.store_cv_results and residuals is not None:
            kept = predictions if scored else residuals**2
            self.cv_results_ = kept[:, 0] if target.y.ndim == 1 else kept
        each = self.alpha_per_target and target.y.ndim == 2
        columns = scores if each else scores.mean(axis=1, keepdims=True)
        best = columns.argmax(axis=0)
        chosen = best
        if residuals is not None and self.scoring is None:
            squares = residuals**2 if each else (residuals**2).mean(axis=1, keepdims=True)
            within = [
                strongest_within(-columns[:, o], standard_errors(squares[:, o].T, target.weights, target.total), alphas)
                for o in range(columns.shape[1])
            ]
            self.alpha_1se_ = alphas[within] if each else float(alphas[within[0]])
            chosen = within if rule == "1se" else best
        picked = columns[chosen, np.arange(columns.shape[1])]
        self.alpha_, self.best_score_ = (
            (alphas[chosen], picked) if each else (float(alphas[chosen[0]]), float(picked[0]))
        )
        if rule == "best":
            for output, place in enumerate(best):
                self._warn_at_end(alphas, -columns[:, output], place, stacklevel=4)
        self.scores_ = scores[:, 0] if target.y.ndim == 1 else scores

    def _warn_at_end(self, alphas, errors, place, stacklevel):
        value = float(alphas[place])
        warn_at_end(alphas, errors, place, parameter="alpha", grid="alphas", value=value, stacklevel=stacklevel + 1)

    def _scored(self, target, predictions, options):
        """A user's score of the leave-one-out predictions, of all outputs (L, 1) or of each (L, k)."""
        told, scored = self._told(target.y)
        scorer = self._scorer(told)
        each = [
            scorer(told, predictions[:, outputs, row], truth, **options)
            for row in range(predictions.shape[2])
            for outputs, truth in scored
        ]
        return np.array(each, dtype=np.float64).reshape(-1, len(scored))

    def _scorer(self, model):
        return scorer_of(self.scoring, model)

    def _routed_scorer(self):
        return None if self.scoring is None else self._scorer(Told())

    def _told(self, y):
        """A model that predicts what it is told; outputs that are told for each score, and the truth about them."""
        if y.ndim == 1:
            return Told(), [(0, y)]
        if not self.alpha_per_target:
            return Told(), [(slice(None), y)]
        return Told(), [(output, y[:, output]) for output in range(y.shape[1])]

    def _search(self, design, target, alphas, rule, routed):
        for name in ("store_cv_results", "alpha_per_target"):
            if getattr(self, name):
                raise cannot(
                    f"choose the strength of a ridge with {name}=True and cv={self.cv!r}",
                    because="only leave-one-out keeps the error of every row",
                    instead="cv=None",
                )
        from sklearn.model_selection import GridSearchCV, check_cv

        model, truth = self._plain(target)
        folds = list(
            check_cv(self.cv, truth, classifier=is_classifier(model)).split(design.matrix(), truth, **routed.split)
        )
        if get_config()["enable_metadata_routing"]:
            model.set_fit_request(sample_weight=True).set_score_request(sample_weight=False)
        search = GridSearchCV(model, {"alpha": alphas}, cv=folds, scoring=self.scoring)
        with warnings.catch_warnings():
            for said_of_all_rows in (RankDeficient, NotCertified):
                warnings.simplefilter("ignore", said_of_all_rows)
            search.fit(design.matrix(), truth, **({} if target.s is None else {"sample_weight": target.s}))
        scores = search.cv_results_["mean_test_score"]
        # the spread of GridSearchCV is that of its splits, around their mean
        error = search.cv_results_["std_test_score"] / np.sqrt(max(search.n_splits_ - 1, 1))
        within = strongest_within(-scores, error, alphas)
        place = within if rule == "1se" else int(search.best_index_)
        self.alpha_1se_, self.alpha_ = float(alphas[within]), float(alphas[place])
        self.best_score_ = float(scores[place])
        if rule == "best":
            self._warn_at_end(alphas, -scores, place, stacklevel=4)

    def _plain(self, target):
        """The model of one strength, and what it is fitted to."""
        return Ridge(fit_intercept=self.fit_intercept), target.y


def _search(facts):
    return RidgeCV(alphas=np.logspace(-3.0, 5.0, 33))


declare(
    Family(
        name="ridge",
        task="regression",
        model=RidgeCV,
        make=_search,
        complexity=20,
        description="Linear in the columns, with coefficients shrunk towards zero by as much as leave-one-out asks "
        "for.",
    ),
    Family(
        name="additive curves",
        task="regression",
        model=RidgeCV,
        make=_search,
        complexity=40,
        description="A smooth curve for each number in the place of a straight line, added up.",
        preparation="curves",
        why_excluded=needs(kind="number", columns=5_000),
    ),
)
