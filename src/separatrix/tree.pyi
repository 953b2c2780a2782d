from sklearn.tree import BaseDecisionTree as BaseDecisionTree
from sklearn.tree import ExtraTreeClassifier as ExtraTreeClassifier
from sklearn.tree import ExtraTreeRegressor as ExtraTreeRegressor
from sklearn.tree import export_graphviz as export_graphviz
from sklearn.tree import export_text as export_text
from sklearn.tree import plot_tree as plot_tree

from separatrix.estimators.tree import *
