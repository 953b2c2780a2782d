from sklearn.tree import BaseDecisionTree as BaseDecisionTree
from sklearn.tree import ExtraTreeClassifier as ExtraTreeClassifier
from sklearn.tree import ExtraTreeRegressor as ExtraTreeRegressor

from separatrix.estimators.tree import *
