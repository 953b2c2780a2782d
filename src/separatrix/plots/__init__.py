"""Pictures of models: functions on matplotlib axes, each with a text alternative."""

from separatrix.plots.boundary import boundary
from separatrix.plots.calibration import calibration
from separatrix.plots.coefficients import coefficients
from separatrix.plots.confusion import confusion
from separatrix.plots.dependence import dependence
from separatrix.plots.dependency_tree import dependency_tree
from separatrix.plots.leaderboard import leaderboard
from separatrix.plots.learning_curve import learning_curve
from separatrix.plots.losses import losses, margin_losses
from separatrix.plots.margins import margins
from separatrix.plots.path import path
from separatrix.plots.precision_recall import precision_recall
from separatrix.plots.residuals import predicted_vs_true, residual_quantiles, residuals
from separatrix.plots.roc import roc
from separatrix.plots.style import describe, styled
from separatrix.plots.svg import svg
from separatrix.plots.trace import trace
from separatrix.plots.tree import tree

__all__ = [
    "boundary",
    "calibration",
    "coefficients",
    "confusion",
    "dependence",
    "dependency_tree",
    "describe",
    "leaderboard",
    "learning_curve",
    "losses",
    "margin_losses",
    "margins",
    "path",
    "precision_recall",
    "predicted_vs_true",
    "residual_quantiles",
    "residuals",
    "roc",
    "styled",
    "svg",
    "trace",
    "tree",
]
