"""A comparison as one HTML page: offline, without scripts, readable on a phone. Names are imported when asked for."""

from separatrix.core.registry import lazily

__all__, __getattr__, __dir__ = lazily(__name__, __file__)
