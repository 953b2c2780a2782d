r"""The arithmetic of naive Bayes: :math:`\log P(x \mid C_k) = \sum_j \log P(x_j \mid C_k)`."""

import warnings

import numpy as np

from separatrix.core.blocks import row_blocks
from separatrix.core.refusal import cannot
from separatrix.prediction.posteriors import logarithm

TINY = np.finfo(np.float64).tiny
ROUNDING = 4.0 * np.finfo(np.float64).eps  # of a mean: what differs by less is a constant
# A square about the common centre is the square about the mean of a class plus terms that cancel. They are as large as
# (distance of mean and centre / σ)²: up to this distance the sum loses no more than four of sixteen digits.
NEAR = 100.0
# Codes beyond this are no categories but numbers: a table of all of them would not fit anywhere.
LARGEST_CODE = (1 << 24) - 1
CODES = "codes 0, 1, 2, ..., such as those of sklearn.preprocessing.OrdinalEncoder"


def shares_of_classes(state):
    """``log P(C_k)`` (k,) of a model that keeps ``class_prior_``."""
    return logarithm(state["class_prior_"])


def log_shares(state):
    """``log P(C_k)`` (k,) of a model that keeps their logarithms."""
    return state["class_log_prior_"]


def by_blocks(of_rows, X):
    """`of_rows` of the blocks of X that a whole model takes, one below the other."""
    return np.concatenate([of_rows(X[rows]) for rows in row_blocks(*X.shape)] or [of_rows(X)])


def normal_columns(theta, var, shares):
    r"""A function from a block of rows to ``log P(x | C_k)`` (n, k) of columns that are normal in each class.

    .. math:: \sum_j \frac{(x_j - \mu_{kj})^2}{\sigma_{kj}^2} =
              \sum_j \frac{z_j^2 - 2 z_j d_{kj} + d_{kj}^2}{\sigma_{kj}^2}, \qquad z = x - m, \; d_k = \mu_k - m

    Two products, with the square and the column about a common centre m. Where d is many σ long these terms cancel, and
    the square is taken as it stands.
    """
    variance = np.maximum(var, TINY)
    constant = -0.5 * np.log(2.0 * np.pi * variance).sum(axis=1)
    centre = shares @ theta
    D = theta - centre
    fixed = var == 0.0
    far = (np.abs(D) > NEAR * np.sqrt(variance)) & ~fixed
    precision = np.where(far | fixed, 0.0, 1.0 / variance)
    squares, lines = -0.5 * precision.T, (D * precision).T
    constant_near = constant - 0.5 * (D * D * precision).sum(axis=1)
    apart = [(c, np.flatnonzero(far[c])) for c in np.flatnonzero(far.any(axis=1))]
    certain = [(c, np.flatnonzero(fixed[c])) for c in np.flatnonzero(fixed.any(axis=1))]

    def as_it_stands(B):
        squares = [(((B - mean) ** 2) / v).sum(axis=1) for mean, v in zip(theta, variance, strict=True)]
        return constant - 0.5 * np.stack(squares, axis=1)

    def of_rows(B):
        with np.errstate(over="ignore", invalid="ignore"):
            Z = B - centre
            log_likelihood = Z @ lines
            log_likelihood += np.multiply(Z, Z, out=Z) @ squares
            log_likelihood += constant_near
            for c, J in apart:
                log_likelihood[:, c] -= 0.5 * ((B[:, J] - theta[c, J]) ** 2 @ (1.0 / variance[c, J]))
            lost = np.isnan(log_likelihood).any(axis=1)  # squares beyond all numbers, times 0
            if lost.any():
                log_likelihood[lost] = as_it_stands(B[lost])
        for c, J in certain:
            mean = theta[c, J]
            log_likelihood[(np.abs(B[:, J] - mean) > ROUNDING * np.abs(mean)).any(axis=1), c] = -np.inf
        return log_likelihood

    return of_rows


def gaussian(state, X):
    """``log P(x | C_k)`` (n, k) of a GaussianNB."""
    return by_blocks(normal_columns(state["theta_"], state["var_"], state["class_prior_"]), X)


def linear_log_likelihood(on, off, product):
    """``Σ_j x_j log on_kj + (1 - x_j) log off_kj`` (n, k), where `product` multiplies X by a matrix (p, m).

    `off` is None where the absent says nothing. A probability of 0 makes a weight infinite: what is possible and what
    is not are then summed apart, because 0 times a logarithm of 0 is nothing, not NaN.
    """
    off = np.zeros_like(on) if off is None else off
    never_on, never_off = on == -np.inf, off == -np.inf
    some = (never_on | never_off).any()
    on, off = np.where(never_on, 0.0, on), np.where(never_off, 0.0, off)
    W = on - off
    if not some:
        return product(np.ascontiguousarray(W.T)) + off.sum(axis=1)
    # how often a row does what a class never does: x_j where p = 0, 1 - x_j where p = 1
    F = never_on.astype(np.float64) - never_off
    both = product(np.ascontiguousarray(np.vstack([W, F]).T))
    k = len(W)
    total, failed = both[:, :k] + off.sum(axis=1), both[:, k:] + never_off.sum(axis=1)
    total[failed > 0.0] = -np.inf
    return total


def multinomial(state, X):
    """``log P(x | C_k)`` (n, k) of a MultinomialNB; a negative number is refused."""
    refuse_outside(state, X, 0.0, np.inf, _not_a_count)
    return linear_log_likelihood(state["feature_log_prob_"], None, lambda W: _product(X, W))


def bernoulli(state, X):
    """``log P(x | C_k)`` (n, k) of a BernoulliNB."""
    threshold = state["binarize"]
    if threshold is None:
        refuse_outside(state, X, 0.0, 1.0, _neither_on_nor_off)
    else:
        X = (threshold < X).astype(np.float64)
    return linear_log_likelihood(state["feature_log_prob_"], state["_log_absent"], lambda W: _product(X, W))


def _product(X, W):
    if isinstance(X, np.ndarray):
        return by_blocks(lambda B: B @ W, X)
    return np.asarray(X @ W)


def refuse_outside(state, X, low, high, error):
    """Raise where a number lies outside of [low, high]."""
    dense = isinstance(X, np.ndarray)
    values = X if dense else X.data
    bad = ~((values >= low) & (values <= high))
    if bad.any():
        columns = np.nonzero(bad)[1] if dense else X.tocoo().coords[1][bad]
        first = np.argmin(columns)
        raise error(name_of(state, int(columns[first])), values[bad][first])


def name_of(state, j):
    """What to call a column in an error."""
    names = state.get("_names") or state.get("feature_names_in_")
    return repr(str(names[j])) if names is not None else f"{j}"


def _not_a_count(name, value):
    return cannot(
        f"use the value {value:g} of column {name} with MultinomialNB",
        because="Negative values in data cannot be counts",
        instead="counts >= 0",
    )


def _neither_on_nor_off(name, value):
    return cannot(
        f"take the value {value:g} of column {name} for on or off",
        because="with binarize=None it must lie in [0, 1]",
        instead="binarize=0.0, or numbers in [0, 1]",
    )


def categorical(state, X):
    """``log P(x | C_k)`` (n, k) of a CategoricalNB."""
    largest = admitted(X.min(axis=0), X.max(axis=0), (np.floor(X) == X).all(axis=0), lambda j: name_of(state, j))
    return by_blocks(tables_of(state, largest, lambda j: name_of(state, j)), X)


def admitted(low, high, whole, name):
    """Raise, by name, if a number is no category; return the largest category of each column."""
    bad = (low <= -1.0) | (high > LARGEST_CODE)
    if bad.any():
        j = int(np.argmax(bad))
        value, reason = low[j], "Negative values in data cannot be categories"
        if high[j] > LARGEST_CODE:
            value, reason = high[j], f"a table of so many categories fits nowhere (largest code: {LARGEST_CODE})"
        raise cannot(f"use the value {value:g} of column {name(j)} as a category", because=reason, instead=CODES)
    if not whole.all():
        from separatrix.core.errors import NotWhole

        warnings.warn(NotWhole(name(int(np.argmin(whole))), CODES), stacklevel=5)
    return high.astype(np.int64)


def tables_of(state, largest, name):
    """A function from a block of codes to ``log P(x | C_k)`` (n, k); refuses categories beyond those of the fit."""
    sizes, k = state["n_categories_"], len(state["class_log_prior_"])
    strange = largest >= sizes
    if state["unseen"] == "error" and strange.any():
        j = int(np.argmax(strange))
        raise cannot(
            f"predict with the category {largest[j]} of column {name(j)}",
            because=f"it lies beyond the {sizes[j]} categories of the fit",
            instead='min_categories to declare more, unseen="smooth" to give it the share of a category that was '
            'never met, or unseen="ignore" to leave the column out',
        )
    # the last row of each table is what a category beyond it stands for
    beyond = state["_log_unseen"] if state["unseen"] == "smooth" else [np.zeros(k)] * len(sizes)
    tables = [np.vstack([t.T, b]) for t, b in zip(state["feature_log_prob_"], beyond, strict=True)]

    def of_rows(B):
        codes, out = np.minimum(B, sizes).astype(np.intp), np.zeros((len(B), k))
        for j, table in enumerate(tables):
            out += table[codes[:, j]]
        return out

    return of_rows


LIKELIHOODS = {"gaussian": gaussian, "bernoulli": bernoulli, "categorical": categorical, "multinomial": multinomial}


def mixed_log_joint(state, X):
    """``log P(x, C_k)`` (n, k) of a MixedNB, for X (n, p) of numbers."""
    log_joint = np.tile(shares_of_classes(state), (len(X), 1))
    for kind, part in state["parts_"].items():
        columns = [j for j, other in enumerate(state["distributions_"]) if other == kind]
        own = part.state
        if kind == "categorical":
            Z, own = _codes(state, X), {**own, "unseen": state["unseen"]}
        else:
            Z = X if len(columns) == X.shape[1] else X[:, columns]
        log_joint += LIKELIHOODS[kind](own, Z)
    return log_joint


def _codes(state, X):
    """The place of each number among the categories of its column; behind the last for one that was never met."""
    codes = []
    for j, categories in state["categories_"].items():
        codes.append(codes_of(X[:, j].tolist(), categories, state["_names"][j], strict=state["unseen"] == "error"))
    return np.stack(codes, axis=1)


def codes_of(values, categories, name, *, strict):
    """The place of each value among the categories; a stranger is refused, or has the place behind the last.

    >>> codes_of(["b", "a"], ["a", "b"], "x", strict=True)
    array([1., 0.])
    """
    place = {v: float(i) for i, v in enumerate(categories)}
    strangers = set(values) - place.keys()
    if strangers and strict:
        raise cannot(
            f"predict with the category {min(strangers, key=by_kind)!r} of column {name!r}",
            because=f"it is none of the {len(categories)} categories of the fit",
            instead='unseen="smooth" to give it the share of a category that was never met, or unseen="ignore" to '
            "leave the column out",
        )
    return np.array([place.get(v, float(len(categories))) for v in values])


def by_kind(value):
    """Sorts values of different types without comparing them."""
    return type(value).__name__, value
