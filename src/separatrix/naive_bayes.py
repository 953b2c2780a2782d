"""Naive Bayes models, under scikit-learn's module name; each is imported when it is first asked for.

>>> from separatrix.naive_bayes import BernoulliNB
>>> BernoulliNB(alpha=0.5)
BernoulliNB(alpha=0.5)
"""

from separatrix.estimators import naive_bayes

__all__ = list(naive_bayes.__all__)


def __getattr__(name):
    if name in __all__:
        return getattr(naive_bayes, name)
    raise AttributeError(f"module 'separatrix.naive_bayes' has no attribute {name!r}")


def __dir__():
    return __all__
