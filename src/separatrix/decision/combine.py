r"""One posterior from two models: :math:`P(k \mid x_1, x_2) \propto P(k \mid x_1)\, P(k \mid x_2) / P(k)`."""

import numpy as np

from separatrix.core.errors import cannot
from separatrix.core.links import softmax
from separatrix.estimators.probabilities import validate_posteriors, validate_priors


def combine_posteriors(posteriors, priors):
    r"""The posterior of the classes given the inputs of several models.

    .. math:: P(k \mid x_1, \dots, x_m) \propto P(k)^{1-m} \prod_j P(k \mid x_j)

    This is exact where x1, x2, ... are independent within each class, as naive Bayes assumes. The prior is divided out
    because each posterior contains it once. A class that one model rules out stays ruled out.

    Parameters
    ----------
    posteriors : sequence of m >= 1 arrays or frames of shape (n, k).  One for each model, of the same rows and classes.
    priors : array of shape (k,).  P(k), common to all models; a class of prior 0 must have posteriors 0.

    Returns
    -------
    combined : array of shape (n, k), rows summing to 1.

    References: Bishop (2006), Pattern Recognition and Machine Learning, section 1.5.4.

    Examples
    --------
    >>> combine_posteriors([[[5 / 9, 4 / 9]], [[1 / 9, 8 / 9]]], [0.2, 0.8])
    array([[0.38461538, 0.61538462]])
    """
    tables = [validate_posteriors(P, name=f"posteriors[{j}]") for j, P in enumerate(posteriors)]
    if not tables:
        raise cannot("combine no models", because="there are no posteriors", instead="one array for each model")
    shapes = [P.shape for P in tables]
    if len(set(shapes)) > 1:
        raise cannot(
            f"combine posteriors of shapes {shapes}",
            because="all models must have the same rows and classes",
            instead="arrays of one shape (n, k)",
        )
    priors = validate_priors(priors, shapes[0][1])
    for j, P in enumerate(tables):
        absent = (priors == 0.0) & (P > 0.0).any(axis=0)
        if absent.any():
            raise cannot(
                f"divide by the prior of class number {int(np.argmax(absent))}",
                because=f"it is 0, yet posteriors[{j}] of the class are positive",
                instead="a positive prior for every class that can occur",
            )
    with np.errstate(divide="ignore"):  # log 0 = -inf: a class that is ruled out
        logs = sum(np.log(P) for P in tables)
    present = priors > 0.0
    logs[:, present] -= (len(tables) - 1) * np.log(priors[present])
    _refuse_contradictions(logs, tables)
    return softmax(logs)


def _refuse_contradictions(logs, tables):
    impossible = np.isneginf(logs).all(axis=1)
    if impossible.any():
        i = int(np.argmax(impossible))
        raise cannot(
            f"combine the posteriors of row {i}: {[P[i].tolist() for P in tables]}",
            because="every class is ruled out by one model or another",
            instead="models that leave each class some probability (smoothing, calibration)",
        )
