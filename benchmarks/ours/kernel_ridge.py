"""separatrix.kernel_ridge.KernelRidge, which is solved to rounding."""

from benchmarks.contestant import Answer, Contestant


def fit(data, settings):
    from separatrix.kernel_ridge import KernelRidge

    model = KernelRidge(settings["alpha"], kernel="rbf", gamma=settings["gamma"]).fit(data.X, data.y)
    return Answer(model.dual_coef_, certificate=model.certificate_.value)


CONTESTANTS = {"kernel_ridge": [Contestant("separatrix", "separatrix", fit)]}
