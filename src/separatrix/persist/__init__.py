"""Models in files: ``save``, ``load``, and answers from a file without scikit-learn.

A ``.sepx`` file is a zip of a JSON manifest and a block of numbers. Loading runs no code and imports nothing that the
file names; what is not known is refused with :class:`CannotLoad`.
"""

from separatrix.core.registry import lazily

__all__, __getattr__, __dir__ = lazily(__name__, __file__)
