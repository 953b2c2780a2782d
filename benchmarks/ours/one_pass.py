"""separatrix.linear_model.Perceptron and SGDClassifier, one pass each."""

from benchmarks.contestant import Answer, Contestant


def fit(data, settings):
    from separatrix.linear_model import Perceptron, SGDClassifier

    once = {"max_iter": 1, "tol": None, "shuffle": settings["shuffle"], "random_state": 0}
    if settings["model"] == "perceptron":
        model = Perceptron(**once)
    else:
        model = SGDClassifier(loss="log_loss", alpha=settings["alpha"], **once)
    model.fit(data.X, data.y)
    return Answer(model.coef_.ravel(), model.intercept_, passes=model.n_iter_)


CONTESTANTS = {"one_pass": [Contestant("separatrix", "separatrix", fit)]}
