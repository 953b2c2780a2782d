from separatrix.estimators.graphical import *
from separatrix.estimators.neural.rbm import BernoulliRBM as BernoulliRBM
