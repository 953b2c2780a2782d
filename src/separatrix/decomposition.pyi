from separatrix.estimators.projection import *
