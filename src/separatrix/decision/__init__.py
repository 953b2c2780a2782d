"""What to do with a fitted model: where it divides the space, and what each side costs.

Each name is imported when it is first asked for.
"""

from importlib import import_module

_HOMES = {
    "Hyperplane": "boundary",
    "CostSensitiveClassifier": "costs",
    "average_cost": "costs",
    "decide": "costs",
    "expected_costs": "costs",
    "zero_one_costs": "costs",
    "CoverageCurve": "reject",
    "Rejection": "reject",
    "chow": "reject",
    "coverage_curve": "reject",
    "reject_below": "reject",
    "PriorEstimate": "priors",
    "estimate_priors": "priors",
    "shift_intercept": "priors",
    "shift_priors": "priors",
    "combine_posteriors": "combine",
    "BalancedSample": "sampling",
    "balanced_sample": "sampling",
    "KnownProblem": "bayes",
    "Risk": "bayes",
    "gaussian_bayes_rate": "bayes",
    "best_constant": "risk",
    "empirical_risk": "risk",
    "zero_one": "risk",
    "zero_one_margin": "risk",
}

__all__ = sorted(_HOMES)


def __getattr__(name):
    if name in _HOMES:
        return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__():
    return __all__
