r"""Whether a model is linear, and whether its boundary is; decided from the outputs of the fitted model.

model      its output (a number, a raw score or, where it has them, probabilities) is :math:`w^\top \phi(x) + b`
boundary   a hyperplane in x separates the predictions of one class from those of the other; of a regressor: the
           prediction is linear in x itself
"""

from dataclasses import dataclass

import numpy as np
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags

from separatrix.core.errors import cannot
from separatrix.core.protocol import can
from separatrix.inference import separation

# Largest deviation of an affine output: a share of its spread, or the rounding of a constant. Others deviate far more.
AFFINE, ROUNDING = 1e-7, 1e-13


@dataclass(frozen=True)
class Linearity:
    """Whether model and boundary are linear.

    Attributes
    ----------
    model : bool.  Whether the output is linear in the features that it is learnt from.
    boundary : bool.  Whether the boundary is linear in x.
    """

    model: bool
    boundary: bool

    @property
    def letters(self):
        """ "LL", "LN", "NL" or "NN": the model's letter, then the boundary's."""
        return "".join("L" if answer else "N" for answer in (self.model, self.boundary))


def linearity(model, X):
    """Whether a fitted model is linear, and whether its boundary is.

    The output is compared with the nearest affine function of the features: of x or, of a pipeline, of what reaches
    its last step. The boundary is linear if some hyperplane separates the points exactly as the model does; that is
    decided by the linear program of :func:`separatrix.inference.separation`, with a proof.

    Parameters
    ----------
    model : fitted regressor, or classifier of two classes; a pipeline of transformers and one of them.
    X : array of shape (m, p).  Points at which the model is evaluated; both classes must be predicted. More points
        detect smaller deviations.

    Returns
    -------
    Linearity.

    Examples
    --------
    >>> from separatrix.discriminant_analysis import QuadraticDiscriminantAnalysis
    >>> from separatrix.linear_model import LogisticRegression
    >>> rng = np.random.default_rng(0)
    >>> y = np.arange(200) % 2
    >>> X = rng.standard_normal((200, 2)) * (1.0 + y[:, None]) + y[:, None]
    >>> [linearity(m.fit(X, y), 2.0 * X).letters for m in (LogisticRegression(), QuadraticDiscriminantAnalysis())]
    ['NL', 'NN']
    """
    X = np.asarray(X, dtype=np.float64)
    features = np.asarray(model[:-1].transform(X)) if isinstance(model, Pipeline) and len(model) > 1 else X
    output = _output(model, X)
    if get_tags(model).estimator_type != "classifier":
        return Linearity(_is_affine(features, output), _is_affine(X, output))
    predicted = model.predict(X)
    if len(np.unique(predicted)) != 2:
        raise cannot(
            "tell whether the boundary is linear",
            because=f"the model predicts {np.unique(predicted).tolist()} for these points",
            instead="a model of two classes, and points on both sides of its boundary",
        )
    return Linearity(_is_affine(features, output), separation(X, predicted).verdict == "complete")


def _output(model, X):
    """The output of the model: probabilities if it has them, else raw scores, else numbers."""
    if can(model, "predict_proba"):
        return model.predict_proba(X)[:, 1]
    if can(model, "decision_function"):
        return model.decision_function(X)
    return model.predict(X)


def _is_affine(features, output):
    Z = np.column_stack([np.ones(len(features)), features])
    scale = np.linalg.norm(Z, axis=0)
    Z = Z / np.where(scale > 0.0, scale, 1.0)
    nearest = Z @ np.linalg.lstsq(Z, output, rcond=None)[0]
    return bool(np.abs(output - nearest).max() <= AFFINE * np.ptp(output) + ROUNDING * np.abs(output).max())
