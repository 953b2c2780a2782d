from separatrix.estimators.basis import *
from separatrix.estimators.preparation import *
