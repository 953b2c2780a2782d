"""Linear models, under scikit-learn's module name: ``sklearn`` → ``separatrix`` in an import line is the migration.

>>> from separatrix.linear_model import Lasso
>>> Lasso(alpha=0.1)
Lasso(alpha=0.1)
"""

from separatrix.core.registry import lazily

__all__, __getattr__, __dir__ = lazily(__name__, __file__)
