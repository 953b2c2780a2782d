"""Random fits of public estimators whose true gap is bounded from below in 60 digits, at the numbers they publish.

``python tests/certified/many_published_gaps.py 20000`` (``5000 10000``: those with these seeds) fits that many and
prints those whose claim is below the truth, and those that raise something else than a refusal. float32 and sparse X,
likelihoods of every link and of several classes, quantiles, coefficients without a penalty, nearly dependent and
one-hot columns, weights of extreme ratio, factors and bounds. The certificate of the fit is looked at, that of
``verify`` and, for some, that of ``verify`` after the model was saved and loaded.
"""

import sys
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from mpmath import mp, mpf

import separatrix
from separatrix.core.objective import gap_unit
from separatrix.core.verbs import is_joint
from separatrix.estimators.published import published_solutions
from separatrix.linear_model import (
    ElasticNet,
    GammaRegressor,
    GeneralizedLinearRegressor,
    Lasso,
    LinearRegression,
    LogisticRegression,
    PoissonRegressor,
    QuantileRegressor,
    Ridge,
    TweedieRegressor,
)

sys.path.insert(0, str(Path(__file__).parent))
from many_duality_gaps import in_digits

mp.dps = 60


class ExactClasses:
    """Several classes in 60 digits: P of (q, k) coefficients, an intercept being the last row; a ridge at the most."""

    def __init__(self, problem, X):
        one = [mpf(1)] * problem.intercept
        self.X = [[*(mpf(float(a)) for a in row), *one] for row in X]
        self.Y = [[mpf(float(a)) for a in row] for row in problem.target.y]
        self.s = [mpf(float(a)) for a in problem.target.weights]
        self.ridge = [*(mpf(float(a)) for a in problem.parts.ridge), *(mpf(0) for _ in one)]
        self.k = len(self.Y[0])

    def _shares(self, row, W):
        eta = [sum(x * w[c] for x, w in zip(row, W)) for c in range(self.k)]
        largest = max(eta)
        shares = [mp.exp(e - largest) for e in eta]
        total = sum(shares)
        return eta, [e / total for e in shares], largest + mp.log(total)

    def value(self, W):
        fit = mpf(0)
        for row, y, s in zip(self.X, self.Y, self.s):
            eta, _, level = self._shares(row, W)
            fit += s * (level - sum(a * b for a, b in zip(y, eta)))
        return fit / sum(self.s) + sum(r * sum(b * b for b in w) / 2 for r, w in zip(self.ridge, W))

    def best(self, W):
        """The least value that a few damped Newton steps find; the last class is held where nothing is penalised."""
        least, q, total = self.value(W), len(W), sum(self.s)
        for _ in range(6):
            g, H = mp.matrix(q * self.k, 1), mp.matrix(q * self.k, q * self.k)
            for row, y, s in zip(self.X, self.Y, self.s):
                _, mu, _ = self._shares(row, W)
                for a in range(q):
                    for c in range(self.k):
                        g[a * self.k + c] += s * row[a] * (mu[c] - y[c]) / total
                        for b in range(q):
                            for d in range(self.k):
                                bend = mu[c] * ((c == d) - mu[d])
                                H[a * self.k + c, b * self.k + d] += s * row[a] * row[b] * bend / total
            for a in range(q):
                for c in range(self.k):
                    i = a * self.k + c
                    g[i] += self.ridge[a] * W[a][c]
                    H[i, i] += self.ridge[a] + (H[i, i] + mpf(10) ** -300) * mpf(10) ** -40
            try:
                step = mp.lu_solve(H, -g)
            except ZeroDivisionError:
                return least
            for share in (1, mpf(1) / 8, mpf(1) / 64):
                V = [[W[a][c] + share * step[a * self.k + c] for c in range(self.k)] for a in range(q)]
                here = self.value(V)
                if here < least:
                    least, W = here, V
                    break
            else:
                return least
        return least


def best_of(exact, w):
    """The least value found by damped Newton steps beside those of :meth:`Exact.best`."""
    least = exact.best(w)
    for _ in range(8):
        there = exact._newton(w)
        for share in (1, mpf(1) / 8, mpf(1) / 64):
            v = exact._clip([a + share * (b - a) for a, b in zip(w, there)])
            here = exact.value(v)
            if here < exact.value(w):
                w = v
                break
        else:
            break
        least = min(least, here)
    return min(least, exact.best(w))


def random_columns(rng):
    n, p = int(rng.integers(8, 15)), int(rng.integers(1, 4))
    X = rng.standard_normal((n, p))
    which = rng.random()
    if which < 0.25 and p > 1:  # nearly dependent
        X[:, 1] = X[:, 0] + 10.0 ** rng.integers(-15, -3) * rng.standard_normal(n)
    elif which < 0.4:
        X = np.column_stack([X, np.eye(3)[rng.integers(3, size=n)]])  # one-hot: with an intercept of low rank
    elif which < 0.55:
        X = X * 10.0 ** rng.integers(-6, 7, p)
    elif which < 0.65:
        X = X + 10.0 ** rng.integers(1, 8)
    elif which < 0.7:
        X[0] *= 1e6
    return X


def random_fit(rng):
    """An estimator, X, y and weights."""
    X = random_columns(rng)
    n, p = X.shape
    noise, signal = rng.standard_normal(n), (X - X.mean(axis=0)) @ rng.standard_normal(p) / (X.std() or 1.0)
    score = np.clip(signal + noise, -4.0, 4.0)
    s = None
    if rng.random() < 0.4:
        s = 10.0 ** rng.uniform(-8, 8, n) if rng.random() < 0.5 else rng.choice([0.0, 1.0, 3.0], n)
        s[:2] += 1.0
    weak = float(rng.choice([0.0, 1e-14, 1e-8, 1e-3, 0.1]))
    C = np.inf if weak == 0.0 else 1.0 / weak
    counts, intercept = rng.poisson(np.exp(0.5 * score)).astype(float), bool(rng.random() < 0.8)
    labels = (score > 0.0).astype(int)
    labels[:2] = 0, 1
    several = np.digitize(score, [-0.6, 0.6])
    several[:3] = 0, 1, 2
    factor = rng.choice([0.0, 1.0, 2.0], p) if rng.random() < 0.3 else None
    bounds = None if rng.random() < 0.7 else (0.0, np.inf) if rng.random() < 0.5 else (-0.5, 0.3)
    extra = {"fit_intercept": intercept}
    choices = [
        (lambda: LogisticRegression(C=C, **extra), labels),
        (lambda: LogisticRegression(C=C, penalty_factor=factor, bounds=bounds, **extra), labels),
        (lambda: LogisticRegression(C=min(C, 1e8), l1_ratio=1.0, penalty_factor=factor, **extra), labels),
        (lambda: LogisticRegression(C=C, **extra), several),
        (lambda: PoissonRegressor(alpha=weak, **extra), counts),
        (lambda: GammaRegressor(alpha=weak, **extra), np.exp(score)),
        (lambda: TweedieRegressor(power=1.5, alpha=weak, link="log", **extra), counts),
        (lambda: GeneralizedLinearRegressor("binomial", link="probit", alpha=weak, **extra), labels.astype(float)),
        (lambda: GeneralizedLinearRegressor("binomial", link="cloglog", alpha=weak, **extra), labels.astype(float)),
        (lambda: LinearRegression(**extra), 10.0 ** rng.integers(-3, 4) * score),
        (lambda: Ridge(weak or 1e-20, **extra), score + 10.0 ** rng.integers(0, 5)),
        (lambda: Lasso(weak or 1e-10, penalty_factor=factor, bounds=bounds, **extra), score),
        (lambda: ElasticNet(weak or 1e-10, penalty_factor=factor, **extra), score),
        (lambda: QuantileRegressor(alpha=weak, quantile=float(rng.choice([0.3, 0.5])), **extra), score),
    ]
    make, y = choices[rng.integers(len(choices))]
    hold = rng.choice([np.asarray, np.float32, sp.csr_array, np.asfortranarray])
    return make(), hold(X), y, s


def claims_and_truth(model, X, y, s, change=0.0, saved=False):
    """Claimed gaps of the published numbers, and a lower bound of the true one; None where no gap is claimed.

    The first claim is that of the fit; with a `change` of the coefficients there is only that of ``verify``.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.simplefilter("error", RuntimeWarning)
        model.fit(X, y, sample_weight=s)
        claims = [model.certificate_]
        if change:
            model.coef_, claims = model.coef_ * model.coef_.dtype.type(1.0 + change), []
        if saved:
            with tempfile.TemporaryDirectory() as folder:
                model.save(Path(folder) / "model.sepx")
                model = separatrix.load(Path(folder) / "model.sepx")
        claims.append(separatrix.verify(model, X, y, s))
        (problem,) = model._restate(X, y, s)
        unit = gap_unit(problem)
    claims = [claim.value for claim in claims if claim.kind == "gap"]
    if not claims:
        return None
    (solution,) = published_solutions(model, [problem])
    beta, intercept = np.asarray(solution.beta, dtype=np.float64), np.asarray(solution.intercept, dtype=np.float64)
    dense = np.asarray(X.toarray() if sp.issparse(X) else X, dtype=np.float64)
    try:
        return claims, true_gap(problem, dense, beta, intercept) / mpf(unit)
    except (OverflowError, MemoryError):  # exp(exp(eta)) of changed coefficients has too many digits for mpmath
        return None


def true_gap(problem, dense, beta, intercept):
    """A lower bound of ``P - min P`` at published coefficients, in 60 digits."""
    if is_joint(problem.loss):
        exact = ExactClasses(problem, dense)
        w = [[mpf(float(b)) for b in row] for row in (*beta, *([intercept] if problem.intercept else []))]
        best = exact.best(w)
    else:
        exact = in_digits(problem, dense)
        w = [mpf(float(b)) for b in beta] + [mpf(float(intercept))] * problem.intercept
        best = best_of(exact, w)
    return exact.value(w) - best


def look_at(seed):
    """(model, what was found) of one seed: claims and the truth, None, or a text where something is wrong."""
    rng = np.random.default_rng([seed, 23])
    model, X, y, s = random_fit(rng)
    change, saved = float(rng.choice([0.0, 0.0, 0.0, 1e-9, 1e-4, 0.1])), bool(rng.random() < 0.1)
    try:
        return model, claims_and_truth(model, X, y, s, change, saved)
    except (ValueError, TypeError) as error:
        if type(error) in (ValueError, TypeError) and str(error).startswith("Cannot"):
            return model, None
        return model, f"{type(error).__name__}: {error}"
    except Exception as error:  # a fuzzer looks for any
        return model, f"{type(error).__name__}: {error}"


def main(first, last):
    started, ratios, wrong = time.perf_counter(), [], 0
    for seed in range(first, last):
        model, found = look_at(seed)
        if isinstance(found, str):
            wrong += 1
            print("error:", seed, model, found[:200], flush=True)
        elif found is not None:
            claims, true = found
            if not all(mpf(claim) >= true for claim in claims):
                wrong += 1
                print("claim below truth:", seed, model, claims, float(true), flush=True)
            if true > 0:
                ratios.append(float(claims[-1] / true))
    rate = (last - first) / (time.perf_counter() - started)
    print(
        f"{last - first} fits ({rate:.0f} a second), {len(ratios)} with a gap that is not 0, {wrong} wrong; "
        f"claimed / true: least {min(ratios):.3g}, median {np.median(ratios):.3g}"
    )


if __name__ == "__main__":
    main(*(int(word) for word in (["0", *sys.argv[1:]])[-2:]))
