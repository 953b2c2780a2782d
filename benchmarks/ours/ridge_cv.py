"""separatrix.linear_model.RidgeCV"""

from benchmarks.contestant import Answer, Contestant


def fit(data, settings):
    from separatrix.linear_model import RidgeCV

    model = RidgeCV(alphas=settings["alphas"], fit_intercept=settings["fit_intercept"]).fit(data.X, data.y)
    return Answer(model.coef_, model.intercept_, alpha=model.alpha_, certificate=model.certificate_.value)


CONTESTANTS = {"ridgecv": [Contestant("separatrix", "separatrix", fit)]}
