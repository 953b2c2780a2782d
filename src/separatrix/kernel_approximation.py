"""Features whose inner products approximate a kernel, under scikit-learn's module name.

>>> from separatrix.kernel_approximation import Nystroem
>>> Nystroem(n_components=10)
Nystroem(n_components=10)
"""

from separatrix.core.registry import lazily

__all__, __getattr__, __dir__ = lazily(__name__, __file__)
