"""separatrix.neighbors.KNeighborsClassifier: fit, and the neighbours of the queries."""

from benchmarks.contestant import Answer, Contestant


def fit(data, settings):
    from separatrix.neighbors import KNeighborsClassifier

    model = KNeighborsClassifier(n_neighbors=settings["neighbours"]).fit(data.X, data.y)
    _, indices = model.kneighbors(data.queries)
    return Answer(indices[: settings["sample"]])


CONTESTANTS = {"knn": [Contestant("separatrix", "separatrix", fit)]}
