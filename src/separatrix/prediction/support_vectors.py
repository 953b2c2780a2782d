r"""The arithmetic of kernel machines: :math:`f(x) = \sum_j b_j k(x_j, x) + t` and what it decides."""

import numpy as np

from separatrix.core.refusal import cannot
from separatrix.prediction import kernels
from separatrix.prediction.linear import decide
from separatrix.prediction.storage import dense


def scores(state, X):
    """Scores (m, k) of the k columns of coefficients, or of the pairs of classes."""
    blocks = coefficients(state)
    out = np.empty((X.shape[0], len(state["intercept_"])))
    for piece, K in kernels.tiles(state["kernel_"], X, state["support_vectors_"]):
        out[piece] = summed(K, blocks, state["intercept_"])
    return out


def summed(K, blocks, intercept):
    """Scores (m, pairs) of the values (m, support) of a kernel, from the coefficients of each class."""
    out = np.tile(np.asarray(intercept, dtype=np.float64), (K.shape[0], 1))
    for columns, coefficients, pairs in blocks:
        out[:, pairs] += K[:, columns] @ coefficients.T
    return out


def coefficients(state):
    """For each class: its support vectors, their coefficients (k - 1, columns), and the numbers of their pairs."""
    dual, counts = dense(state["dual_coef_"]), state["n_support_"]
    if "classes_" not in state or len(dual) == 1:
        return [(slice(0, dual.shape[1]), dual, [0])]
    k, ends = len(counts), np.concatenate([[0], np.cumsum(counts)])
    number = {pair: p for p, pair in enumerate((i, j) for i in range(k) for j in range(i + 1, k))}
    pairs = [[number[min(c, d), max(c, d)] for d in range(k) if d != c] for c in range(k)]
    return [(slice(ends[c], ends[c + 1]), dual[:, ends[c] : ends[c + 1]], pairs[c]) for c in range(k)]


def votes(pairs, k):
    """How many of its pairs each of k classes wins (m, k); a score above 0 is a vote for the first of its pair."""
    counts = np.zeros((len(pairs), k))
    p = 0
    for i in range(k):
        for j in range(i + 1, k):
            first = pairs[:, p] > 0.0
            counts[:, i] += first
            counts[:, j] += ~first
            p += 1
    return counts


def one_vs_rest(pairs, k):
    """Votes, and between classes of as many votes the sum of their scores, squeezed into (-1/3, 1/3): (m, k)."""
    confidence = np.zeros((len(pairs), k))
    p = 0
    for i in range(k):
        for j in range(i + 1, k):
            confidence[:, i] += pairs[:, p]
            confidence[:, j] -= pairs[:, p]
            p += 1
    return votes(pairs, k) + confidence / (3.0 * (np.abs(confidence) + 1.0))


def class_scores(state, X):
    """Scores (m,) of two classes; of more those of the pairs or of the classes, as ``decision_function_shape`` says."""
    return shaped(state, scores(state, X))


def shaped(state, pairs):
    """Scores of pairs in the shape of the decision function."""
    k = len(state["classes_"])
    if k == 2:
        return pairs[:, 0]
    return one_vs_rest(pairs, k) if state["decision_function_shape"] == "ovr" else pairs


def class_of(state, X):
    """The class of each row: the sign of the score, or of more than two classes the one of most votes."""
    refuse_ties_of_pairs(state)
    return decided(state, scores(state, X))


def refuse_ties_of_pairs(state):
    """Ties are broken by scores of classes, which a decision function of pairs does not give."""
    if state["break_ties"] and state["decision_function_shape"] == "ovo" and len(state["classes_"]) > 2:
        raise cannot(
            "predict with break_ties=True and decision_function_shape='ovo'",
            because="break_ties must be False where scores are those of pairs",
            instead="decision_function_shape='ovr'",
        )


def decided(state, pairs):
    """The class that scores of pairs decide for; of equally many votes the first class, or the most confident."""
    k = len(state["classes_"])
    if k == 2:
        return decide(pairs[:, 0], state["classes_"])
    counted = one_vs_rest(pairs, k) if state["break_ties"] else votes(pairs, k)
    return state["classes_"][counted.argmax(axis=1)]


def class_probabilities(state, X):
    """Probability of each class (m, k)."""
    return probabilities(state, scores(state, X))


def probabilities(state, pairs):
    r"""Probabilities (m, k) of scores of pairs (m, pairs), whose largest is that of the class that is predicted.

    A pair's is :math:`r_{ij} = 1 / (1 + e^{A_{ij} f_{ij}})`, A from scores out of fold; that of a class is the mean
    over its pairs, divided by k/2. Where the votes decide for another class than the largest, the two exchange theirs.
    """
    from scipy.special import expit

    k = len(state["classes_"])
    r = expit(-np.asarray(state["probA_"]) * pairs)
    if k == 2:
        shares = np.column_stack([1.0 - r[:, 0], r[:, 0]])
    else:
        shares, p = np.zeros((len(pairs), k)), 0
        for i in range(k):
            for j in range(i + 1, k):
                shares[:, i] += r[:, p]
                shares[:, j] += 1.0 - r[:, p]
                p += 1
        shares *= 2.0 / (k * (k - 1))
    chosen = np.searchsorted(state["classes_"], decided(state, pairs))
    rows, largest = np.arange(len(pairs)), shares.argmax(axis=1)
    top, mine = shares[rows, largest], shares[rows, chosen]
    shares[rows, largest] = mine
    # of equal shares the one of the predicted class is the largest by a last digit
    shares[rows, chosen] = np.where((top == mine) & (largest != chosen), np.nextafter(top, 1.0), top)
    return shares


def class_log_probabilities(state, X):
    """Logarithms of :func:`class_probabilities`."""
    with np.errstate(divide="ignore"):
        return np.log(class_probabilities(state, X))


def number(state, X):
    """The number predicted for each row (m,)."""
    return scores(state, X)[:, 0]


def side(state, X):
    """1 for each row inside the region of a one-class machine or on its border, -1 outside (m,)."""
    return np.where(number(state, X) >= 0.0, 1, -1)
