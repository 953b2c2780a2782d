"""Models of how the rows of each class arise, and projections that tell classes apart."""

from separatrix.core.registry import lazily

__all__, __getattr__, __dir__ = lazily(__name__, __file__)
