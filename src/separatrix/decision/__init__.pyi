from separatrix.decision.bayes import (
    KnownProblem as KnownProblem,
)
from separatrix.decision.bayes import (
    Risk as Risk,
)
from separatrix.decision.bayes import (
    gaussian_bayes_rate as gaussian_bayes_rate,
)
from separatrix.decision.boundary import Hyperplane as Hyperplane
from separatrix.decision.combine import combine_posteriors as combine_posteriors
from separatrix.decision.costs import (
    CostSensitiveClassifier as CostSensitiveClassifier,
)
from separatrix.decision.costs import (
    average_cost as average_cost,
)
from separatrix.decision.costs import (
    decide as decide,
)
from separatrix.decision.costs import (
    expected_costs as expected_costs,
)
from separatrix.decision.costs import (
    zero_one_costs as zero_one_costs,
)
from separatrix.decision.priors import (
    PriorEstimate as PriorEstimate,
)
from separatrix.decision.priors import (
    estimate_priors as estimate_priors,
)
from separatrix.decision.priors import (
    shift_intercept as shift_intercept,
)
from separatrix.decision.priors import (
    shift_priors as shift_priors,
)
from separatrix.decision.reject import (
    CoverageCurve as CoverageCurve,
)
from separatrix.decision.reject import (
    Rejection as Rejection,
)
from separatrix.decision.reject import (
    chow as chow,
)
from separatrix.decision.reject import (
    coverage_curve as coverage_curve,
)
from separatrix.decision.reject import (
    reject_below as reject_below,
)
from separatrix.decision.risk import (
    best_constant as best_constant,
)
from separatrix.decision.risk import (
    empirical_risk as empirical_risk,
)
from separatrix.decision.risk import (
    zero_one as zero_one,
)
from separatrix.decision.risk import (
    zero_one_margin as zero_one_margin,
)
from separatrix.decision.sampling import BalancedSample as BalancedSample
from separatrix.decision.sampling import balanced_sample as balanced_sample
