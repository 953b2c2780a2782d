"""Paths of strengths, and the choice among them by cross-validation: shared by the lasso and the elastic net."""

from numbers import Integral

import numpy as np
from sklearn.base import BaseEstimator

from separatrix.core.errors import cannot
from separatrix.core.target import Target
from separatrix.core.threads import parallel_map
from separatrix.estimators.base import LinearRegressor
from separatrix.estimators.validation import check_choice, check_number, check_numbers, enter
from separatrix.solvers.path import elastic_net_path, strength_grid


class Path(BaseEstimator):
    """Stands in for an estimator where a function, not a class, takes data and settings in."""

    def __init__(self, l1_ratio, eps, alphas, tol, max_iter):
        self.l1_ratio = l1_ratio
        self.eps = eps
        self.alphas = alphas
        self.tol = tol
        self.max_iter = max_iter


def path_of(X, y, sample_weight, l1_ratio, eps, alphas, positive, tol, max_iter, return_n_iter):
    """The work of ``lasso_path`` and ``enet_path``."""
    door = Path(l1_ratio, eps, alphas, tol, max_iter)
    # ridge alone makes no coefficient zero, so that a path has no first strength
    l1_ratio = check_number(door, "l1_ratio", 0.0, 1.0, open_low=True)
    tol = check_number(door, "tol", 0.0)
    max_iter = check_number(door, "max_iter", 1, integer=True)
    design, target = enter(door, X, y, sample_weight)
    design.needs("columns", "follow a path of strengths")
    strengths = strengths_of(door, design, target, l1_ratio, positive, intercept=False)
    outputs = target.y.reshape(target.n, -1)
    found = [
        elastic_net_path(
            design,
            Target(np.ascontiguousarray(y), target.s),
            strengths,
            l1_ratio,
            intercept=False,
            positive=positive,
            tol=tol,
            max_iter=max_iter,
        )
        for y in outputs.T
    ]
    coefs = np.stack([f[0] for f in found])
    # relative gaps become absolute: times the null objective y'y / 2n
    null = 0.5 * (target.weights @ outputs**2) / target.total
    gaps = np.stack([f[2] for f in found]) * null[:, None]
    if target.y.ndim == 1:
        coefs, gaps = coefs[0], gaps[0]
    if return_n_iter:
        return strengths, coefs, gaps, [int(k) for k in found[0][3]]
    return strengths, coefs, gaps


def strengths_of(estimator, design, target, l1_ratio, positive, intercept):
    """The strengths an estimator asks for, from strong to weak: given ones sorted, or a grid of so many."""
    eps = check_number(estimator, "eps", 0.0, 1.0, open_low=True, open_high=True)
    if isinstance(estimator.alphas, Integral):
        count = check_number(estimator, "alphas", 1, integer=True)
        options = {"intercept": intercept, "l1_ratio": l1_ratio, "eps": eps, "count": count, "positive": positive}
        outputs = target.y.reshape(target.n, -1).T
        grids = [strength_grid(design, Target(np.ascontiguousarray(y), target.s), **options) for y in outputs]
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


class CrossValidatedPath(LinearRegressor):
    """Choose a strength by the mean squared error on folds left out, then fit to all rows."""

    def fit(self, X, y, sample_weight=None):
        """Choose, then fit to X (n, p) and y (n,)."""
        tol = check_number(self, "tol", 0.0)
        max_iter = check_number(self, "max_iter", 1, integer=True)
        check_choice(self, "selection", ("cyclic", "random"))
        ratios = self._mixtures()
        design, target = enter(self, X, y, sample_weight, multi_output=False, summed=True)
        design.needs("columns", f"fit {type(self).__name__}")
        grids = [strengths_of(self, design, target, r, self.positive, self.fit_intercept) for r in ratios]
        from sklearn.model_selection import check_cv  # 0.2 s that a Lasso without cross-validation need not spend

        folds = list(check_cv(self.cv).split(np.zeros((target.n, 1)), target.y))

        def errors(job):
            (ratio, grid), (train, test) = job
            return self._fold_errors(design, target, grid, ratio, train, test, tol, max_iter)

        jobs = [(mixture, fold) for mixture in zip(ratios, grids) for fold in folds]
        mse = np.reshape(parallel_map(errors, jobs), (len(ratios), len(folds), -1)).transpose(0, 2, 1)
        weights = np.array([target.weights[test].sum() for _, test in folds])
        mean = mse @ (weights / weights.sum()) if sample_weight is not None else mse.mean(axis=2)
        best, row = np.unravel_index(mean.argmin(), mean.shape)
        self.alpha_, self.l1_ratio_ = float(grids[best][row]), float(ratios[best])
        self.mse_path_ = mse[0] if len(ratios) == 1 else mse
        self.alphas_ = grids[0] if len(ratios) == 1 else np.array(grids)

        final = self._final(self.alpha_, self.l1_ratio_).fit(design.X, target.y, target.s)
        for name in ("coef_", "intercept_", "certificate_", "n_iter_", "dual_gap_"):
            setattr(self, name, getattr(final, name))
        return self

    def _problem(self, design, target):
        """That of the strength chosen."""
        return self._final(self.alpha_, self.l1_ratio_)._problem(design, target)

    def _fold_errors(self, design, target, grid, ratio, train, test, tol, max_iter):
        """Mean squared errors on `test` of the path fitted to `train`."""
        s = target.s
        inside = Target(target.y[train], None if s is None else s[train])
        outside = design.take(test)
        coefs, offsets, _, _ = elastic_net_path(
            design.take(train),
            inside,
            grid,
            ratio,
            intercept=self.fit_intercept,
            positive=self.positive,
            tol=max(tol, 1e-6),  # folds only choose: their errors need no more
            max_iter=max_iter,
        )
        r = target.y[test, None] - outside.matvec(coefs) - offsets
        if s is None:
            return (r * r).mean(axis=0)
        return s[test] @ (r * r) / s[test].sum()
