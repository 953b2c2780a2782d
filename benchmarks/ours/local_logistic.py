"""separatrix.local.LocalLogisticRegression: a fit at every query."""

from benchmarks.contestant import Answer, Contestant


def fit(data, settings):
    from separatrix.local import LocalLogisticRegression

    model = LocalLogisticRegression(bandwidth=settings["bandwidth"], kernel="gaussian").fit(data.X, data.y)
    return Answer(model.decision_function(data.queries))


CONTESTANTS = {"local_logistic": [Contestant("separatrix", "separatrix", fit)]}
