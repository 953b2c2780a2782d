"""Probabilities from scores, under scikit-learn's module name.

scikit-learn's own ``CalibratedClassifierCV`` works with every classifier of this library and is not repeated here.

>>> from separatrix.calibration import posterior_from_likelihood_ratio
>>> round(float(posterior_from_likelihood_ratio(3.0)), 12)
0.75
"""

from separatrix.estimators.calibration import (
    CalibratedLinearClassifier,
    LogisticCalibrator,
    ReversedScores,
    logistic_posterior,
    posterior_from_likelihood_ratio,
)

__all__ = [
    "CalibratedLinearClassifier",
    "LogisticCalibrator",
    "ReversedScores",
    "logistic_posterior",
    "posterior_from_likelihood_ratio",
]
