"""separatrix.svm.LinearSVC: at the loosest `tol` that does, and at the default; with an intercept, beside them."""

from benchmarks.contestant import Answer, Contestant


def fit_with(intercept):
    def fit(data, settings):
        from separatrix.svm import LinearSVC

        loss = "hinge" if settings["power"] == 1 else "squared_hinge"
        model = LinearSVC(loss=loss, C=settings["C"], fit_intercept=intercept, tol=settings["tolerance"])
        model.fit(data.X, data.y)
        return Answer(model.coef_.ravel(), model.intercept_, certificate=model.certificate_.value)

    return fit


LADDER = (1e-2, 1e-3, 1e-4, 1e-6, 1e-8)

ENTRIES = [
    Contestant("separatrix", "separatrix", fit_with(False), tolerances=LADDER),
    Contestant("separatrix default", "separatrix", fit_with(False), tolerances=(1e-8,)),
    Contestant("separatrix intercept", "separatrix", fit_with(True), tolerances=(1e-4,), yardstick=True),
]
CONTESTANTS = {"linear_svm": ENTRIES, "linear_svm_squared": ENTRIES}
