from separatrix import (
    assess as assess,
)
from separatrix import (
    calibration as calibration,
)
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
from separatrix import (
    inference as inference,
)
from separatrix import (
    linear_model as linear_model,
)
from separatrix import (
    local as local,
)
from separatrix import (
    multiclass as multiclass,
)
from separatrix import (
    naive_bayes as naive_bayes,
)
from separatrix import (
    neighbors as neighbors,
)
from separatrix import (
    persist as persist,
)
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
from separatrix import (
    tables as tables,
)
from separatrix.estimators.verify import verify as verify
from separatrix.persist import load as load
from separatrix.persist import save as save

__version__: str
