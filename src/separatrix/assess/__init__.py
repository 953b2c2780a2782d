"""How good a model is: metrics, splits, bias and variance, curves, and models compared on the same rows."""

from separatrix.assess.bias_variance import BiasVariance, bias_variance, expected_prediction_error
from separatrix.assess.committee_error import CommitteeError, committee_error
from separatrix.assess.compare.compare import compare
from separatrix.assess.compare.comparison import Comparison, Standing
from separatrix.assess.complexity import (
    bias_variance_curve,
    coefficient_path,
    learning_curve,
    risk_curve,
    validation_curve,
)
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
from separatrix.assess.curves import Curve, calibration_curve, precision_recall_curve, roc_curve, wilson_interval
from separatrix.assess.dimension import edge_length
from separatrix.assess.linearity import Linearity, linearity
from separatrix.assess.measures import MEASURES, Measure, measure, usual_measure
from separatrix.assess.metrics import (
    brier,
    calibration_by_chance,
    calibration_error,
    log_loss,
    mae,
    medae,
    mse,
    r2,
    rmse,
    roc_auc,
)
from separatrix.assess.resample import AlreadyOpened, Part, Sealed, Split, k_fold, leave_one_out, split
from separatrix.assess.selection import Selection, select
from separatrix.assess.skew import AccuracyReport, accuracy_report

__all__ = [
    "MEASURES",
    "AccuracyReport",
    "AlreadyOpened",
    "BiasVariance",
    "CommitteeError",
    "Comparison",
    "Confusion",
    "Curve",
    "Linearity",
    "Measure",
    "Part",
    "Sealed",
    "Selection",
    "Split",
    "Standing",
    "Undefined",
    "accuracy",
    "accuracy_report",
    "balanced_accuracy",
    "bias_variance",
    "bias_variance_curve",
    "brier",
    "calibration_by_chance",
    "calibration_curve",
    "calibration_error",
    "coefficient_path",
    "committee_error",
    "compare",
    "confusion",
    "edge_length",
    "expected_prediction_error",
    "f1",
    "k_fold",
    "learning_curve",
    "leave_one_out",
    "linearity",
    "log_loss",
    "mae",
    "measure",
    "medae",
    "mse",
    "precision",
    "precision_recall_curve",
    "r2",
    "recall",
    "risk_curve",
    "rmse",
    "roc_auc",
    "roc_curve",
    "select",
    "split",
    "usual_measure",
    "validation_curve",
    "wilson_interval",
]
