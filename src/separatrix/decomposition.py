"""Principal components, under scikit-learn's module name; imported when first asked for.

>>> from separatrix.decomposition import PCA
>>> PCA(n_components=2)
PCA(n_components=2)
"""

from separatrix.core.registry import lazily

__all__, __getattr__, __dir__ = lazily(__name__, __file__)
