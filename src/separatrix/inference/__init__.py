"""What a fit says about itself: standard errors, tests, intervals, and how far to trust each digit."""

from separatrix.inference.firth import firth_summary
from separatrix.inference.separation import Separation, separation
from separatrix.inference.summary import summary
from separatrix.inference.table import Coefficient, Summary, Table

__all__ = ["Coefficient", "Separation", "Summary", "Table", "firth_summary", "separation", "summary"]
