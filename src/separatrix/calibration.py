"""Probabilities from scores, under scikit-learn's module name; each is imported when it is first asked for.

>>> from separatrix.calibration import posterior_from_likelihood_ratio
>>> round(float(posterior_from_likelihood_ratio(3.0)), 12)
0.75
"""

from separatrix.core.registry import lazily

__all__, __getattr__, __dir__ = lazily(__name__, __file__)
