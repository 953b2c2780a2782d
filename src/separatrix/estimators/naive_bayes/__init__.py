"""Naive Bayes: within a class the columns are independent. One model a file; each is imported when first asked for."""

from separatrix.core.registry import lazily

__all__, __getattr__, __dir__ = lazily(__name__, __file__)
