"""What a fit says about itself: standard errors, tests, intervals, and how far to trust each digit."""

from separatrix.inference.anova import add1, anova, drop1
from separatrix.inference.bands import Band, bands
from separatrix.inference.collinearity import vif
from separatrix.inference.describe import describe
from separatrix.inference.estimates import CovarianceMatrix, covariance_matrix
from separatrix.inference.firth import firth_summary
from separatrix.inference.hypotheses import contrasts, linear_hypothesis
from separatrix.inference.influence import Influence, influence
from separatrix.inference.intervals import Intervals, predict_interval
from separatrix.inference.likelihood import (
    Proportion,
    class_log_likelihood,
    gaussian_log_likelihood,
    gaussian_precision,
    proportion,
    sequence_log_likelihood,
)
from separatrix.inference.listing import Listing
from separatrix.inference.multiplicity import adjust_p_values
from separatrix.inference.nested import compare_nested
from separatrix.inference.separation import Separation, separation
from separatrix.inference.stepwise import Selection, stepwise
from separatrix.inference.summary import summary
from separatrix.inference.table import Coefficient, Summary, Table

__all__ = [
    "Band",
    "Coefficient",
    "CovarianceMatrix",
    "Influence",
    "Intervals",
    "Listing",
    "Proportion",
    "Selection",
    "Separation",
    "Summary",
    "Table",
    "add1",
    "adjust_p_values",
    "anova",
    "bands",
    "class_log_likelihood",
    "compare_nested",
    "contrasts",
    "covariance_matrix",
    "describe",
    "drop1",
    "firth_summary",
    "gaussian_log_likelihood",
    "gaussian_precision",
    "influence",
    "linear_hypothesis",
    "predict_interval",
    "proportion",
    "separation",
    "sequence_log_likelihood",
    "stepwise",
    "summary",
    "vif",
]
