from sklearn.neural_network import BernoulliRBM as BernoulliRBM
from sklearn.neural_network import MLPClassifier as MLPClassifier
from sklearn.neural_network import MLPRegressor as MLPRegressor
