from separatrix.estimators.linear import *
