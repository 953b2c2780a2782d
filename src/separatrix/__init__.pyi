from separatrix import (
    assess as assess,
)
from separatrix import (
    calibration as calibration,
)
from separatrix import compose as compose
from separatrix import (
    datasets as datasets,
)
from separatrix import (
    decision as decision,
)
from separatrix import (
    decomposition as decomposition,
)
from separatrix import (
    designs as designs,
)
from separatrix import (
    discriminant_analysis as discriminant_analysis,
)
from separatrix import ensemble as ensemble
from separatrix import feature_selection as feature_selection
from separatrix import graphical as graphical
from separatrix import impute as impute
from separatrix import (
    inference as inference,
)
from separatrix import kernel_approximation as kernel_approximation
from separatrix import kernel_ridge as kernel_ridge
from separatrix import kernels as kernels
from separatrix import (
    linear_model as linear_model,
)
from separatrix import (
    local as local,
)
from separatrix import metrics as metrics
from separatrix import model_selection as model_selection
from separatrix import (
    multiclass as multiclass,
)
from separatrix import (
    naive_bayes as naive_bayes,
)
from separatrix import (
    neighbors as neighbors,
)
from separatrix import neural_network as neural_network
from separatrix import (
    persist as persist,
)
from separatrix import pipeline as pipeline
from separatrix import (
    plots as plots,
)
from separatrix import (
    preprocessing as preprocessing,
)
from separatrix import (
    report as report,
)
from separatrix import (
    solvers as solvers,
)
from separatrix import svm as svm
from separatrix import (
    tables as tables,
)
from separatrix import tree as tree
from separatrix.estimators.verify import verify as verify
from separatrix.persist import load as load
from separatrix.persist import save as save

__version__: str
