"""separatrix.graphical.ChowLiuTree"""

from benchmarks.contestant import Answer, Contestant


def fit(data, settings):
    from separatrix.graphical import ChowLiuTree

    return Answer(ChowLiuTree(smoothing=0.0).fit(data.X).edges_)


CONTESTANTS = {"chow_liu": [Contestant("separatrix", "separatrix", fit)]}
