"""One Gram pass by our blocks of rows: what a method that needs X'X cannot do without, as a yardstick."""

from operator import add

from benchmarks.contestant import Answer, Contestant


def fit(data, settings):
    from separatrix.designs.dense import DenseDesign

    return Answer(DenseDesign(data.X).reduce(lambda block: block.X.T @ block.X, add, gram=True))


def dense(settings):
    return not settings["sparse"]


GRAM_PASS = Contestant("our Gram pass", "separatrix", fit, suits=dense, yardstick=True)
