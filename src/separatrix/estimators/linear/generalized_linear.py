r"""Generalised linear models: a mean that is a function of a linear score,
:math:`\min_{w, b} \ \frac{1}{\sum s} \sum_i s_i\,\tfrac12 d(y_i, \mu_i) + \frac{\alpha}{2} \|w\|_2^2`.
"""

import time
import warnings
from dataclasses import asdict, replace
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from separatrix.core.certificate import existence_unknown, no_optimum, warn_if_not_certified
from separatrix.core.declaration import GENERALIZED, Declaration, SmallFit, declare_class, declares, evidence_of
from separatrix.core.errors import NoMaximum, RankDeficient, cannot
from separatrix.core.objective import null_objective, objective, total_conjugate
from separatrix.core.problem import Problem
from separatrix.core.protocol import column_names
from separatrix.core.statistics import GeneralizedLinearStatistics
from separatrix.core.target import Target, weights_of
from separatrix.core.types import Array, MatrixLike
from separatrix.core.verbs import is_convex, is_squared_error
from separatrix.core.verbs import link as link_of
from separatrix.estimators import verification
from separatrix.estimators.base import LinearRegressor
from separatrix.estimators.linear.exposure import is_finite_at_zero, known_terms, with_known_terms
from separatrix.estimators.published import certify_published
from separatrix.estimators.validation import check_choice, check_number, enter
from separatrix.losses import (
    Cauchit,
    ComplementaryLogLog,
    Gamma,
    GaussianLog,
    KnownTerm,
    LogChance,
    Logistic,
    Poisson,
    PowerLink,
    Probit,
    Squared,
    Tweedie,
)
from separatrix.losses.distributions import DISTRIBUTIONS, Distribution, log_density, tweedie
from separatrix.penalties import L2, NoPenalty
from separatrix.prediction import forms
from separatrix.prediction.links import inverse_link
from separatrix.solvers.choose import RIDGE, SMOOTH, solve_least_squares, solve_likelihood
from separatrix.solvers.maximum_likelihood import maximum_likelihood

FINEST = 1e-14  # no certificate is held to less
SOLVERS = ("lbfgs", "newton-cholesky")  # scikit-learn's names, which all mean the same here
FAMILIES = (*DISTRIBUTIONS, "tweedie")
LIKELIHOOD = (*SMOOTH, "solvers.newton_by_blocks", "solvers.maximum_likelihood")


class MeanRegressor(LinearRegressor):
    """What generalised linear models share: the fit, the mean as prediction, and the share of deviance explained."""

    alpha: float
    fit_intercept: bool
    tol: float
    max_iter: int
    warm_start: bool
    link_: str
    n_iter_: int

    def _distribution(self) -> tuple[str, Distribution, str]:
        """The name of the family, the family, and the link."""
        raise NotImplementedError

    def fit(
        self,
        X: MatrixLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        *,
        exposure: ArrayLike | None = None,
        offset: ArrayLike | None = None,
    ) -> Self:
        """Fit to X of shape (n, p), dense, sparse or a stream, and y of shape (n,).

        Parameters
        ----------
        X : (n, p) array, sparse array, frame, or a design that is read from a stream.
        y : (n,) array; of a stream, also the name of a column.
        sample_weight : (n,) array or None.  How often each row counts; of a share y, the number of trials.
        exposure : (n,) array of positive numbers or None.  What the mean is proportional to: the time or the number of
            units that a row was observed. Of a log link; its logarithm is added to the scores.
        offset : (n,) array or None.  A known term of the scores, of any link.
        """
        started = time.perf_counter()
        tol, max_iter = check_number(self, "tol", 0.0), check_number(self, "max_iter", 1, integer=True)
        check_choice(self, "warm_start", (True, False))
        name, family, self.link_ = self._distribution()
        design, given = enter(self, X, y, sample_weight, multi_output=False)
        self._check_range(name, family, given)
        self._refuse_one_end(name, family, given)
        terms = known_terms(self, design, exposure, offset)
        problem = self._problem(design, given, terms)
        solution = self._solve(problem, {"tol": tol, "max_iter": max_iter, "start": self._start(problem, given, terms)})
        self.n_iter_ = max(solution.iterations, 1)
        self._publish(solution.beta, solution.intercept)
        for kept in ("evidence", "separation"):
            self.__dict__.pop(f"{kept}_", None)
        if "separation" in solution.details:
            self.separation_ = solution.details["separation"]
        if "evidence" in solution.details and not design.is_streamed:
            self.evidence_ = self._statistics(problem, given, terms, solution.details["evidence"])
        self.certificate_ = self._certified(problem, solution, max(tol, FINEST), started)
        self._warn()
        return self

    def _check_range(self, name, family, target):
        """Raise where y leaves the range of the family."""
        low, high = (float(end) for end in target.ends)
        below = low <= family.low if family.open_low else low < family.low
        if below or high > family.high:
            legal = f"y {'>' if family.open_low else '>='} {family.low:g}"
            if family.high < np.inf:
                legal = f"shares {family.low:g} <= y <= {family.high:g}, with the numbers of trials as sample_weight"
            raise cannot(
                f"fit {type(self).__name__} to y with the value {low if below else high:g}",
                because=f"Some value(s) of y are out of the valid range of the family {name!r}",
                instead=legal,
            )

    def _refuse_one_end(self, name, family, target):
        """Raise where the mean of y is an end of the range: with an intercept there is no minimum, even penalised."""
        mean, intercept = float(target.mean()), check_choice(self, "fit_intercept", (True, False))
        low = 0.0 if self.link_ in ("log", "inverse") else family.low  # these need a mean above 0 of any family
        if intercept and (mean >= family.high or mean <= low):
            which = "that is" if family.low == 0.0 else "of mean"
            where = " in every row of positive weight" if family.low == 0.0 else ""
            raise cannot(
                f"fit {type(self).__name__} to y {which} {mean:g}{where}",
                because=f"the likelihood of the family {name!r} with the link {self.link_!r} has no maximum then: the "
                "intercept runs away",
                instead="data with other values of y, or fit_intercept=False with alpha > 0",
            )

    def _problem(self, design, target, terms=None):
        """The problem this estimator states: scikit-learn's objective, half the mean deviance, is already ours.

        `terms` are known terms of the scores, or None.
        """
        name, family, link = self._distribution()
        self._check_range(name, family, target)
        if design.is_streamed and not is_convex(family.losses[link]):
            raise cannot(
                f"fit the family {name!r} with the link {link!r} from a stream",
                because="its loss is not convex, or not finite for every score, and Fisher's scoring holds the rows in "
                "memory",
                instead="data in memory, the log link with a power of at most 2, or the logit link",
            )
        alpha = check_number(self, "alpha", 0.0)
        penalty = L2(alpha) if alpha > 0.0 else NoPenalty()
        intercept = bool(check_choice(self, "fit_intercept", (True, False)))
        problem = Problem(design, target, family.losses[link], penalty, intercept)
        return with_known_terms(problem, terms, family.power, link)

    def _restate(self, X, y, sample_weight, exposure=None, offset=None):
        design, target = enter(self, X, y, sample_weight, reset=False)
        return [self._problem(design, target, known_terms(self, design, exposure, offset))]

    def _start(self, problem, given, terms):
        """Where the last fit ended, if it is to be gone on with and has the shape of this problem.

        Where a score of 0 is outside of the range of the link and there is no intercept, the coefficients that fit the
        link of y by least squares, as in R.
        """
        if self.warm_start and "coef_" in vars(self) and self.coef_.shape == (problem.design.p,):
            return self.coef_, self.intercept_
        loss = self._distribution()[1].losses[self.link_]
        if problem.intercept or is_finite_at_zero(loss):
            return None
        mean = float(given.mean())  # of y halfway to their mean, so that none is at an end of the range
        scores = np.array([float(link_of(loss, 0.5 * (v + mean))) for v in given.y])
        scores = scores if terms is None else scores - terms
        plain = Problem(problem.design, Target(scores, given.s), Squared(), NoPenalty(), False)
        start = solve_least_squares(plain)
        if not np.isfinite(objective(problem, start.beta, 0.0)):
            raise cannot(
                f"fit {type(self).__name__} with the link {self.link_!r} and no intercept",
                because="no coefficients were found that give every row a mean in the range of the family",
                instead="fit_intercept=True, or link='log'",
            )
        return start.beta, 0.0

    def _solve(self, problem, options):
        solve = solve_least_squares if is_squared_error(problem.loss) else solve_likelihood
        if self.alpha > 0.0:
            return solve(problem, **options)
        return maximum_likelihood(problem, solve=solve, names=vars(self).get("feature_names_in_"), **options)

    def _statistics(self, problem, given, terms, evidence):
        """The evidence of a fit without a penalty, with what its family adds."""
        name, family, _ = self._distribution()
        y, s = given.y, given.weights
        eta = problem.design.matvec(self.coef_) + self.intercept_
        mu = inverse_link(self.link_, eta if terms is None else eta + terms)
        deviance = 2.0 * (evidence.saturated_log_likelihood - evidence.log_likelihood)
        facts = asdict(evidence)
        if not problem.intercept and not is_finite_at_zero(family.losses[self.link_]):
            facts["null_log_likelihood"] = -np.inf  # the score 0 is no mean
        return GeneralizedLinearStatistics(
            **facts,
            family=name,
            link=self.link_,
            dispersion=family.dispersion,
            pearson=family.pearson(y, s, mu),
            observations=given.total,
            density=log_density(family, y, s, deviance),
            log_weights=float(np.log(s[s > 0.0]).sum()),
        )

    def _certified(self, problem, solution, tol, started):
        details, facts = solution.details, {"iterations": solution.iterations, "passes": solution.passes}
        if "separation" in details:
            return no_optimum(f"{self.separation_.verdict} separation", tol, started=started, **facts)
        if "unexamined" in details:
            return existence_unknown(details["unexamined"], tol, started=started, **facts)
        return certify_published(self, [problem], tol, solution, started)

    def _warn(self):
        """What the user must know: no maximum, dependent columns, or iterations that ended too early."""
        if "separation_" in vars(self):
            warnings.warn(NoMaximum(self.separation_), stacklevel=3)
        else:
            advice = "Raise max_iter, standardise the columns, or penalise more (a larger alpha)."
            if not is_finite_at_zero(self._distribution()[1].losses[self.link_]):
                other = "log" if self.link_ != "log" else "logit"
                end = "The maximum may lie at the end of the range of the means"
                advice = f"{end}: use the {other} link, or raise max_iter."
            warn_if_not_certified(self.certificate_, self.certificate_.message or advice, stacklevel=3)
        evidence = evidence_of(self)
        if evidence is not None and evidence.aliased:
            names = column_names(self, self.n_features_in_)
            warnings.warn(RankDeficient(evidence.rank, evidence.p, [names[j] for j in evidence.aliased]), stacklevel=3)

    def predict(self, X: MatrixLike, *, exposure: ArrayLike | None = None, offset: ArrayLike | None = None) -> Array:
        """The mean of y for each row of X; with an `exposure` or `offset`, of so much observed."""
        scores = self._raw_score(X)
        terms = known_terms(self, len(scores), exposure, offset)
        return inverse_link(self.link_, scores if terms is None else scores + terms)

    def score(self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        """D², the share of the deviance about the mean of y that is explained; 1 at best, R² of squared errors."""
        problem = replace(self._restate(X, y, sample_weight)[0], penalty=NoPenalty(), intercept=True)
        target, loss = problem.target, problem.loss
        least = sum(total_conjugate(loss, y, np.zeros(len(y)), weights_of(y, s)) for y, s in target.passes())
        least = -least / target.total
        here, null = objective(problem, self.coef_, self.intercept_) - least, null_objective(problem) - least
        return float(1.0 - here / null) if null > 0.0 else float(here <= 0.0)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.positive_only = self._distribution()[1].open_low or self._distribution()[1].low == 0.0
        return tags


declare_class(
    MeanRegressor,
    Declaration(
        "regression",
        penalties=(L2, NoPenalty),
        likelihood=GENERALIZED,
        prediction=forms.MEAN,
        description="coefficients",
        verification=verification.OF_PROBLEMS,
    ),
)


@declares(
    losses=(
        *(Squared, Poisson, Gamma, Tweedie, GaussianLog, PowerLink),
        *(Logistic, Probit, ComplementaryLogLog, Cauchit, LogChance, KnownTerm),
    ),
    solvers=(*RIDGE, *LIKELIHOOD, "solvers.newton_raphson", "solvers.dual_coordinate_smooth"),
    small_fits=(SmallFit({"family": "gaussian"}),),
)
class GeneralizedLinearRegressor(MeanRegressor):
    r"""Means that are a function of a linear score: R's ``glm``, with an optional ridge.

    .. math:: \min_{w, b} \ \frac{1}{\sum s} \sum_i s_i\,\tfrac12 d(y_i, \mu_i) + \frac{\alpha}{2} \|w\|_2^2, \qquad
              g(\mu_i) = x_i^\top w + b + \mathrm{offset}_i

    with d the unit deviance of the family and g its link. With ``alpha=0`` it is maximum likelihood, with standard
    errors, tests and AIC (:meth:`summary`). Where there is no maximum, as with a level of a factor in which all counts
    are 0, that is proved and said (:class:`~separatrix.core.errors.NoMaximum`).

    Parameters
    ----------
    family : {"gaussian", "poisson", "quasipoisson", "gamma", "inverse_gaussian", "tweedie", "binomial",
        "quasibinomial"}, default "gaussian".  The quasi families estimate the dispersion, which is 1 of the others.
    link : str or None, default None.  The first of those that the family has: of "gaussian" "identity", "log" or
        "inverse"; of counts "log", "sqrt" or "identity"; of "gamma" "log", "inverse" or "identity"; of
        "inverse_gaussian" "log", "1/mu^2", "inverse" or "identity"; of "tweedie" "log" or "identity"; of shares
        "logit", "probit", "cloglog", "cauchit" or "log". R's default of "gamma" is "inverse", of "inverse_gaussian"
        "1/mu^2". With links that leave the range of the mean, steps are halved until every mean is in it.
    power : float, [1, inf), default 1.5.  Of "tweedie": the variance is proportional to its power of the mean.
    alpha : float, [0, inf), default 0.0.  Strength of the ridge; the intercept is never penalised. With an exposure it
        is weighed against the mean loss of a unit of exposure.
    fit_intercept : bool, default True.
    tol : float, [0, inf), default 1e-8.  Relative gap to be certified; relative gradient where nothing is penalised.
    max_iter : int, [1, inf), default 100.  Most iterations.
    warm_start : bool, default False.  Whether `fit` starts where the last one ended.

    Attributes
    ----------
    coef_ : (p,) array.  intercept_ : float.  link_ : str.  n_iter_ : int.
    certificate_ : Certificate.
    evidence_ : GeneralizedLinearStatistics, where nothing is penalised.  What the summary is made of.
    separation_ : Separation, where nothing is penalised and there is no maximum.  Its proof.
    n_features_in_, feature_names_in_ : as in scikit-learn.

    Notes
    -----
    With "log" an exposure e is no change of the model: the problem is that of y / e with weights s e^(2 - p), p being
    1 for counts, 2 for "gamma", 3 for "inverse_gaussian". ``verify(model, X, y, s, exposure=e)`` holds it to that.

    References: Nelder and Wedderburn (1972), J. R. Statist. Soc. A 135(3); McCullagh and Nelder (1989).
    Theory: docs/theory/generalised_linear.md.

    Examples
    --------
    >>> X, y = [[0.0], [0.0], [1.0], [1.0]], [1.0, 3.0, 5.0, 7.0]
    >>> model = GeneralizedLinearRegressor("poisson").fit(X, y)
    >>> model.predict([[0.0], [1.0]]).round(6), round(float(np.exp(model.coef_[0])), 6)
    (array([2., 6.]), 3.0)
    """

    def __init__(
        self,
        family: str = "gaussian",
        link: str | None = None,
        *,
        power: float = 1.5,
        alpha: float = 0.0,
        fit_intercept: bool = True,
        tol: float = 1e-8,
        max_iter: int = 100,
        warm_start: bool = False,
    ) -> None:
        self.family = family
        self.link = link
        self.power = power
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.tol = tol
        self.max_iter = max_iter
        self.warm_start = warm_start

    def _distribution(self):
        name = check_choice(self, "family", FAMILIES)
        family = DISTRIBUTIONS.get(name)
        if family is None:
            family = tweedie(check_number(self, "power", 1.0, open_low=False))
        links = tuple(family.losses)
        if self.link is not None and self.link not in links:
            raise cannot(
                f"fit GeneralizedLinearRegressor with family={name!r} and link={self.link!r}",
                because="the family has no such link",
                instead=" or ".join(f"link={word!r}" for word in links),
            )
        return name, family, self.link or links[0]
