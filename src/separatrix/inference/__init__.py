"""What a fit says about itself: standard errors, tests, intervals, and how far to trust each digit."""

from separatrix.inference.anova import anova
from separatrix.inference.bands import Band, bands
from separatrix.inference.influence import Influence, influence
from separatrix.inference.listing import Listing
from separatrix.inference.separation import Separation, separation
from separatrix.inference.stepwise import Selection, stepwise
from separatrix.inference.summary import summary
from separatrix.inference.table import Coefficient, Summary, Table

__all__ = [
    "Band",
    "Coefficient",
    "Influence",
    "Listing",
    "Selection",
    "Separation",
    "Summary",
    "Table",
    "anova",
    "bands",
    "influence",
    "separation",
    "stepwise",
    "summary",
]
