"""Evidence of a generalised linear model under a meaning of its weights: counts, deviances, dispersion, likelihood."""

from math import log, pi

import numpy as np


class Reading:
    """Evidence under a meaning of the weights: observations, degrees of freedom, dispersion, covariance."""

    def __init__(self, evidence, weights):
        self.evidence, self.weights = evidence, weights
        self.n = evidence.observations if weights == "frequency" else float(evidence.n)
        self.k = evidence.rank + int(evidence.intercept)
        self.df = max(self.n - self.k, 0.0)
        self.deviance = 2.0 * (evidence.saturated_log_likelihood - evidence.log_likelihood)
        self.null_deviance = 2.0 * (evidence.saturated_log_likelihood - evidence.null_log_likelihood)
        self.dispersion = evidence.dispersion
        if self.dispersion is None and self.df > 0.0:
            self.dispersion = evidence.pearson / self.df
        known = evidence.covariance is not None and self.dispersion is not None
        self.covariance = self.dispersion * evidence.covariance if known else None

    @property
    def log_likelihood(self):
        """The largest log-likelihood with all its constants; NaN where there is none."""
        evidence = self.evidence
        if evidence.family != "gaussian" or self.weights != "precision" or np.isnan(evidence.density):
            return evidence.density
        # the normal density, in which a precision weight divides the variance, as in R
        return -0.5 * self.n * (log(2.0 * pi * self.deviance / self.n) + 1.0) + 0.5 * evidence.log_weights

    @property
    def estimated(self):
        """Whether the dispersion was estimated: then tests are by t and F."""
        return self.evidence.dispersion is None

    @property
    def parameters(self):
        """What AIC and BIC count: the coefficients, and the dispersion where it was estimated."""
        return self.k + int(self.estimated)
