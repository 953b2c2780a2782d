"""Every penalty of the registry: its prox is the argmin, its conjugate the supremum."""

import math

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from separatrix.core import registry
from separatrix.core.objective import add_conjugate_costs, add_costs, sum_of_conjugate_costs, sum_of_costs
from separatrix.core.separable import as_separable
from separatrix.core.verbs import conjugate_cost, cost, of_coefficient, prox, split
from separatrix.penalties import L1, L2, ElasticNet, NoPenalty, Separable

PENALTIES = [of_coefficient(penalty, j) for penalty in registry.instances("penalty") for j in (0, 1)]
PENALTIES = list(dict.fromkeys(PENALTIES))
POINTS = (-9.0, -1.3, -0.7, -0.2, 0.0, 0.2, 0.7, 1.3, 9.0)
STEPS = (1e-3, 0.5, 1.0, 40.0)
FAR = 1e4  # the supremum is looked for up to here

every_penalty = pytest.mark.parametrize("penalty", PENALTIES, ids=str)


def legal_interval(penalty, far):
    _, _, low, high = split(penalty)
    return max(low, -far), min(high, far)


def forbidden(penalty, beta):
    return math.isinf(cost(penalty, beta))


@every_penalty
@pytest.mark.parametrize("step", STEPS)
def test_prox_is_the_argmin(penalty, step):
    for v in POINTS:

        def moreau(u, v=v):
            return (u - v) ** 2 / (2.0 * step) + cost(penalty, u)

        found = prox(penalty, v, step)
        here = moreau(found)
        assert math.isfinite(here)
        low, high = legal_interval(penalty, 10.0)
        best = minimize_scalar(moreau, bounds=(low, high), method="bounded", options={"xatol": 1e-11})
        assert here <= best.fun + 1e-9 * (1.0 + abs(best.fun))
        grid = np.concatenate([np.linspace(low, high, 401), found + np.array([-1e-3, 1e-3])])
        assert all(here <= moreau(u) + 1e-12 * (1.0 + here) for u in grid)
        # (u - v)²/2t + cost is 1/t-strongly convex, so a value within d of the best lies within sqrt(2 t d) of it
        assert abs(found - best.x) <= math.sqrt(2.0 * step * 1e-9 * (1.0 + abs(best.fun))) + 1e-9


@every_penalty
def test_prox_shrinks_and_keeps_order(penalty):
    moved = [prox(penalty, v, 0.5) for v in POINTS]
    assert moved == sorted(moved)
    assert all(b - a <= w - v + 1e-15 for a, b, v, w in zip(moved, moved[1:], POINTS, POINTS[1:]))


@every_penalty
def test_cost_is_convex_and_zero_at_zero(penalty):
    assert cost(penalty, 0.0) == 0.0
    legal = [b for b in np.linspace(-5.0, 5.0, 41) if not forbidden(penalty, b)]
    for a in legal:
        for b in legal:
            assert cost(penalty, 0.5 * (a + b)) <= 0.5 * (cost(penalty, a) + cost(penalty, b)) + 1e-12


@every_penalty
def test_conjugate_is_the_supremum(penalty):
    low, high = legal_interval(penalty, FAR)
    for v in POINTS:
        gain = minimize_scalar(
            lambda b, v=v: cost(penalty, b) - v * b, bounds=(low, high), method="bounded", options={"xatol": 1e-9}
        )
        found, seen = conjugate_cost(penalty, v), max(-gain.fun, 0.0)
        if math.isinf(found):
            assert seen > 100.0, "the supremum must grow without bound"
        else:
            assert found == pytest.approx(seen, rel=1e-6, abs=1e-4 * abs(v))


@every_penalty
def test_fenchel_and_young_agree_at_the_prox(penalty):
    """With u = prox(v, 1), v - u is a subgradient of the cost at u, where the two sides meet."""
    for v in POINTS:
        u = prox(penalty, v, 1.0)
        g = v - u
        if not math.isinf(conjugate_cost(penalty, g)):
            assert cost(penalty, u) + conjugate_cost(penalty, g) == pytest.approx(g * u, rel=1e-12, abs=1e-12)
        else:  # only by rounding at the edge of a bounded domain
            assert cost(penalty, u) + conjugate_cost(penalty, g * (1.0 - 1e-15)) == pytest.approx(g * u, abs=1e-12)


@every_penalty
def test_compiled_and_plain_loops_agree(penalty):
    beta = np.array([[b] for b in POINTS if not forbidden(penalty, b)])
    assert add_costs(penalty, beta) == pytest.approx(add_costs.py_func(penalty, beta), rel=1e-14)
    for v in POINTS:
        one = np.array([[v]])
        # products and sums may be contracted: a rounding or two
        assert add_conjugate_costs(penalty, one) == pytest.approx(add_conjugate_costs.py_func(penalty, one), rel=1e-15)


def test_sums_do_not_underflow():
    inf = np.full(4, np.inf)
    strong, weak = (Separable(np.full(4, k), np.full(4, r), -inf, inf) for k, r in ((1.8e65, 3.1e274), (0.0, 1e-288)))
    # 1.8e65 * 1e-210 + 3.1e274 * 1e-420 / 2, and (1e-214)² / 2e-288, four times
    assert sum_of_costs(strong, np.full(4, 1e-210)) == pytest.approx(7.82e-145, rel=1e-14, abs=0.0)
    assert sum_of_conjugate_costs(weak, np.full(4, 1e-214)) == pytest.approx(2e-140, rel=1e-14, abs=0.0)


def test_a_ridge_of_no_strength_is_no_penalty():
    for v in POINTS:
        assert conjugate_cost(L2(0.0), v) == conjugate_cost(NoPenalty(), v)
        assert conjugate_cost(L2(0.0), v) == conjugate_cost(L1(0.0), v)
        assert prox(L2(0.0), v, 2.0) == prox(NoPenalty(), v, 2.0)
    assert sum_of_conjugate_costs(L2(0.0), np.array([1e-300])) == math.inf


def test_the_elastic_net_contains_lasso_and_ridge():
    for v in POINTS:
        for verb in (cost, conjugate_cost):
            assert verb(ElasticNet(0.7, 0.0), v) == verb(L1(0.7), v)
            assert verb(ElasticNet(0.0, 0.3), v) == pytest.approx(verb(L2(0.3), v), rel=1e-15)
        assert prox(ElasticNet(0.7, 0.0), v, 0.5) == prox(L1(0.7), v, 0.5)
        assert prox(ElasticNet(0.0, 0.3), v, 0.5) == prox(L2(0.3), v, 0.5)


def test_atoms_of_different_classes_are_never_equal():
    assert L1(0.5) == L1(0.5)
    assert L1(0.5) != L2(0.5)
    assert len({L1(0.5), L2(0.5), L1(0.5)}) == 2


@every_penalty
def test_the_dual_domain_is_where_the_conjugate_is_finite(penalty):
    (low,), (high,) = as_separable(penalty, 1).dual_domain
    assert low <= 0.0 <= high
    for edge, outward in ((low, -1e-9), (high, 1e-9)):
        if math.isfinite(edge):
            assert math.isfinite(conjugate_cost(penalty, edge))
            assert math.isinf(conjugate_cost(penalty, edge + outward))
        else:
            assert math.isfinite(conjugate_cost(penalty, math.copysign(1e6, edge)))


@every_penalty
def test_the_parts_of_a_penalty_rebuild_its_cost(penalty):
    parts = as_separable(penalty, 3)
    assert all(np.shape(part) == (3,) for part in parts)
    for b in POINTS:
        inside = parts.low[1] <= b <= parts.high[1]
        rebuilt = parts.kink[1] * abs(b) + 0.5 * parts.ridge[1] * b * b if inside else math.inf
        assert cost(penalty, b) == pytest.approx(rebuilt, rel=1e-15)
