"""Ridge regression in the feature space of a kernel, under scikit-learn's module name.

>>> from separatrix.kernel_ridge import KernelRidge
>>> KernelRidge(alpha=0.5)
KernelRidge(alpha=0.5)
"""

from separatrix.core.registry import lazily

__all__, __getattr__, __dir__ = lazily(__name__, __file__)
