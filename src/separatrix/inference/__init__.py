"""What a fit says about itself: standard errors, tests, intervals, and how far to trust each digit."""

from separatrix.inference.likelihood import (
    Proportion,
    class_log_likelihood,
    gaussian_log_likelihood,
    gaussian_precision,
    proportion,
    sequence_log_likelihood,
)
from separatrix.inference.summary import summary
from separatrix.inference.table import Coefficient, Summary, Table

__all__ = [
    "Coefficient",
    "Proportion",
    "Summary",
    "Table",
    "class_log_likelihood",
    "gaussian_log_likelihood",
    "gaussian_precision",
    "proportion",
    "sequence_log_likelihood",
    "summary",
]
