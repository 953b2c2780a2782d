"""Networks: classifiers, regressors and autoencoders. Each is imported when it is first asked for."""

from separatrix.core.registry import lazily

__all__, __getattr__, __dir__ = lazily(__name__, __file__)
