from separatrix.estimators.generative.diagonal_discriminant import (
    DiagonalLinearDiscriminantAnalysis as DiagonalLinearDiscriminantAnalysis,
)
from separatrix.estimators.generative.fisher import FisherDiscriminant as FisherDiscriminant
from separatrix.estimators.generative.linear_discriminant import (
    LinearDiscriminantAnalysis as LinearDiscriminantAnalysis,
)
from separatrix.estimators.generative.mean_difference import MeanDifference as MeanDifference
from separatrix.estimators.generative.quadratic_discriminant import (
    QuadraticDiscriminantAnalysis as QuadraticDiscriminantAnalysis,
)
from separatrix.estimators.generative.regularized_discriminant import (
    RegularizedDiscriminantAnalysis as RegularizedDiscriminantAnalysis,
)
from separatrix.estimators.generative.regularized_discriminant_cv import (
    RegularizedDiscriminantAnalysisCV as RegularizedDiscriminantAnalysisCV,
)
