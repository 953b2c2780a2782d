r"""The squared error of a committee and of its members: what averaging gains.

.. math:: E_{\text{COM}} = \overline{(\bar h - y)^2} = E_{\text{AV}} - \overline{\tfrac1M \sum_m (h_m - \bar h)^2},
          \qquad E_{\text{AV}} = \frac1M \sum_m \overline{(h_m - y)^2}

so that a committee is never worse than its members are on average; :math:`\bar h` is the mean of the M members, and the
other means are over rows. If the errors of the members have mean zero and are uncorrelated, it is 1/M of that.
"""

from dataclasses import dataclass

import numpy as np

from separatrix.core.errors import cannot
from separatrix.estimators.validation import validate_weights


@dataclass(frozen=True)
class CommitteeError:
    """Squared errors of a committee of M members.

    Attributes
    ----------
    committee : float.  Of the mean of the members.
    average : float.  Of the members, on average; never less.
    ambiguity : float.  How far the members are from their mean: the difference of the two.
    members : (M,) array.  Of each member.
    """

    committee: float
    average: float
    ambiguity: float
    members: np.ndarray

    @property
    def ratio(self):
        """The error of the committee over that of its members: 1/M for uncorrelated errors, 1 for equal ones."""
        return self.committee / self.average if self.average > 0.0 else 1.0


def committee_error(y, predictions, sample_weight=None):
    """The squared errors of the mean of several models and of the models.

    Parameters
    ----------
    y : (n,) array.  What is predicted; the regression function where that is known, to leave the noise aside.
    predictions : (M, n) array.  A row for each model: ``[model.predict(X) for model in bagging.estimators_]``.
    sample_weight : (n,) array or None, default None.  A weight is a number of repetitions.

    Returns
    -------
    CommitteeError.

    References: Bishop (2006), Pattern Recognition and Machine Learning, section 14.2; Krogh and Vedelsby (1995), Neural
    network ensembles, cross validation, and active learning, NIPS 7.

    Examples
    --------
    Two models that are wrong in opposite directions, and a third that is right.

    >>> error = committee_error([1.0, 1.0], [[2.0, 0.0], [0.0, 2.0], [1.0, 1.0]])
    >>> error.committee, round(error.average, 3)
    (0.0, 0.667)
    """
    truth, told = np.asarray(y, dtype=np.float64), np.asarray(predictions, dtype=np.float64)
    if truth.ndim != 1 or told.ndim != 2 or told.shape[1:] != truth.shape or not told.size:
        raise cannot(
            f"compare predictions of shape {told.shape} with y of shape {truth.shape}",
            because="each model has one number for each row",
            instead=f"predictions of shape (models, {truth.shape[0] if truth.ndim else 1})",
        )
    if not (np.isfinite(truth).all() and np.isfinite(told).all()):
        raise cannot("average errors", because="some numbers are missing or infinite", instead="finite numbers")
    s = validate_weights(sample_weight, len(truth))
    mean = told.mean(axis=0)
    members = (told - truth) ** 2 @ s / s.sum()
    return CommitteeError(
        committee=float((mean - truth) ** 2 @ s / s.sum()),
        average=float(members.mean()),
        ambiguity=float(((told - mean) ** 2).mean(axis=0) @ s / s.sum()),
        members=members,
    )
