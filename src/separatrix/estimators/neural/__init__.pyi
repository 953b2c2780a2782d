from separatrix.estimators.neural.autoencoder import Autoencoder as Autoencoder
from separatrix.estimators.neural.mlp_classifier import MLPClassifier as MLPClassifier
from separatrix.estimators.neural.mlp_regressor import MLPRegressor as MLPRegressor
from separatrix.estimators.neural.rbm import BernoulliRBM as BernoulliRBM
