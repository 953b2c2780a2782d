from separatrix.estimators.neural import *
