r"""Logistic regression with its strength C, and the mixture of L1 and L2, chosen by cross-validation."""

from collections.abc import Callable, Mapping
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from numpy.random import RandomState
from numpy.typing import ArrayLike
from sklearn.metrics import brier_score_loss, get_scorer, log_loss, make_scorer
from sklearn.utils.metadata_routing import UNUSED

from separatrix.core.certificate import path_gap, warn_if_not_certified
from separatrix.core.declaration import Search, declares
from separatrix.core.errors import cannot
from separatrix.core.family import Family, declare, needs
from separatrix.core.problem import Problem
from separatrix.core.target import Target
from separatrix.core.threads import parallel_map
from separatrix.core.types import MatrixLike
from separatrix.estimators.linear.logistic import NEVER, LogisticRegression
from separatrix.estimators.linear.one_standard_error import (
    check_rule,
    clearly_past_best,
    smallest,
    standard_errors,
    strongest_within,
    warn_at_end,
)
from separatrix.estimators.routing import ChoosesByFolds
from separatrix.estimators.validation import check_choice, check_number, check_numbers, validate_classes
from separatrix.losses import Logistic, Softmax
from separatrix.penalties import L2, ElasticNet, NoPenalty
from separatrix.solvers.choose import BOUNDED
from separatrix.solvers.path import path

RATIOS = {"deprecated": 0.0, "l2": 0.0, "elasticnet": 0.0, "l1": 1.0, None: 0.0}


@declares(
    task="classification",
    penalties=(L2, ElasticNet, NoPenalty),
    solvers=("solvers.path", *BOUNDED, "solvers.proximal_newton", "solvers.maximum_likelihood"),
    search=Search(LogisticRegression, {"C": "C_", "l1_ratio": "l1_ratio_"}, grid="Cs_", strength="C"),
    small_fits=(),
)
class LogisticRegressionCV(ChoosesByFolds, LogisticRegression):
    r"""Logistic regression with C, and l1_ratio if several are given, chosen by a score on folds left out.

    .. math:: \min_{w, b} \ C \sum_i s_i \, \ell(y_i, x_i^\top w + b)
              + \rho \|w\|_1 + \tfrac12 (1 - \rho) \|w\|_2^2

    Within a fold the strengths are solved from strong to weak, each started from the last; folds run on threads.

    Parameters
    ----------
    Cs : int or array, default 10.  How many strengths between 1e-4 and 1e4, or which; inf is no penalty.
    l1_ratios : array of [0, 1], None or "warn", default "warn".  Shares of L1 to choose from; None and "warn" are L2
        alone (or what `penalty` says), with attributes that have no axis for the share.
    fit_intercept : bool, default True.  Whether to fit b.
    cv : int, splitter, iterable or None, default None (5 stratified folds).
    dual, solver, intercept_scaling, random_state, verbose, n_jobs : accepted for compatibility; the solver is chosen
        by the problem, and the intercept is never penalised.
    penalty : "l1", "l2", "elasticnet", None or "deprecated", default "deprecated".  "l1" is l1_ratios=(1,), "l2" is
        l1_ratios=(0,), None is Cs=(inf,).
    scoring : str, callable, None or "warn", default "warn".  What is to be large on the folds left out; None and
        "warn" are accuracy, as in scikit-learn 1.9.
    tol : float, [0, inf), default 1e-8.  Relative duality gap to be certified.
    max_iter : int, [1, inf), default 100.  Iterations at the most for each strength.
    class_weight : dict, "balanced" or None, default None.  Weights of the classes, over all rows.
    refit : bool, default True.  Whether to fit to all rows with the best C and share; otherwise coefficients, C and
        share are means of the folds' best.
    use_legacy_attributes : bool or "warn", default "warn".  Whether C_, l1_ratio_, scores_, coefs_paths_ and n_iter_
        have the shapes that scikit-learn 1.9 gives them by default ("warn" is True, without its warning).
    rule : {"best", "1se"}, default "best".  Which C to take: that of the best mean score, or the smallest within one
        standard error of it; with refit=True.
    stop_early : bool, default False.  Whether to leave out the strengths that are weaker than one whose score is worse
        than the best of the stronger ones by more than a standard error. The weakest penalties take most of the time,
        and are seldom chosen. `Cs_` then holds those that were tried.

    Attributes
    ----------
    C_, l1_ratio_ : float, or legacy (1,) or (k,) array.  What was chosen.
    C_1se_ : float.  The smallest C within one standard error of the best, at the share chosen; with refit=True.
    Cs_, l1_ratios_ : arrays.  What was tried.
    scores_ : (folds, shares, strengths) array, or legacy dict by class of (folds, strengths[, shares]).
    coefs_paths_ : (folds, shares, strengths, 1 or k, p or p + 1) array, or legacy dict by class of
        (folds, strengths[, shares], p or p + 1).
    n_iter_ : (folds, shares, strengths) array, or legacy (1, folds, strengths[, shares]).
    coef_, intercept_, classes_, certificate_, n_features_in_, feature_names_in_ : as in LogisticRegression; with
        refit=False there is no one problem that a certificate could speak of.

    References: Friedman, Hastie and Tibshirani (2010), J. Statist. Software 33(1).

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((90, 5))
    >>> y = (X[:, 0] + 0.5 * rng.standard_normal(90) > 0).astype(int)
    >>> model = LogisticRegressionCV(Cs=5, l1_ratios=(0.0, 1.0), scoring="neg_log_loss", use_legacy_attributes=False)
    >>> model.fit(X, y).l1_ratio_
    1.0
    """

    _calls_scorer = ("fit", "score")
    # weights of a score are the scorer's, which says whether it asks for them
    __metadata_request__score: ClassVar[dict[str, str]] = {"sample_weight": UNUSED}

    def __init__(
        self,
        *,
        Cs: ArrayLike = 10,
        l1_ratios: ArrayLike | None = "warn",
        fit_intercept: bool = True,
        cv: Any = None,
        dual: bool = False,
        penalty: str | None = "deprecated",
        scoring: str | Callable[..., Any] | None = "warn",
        solver: str = "lbfgs",
        tol: float = 1e-8,
        max_iter: int = 100,
        class_weight: Mapping[Any, float] | str | None = None,
        n_jobs: int | None = None,
        verbose: int = 0,
        refit: bool = True,
        intercept_scaling: float = 1.0,
        random_state: int | RandomState | None = None,
        use_legacy_attributes: bool | str = "warn",
        rule: str = "best",
        stop_early: bool = False,
    ) -> None:
        self.Cs = Cs
        self.l1_ratios = l1_ratios
        self.fit_intercept = fit_intercept
        self.cv = cv
        self.dual = dual
        self.penalty = penalty
        self.scoring = scoring
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter
        self.class_weight = class_weight
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.refit = refit
        self.intercept_scaling = intercept_scaling
        self.random_state = random_state
        self.use_legacy_attributes = use_legacy_attributes
        self.rule = rule
        self.stop_early = stop_early

    def fit(self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None, **metadata: Any) -> Self:
        """Choose, then fit to X (n, p) and labels y (n,); `metadata` go to splitter and scorer if routing is on."""
        check_number(self, "tol", 0.0)
        check_number(self, "max_iter", 1, integer=True)
        check_choice(self, "penalty", tuple(RATIOS))
        check_rule(self, possible=self.refit, because="refit=False averages the best C of each fold")
        check_choice(self, "stop_early", (False, True))
        self.Cs_, self.l1_ratios_ = self._strengths(), self._mixtures()
        design, codes, s = validate_classes(self, X, y, sample_weight, class_weight=self.class_weight, weightless=True)
        from sklearn.model_selection import check_cv  # 0.2 s that a fit without cross-validation need not spend

        labels = self.classes_[codes]
        routed = self._route(sample_weight, metadata)
        folds = list(check_cv(self.cv, labels, classifier=True).split(design.matrix(), labels, **routed.split))
        given = None if sample_weight is None else np.broadcast_to(np.asarray(sample_weight, np.float64), len(codes))
        scorer = self._scorer()

        def solved(Cs):
            jobs = (lambda fold: self._fold(design, codes, s, routed.score, *fold, scorer, Cs)), folds
            return [np.array(part) for part in zip(*parallel_map(*jobs, numbers=design.n * design.p))]

        # (folds, shares, strengths, 1 or k, p or p + 1), and without the last two
        paths, scores, gaps, rounds = self._early(solved) if self.stop_early else solved(self.Cs_)
        advice = "Raise max_iter or tol, or leave out the largest Cs."
        warn_if_not_certified(path_gap(gaps, self.tol, rounds), advice, stacklevel=2)
        self._choose(design, labels, given, paths, scores)
        self._keep(paths, scores, rounds)
        return self

    def _early(self, solved):
        """The half of the grid with strong penalties, then one strength at a time until one is clearly worse."""
        order = np.argsort(self.Cs_, kind="stable")
        count = len(order) // 2 + 1
        parts = solved(self.Cs_[order[:count]])
        while count < len(order) and not clearly_past_best(parts[1]):
            parts = [np.concatenate(both, axis=2) for both in zip(parts, solved(self.Cs_[order[count : count + 1]]))]
            count += 1
        self.Cs_ = self.Cs_[order[:count]]
        return parts

    def _strengths(self):
        if isinstance(self.Cs, Integral):
            return np.logspace(-4, 4, check_number(self, "Cs", 1, integer=True))
        Cs = check_numbers(self, "Cs", "Cs=10 (default), or numpy.logspace(-3, 3, 7), say")
        if self.penalty is None:
            return np.array([np.inf])
        if not len(Cs) or not np.all(Cs > 0.0):
            raise cannot(
                f"fit LogisticRegressionCV with Cs={self.Cs!r}",
                because="inverse strengths must be positive, and at least one",
                instead="Cs=10 (default), or numpy.logspace(-3, 3, 7), say",
            )
        return Cs

    def _mixtures(self):
        """The shares of L1 to try; None stands for what `penalty` says alone."""
        if self.l1_ratios is None or (isinstance(self.l1_ratios, str) and self.l1_ratios == "warn"):
            return np.array([None])
        ratios = check_numbers(self, "l1_ratios", "l1_ratios=(0.0, 0.5, 1.0), say")
        if not len(ratios) or not np.all((ratios >= 0.0) & (ratios <= 1.0)):
            raise cannot(
                f"fit LogisticRegressionCV with l1_ratios={self.l1_ratios!r}",
                because="shares of L1 must be numbers in [0, 1], and at least one",
                instead="l1_ratios=(0.0, 0.5, 1.0), say",
            )
        return ratios

    def _ratio(self, ratio):
        return RATIOS[self.penalty] if ratio is None else float(ratio)

    def _scorer(self):
        """A function of (model, X, y, weights); scores that need all classes are told them."""
        known = {"neg_log_loss": log_loss, "neg_brier_score": brier_score_loss}
        if not isinstance(self.scoring, str) or self.scoring not in known:
            return self._routed_scorer()
        options = {"greater_is_better": False, "response_method": "predict_proba", "labels": self.classes_}
        if self.scoring == "neg_brier_score" and len(self.classes_) == 2:
            options["pos_label"] = self.classes_[1]  # words do not say which of them is the event
        return make_scorer(known[self.scoring], **options)

    def _routed_scorer(self):
        unset = self.scoring is None or (isinstance(self.scoring, str) and self.scoring == "warn")
        return get_scorer("accuracy" if unset else self.scoring)

    def _fold(self, design, codes, s, judged, train, test, scorer, Cs):
        """Coefficients, scores, gaps and iterations of the strengths, fitted to `train` and scored on `test`."""
        inside = design.take(train)
        weights = np.ones(len(train)) if s is None else s[train]
        present = np.unique(codes[train][weights > 0.0])
        X_test, y_test = design.take(test).matrix(), self.classes_[codes[test]]
        judged = {name: np.broadcast_to(np.asarray(each), len(codes))[test] for name, each in judged.items()}
        model = self._model(1.0, 0.0)
        model.classes_, model.n_features_in_ = self.classes_, design.p
        paths, scores, gaps, rounds = [], [], [], []
        for ratio in self.l1_ratios_:
            beta, offset, gap, used = self._path(inside, codes[train], weights, present, self._ratio(ratio), Cs)
            paths.append(np.concatenate([beta, offset[..., None]], axis=-1) if self.fit_intercept else beta)
            for w, b in zip(beta, offset):
                model.coef_, model.intercept_ = w, b
                scores.append(scorer(model, X_test, y_test, **judged))
            gaps.append(gap)
            rounds.append(used)
        return paths, np.reshape(scores, (len(paths), -1)), gaps, rounds

    def _path(self, design, codes, s, present, ratio, Cs):
        """Coefficients (L, 1 or k, p), intercepts (L, 1 or k), gaps (L,) and iterations (L,) at the strengths."""
        k, total, count = len(self.classes_), float(s.sum()), len(Cs)
        rows = 1 if k == 2 else k
        if len(present) < 2:  # nothing to tell apart
            offset = np.where(np.isin(np.arange(k), present), 0.0, NEVER)
            offset = np.array([offset[1] - offset[0]]) if k == 2 else offset
            return np.zeros((count, rows, design.p)), np.tile(offset, (count, 1)), np.zeros(count), np.ones(count, int)
        if len(present) == 2 and k == 2:
            target, loss = Target(codes.astype(np.float64), s), Logistic()
        else:
            target, loss = Target((codes[:, None] == present).astype(np.float64), s), Softmax()
        problem = Problem(design, target, loss, NoPenalty(), bool(self.fit_intercept))

        def penalty_at(strength):
            return self._model(1.0 / strength if strength else np.inf, ratio)._penalty(total, design.p)

        beta, offset, gaps, used = path(problem, 1.0 / Cs, penalty_at, tol=self.tol, max_iter=self.max_iter)
        if k == 2:
            return beta[:, None, :], offset[:, None], gaps, used
        coefs, offsets = np.zeros((count, k, design.p)), np.full((count, k), NEVER)
        coefs[:, present], offsets[:, present] = beta.transpose(0, 2, 1), offset
        return coefs, offsets, gaps, used

    def _choose(self, design, labels, given, paths, scores):
        """Set what was chosen, and the model that goes with it."""
        if self.refit:
            best = np.unravel_index(smallest(-scores.sum(axis=0).T), scores.shape[:0:-1])  # ties: small C first
            ratio, errors = self.l1_ratios_[best[1]], -scores[:, best[1]].T
            within = strongest_within(errors.mean(axis=1), standard_errors(errors), 1.0 / self.Cs_)
            self.C_1se_ = float(self.Cs_[within])
            self.C_ = self.C_1se_ if self.rule == "1se" else float(self.Cs_[best[0]])
            self.l1_ratio_ = ratio if ratio is None else float(ratio)
            final = self._model(self.C_, self._ratio(ratio)).fit(design.matrix(), labels, given)
            mine = {"n_iter_", "n_features_in_"}
            for name, value in vars(final).items():
                if name.endswith("_") and name not in mine:
                    setattr(self, name, value)
            if self.rule == "best":
                self._warn_at_end(errors.mean(axis=1), int(best[0]))
            return
        each = scores.transpose(0, 2, 1).reshape(len(scores), -1).argmax(axis=1)
        places, shares = np.unravel_index(each, scores.shape[:0:-1])
        w = paths[np.arange(len(paths)), shares, places].mean(axis=0)
        self.C_ = float(self.Cs_[places].mean())
        self.l1_ratio_ = float(np.mean([self._ratio(ratio) for ratio in self.l1_ratios_[shares]]))
        self.coef_ = w[:, : design.p]
        self.intercept_ = w[:, design.p] if self.fit_intercept else np.zeros(len(w))

    def _warn_at_end(self, errors, place):
        warn_at_end(
            1.0 / self.Cs_,
            errors,
            place,
            parameter="C",
            grid="Cs",
            value=self.C_,
            stronger=bool(np.any(self.coef_)),
            weaker=np.isfinite(self.C_),
            stacklevel=4,
        )

    def _keep(self, paths, scores, rounds):
        """Publish the grid, in scikit-learn's old shapes or in its new ones."""
        self.scores_, self.coefs_paths_, self.n_iter_ = scores, paths, rounds
        if self.use_legacy_attributes not in (True, "warn"):
            self.l1_ratio_ = self._ratio(self.l1_ratio_)
            return
        count, bare = len(self.coef_), self.l1_ratios_[0] is None
        shown = self.classes_[1:] if len(self.classes_) == 2 else self.classes_
        by_strength = scores.transpose(0, 2, 1), paths.transpose(3, 0, 2, 1, 4), rounds.transpose(0, 2, 1)[None]
        scores, paths, rounds = (
            (by_strength[0][..., 0], by_strength[1][:, :, :, 0], by_strength[2][..., 0]) if bare else by_strength
        )
        self.C_, self.l1_ratio_ = np.full(count, self.C_), np.array([self.l1_ratio_] * count)
        self.scores_ = {label: scores.copy() for label in shown.tolist()}
        self.coefs_paths_ = dict(zip(shown.tolist(), paths))
        self.n_iter_ = rounds

    def _model(self, C, ratio):
        return LogisticRegression(
            C=C,
            l1_ratio=ratio,
            tol=self.tol,
            fit_intercept=self.fit_intercept,
            class_weight=self.class_weight,
            max_iter=self.max_iter,
        )

    def _penalty(self, total, p):
        """That of the strength chosen."""
        C, ratio = np.ravel(self.C_)[0], np.ravel(self.l1_ratio_)[0]
        return self._model(float(C), self._ratio(ratio))._penalty(total, p)

    def score(self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None, **metadata: Any) -> float:
        """The score that `scoring` names, of predictions for X; `metadata` go to the scorer if routing is on."""
        return self._scorer()(self, X, y, **self._route(sample_weight, metadata, "score").score)


def _search(ratio):
    def make(facts):
        # standardised columns need more shrinkage than the words of a text, which are short rows of small numbers
        return LogisticRegressionCV(
            Cs=np.logspace(-2.0, 2.0, 9) if facts.sparse else np.logspace(-3.0, 1.0, 9),
            l1_ratios=(ratio,),
            cv=facts.inner_folds(),
            scoring="neg_log_loss",
            tol=1e-5,
            use_legacy_attributes=False,
            stop_early=True,
        )

    return make


declare(
    Family(
        name="logistic regression, L2",
        task="classification",
        model=LogisticRegressionCV,
        make=_search(0.0),
        complexity=20,
        description="Log-odds that are linear in the columns, with coefficients shrunk towards zero by as much as "
        "cross-validation asks for.",
    ),
    Family(
        name="logistic regression, L1",
        task="classification",
        model=LogisticRegressionCV,
        make=_search(1.0),
        complexity=20,
        description="Log-odds that are linear in few columns: the others get a coefficient of exactly zero.",
    ),
    Family(
        name="additive curves",
        task="classification",
        model=LogisticRegressionCV,
        make=_search(0.0),
        complexity=40,
        description="A smooth curve for each number in the place of a straight line, added up to log-odds.",
        preparation="curves",
        why_excluded=needs(kind="number", columns=5_000),
    ),
)
