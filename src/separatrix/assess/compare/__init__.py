"""Models compared on the same rows: rounds, candidates, corrected tests, the leaderboard and the recommended model."""

from separatrix.assess.compare.compare import compare
from separatrix.assess.compare.comparison import Comparison, Standing

__all__ = ["Comparison", "Standing", "compare"]
