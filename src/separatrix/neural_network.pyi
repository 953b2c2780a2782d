from sklearn.neural_network import MLPClassifier as MLPClassifier
from sklearn.neural_network import MLPRegressor as MLPRegressor

from separatrix.estimators.neural import *
