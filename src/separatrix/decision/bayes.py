r"""Problems whose probabilities are known: their Bayes rule, its error, and the expected error of any other rule."""

import math
import warnings
from dataclasses import dataclass

import numpy as np
from scipy.integrate import cubature
from scipy.special import ndtr

from separatrix.core.cached import cached_property
from separatrix.core.errors import NotCertified, cannot
from separatrix.core.protocol import can
from separatrix.decision.costs import decide, validate_costs, zero_one_costs
from separatrix.estimators.probabilities import class_codes, validate_labels, validate_priors

METHODS = ("quadrature", "monte_carlo")
# Tails beyond this quantile, and for normal densities this many standard deviations, are below rounding.
TAIL, DEVIATIONS = 1e-17, 9.0
LARGEST_DIMENSION = 2
SUBDIVISIONS = 4000
# Grid points on a line where changes of the decision are searched, bisections of each, and most changes.
GRID, BISECTIONS, MOST_SWITCHES = 2049, 60, 100


@dataclass(frozen=True)
class Risk:
    """An expected cost and its error.

    Attributes
    ----------
    value : float.
    error : float.  Of a quadrature its estimate of the error, of Monte Carlo the standard error.
    method : str.  "quadrature" or "monte_carlo".
    """

    value: float
    error: float
    method: str


class KnownProblem:
    r"""A classification problem of which the priors and the class densities are known.

    .. math:: P(k \mid x) = \frac{\pi_k f_k(x)}{\sum_j \pi_j f_j(x)}, \qquad
              \mathrm{EPE}(g) = E_X \sum_k L[k, g(X)]\, P(k \mid X)

    The expected prediction error is least when every x is decided for itself,
    :math:`g^*(x) = \arg\min_g \sum_k L[k, g]\, P(k \mid x)`: the Bayes rule. With the 0/1 loss its error is the Bayes
    rate :math:`E[1 - \max_k P(k \mid X)]`.

    Parameters
    ----------
    priors : array of shape (k,).
    densities : sequence of k.  Frozen distributions of :mod:`scipy.stats`, or functions from X (n, d) to n densities.
    classes : sequence of k labels or None.  None stands for 0, ..., k - 1.
    samplers : sequence of k functions ``sampler(n, rng)`` that draw n points of a class, or None.  Needed for Monte
        Carlo unless every density can draw (``rvs``).
    bounds : sequence of d pairs (low, high), or None.  Where quadrature looks; infinite ends are allowed. None takes
        the range of scipy's distributions.

    References: Hastie, Tibshirani and Friedman (2009), The Elements of Statistical Learning, section 2.4.

    Examples
    --------
    >>> from scipy.stats import norm
    >>> problem = KnownProblem([0.5, 0.5], [norm(0.0), norm(2.0)])
    >>> round(problem.bayes_risk().value, 9), round(gaussian_bayes_rate([0.0], [2.0], [[1.0]]), 9)
    (0.158655254, 0.158655254)
    >>> problem.predict([[0.9], [1.1]])
    array([0, 1])
    """

    def __init__(self, priors, densities, *, classes=None, samplers=None, bounds=None):
        self.densities = tuple(densities)
        k = len(self.densities)
        self.priors = validate_priors(priors, k)
        self.classes = validate_labels(classes, k)
        self.samplers = None if samplers is None else tuple(samplers)
        if self.samplers is not None and len(self.samplers) != k:
            raise cannot(
                f"draw with {len(self.samplers)} samplers",
                because=f"there are {k} classes",
                instead="one sampler for each",
            )
        self.bounds = None if bounds is None else _pairs(bounds)

    # ------------------------------------------------------------------ the Bayes rule

    def posteriors(self, X):
        """P(k | x) for each row of X, of shape (n, k)."""
        X = _points(X)
        logs = np.column_stack([_log_density(f, X) for f in self.densities])
        with np.errstate(divide="ignore"):
            logs = logs + np.log(self.priors)
        highest = logs.max(axis=1, keepdims=True)
        if np.isneginf(highest).any():
            i = int(np.argmin(highest))
            raise cannot(
                f"find the posteriors at {X[i].tolist()}",
                because="no class has a positive density there",
                instead="points that can occur",
            )
        weights = np.exp(logs - highest)
        return weights / weights.sum(axis=1, keepdims=True)

    def predict(self, X, costs=None, *, actions=None):
        """The Bayes rule: the action of least expected cost for each row of X (see :func:`decide`)."""
        costs, actions = self._matrix(costs, actions)
        return decide(self.posteriors(X), costs, actions=actions)

    def sample(self, n, random_state=None):
        """n points and their classes, drawn from the problem."""
        rng = np.random.default_rng(random_state)
        codes = rng.choice(len(self.priors), size=n, p=self.priors)
        X = None
        for c in np.unique(codes):
            own = np.flatnonzero(codes == c)
            drawn = _points(self._draw(c, len(own), rng), len(own))
            X = np.empty((n, drawn.shape[1])) if X is None else X
            X[own] = drawn
        return X, self.classes[codes]

    # ------------------------------------------------------------------ expected prediction errors

    def bayes_risk(self, costs=None, **how):
        """The smallest expected cost that any rule can have; with the 0/1 loss, the Bayes rate.

        `costs` is L[true class, action] or None for the 0/1 loss; `how` is explained in :meth:`risk`.
        """
        L, _ = self._matrix(costs, None, any_actions=True)
        return self._integrate(lambda X, weighted: (weighted @ L).argmin(axis=1), L, **how)

    def risk(self, rule, costs=None, *, actions=None, **how):
        r"""The expected prediction error of a rule.

        .. math:: \mathrm{EPE}(g) = \int \sum_k L[k, g(x)]\, \pi_k f_k(x)\, dx

        Parameters
        ----------
        rule : function from X (n, d) to n decisions, such as the ``predict`` of a fitted model.
        costs : array of shape (k, a) or None.  L[true class, action]; None is the 0/1 loss.
        actions : sequence of a labels or None.  None stands for the classes.
        method : {"quadrature", "monte_carlo"}, default "quadrature".  Quadrature is for one or two dimensions.
        tol : float, default 1e-6.  Absolute error that quadrature aims at.
        n : int, default 100000.  Number of points that Monte Carlo draws; its error is a standard error.
        random_state : int, Generator or None.  Seed of Monte Carlo.

        Returns
        -------
        risk : Risk.
        """
        L, actions = self._matrix(costs, actions)
        return self._integrate(lambda X, weighted: class_codes(rule(X), actions), L, **how)

    def _integrate(self, choose, L, *, method="quadrature", tol=1e-6, n=100_000, random_state=None):
        """∫ Σ_k L[k, g(x)] π_k f_k(x) dx, where g(x) is chosen from x and the numbers π_k f_k(x), up to a factor."""
        if method not in METHODS:
            raise cannot(
                f"integrate by method={method!r}",
                because=f"it is not one of {METHODS}",
                instead="method='quadrature' (default) for up to two dimensions, else 'monte_carlo'",
            )
        if method == "quadrature":
            return self._quadrature(choose, L, tol)
        X, _ = self.sample(n, random_state)
        P = self.posteriors(X)
        drawn = (P * L.T[choose(X, P)]).sum(axis=1)
        return Risk(float(drawn.mean()), float(drawn.std(ddof=1) / math.sqrt(n)), method)

    def _quadrature(self, choose, L, tol):
        def weigh(X):
            return np.column_stack([_density(f, X) for f in self.densities]) * self.priors

        def integrand(X):
            weighted = weigh(X)
            return np.column_stack([(weighted * L.T[choose(X, weighted)]).sum(axis=1), weighted])

        low, high = self._box.T
        points = [x for f in self.densities for x in _landmarks(f)]
        if len(low) == 1:
            points += _switches(lambda X: choose(X, weigh(X)), low[0], high[0])
        points = [np.array(x) for x in sorted({tuple(x) for x in points}) if ((low < x) & (x < high)).all()]
        effort = {"rule": "gk21", "rtol": 0.0, "atol": tol, "max_subdivisions": SUBDIVISIONS}
        integral = cubature(integrand, low, high, points=points, **effort)
        missed = np.abs(integral.estimate[1:] - self.priors)
        if missed.max() > max(100.0 * tol, 1e-4):
            c = int(np.argmax(missed))
            mass = integral.estimate[1 + c] / self.priors[c]
            raise cannot(
                f"integrate over {self._box.tolist()}",
                because=f"the density of class {self.classes[c]!r} sums to {mass:.6g} there",
                instead="bounds that hold all of it and little else, or densities that integrate to 1",
            )
        error = float(integral.error[0])
        if integral.status != "converged" and error > tol:
            warnings.warn(
                NotCertified("quadrature error", error, tol, integral.subdivisions, "Raise tol or use Monte Carlo."),
                stacklevel=5,
            )
        return Risk(float(integral.estimate[0]), error, "quadrature")

    @cached_property
    def _box(self):
        """A box that holds the densities, as d pairs (low, high)."""
        boxes = [self.bounds] if self.bounds is not None else [_range(f) for f in self.densities]
        if any(box is None for box in boxes):
            raise cannot(
                "integrate by quadrature",
                because="the range of a density is not known",
                instead="KnownProblem(..., bounds=[(low, high), ...]), one pair for each dimension",
            )
        box = np.array([np.min([b[:, 0] for b in boxes], axis=0), np.max([b[:, 1] for b in boxes], axis=0)]).T
        if len(box) > LARGEST_DIMENSION:
            raise cannot(
                f"integrate by quadrature in {len(box)} dimensions",
                because="its cost grows too fast with the dimension",
                instead="method='monte_carlo'",
            )
        return box

    def _matrix(self, costs, actions, any_actions=False):
        """Costs and the labels of the actions, checked."""
        k = len(self.priors)
        L = zero_one_costs(k) if costs is None else validate_costs(costs, k)
        if any_actions or (actions is None and L.shape[1] != k):
            return L, np.arange(L.shape[1])
        return L, self.classes if actions is None else validate_labels(actions, L.shape[1], name="actions")

    def _draw(self, c, n, rng):
        if self.samplers is not None:
            return self.samplers[c](n, rng)
        if not can(self.densities[c], "rvs"):
            raise cannot(
                f"draw points of class {self.classes[c]!r}",
                because="its density is a function that cannot draw",
                instead="KnownProblem(..., samplers=[...]), functions (n, rng) -> points",
            )
        return self.densities[c].rvs(size=n, random_state=rng)


def gaussian_bayes_rate(first_mean, second_mean, covariance, priors=(0.5, 0.5)):
    r"""The Bayes rate of two normal classes with a common covariance, in closed form.

    .. math:: \pi_0\, \Phi\!\left(-\tfrac\Delta2 - \tfrac{t}{\Delta}\right) +
              \pi_1\, \Phi\!\left(-\tfrac\Delta2 + \tfrac{t}{\Delta}\right), \qquad
              \Delta^2 = (\mu_1 - \mu_0)^\top \Sigma^{-1} (\mu_1 - \mu_0), \quad t = \log\frac{\pi_0}{\pi_1}

    which is :math:`\Phi(-\Delta/2)` for equal priors.

    Parameters
    ----------
    first_mean, second_mean : arrays of shape (d,).
    covariance : array of shape (d, d), positive definite.
    priors : pair of probabilities, default (0.5, 0.5).

    References: Anderson (2003), An Introduction to Multivariate Statistical Analysis, section 6.4.

    >>> round(gaussian_bayes_rate([0.0, 0.0], [2.0, 0.0], [[1.0, 0.0], [0.0, 1.0]]), 9)
    0.158655254
    """
    first, second = (np.asarray(mean, dtype=np.float64) for mean in (first_mean, second_mean))
    covariance = np.asarray(covariance, dtype=np.float64)
    priors = validate_priors(priors, 2)
    if first.ndim != 1 or first.shape != second.shape or covariance.shape != 2 * first.shape:
        raise cannot(
            f"compare normal classes of means {first.shape}, {second.shape} and covariance {covariance.shape}",
            because="their dimensions differ",
            instead="means of shape (d,) and a covariance of shape (d, d)",
        )
    try:
        factor = np.linalg.cholesky(covariance)
    except np.linalg.LinAlgError:
        raise cannot(
            "take the Bayes rate of normal classes",
            because="their covariance is not positive definite",
            instead="a symmetric matrix with positive eigenvalues",
        ) from None
    delta = float(np.linalg.norm(np.linalg.solve(factor, second - first)))
    if delta == 0.0 or not priors.all():
        return float(priors.min())
    shift = math.log(priors[0] / priors[1]) / delta
    return float(priors[0] * ndtr(-0.5 * delta - shift) + priors[1] * ndtr(-0.5 * delta + shift))


# ------------------------------------------------------------------ densities


def _points(X, n=None):
    """Points as a matrix; of n points in one dimension, a column."""
    X = np.asarray(X, dtype=np.float64)
    return X.reshape(n, -1) if n is not None else X.reshape(-1, 1) if X.ndim < 2 else X


def _density(f, X):
    return _checked(f.pdf(X) if can(f, "pdf") else f(X), X, lowest=0.0)


def _log_density(f, X):
    if can(f, "logpdf"):
        return _checked(f.logpdf(X), X, lowest=-np.inf)
    with np.errstate(divide="ignore"):
        return np.log(_density(f, X))


def _checked(densities, X, lowest):
    densities = np.asarray(densities, dtype=np.float64)
    if densities.size != len(X) or not (densities >= lowest).all():
        raise cannot(
            f"use a density that returned shape {densities.shape} for X of shape {X.shape}",
            because="there must be one number for each point, none of them negative or NaN",
            instead="a function from X (n, d) to n densities",
        )
    return densities.reshape(len(X))


def _range(f):
    """Pairs (low, high) between which all of a scipy distribution lies, or None if it is unknown."""
    if can(f, "ppf"):
        return np.array([[f.ppf(TAIL), f.isf(TAIL)]], dtype=np.float64)
    if can(f, "mean") and can(f, "cov"):
        mean, spread = np.atleast_1d(f.mean), DEVIATIONS * np.sqrt(np.diag(np.atleast_2d(f.cov)))
        return np.column_stack([mean - spread, mean + spread])
    return None


def _landmarks(f):
    """Starting points of the quadrature, so that it does not miss a distribution."""
    box = _range(f)
    if box is None:
        return []
    if len(box) > 1:
        return [box.mean(axis=1)]  # each further point would divide the whole plane
    return [box[:, 0], np.array([f.ppf(0.5)]), box[:, 1]] if can(f, "ppf") else [*box.T, box.mean(axis=1)]


def _switches(choice, low, high):
    """Points of a line where the decision changes: the integrand has kinks or jumps there."""
    u = np.linspace(0.0, 1.0, GRID)[1:-1]
    finite = math.isfinite(low) and math.isfinite(high)
    x = low + u * (high - low) if finite else np.tan(math.pi * (u - 0.5)).clip(low, high)
    chosen = choice(x[:, None])
    left = np.flatnonzero(chosen[1:] != chosen[:-1])[:MOST_SWITCHES]
    a, b, before = x[left], x[left + 1], chosen[left]
    for _ in range(BISECTIONS if len(left) else 0):
        middle = 0.5 * (a + b)
        same = choice(middle[:, None]) == before
        a, b = np.where(same, middle, a), np.where(same, b, middle)
    return list(b[:, None])


def _pairs(bounds):
    box = np.asarray(bounds, dtype=np.float64)
    if box.ndim != 2 or box.shape[1] != 2 or not (box[:, 0] < box[:, 1]).all():
        raise cannot(
            f"integrate over bounds={box.tolist()!r}",
            because="each dimension needs a low and a high end",
            instead="[(low, high), ...] with low < high",
        )
    return box
