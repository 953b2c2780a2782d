"""Graphical models of discrete variables: information, trees, tables and Markov properties.

>>> from separatrix.graphical import entropy, kl_divergence
>>> entropy([0.5, 0.5], unit="bits"), kl_divergence([0.5, 0.5], [1.0, 0.0])
(1.0, inf)
"""

from separatrix.core.registry import lazily

__all__, __getattr__, __dir__ = lazily(__name__, __file__)
