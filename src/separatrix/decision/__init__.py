"""Decisions with a fitted model: hyperplanes, costs, rejection, priors, risk.

Names are imported on first use.
"""

from separatrix.core.registry import lazily

__all__, __getattr__, __dir__ = lazily(__name__, __file__)
