"""Neural networks, under scikit-learn's module name; imported when first asked for.

>>> from separatrix.neural_network import MLPRegressor
>>> MLPRegressor(hidden_layer_sizes=(5,))
MLPRegressor(hidden_layer_sizes=(5,))
"""

from separatrix.core.registry import lazily

__all__, __getattr__, __dir__ = lazily(__name__, __file__)
