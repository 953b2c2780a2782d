"""Graphical models of discrete variables. One idea a file; each is imported when first asked for."""

from separatrix.core.registry import lazily

__all__, __getattr__, __dir__ = lazily(__name__, __file__)
