"""Decisions with a fitted model: hyperplanes, costs, rejection, priors, risk.

Names are imported on first use.
"""

from separatrix.core.registry import lazily

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

__all__, __getattr__, __dir__ = lazily(__name__, _HOMES)
