"""separatrix.linear_model.LogisticRegression, with L2: at the loosest `tol` that does, and at the default."""

from benchmarks.contestant import Answer, Contestant


def fit(data, settings):
    from separatrix.linear_model import LogisticRegression

    model = LogisticRegression(C=settings["C"], fit_intercept=settings["fit_intercept"], tol=settings["tolerance"])
    model.fit(data.X, data.y)
    return Answer(model.coef_.ravel(), model.intercept_, certificate=model.certificate_.value)


LADDER = (1e-2, 3e-3, 1e-3, 1e-4, 1e-6, 1e-8)

CONTESTANTS = {
    "logistic": [
        Contestant("separatrix", "separatrix", fit, tolerances=LADDER),
        Contestant("separatrix default", "separatrix", fit, tolerances=(1e-8,)),
    ]
}
