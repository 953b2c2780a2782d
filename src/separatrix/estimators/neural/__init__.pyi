from separatrix.estimators.neural.rbm import BernoulliRBM as BernoulliRBM
