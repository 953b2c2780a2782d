"""What to do with a fitted model: where it divides the space, and what each side costs."""

from separatrix.decision.boundary import Hyperplane

__all__ = ["Hyperplane"]
