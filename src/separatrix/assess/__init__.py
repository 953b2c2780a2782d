"""How good a model is: metrics, splits, bias and variance, curves, and models compared on the same rows."""

from separatrix.assess.compare import compare
from separatrix.assess.comparison import Comparison, Standing
from separatrix.assess.counts import (
    Confusion,
    Undefined,
    accuracy,
    balanced_accuracy,
    confusion,
    f1,
    precision,
    recall,
)
from separatrix.assess.measures import MEASURES, Measure, measure, usual_measure
from separatrix.assess.metrics import brier, calibration_error, log_loss, mae, mse, r2, rmse, roc_auc
from separatrix.assess.skew import AccuracyReport, accuracy_report

__all__ = [
    "MEASURES",
    "AccuracyReport",
    "Comparison",
    "Confusion",
    "Measure",
    "Standing",
    "Undefined",
    "accuracy",
    "accuracy_report",
    "balanced_accuracy",
    "brier",
    "calibration_error",
    "compare",
    "confusion",
    "f1",
    "log_loss",
    "mae",
    "measure",
    "mse",
    "precision",
    "r2",
    "recall",
    "rmse",
    "roc_auc",
    "usual_measure",
]
