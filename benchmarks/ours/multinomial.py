"""separatrix.linear_model.LogisticRegression on ten classes."""

from benchmarks.contestant import Answer, Contestant


def fit(data, settings):
    from separatrix.linear_model import LogisticRegression

    model = LogisticRegression(C=settings["C"], fit_intercept=settings["fit_intercept"], tol=settings["tolerance"])
    model.fit(data.X, data.y)
    return Answer(model.coef_.T, model.intercept_, certificate=model.certificate_.value)


LADDER = (1e-2, 1e-3, 1e-4, 1e-6, 1e-8)

CONTESTANTS = {
    "multinomial": [
        Contestant("separatrix", "separatrix", fit, tolerances=LADDER),
        Contestant("separatrix default", "separatrix", fit, tolerances=(1e-8,)),
    ]
}
