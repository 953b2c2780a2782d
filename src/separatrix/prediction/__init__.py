"""From fitted numbers to predictions in plain numpy: what a saved model needs, and nothing that is slow to import."""

from separatrix.prediction.assembly import SCORERS, Step, can_score, score

__all__ = ["SCORERS", "Step", "can_score", "score"]
