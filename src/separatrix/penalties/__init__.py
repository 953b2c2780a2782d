"""Penalties: scalar functions of one coefficient, as atoms."""

from separatrix.core.separable import Bounded, Separable
from separatrix.penalties.elastic_net import ElasticNet
from separatrix.penalties.l1 import L1
from separatrix.penalties.l2 import L2, NoPenalty

__all__ = ["L1", "L2", "Bounded", "ElasticNet", "NoPenalty", "Separable"]
