"""Naive Bayes models, under scikit-learn's module name; each is imported when it is first asked for.

>>> from separatrix.naive_bayes import BernoulliNB
>>> BernoulliNB(alpha=0.5)
BernoulliNB(alpha=0.5)
"""

from separatrix.core.registry import lazily

__all__, __getattr__, __dir__ = lazily(__name__, __file__)
