from separatrix.estimators.graphical import *
