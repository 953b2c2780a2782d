r"""The reject option: no decision where :math:`\max_k P(k \mid x) < \theta`, and the error among accepted rows."""

from dataclasses import dataclass
from numbers import Real

import numpy as np

from separatrix.core.errors import cannot
from separatrix.decision.costs import decide, validate_costs, zero_one_costs
from separatrix.estimators.probabilities import class_codes, same_length, validate_labels, validate_posteriors
from separatrix.estimators.validation import validate_weights


@dataclass(frozen=True)
class Rejection:
    """Decisions, some of them withheld.

    Attributes
    ----------
    decisions : array of shape (n,).  A class or, where the row was rejected, `label`.
    accepted : bool array of shape (n,).
    label : what stands for a rejected row.
    """

    decisions: np.ndarray
    accepted: np.ndarray
    label: object

    @property
    def coverage(self):
        """The fraction of the rows that were decided; None if there are no rows."""
        return float(np.mean(self.accepted)) if len(self.accepted) else None

    def error(self, y, sample_weight=None):
        """The fraction of wrong decisions among the accepted rows; None if there are none."""
        y = np.asarray(y)
        same_length(len(self.decisions), y)
        s = validate_weights(sample_weight, len(y)) * self.accepted
        return float(s @ (self.decisions != y) / s.sum()) if s.any() else None


def reject_below(posteriors, theta, *, classes=None, label=None):
    r"""The most probable class where it is probable enough, and no decision elsewhere.

    .. math:: \text{reject if } \max_k P(k \mid x) < \theta

    Parameters
    ----------
    posteriors : array or frame of shape (n, k).  P(k | x), rows summing to 1.
    theta : float, (0, 1].  Up to 1/k nothing is rejected; 1 accepts certainties only.
    classes : sequence of k labels or None.  Those of the columns; None stands for 0, ..., k - 1.
    label : what stands for a rejected row; None means -1 among numbers and "reject" among words.

    Returns
    -------
    rejection : Rejection.  Of equally probable classes the first is taken.

    References: Bishop (2006), Pattern Recognition and Machine Learning, section 1.5.3.

    Examples
    --------
    >>> rejection = reject_below([[0.33, 0.33, 0.34], [0.1, 0.7, 0.2]], 0.5)
    >>> rejection.decisions, rejection.coverage
    (array([-1,  1]), 0.5)
    """
    P = validate_posteriors(posteriors)
    theta = _threshold(theta)
    classes = validate_labels(classes, P.shape[1])
    return _rejection(decide(P, actions=classes), P.max(axis=1, initial=0.0) >= theta, classes, label)


def chow(posteriors, reject_cost, costs=None, *, classes=None, label=None):
    r"""The class of least expected cost, or no decision where a rejection is cheaper still: Chow's rule.

    .. math:: \text{reject if } \min_g \sum_k L_{kg}\, P(k \mid x) > d

    With the 0/1 loss this is :func:`reject_below` with :math:`\theta = 1 - d`. A rejection is one more action,
    which costs d whatever the class.

    Parameters
    ----------
    posteriors : array or frame of shape (n, k).  P(k | x), rows summing to 1.
    reject_cost : float, [0, inf).  The cost d of a rejection, in the units of `costs`.
    costs : array of shape (k, k) or None.  L[true, predicted]; None is the 0/1 loss.
    classes, label : as in :func:`reject_below`.

    References: Chow (1970), IEEE Trans. Information Theory 16(1).

    Examples
    --------
    >>> chow([[0.95, 0.05], [0.6, 0.4]], 0.1, classes=["ham", "spam"]).decisions
    array(['ham', 'reject'], dtype='<U6')
    """
    P = validate_posteriors(posteriors)
    k = P.shape[1]
    L = zero_one_costs(k) if costs is None else validate_costs(costs, k)
    if L.shape[1] != k:
        raise cannot(
            f"use costs of shape {L.shape} with Chow's rule",
            because="the rejection is the one action that is added to the classes",
            instead="a square loss matrix, or decide(posteriors, costs) with actions of your own",
        )
    if not isinstance(reject_cost, Real) or not 0.0 <= reject_cost < np.inf:
        raise cannot(
            f"use reject_cost={reject_cost!r}",
            because="the price of a rejection is a finite number that is not negative",
            instead="reject_cost in [0, inf)",
        )
    classes = validate_labels(classes, k)
    # the rejection comes last: of equal costs a decision is taken
    codes = decide(P, np.column_stack([L, np.full(k, float(reject_cost))]))
    return _rejection(classes[codes.clip(max=k - 1)], codes < k, classes, label)


@dataclass(frozen=True)
class CoverageCurve:
    """Error against coverage: one row for each threshold at which they change.

    Attributes
    ----------
    theta : array of shape (m,).  Thresholds, falling.
    coverage : array of shape (m,).  The fraction accepted by :func:`reject_below` with this theta, rising to 1.
    error : array of shape (m,).  The fraction of the accepted that is wrong.
    accepted : array of shape (m,).  The weight of the accepted rows.
    """

    theta: np.ndarray
    coverage: np.ndarray
    error: np.ndarray
    accepted: np.ndarray

    def __len__(self):
        return len(self.theta)

    def to_dict(self):
        """The columns by name, as any library of data frames takes them."""
        return {"theta": self.theta, "coverage": self.coverage, "error": self.error, "accepted": self.accepted}

    def theta_for(self, error):
        """The threshold of the largest coverage whose error is at most `error`, or None if there is none."""
        legal = np.flatnonzero(self.error <= error)
        return float(self.theta[legal[-1]]) if len(legal) else None


def coverage_curve(y, posteriors, *, classes=None, sample_weight=None):
    """Coverage and error among the accepted, for every threshold that makes a difference.

    Parameters
    ----------
    y : array of shape (n,).  True classes.
    posteriors : array or frame of shape (n, k).
    classes : sequence of k labels or None.  Those of the columns; None stands for 0, ..., k - 1.
    sample_weight : array of shape (n,) or None.

    Returns
    -------
    curve : CoverageCurve.

    Examples
    --------
    >>> curve = coverage_curve([0, 0, 1], [[0.9, 0.1], [0.4, 0.6], [0.2, 0.8]])
    >>> curve.theta, curve.error
    (array([0.9, 0.8, 0.6]), array([0.        , 0.        , 0.33333333]))
    """
    P = validate_posteriors(posteriors)
    codes = class_codes(y, validate_labels(classes, P.shape[1]))
    same_length(len(P), codes)
    if not len(P):
        raise cannot("draw a coverage curve", because="there are no rows", instead="at least one row")
    s = validate_weights(sample_weight, len(P))
    confidence = P.max(axis=1)
    order = np.flatnonzero(s > 0.0)
    order = order[np.argsort(-confidence[order], kind="stable")]
    ends = np.append(np.flatnonzero(np.diff(confidence[order])), len(order) - 1)  # equals are accepted together
    accepted = np.cumsum(s[order])[ends]
    wrong = np.cumsum(s[order] * (decide(P)[order] != codes[order]))[ends]
    return CoverageCurve(confidence[order][ends], accepted / accepted[-1], wrong / accepted, accepted)


def _threshold(theta):
    if not isinstance(theta, Real) or not 0.0 < theta <= 1.0:
        raise cannot(
            f"reject below theta={theta!r}",
            because="the largest of the posteriors lies in (0, 1]",
            instead="theta in (0, 1]",
        )
    return float(theta)


def _rejection(decisions, accepted, classes, label):
    if label is None:
        label = -1 if np.issubdtype(classes.dtype, np.number) else "reject"
    if label in classes.tolist():
        raise cannot(
            f"mark a rejection by label={label!r}",
            because="this is one of the classes",
            instead="a label of its own",
        )
    mark = np.asarray(label)
    kinds = {mark.dtype.kind, classes.dtype.kind}
    # numpy would turn a number beside a word into a word
    alike = kinds <= set("iuf") or kinds == {"U"}
    out = decisions.astype(np.result_type(classes.dtype, mark.dtype) if alike else object)
    out[~accepted] = label
    return Rejection(out, accepted, label)
