"""Linear models, under scikit-learn's module name: ``sklearn`` → ``separatrix`` in an import line is the migration."""

from separatrix.estimators.linear import __all__

__all__ = list(__all__)
