"""adelie: the path solver for group elastic nets, here with groups of one; on tall data also by covariances."""

from functools import partial

import numpy as np
from scipy import sparse

from benchmarks.contestant import Answer, Contestant

LADDER = tuple(10.0**-k for k in range(4, 14))
SHORT = 10  # λ on the way down to the one that is wanted


def _descend(data, settings, alphas, family="gaussian"):
    import adelie

    threads = settings["threads"]
    y = data.y.astype(np.float64)
    make = adelie.matrix.sparse if sparse.issparse(data.X) else adelie.matrix.dense
    state = adelie.grpnet(
        make(data.X, method="naive", n_threads=threads),
        getattr(adelie.glm, family)(y),
        lmda_path=np.asarray(alphas),
        intercept=settings["fit_intercept"],
        tol=settings["tolerance"],
        n_threads=threads,
        early_exit=False,
        progress_bar=False,
    )
    return state.betas, state.intercepts


def _descend_by_covariance(data, settings, alphas):
    """adelie leaves the covariances to the caller; numpy's are as fast as any."""
    import adelie

    X, y = data.X, data.y
    n, p = X.shape
    means, centre = (X.mean(axis=0), y.mean()) if settings["fit_intercept"] else (np.zeros(p), 0.0)
    A = np.asfortranarray(X.T @ X / n - np.outer(means, means))
    v = X.T @ y / n - means * centre
    state = adelie.gaussian_cov(
        adelie.matrix.dense(A, method="cov", n_threads=settings["threads"]),
        v,
        lmda_path=np.asarray(alphas),
        tol=settings["tolerance"],
        n_threads=settings["threads"],
        early_exit=False,
        progress_bar=False,
    )
    return state.betas, centre - state.betas @ means


def fit_one(descend, length):
    def fit(data, settings):
        alphas = np.geomspace(settings["alpha_max"], settings["alpha"], length)
        alphas[-1] = settings["alpha"]
        betas, intercepts = descend(data, settings, alphas)
        return Answer(betas[-1].toarray().ravel(), intercepts[-1])

    return fit


def fit_path(descend):
    def fit(data, settings):
        betas, intercepts = descend(data, settings, settings["alphas"])
        return Answer(betas.T, intercepts)

    return fit


_descend_binomial = partial(_descend, family="binomial")


def tall(settings):
    return settings["variant"] == "tall"


CONTESTANTS = {
    "lasso": [
        Contestant("adelie", "adelie", fit_one(_descend, 1), tolerances=LADDER),
        Contestant("adelie short path", "adelie", fit_one(_descend, SHORT), tolerances=LADDER),
        Contestant("adelie cov", "adelie", fit_one(_descend_by_covariance, 1), tolerances=LADDER, suits=tall),
    ],
    "lasso_path": [
        Contestant("adelie", "adelie", fit_path(_descend), tolerances=LADDER),
        Contestant("adelie cov", "adelie", fit_path(_descend_by_covariance), tolerances=LADDER, suits=tall),
    ],
    "logistic_l1": [
        Contestant("adelie", "adelie", fit_one(_descend_binomial, 1), tolerances=LADDER),
        Contestant("adelie short path", "adelie", fit_one(_descend_binomial, SHORT), tolerances=LADDER),
    ],
}
