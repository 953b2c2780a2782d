"""Models that are fitted anew at every query. Each is imported when it is first asked for."""

from separatrix.core.registry import lazily

_HOMES = {
    "LocalLinearRegression": "local_linear",
    "LocalLogisticRegression": "local_logistic",
}

__all__, __getattr__, __dir__ = lazily(__name__, _HOMES)
