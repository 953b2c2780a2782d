"""Chains of transformers and a model: scikit-learn's own, under its module name.

>>> from separatrix.linear_model import Ridge
>>> from separatrix.pipeline import make_pipeline
>>> from separatrix.preprocessing import StandardScaler
>>> make_pipeline(StandardScaler(), Ridge()).fit([[0.0], [2.0]], [1.0, 3.0]).predict([[1.0]])
array([2.])
"""

from separatrix.core.registry import lazily

__all__, __getattr__, __dir__ = lazily(__name__, __file__)
