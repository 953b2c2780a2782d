"""What a good hour with numpy gives: the yardstick, not a package."""

import numpy as np
from scipy import sparse
from scipy.linalg import cho_factor, cho_solve, eigh
from scipy.sparse.csgraph import minimum_spanning_tree
from scipy.special import entr, expit

from benchmarks.contestant import Answer, Contestant
from benchmarks.problems import discriminants, naive_bayes

BLOCK = 10_000
FEW = 20  # points at a time, where each looks at all rows
NEWTON_STEPS = 12


def fit_ridge(data, settings):
    """The normal equations on the smaller side: means, Gram matrix, solve."""
    X, y, alpha = data.X, data.y, settings["alpha"]
    n, p = X.shape
    means, centre = X.mean(axis=0), y.mean()
    if p <= n:
        gram = X.T @ X - n * np.outer(means, means)
        gram.flat[:: p + 1] += alpha
        beta = cho_solve(cho_factor(gram, overwrite_a=True), X.T @ (y - centre))
    else:
        kernel = _centred_kernel(X, means)
        kernel.flat[:: n + 1] += alpha
        a = cho_solve(cho_factor(kernel, overwrite_a=True), y - centre)
        beta = X.T @ (a - a.mean())
    return Answer(beta, centre - means @ beta)


def fit_kernel_ridge(data, settings):
    """One n by n array, exponentials and Cholesky's factor in place."""
    X, gamma = data.X, settings["gamma"]
    squares = np.einsum("ij,ij->i", X, X)
    K = X @ X.T
    K *= 2.0 * gamma
    K -= gamma * squares[:, None]
    K -= gamma * squares
    np.exp(K, out=K)
    K.flat[:: len(K) + 1] += settings["alpha"]
    return Answer(cho_solve(cho_factor(K.T, overwrite_a=True, check_finite=False), data.y))


def fit_ridge_cv(data, settings):
    """Leave-one-out at every λ from one eigendecomposition of the smaller side."""
    X, y, alphas = data.X, data.y, np.asarray(settings["alphas"])
    n, p = X.shape
    means, centre = X.mean(axis=0), y.mean()
    yc = y - centre
    if p <= n:
        d, V = np.linalg.eigh(X.T @ X - n * np.outer(means, means))
        projected, shift = V.T @ (X.T @ yc), means @ V
        errors = np.zeros(len(alphas))
        for start in range(0, n, BLOCK):
            rows = slice(start, start + BLOCK)
            errors += _squared_errors(X[rows] @ V - shift, yc[rows], projected, d, alphas, n)
        best = alphas[np.argmin(errors)]
        beta = V @ (projected / (d + best))
    else:
        kernel = _centred_kernel(X, means)
        d, U = np.linalg.eigh(kernel)
        d = np.maximum(d, 0.0)
        scores = U * np.sqrt(d)
        best = alphas[np.argmin(_squared_errors(scores, yc, scores.T @ yc, d, alphas, n))]
        a = U @ ((U.T @ yc) / (d + best))
        beta = X.T @ (a - a.mean())
    return Answer(beta, centre - means @ beta, alpha=float(best))


def _squared_errors(T, yc, projected, d, alphas, n):
    shrink = 1.0 / (d[:, None] + alphas)
    r = yc[:, None] - T @ (projected[:, None] * shrink)
    return np.sum((r / (1.0 - 1.0 / n - (T * T) @ shrink)) ** 2, axis=0)


def _centred_kernel(X, means):
    product = X @ means
    return X @ X.T - product[:, None] - product + means @ means


def gram_pass(data, settings):
    return Answer(data.X.T @ data.X)


def fit_lda(data, settings):
    """Counts, class means and one covariance matrix from one Gram pass, and its factor."""
    counts, sums = _class_sums(data.X, data.y, settings["classes"])
    means = sums / counts[:, None]
    within = (data.X.T @ data.X - sums.T @ means) / (counts.sum() - len(counts))
    coef = cho_solve(cho_factor(within), means.T)
    return coef, np.log(counts / counts.sum()) - 0.5 * np.sum(means.T * coef, axis=0)


def linear_scores(fitted, data):
    coef, intercept = fitted
    return Answer(data.X[: data.settings["sample"]] @ coef + intercept)


def fit_qda(data, settings):
    """Counts, means and scatters of each class from a Gram pass over its rows."""
    parts = [data.X[data.y == c] for c in range(settings["classes"])]
    counts = np.array([len(part) for part in parts])
    means = np.array([part.mean(axis=0) for part in parts])
    scatters = [part.T @ part - len(part) * np.outer(mean, mean) for part, mean in zip(parts, means)]
    return counts, means, np.array(scatters)


def quadratic_scores(fitted, data):
    counts, means, scatters = fitted
    covariances = discriminants.blends(counts, scatters, 1.0, unbiased=True)
    return Answer(discriminants.scores(data.X[: data.settings["sample"]], counts / counts.sum(), means, covariances))


def fit_rda_path(data, settings):
    """The moments of QDA, and a factor for each class and α."""
    counts, means, scatters = fit_qda(data, settings)
    factors = [
        [np.linalg.cholesky(covariance) for covariance in discriminants.blends(counts, scatters, alpha, unbiased=True)]
        for alpha in settings["alphas"]
    ]
    return counts / counts.sum(), means, factors


def path_scores(fitted, data):
    priors, means, factors = fitted
    rows = data.X[: data.settings["sample"]]
    return Answer(np.hstack([discriminants.scores(rows, priors, means, (L @ L.T for L in at)) for at in factors]))


def fit_gaussian_nb(data, settings):
    """Sums of the columns and of their squares within each class, about the mean of all, by blocks of rows."""
    centre, squares = data.X[:BLOCK].mean(axis=0), 0.0
    counts, sums = _class_sums(data.X, data.y, settings["classes"])
    means = sums / counts[:, None]
    for start in range(0, len(data.X), BLOCK):
        rows = data.X[start : start + BLOCK] - centre
        rows *= rows
        squares = squares + _class_sums(rows, data.y[start : start + BLOCK], settings["classes"])[1]
    return counts / counts.sum(), means, squares / counts[:, None] - (means - centre) ** 2


def gaussian_nb_scores(fitted, data):
    rows = data.X[: data.settings["sample"]]
    columns = [np.log(prior) + naive_bayes.normal_log_density(rows, mean, v) for prior, mean, v in zip(*fitted)]
    return Answer(np.column_stack(columns))


def fit_bernoulli_nb(data, settings):
    counts, totals = _class_sums(data.X, data.y, settings["classes"])
    chances = (totals + 1.0) / (counts[:, None] + 2.0)
    against = np.log1p(-chances)
    return (np.log(chances) - against).T, against.sum(axis=1) + np.log(counts / counts.sum())


def fit_multinomial_nb(data, settings):
    counts, totals = _class_sums(data.X, data.y, settings["classes"])
    smoothed = totals + 1.0
    return np.log(smoothed / smoothed.sum(axis=1, keepdims=True)).T, np.log(counts / counts.sum())


def _class_sums(X, codes, classes):
    """Rows of each class, and the sum of each column within it, as a product with the indicators."""
    n = len(codes)
    indicators = sparse.csr_matrix((np.ones(n), (codes, np.arange(n))), shape=(classes, n))
    sums = indicators @ X if sparse.issparse(X) else indicators.toarray() @ X
    return np.bincount(codes, minlength=classes), sums.toarray() if sparse.issparse(sums) else sums


def fit_pca(data, settings):
    n, p = data.X.shape
    mean = data.X.mean(axis=0)
    S = data.X.T @ data.X - n * np.outer(mean, mean)
    return Answer(eigh(S, subset_by_index=(p - settings["components"], p - 1))[1])


def find_neighbours(data, settings):
    """|x|² - 2 q'x for a few queries at a time, and the smallest of each."""
    lengths, indices, k = np.sum(data.X * data.X, axis=1), [], settings["neighbours"]
    for start in range(0, len(data.queries), FEW):
        apart = -2.0 * data.queries[start : start + FEW] @ data.X.T
        apart += lengths
        indices.append(np.argpartition(apart, k, axis=1)[:, :k])
    return Answer(np.concatenate(indices)[: settings["sample"]])


def fit_local_logistic(data, settings):
    """Newton's method for a few points at a time: products with the columns 1, x, x² are all it needs."""
    X1 = np.column_stack([np.ones(len(data.y)), data.X])
    q = X1.shape[1]
    pairs = (X1[:, :, None] * X1[:, None, :]).reshape(len(X1), q * q)
    squares, found = np.sum(data.X * data.X, axis=1), []
    for start in range(0, len(data.queries), FEW):
        points = data.queries[start : start + FEW]
        apart = squares - 2.0 * points @ data.X.T + np.sum(points * points, axis=1)[:, None]
        kernel = np.exp(-0.5 * apart / settings["bandwidth"] ** 2)
        beta = np.zeros((len(points), q))
        for _ in range(NEWTON_STEPS):
            mu = expit(beta @ X1.T)
            slope = (kernel * (data.y - mu)) @ X1
            curvature = ((kernel * mu * (1.0 - mu)) @ pairs).reshape(-1, q, q)
            beta = beta + np.linalg.solve(curvature, slope[:, :, None])[:, :, 0]
        found.append(beta[:, 0] + np.sum(beta[:, 1:] * points, axis=1))
    return Answer(np.concatenate(found))


def dense(settings):
    return not settings["sparse"]


GRAM_PASS = Contestant("numpy Gram pass", "numpy", gram_pass, suits=dense, yardstick=True)


def fit_tree(data, settings):
    """Indicators of all levels, one product in float32, entropies, the tree of scipy."""
    X, V = data.X.astype(np.int64), settings["levels"]
    n, p = X.shape
    counts = np.zeros((V * p, V * p))
    for start in range(0, n, BLOCK):
        E = (X[start : start + BLOCK, :, None] == np.arange(V)).reshape(-1, V * p).astype(np.float32)
        counts += E.T @ E
    joint = entr(counts / n).reshape(p, V, p, V).sum(axis=(1, 3))
    H = np.diagonal(joint)
    tree = minimum_spanning_tree(joint - H - H[:, None] - 1.0).tocoo()
    return Answer(np.column_stack(tree.coords))


def fit_one_product(data, settings):
    """The one product that the pairs of switches need, of numbers that are float32 already."""
    return Answer(data.queries[0].T @ data.queries[1])


def in_two_copies(data):
    """Of one array BLAS takes another routine, which is slower here."""
    X = data.X.astype(np.float32)
    data.queries = X, X.copy()
    return data


CONTESTANTS = {
    "chow_liu": [
        Contestant("by hand", "numpy", fit_tree),
        Contestant(
            "one product",
            "numpy",
            fit_one_product,
            suits=lambda settings: settings["levels"] == 2,
            prepare=in_two_copies,
            yardstick=True,
        ),
    ],
    "ols": [Contestant("by hand", "numpy", fit_ridge)],
    "ridge": [Contestant("by hand", "numpy", fit_ridge)],
    "kernel_ridge": [Contestant("by hand", "numpy", fit_kernel_ridge)],
    "ridgecv": [Contestant("by hand", "numpy", fit_ridge_cv)],
    "lda": [Contestant("by hand", "numpy", fit_lda, answer=linear_scores), GRAM_PASS],
    "qda": [Contestant("by hand", "numpy", fit_qda, answer=quadratic_scores), GRAM_PASS],
    "rda_path": [Contestant("by hand", "numpy", fit_rda_path, answer=path_scores), GRAM_PASS],
    "gaussian_nb": [Contestant("by hand", "numpy", fit_gaussian_nb, answer=gaussian_nb_scores), GRAM_PASS],
    "bernoulli_nb": [Contestant("by hand", "numpy", fit_bernoulli_nb, answer=linear_scores), GRAM_PASS],
    "multinomial_nb": [Contestant("by hand", "numpy", fit_multinomial_nb, answer=linear_scores)],
    "pca": [Contestant("by hand", "numpy", fit_pca), GRAM_PASS],
    "knn": [Contestant("by hand", "numpy", find_neighbours)],
    "local_logistic": [Contestant("by hand", "numpy", fit_local_logistic)],
}
