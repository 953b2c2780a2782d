"""Mercer kernels: functions of two rows that are plain products in some feature space.

>>> import numpy as np
>>> from separatrix.kernels import Gaussian, Linear, Scaled, Sum, gram, is_psd
>>> K = gram(Sum(Linear(), Scaled(Gaussian(gamma=0.5), 2.0)), np.array([[0.0], [1.0]]))
>>> K.round(3), bool(is_psd(K))
(array([[2.   , 1.213],
       [1.213, 3.   ]]), True)
"""

from separatrix.core.registry import lazily

__all__, __getattr__, __dir__ = lazily(__name__, __file__)
