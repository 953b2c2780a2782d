"""mlpack: naive Bayes, principal components, neighbours by kd-trees. It has no LDA, no QDA, no 0/1 or count columns.

Its PCA and its trees work in place, so they are given copies (`copy_all_inputs`, its own option), on the clock: without
them the rows of the caller are gone.
"""

import numpy as np

from benchmarks.contestant import Answer, Contestant, trained


def fit_gaussian_nb(data, settings):
    from mlpack import nbc

    return nbc(training=data.X, labels=data.y)["output_model"]


def joint_scores(model, data):
    """It says probabilities, in the order in which the classes first appear in y."""
    from mlpack import nbc

    said = nbc(input_model=model, test=data.X[: data.settings["sample"]])["probabilities"]
    first = np.unique(data.y, return_index=True)[1]
    scores = np.empty_like(said)
    with np.errstate(divide="ignore"):
        scores[:, np.argsort(first)] = np.log(said)
    return Answer(scores)


def predict_gaussian_nb(data, settings):
    from mlpack import nbc

    return Answer(nbc(input_model=data.model, test=data.X)["predictions"])


def fit_pca(method):
    def fit(data, settings):
        from mlpack import pca

        return pca(
            input_=data.X,
            new_dimensionality=settings["components"],
            decomposition_method=method,
            copy_all_inputs=True,
        )["output"]

    return fit


def directions(projected, data):
    """It hands over the projected rows ``T = Xc V`` and keeps V, which is the solution of these equations."""
    Xc = data.X - data.X.mean(axis=0)
    return Answer(np.linalg.solve(Xc.T @ Xc, Xc.T @ projected))


def find_neighbours(algorithm):
    def fit(data, settings):
        from mlpack import knn

        found = knn(
            reference=data.X, query=data.queries, k=settings["neighbours"], algorithm=algorithm, copy_all_inputs=True
        )
        return Answer(found["neighbors"][: settings["sample"]])

    return fit


CONTESTANTS = {
    "gaussian_nb": [Contestant("mlpack", "mlpack", fit_gaussian_nb, answer=joint_scores)],
    "gaussian_nb_predict": [Contestant("mlpack", "mlpack", predict_gaussian_nb, prepare=trained(fit_gaussian_nb))],
    "pca": [
        Contestant(f"mlpack {method}", "mlpack", fit_pca(method), answer=directions)
        for method in ("exact", "randomized-block-krylov")
    ],
    "knn": [
        Contestant("mlpack dual tree", "mlpack", find_neighbours("dual_tree")),
        Contestant("mlpack single tree", "mlpack", find_neighbours("single_tree")),
    ],
}
