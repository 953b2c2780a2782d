"""Models of how the rows of each class arise, and projections that tell classes apart."""

from separatrix.core.registry import lazily

_HOMES: dict[str, str] = {
    "FisherDiscriminant": "fisher",
    "LinearDiscriminantAnalysis": "linear_discriminant",
    "MeanDifference": "mean_difference",
    "DiagonalLinearDiscriminantAnalysis": "diagonal_discriminant",
    "QuadraticDiscriminantAnalysis": "quadratic_discriminant",
    "RegularizedDiscriminantAnalysis": "regularized_discriminant",
    "RegularizedDiscriminantAnalysisCV": "regularized_discriminant_cv",
}

__all__, __getattr__, __dir__ = lazily(__name__, _HOMES)
