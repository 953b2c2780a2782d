from sklearn.neural_network import BernoulliRBM as BernoulliRBM

from separatrix.estimators.neural import *
