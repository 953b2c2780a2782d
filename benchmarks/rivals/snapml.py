"""Snap ML: coordinate descent in the primal or the dual. Its intercept is one more penalised column: left out."""

from benchmarks.contestant import Answer, Contestant, held_out
from benchmarks.problems.storage import by_columns, by_rows, in_single_precision

LADDER = tuple(10.0**-k for k in range(2, 11))


def fit_logistic(penalty, dual):
    def fit(data, settings):
        from snapml import LogisticRegression

        model = LogisticRegression(
            penalty=penalty,
            dual=dual,
            regularizer=1.0 / settings["C"],
            fit_intercept=False,
            tol=settings["tolerance"],
            max_iter=10_000,
            n_jobs=settings["threads"],
            random_state=0,
        )
        model.fit(data.X, data.y)
        return Answer(model.coef_.ravel())

    return fit


def fit_margin(data, settings):
    from snapml import SupportVectorMachine

    model = SupportVectorMachine(
        loss="hinge",
        regularizer=1.0 / settings["C"],
        fit_intercept=False,
        tol=settings["tolerance"],
        max_iter=10_000,
        n_jobs=settings["threads"],
        random_state=0,
    )
    model.fit(data.X, data.y)
    return Answer(model.coef_.ravel())


def fit_tree(hist):
    """By exact splits, or by its histograms of 256 bins."""

    def fit(data, settings):
        from snapml import DecisionTreeClassifier, DecisionTreeRegressor

        make = DecisionTreeClassifier if settings["classes"] else DecisionTreeRegressor
        return make(use_histograms=hist, n_jobs=settings["threads"], random_state=0).fit(data.X, data.y)

    return fit


def hard(settings):
    """Where the dual, one coordinate a row, was seen to crawl."""
    return settings["variant"] in ("long", "ill")


CONTESTANTS = {
    "logistic": [
        Contestant("snapml dual", "snapml", fit_logistic("l2", True), tolerances=LADDER, slow=hard, prepare=by_rows),
        Contestant("snapml primal", "snapml", fit_logistic("l2", False), tolerances=LADDER, prepare=by_columns),
    ],
    "logistic_l1": [
        Contestant("snapml", "snapml", fit_logistic("l1", False), tolerances=LADDER, prepare=by_columns),
    ],
    "linear_svm": [Contestant("snapml", "snapml", fit_margin, tolerances=LADDER, prepare=by_rows)],
    "tree": [
        Contestant("snapml exact", "snapml", fit_tree(False), answer=held_out, prepare=in_single_precision),
        Contestant("snapml hist", "snapml", fit_tree(True), answer=held_out, prepare=in_single_precision),
    ],
}
