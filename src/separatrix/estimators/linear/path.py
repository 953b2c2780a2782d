"""Paths of strengths, and the choice among them by cross-validation: shared by the lasso and the elastic net."""

import warnings
from dataclasses import replace
from numbers import Integral
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from separatrix.core.dual_bound import rounding_along_path
from separatrix.core.errors import cannot
from separatrix.core.objective import null_objective
from separatrix.core.problem import Problem
from separatrix.core.target import Target
from separatrix.core.threads import parallel_map
from separatrix.core.types import MatrixLike
from separatrix.estimators.base import LinearRegressor
from separatrix.estimators.linear.one_standard_error import (
    check_rule,
    standard_errors,
    strongest_within,
    warn_at_end,
)
from separatrix.estimators.linear.strengths import with_factors
from separatrix.estimators.routing import ChoosesByFolds
from separatrix.estimators.saving import Estimator
from separatrix.estimators.validation import check_choice, check_number, check_numbers, enter
from separatrix.losses import Squared
from separatrix.penalties import ElasticNet
from separatrix.solvers.path import path, strength_grid


class Path(Estimator):
    """Stands in for an estimator where a function, not a class, takes data and settings in."""

    def __init__(self, l1_ratio, eps, alphas, positive, tol, max_iter):
        self.l1_ratio = l1_ratio
        self.eps = eps
        self.alphas = alphas
        self.positive = positive
        self.tol = tol
        self.max_iter = max_iter
        self.penalty_factor = None
        self.bounds = None


def path_of(
    X, y, sample_weight, l1_ratio, eps, alphas, positive, tol, max_iter, return_n_iter, n_alphas, fit_intercept
):
    """The work of ``lasso_path`` and ``enet_path``."""
    alphas = _without_deprecated(alphas, n_alphas)
    stand_in = Path(l1_ratio, eps, alphas, positive, tol, max_iter)
    l1_ratio = check_number(stand_in, "l1_ratio", 0.0, 1.0)
    check_mixtures(stand_in, [l1_ratio])
    tol = check_number(stand_in, "tol", 0.0)
    max_iter = check_number(stand_in, "max_iter", 1, integer=True)
    design, target = enter(stand_in, X, y, sample_weight, summed=True)
    design.needs("columns", "follow a path of strengths")
    problems = unit_problems(stand_in, design, target, l1_ratio, fit_intercept)
    strengths = strengths_of(stand_in, problems)
    paths = [path(problem, strengths, penalty_at(problem), tol=tol, max_iter=max_iter) for problem in problems]
    gaps = []
    for problem, (coefficients, intercepts, relative, _) in zip(problems, paths):
        null = null_objective(problem)  # what gaps are relative to
        gaps.append(relative * null + rounding_along_path(problem, coefficients, intercepts, null))
    each = [coefficients.T for coefficients, *_ in paths], gaps, [intercepts for _, intercepts, *_ in paths]
    coefs, gaps, intercepts = (part[0] if target.outputs == () else np.stack(part) for part in each)
    answer = [strengths, coefs, gaps]
    if return_n_iter:
        answer.append([int(k) for k in paths[0][3]])
    return (*answer, intercepts) if fit_intercept else tuple(answer)


def _without_deprecated(alphas, n_alphas):
    """What `alphas` means beside the two ways to say a number of strengths before scikit-learn 1.9."""
    if n_alphas is None and alphas is not None:
        return alphas
    said = "'alphas=None' is deprecated" if n_alphas is None else "'n_alphas' was deprecated in 1.9"
    warnings.warn(f"{said} and will be removed in 1.11. Use alphas=100, a number.", FutureWarning, stacklevel=4)
    if n_alphas is None:
        return 100
    return n_alphas if alphas is None or isinstance(alphas, Integral) else alphas


def check_mixtures(estimator, ratios):
    """Refuse a path that has no first strength: ridge alone makes no coefficient zero."""
    if isinstance(estimator.alphas, Integral) and not np.all(ratios):
        raise cannot(
            "choose the strengths of a path with l1_ratio=0",
            because="it starts where all coefficients are zero, which ridge alone never makes them",
            instead="alphas=[10.0, 1.0, 0.1], say, l1_ratio > 0, or RidgeCV",
        )


def unit_problems(estimator, design, target, l1_ratio, intercept):
    """The problem of each output at strength 1."""
    penalty = with_factors(estimator, ElasticNet(l1_ratio, 1.0 - l1_ratio, bool(estimator.positive)), design.p)
    outputs = target.y.reshape(target.n, -1).T
    return [
        Problem(design, Target(np.ascontiguousarray(y), target.s), Squared(), penalty, bool(intercept)) for y in outputs
    ]


def penalty_at(problem):
    """The penalty of a problem of strength 1 as a function of the strength."""
    return problem.parts.scaled


def strengths_of(estimator, problems):
    """The strengths an estimator asks for, from strong to weak: given ones sorted, or a grid of so many."""
    eps = check_number(estimator, "eps", 0.0, 1.0, open_low=True)
    if isinstance(estimator.alphas, Integral):
        count = check_number(estimator, "alphas", 1, integer=True)
        grids = [strength_grid(problem, eps=eps, count=count) for problem in problems]
        return max(grids, key=lambda grid: grid[0])
    default = "alphas=100 (default), or numpy.logspace(0, -3, 50), say"
    strengths = np.sort(check_numbers(estimator, "alphas", default))[::-1]
    if not len(strengths) or not np.all(np.isfinite(strengths)) or strengths[-1] < 0.0:
        raise cannot(
            f"follow a path with alphas={estimator.alphas!r}",
            because="strengths must be finite numbers >= 0, and at least one",
            instead=default,
        )
    return strengths


class CrossValidatedPath(ChoosesByFolds, LinearRegressor):
    """Choose a strength by the mean squared error on folds left out, then fit to all rows.

    The mean over the folds has equal weights, with and without weights of the rows; a fold without weight is left out.
    """

    def fit(self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None, **metadata: Any) -> Self:
        """Choose, then fit to X (n, p) and y (n,); `metadata`, such as groups, go to the splitter if routing is on."""
        tol = check_number(self, "tol", 0.0)
        max_iter = check_number(self, "max_iter", 1, integer=True)
        check_choice(self, "selection", ("cyclic", "random"))
        rule = check_rule(self)
        ratios = self._mixtures()
        design, target = enter(self, X, y, sample_weight, multi_output=False, summed=True)
        design.needs("columns", f"fit {type(self).__name__}")
        units = [unit_problems(self, design, target, ratio, self.fit_intercept)[0] for ratio in ratios]
        grids = [strengths_of(self, [unit]) for unit in units]
        from sklearn.model_selection import check_cv  # 0.2 s that a Lasso without cross-validation need not spend

        routed = self._route(sample_weight, metadata)
        folds = list(check_cv(self.cv).split(np.zeros((target.n, 1)), target.y, **routed.split))

        def errors(job):
            (unit, grid), (train, test) = job
            return _fold_errors(unit, grid, train, test, tol, max_iter)

        jobs = [(mixture, fold) for mixture in zip(units, grids) for fold in folds]
        mse = np.reshape(parallel_map(errors, jobs), (len(ratios), len(folds), -1)).transpose(0, 2, 1)
        weighty = [all(target.weights[part].any() for part in fold) for fold in folds]
        if not any(weighty):
            raise cannot(
                f"choose the strength of {type(self).__name__} by folds",
                because="no fold has rows of positive weight both to fit to and to test",
                instead="positive weights for more rows, or other folds (cv)",
            )
        mean = mse[:, :, weighty].mean(axis=2)
        best, row = np.unravel_index(mean.argmin(), mean.shape)
        errors_of_mean = standard_errors(mse[best][:, weighty])
        self.alpha_1se_ = float(grids[best][strongest_within(mean[best], errors_of_mean, grids[best])])
        self.alpha_ = self.alpha_1se_ if rule == "1se" else float(grids[best][row])
        self.l1_ratio_ = float(ratios[best])
        self.mse_path_ = mse[0] if len(ratios) == 1 else mse
        alike = len(ratios) == 1 or not isinstance(self.alphas, Integral)  # given strengths are those of every mixture
        self.alphas_ = grids[0] if alike else np.array(grids)

        final = self._final(self.alpha_, self.l1_ratio_).fit(design.matrix(), target.y, target.s)
        for name in ("coef_", "intercept_", "certificate_", "n_iter_", "dual_gap_"):
            setattr(self, name, getattr(final, name))
        if rule == "best":
            warn_at_end(
                grids[best],
                mean[best],
                row,
                parameter="alpha",
                grid="alphas, or lower eps" if isinstance(self.alphas, Integral) else "alphas",
                value=self.alpha_,
                stronger=bool(np.any(self.coef_)),
                weaker=self.alpha_ > 0.0,
                stacklevel=2,
            )
        return self

    def _problem(self, design, target):
        """That of the strength chosen."""
        return self._final(self.alpha_, self.l1_ratio_)._problem(design, target)


def _fold_errors(problem, grid, train, test, tol, max_iter):
    """Mean squared errors on `test` of the path fitted to `train`."""
    target = problem.target
    s = target.s
    if s is not None and not (s[test].any() and s[train].any()):
        return np.full(len(grid), np.nan)  # nothing is known of a fold without weight
    inside = Target(target.y[train], None if s is None else s[train])
    coefficients, intercepts, _, _ = path(
        replace(problem, design=problem.design.take(train), target=inside),
        grid,
        penalty_at(problem),
        tol=tol,
        max_iter=max_iter,
    )
    r = target.y[test, None] - problem.design.take(test).matvec(coefficients.T) - intercepts
    if s is None:
        return (r * r).mean(axis=0)
    return s[test] @ (r * r) / s[test].sum()
