"""Rows of classes sphered by their common covariance: what linear and Fisher discriminants begin with."""

import operator
import warnings
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from separatrix.core.certificate import closed_form, relative_residual, warn_if_not_certified
from separatrix.core.errors import SingularWithin, cannot
from separatrix.core.protocol import column_names
from separatrix.designs import class_moments
from separatrix.designs.factor import Factor
from separatrix.solvers.linalg.scatter import within_factor
from separatrix.solvers.linalg.sphering import Sphere, sphere

RESIDUAL = 1e-8  # what a solved system is held to: far below what data can tell, far above rounding


@dataclass
class Within:
    """Totals and means of classes, the sphering of their covariance Σ, and a function that multiplies by Σ."""

    totals: np.ndarray
    means: np.ndarray
    sphere: Sphere
    apply: Callable

    def certify(self, A, B, message):
        """How well A (p, k) solves ``Σ A = B``, by the moments alone."""
        factor = self.sphere.factor
        value = relative_residual(
            self.apply, A, B, factor.scale * np.sqrt(self.sphere.denominator), singular=len(factor.aliased) > 0
        )
        certificate = closed_form(value, RESIDUAL, iterations=1, message=message)
        warn_if_not_certified(certificate, "Standardise the columns, or use shrinkage.", stacklevel=4)
        return certificate


def within(model, design, target, denominator="N", shrinkage=0.0):
    """Sphere classes by their pooled scatter over `denominator`, its diagonal shrunken towards the mean variance."""
    k, p = len(model.classes_), design.p
    sums = class_moments(design, target, k, scatter="diagonal" if p > design.n and shrinkage == 0.0 else "pooled")
    N = divisor(sums, denominator)
    refuse_if_nothing_varies(model, sums.totals, sums.pooled.scatter, target)
    if sums.kind == "diagonal":
        # more columns than rows: no p-by-p matrix is made
        return Within(
            sums.totals,
            sums.means,
            sphere(within_factor(sums, design, target), N),
            _by_rows(design, target, sums.means, N),
        )
    S = sums.scatter
    mean_square = np.trace(S) / p
    if shrinkage == 1.0:
        factor, share = _identity(mean_square, sums), 1.0
    else:
        # (1 - a) S + a m I = (1 - a) (S + a m / (1 - a) I)
        lam, share = shrinkage / (1.0 - shrinkage) * mean_square, 1.0 - shrinkage
        factor = within_factor(sums, design, target, lam)

    def apply(A):
        return ((1.0 - shrinkage) * (S @ A) + shrinkage * mean_square * A) / N

    return Within(sums.totals, sums.means, sphere(factor, N / share), apply)


def divisor(sums, denominator):
    """N, or N - K where that is positive."""
    N, k = sums.total, int((sums.totals > 0.0).sum())
    if denominator == "N":
        return N
    if k >= N:
        raise cannot(
            f"divide a scatter by N - K with a total weight of {N:g} in {k} classes",
            because="no degrees of freedom are left within the classes",
            instead="denominator='N', or more rows",
        )
    return N - k


def refuse_if_nothing_varies(model, totals, scatter, target):
    """Raise where every class has one member only, or rows that are all alike."""
    if np.any(np.diagonal(scatter) > 0.0 if scatter.shape[0] > 1 else scatter > 0.0):
        return
    rows = target.rows_of_positive_weight
    alone = rows == np.count_nonzero(totals)
    raise cannot(
        f"fit {type(model).__name__} to {rows} rows of {len(totals)} classes",
        because="every class has one member only, the number of samples must be more than the number of classes"
        if alone
        else "no column varies within any class",
        instead="more rows of the classes" if alone else "a rule on the columns that tell the classes apart",
    )


def name_what_is_left_out(model, sphered, n, stacklevel=3):
    """Warn where the scatter within classes is singular, and name the columns."""
    factor = sphered.sphere.factor
    if not len(factor.aliased) and not len(factor.constant):
        return
    telling = sphered.sphere.telling(sphered.means, n)
    name_columns(model, factor.constant, factor.aliased, telling, stacklevel=stacklevel + 1)


def name_columns(model, constant, aliased, telling=(), *, stacklevel):
    """Warn of columns that do not vary within classes, or depend on others, by name."""
    p = model.n_features_in_
    names = column_names(model, p)
    left = ([names[j] for j in np.sort(J)] for J in (aliased, constant, telling))
    warnings.warn(SingularWithin(p - len(constant) - len(aliased), p, *left), stacklevel=stacklevel)


def _identity(square, sums):
    p = sums.means.shape[1]
    return Factor(np.eye(p), np.full(p, 1.0 / np.sqrt(square)), np.arange(p), np.zeros(p), sums.total, False)


def _by_rows(design, target, means, N):
    """Multiply by the pooled covariance without making it."""

    def apply(A):
        def task(block):
            Z = block.X - means[block.y]
            right = Z @ A
            return Z.T @ (right if block.s is None else right * block.s[:, None])

        return design.reduce(task, operator.add, target) / N

    return apply
