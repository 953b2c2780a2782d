from separatrix.estimators.generative import (
    DiagonalLinearDiscriminantAnalysis as DiagonalLinearDiscriminantAnalysis,
)
from separatrix.estimators.generative import (
    FisherDiscriminant as FisherDiscriminant,
)
from separatrix.estimators.generative import (
    LinearDiscriminantAnalysis as LinearDiscriminantAnalysis,
)
from separatrix.estimators.generative import (
    MeanDifference as MeanDifference,
)
from separatrix.estimators.generative import (
    QuadraticDiscriminantAnalysis as QuadraticDiscriminantAnalysis,
)
from separatrix.estimators.generative import (
    RegularizedDiscriminantAnalysis as RegularizedDiscriminantAnalysis,
)
from separatrix.estimators.generative import (
    RegularizedDiscriminantAnalysisCV as RegularizedDiscriminantAnalysisCV,
)
