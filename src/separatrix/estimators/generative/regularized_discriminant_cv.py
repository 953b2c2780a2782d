r"""Regularised discriminants with alpha chosen by cross-validation, from moments that are summed once."""

import time
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from separatrix.core.declaration import Search, declares
from separatrix.core.errors import cannot
from separatrix.core.family import Family, declare, needs
from separatrix.core.target import Target
from separatrix.core.threads import one_blas_thread, parallel_map
from separatrix.core.types import MatrixLike
from separatrix.designs import ClassMoments, class_moments
from separatrix.estimators.generative.regularized_discriminant import (
    RegularizedDiscriminantAnalysis,
    RegularizedPath,
    validate_alphas,
)
from separatrix.estimators.validation import check_choice, validate_classes
from separatrix.solvers.linalg.class_spheres import class_spectra

# Means of equal scores over folds may differ by their rounding: such alphas are equally good.
TIED = 1e-12


@declares(
    task="classification",
    search=Search(RegularizedDiscriminantAnalysis, {"alpha": "alpha_"}),
)
class RegularizedDiscriminantAnalysisCV(RegularizedDiscriminantAnalysis):
    r"""Normal classes with :math:`\Sigma_k(\alpha) = \alpha \Sigma_k + (1 - \alpha) \Sigma`, alpha chosen by folds.

    Moments are summed once, for each class in each fold; those of the rows that a fold trains on are merged from them,
    and the rows left out are looked at once for all alphas. Folds that do not divide the rows among them
    (ShuffleSplit, repeated folds) cost a pass each. Of equally good alphas the smallest, the simplest model, is taken.

    Parameters
    ----------
    alphas : int or array of [0, 1], default 21.  How many alphas to spread evenly from 0 to 1, or which.
    cv : int, splitter, iterable or None, default None (5 stratified folds).
    scoring : {"accuracy", "neg_log_loss"}, default "accuracy".  What is to be large on the rows left out.
    priors : (k,) array or None, default None.  Shares of the classes; None takes those of the rows.
    store_covariance : bool, default False.  Whether to keep ``covariance_``.
    denominator : {"N", "N-K"}, default "N".  As in RegularizedDiscriminantAnalysis.

    Attributes
    ----------
    alpha_ : float.  What was chosen.  best_score_ : float.  Its mean score.
    alphas_ : (m,) array.  What was tried.
    scores_ : (folds, m) array.  mean_scores_ : (m,) array.
    n_features_in_, feature_names_in_ : as in scikit-learn. The others as in RegularizedDiscriminantAnalysis.

    References: Hastie, Tibshirani and Friedman (2009), The Elements of Statistical Learning, section 4.3.1.

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([0, 1, 2], 40)
    >>> X = rng.standard_normal((120, 3)) * (1 + y[:, None]) + y[:, None]
    >>> RegularizedDiscriminantAnalysisCV(alphas=5, scoring="neg_log_loss").fit(X, y).alpha_
    1.0
    """

    def __init__(
        self,
        *,
        alphas: ArrayLike = 21,
        cv: Any = None,
        scoring: str = "accuracy",
        priors: ArrayLike | None = None,
        store_covariance: bool = False,
        denominator: str = "N",
    ) -> None:
        self.alphas = alphas
        self.cv = cv
        self.scoring = scoring
        self.priors = priors
        self.store_covariance = store_covariance
        self.denominator = denominator

    def fit(self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Choose alpha, then fit to X (n, p) and labels y (n,); a weight is a repetition, in scores as well."""
        started = time.perf_counter()
        check_choice(self, "scoring", ("accuracy", "neg_log_loss"))
        self._check_choices()
        self.alphas_ = validate_alphas(self.alphas)
        design, codes, s = validate_classes(self, X, y, sample_weight, sparse=False, summed=True)
        folds = self._folds(design, codes)
        with one_blas_thread():
            moments, training = self._moments(design, codes, s, folds)
        weights = np.ones(design.n) if s is None else s

        def job(fold):
            (train, test), mine = folds[fold], training(fold)
            return self._score_fold(mine, design, codes, _only(weights, train), weights, test)

        self.scores_ = np.array(parallel_map(job, range(len(folds))))
        self.mean_scores_ = np.nanmean(self.scores_, axis=0)
        chosen = simplest_of_the_best(self.alphas_, self.mean_scores_)
        self.alpha_, self.best_score_ = float(self.alphas_[chosen]), float(self.mean_scores_[chosen])
        with one_blas_thread():
            return self._fit_at(self.alpha_, moments, design, Target(codes, s), started)

    def _parts_of_covariance(self):
        return self.alpha_, 1.0 - self.alpha_

    def _folds(self, design, codes):
        from sklearn.model_selection import check_cv  # 0.2 s that a fit without cross-validation need not spend

        labels, rows = self.classes_[codes], np.arange(design.n)
        folds = check_cv(self.cv, labels, classifier=True).split(rows, labels)
        return [(rows[train], rows[test]) for train, test in folds]  # masks become row numbers

    def _moments(self, design, codes, s, folds):
        """Moments of all rows, and a function that gives those of the rows a fold trains on."""
        k = len(self.classes_)
        owner = _owners(design.n, folds)
        if owner is None:
            moments = class_moments(design, Target(codes, s), k, scatter="each")
            weights = np.ones(design.n) if s is None else s
            trained = [Target(codes, _only(weights, train)) for train, _ in folds]
            return moments, lambda fold: class_moments(design, trained[fold], k, scatter="each")
        parts = class_moments(design, Target(owner * k + codes, s), k * len(folds), scatter="each")

        def merged(left_out):
            total = ClassMoments(np.zeros(k), np.zeros((k, design.p)), np.zeros((k, design.p, design.p)), "each")
            for fold in range(len(folds)):
                if fold != left_out:
                    mine = slice(fold * k, (fold + 1) * k)
                    total.merge(ClassMoments(parts.totals[mine], parts.means[mine], parts.scatter[mine], "each"))
            return total

        return merged(None), merged

    def _score_fold(self, moments, design, codes, training, weights, test):
        """Scores (m,) on the rows that a fold leaves out; a class that it never trains on is never predicted."""
        if not weights[test].any():
            return np.full(len(self.alphas_), np.nan)
        if not (moments.totals > 0.0).any():
            raise cannot(
                "score a fold", because="no row that it trains on has a weight", instead="folds with rows of each class"
            )
        present = moments.totals > 0.0
        with np.errstate(divide="ignore"):
            log_shares = np.where(present, np.log(self._shares(moments.totals)), -np.inf)
        path = RegularizedPath(
            self, self.alphas_, class_spectra(*self._factors(moments, design, Target(codes, training))), log_shares
        )
        accuracy, log_loss = path.measure(design, test, codes, weights)
        return accuracy if self.scoring == "accuracy" else -log_loss


def simplest_of_the_best(alphas, scores):
    """Where the smallest alpha is, among those of the largest score."""
    best = np.flatnonzero(scores >= scores.max() - TIED)
    return best[np.argmin(alphas[best])]


def _only(weights, rows):
    """The weights of some rows, 0 for the others: no copy of X is made to leave them out."""
    return weights * np.bincount(rows, minlength=len(weights))


def _owners(n, folds):
    """The fold that leaves each row out, or None if the folds do not divide the rows among them."""
    owner = np.full(n, -1)
    for fold, (train, test) in enumerate(folds):
        if len(train) + len(test) != n or (owner[test] >= 0).any():
            return None
        owner[test] = fold
        seen = np.zeros(n, dtype=bool)
        seen[train] = seen[test] = True
        if not seen.all():
            return None
    return owner if (owner >= 0).all() else None


declare(
    Family(
        name="regularised discriminant",
        task="classification",
        model=RegularizedDiscriminantAnalysisCV,
        make=lambda facts: RegularizedDiscriminantAnalysisCV(alphas=11, cv=facts.inner_folds(), scoring="neg_log_loss"),
        complexity=35,
        description="Between the linear and the quadratic discriminant, as far towards the latter as cross-validation "
        "asks for.",
        why_excluded=needs(dense=True, columns=500, rows_per_class=2, rows_per_column=2.0),
    )
)
