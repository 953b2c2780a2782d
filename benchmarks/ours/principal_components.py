"""separatrix.decomposition.PCA"""

from benchmarks.contestant import Answer, Contestant
from benchmarks.ours.gram import GRAM_PASS


def fit(data, settings):
    from separatrix.decomposition import PCA

    return Answer(PCA(n_components=settings["components"]).fit(data.X).components_.T)


CONTESTANTS = {"pca": [Contestant("separatrix", "separatrix", fit), GRAM_PASS]}
