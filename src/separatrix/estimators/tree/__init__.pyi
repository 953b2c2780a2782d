from separatrix.estimators.tree.classifier import DecisionTreeClassifier as DecisionTreeClassifier
from separatrix.estimators.tree.export import export_graphviz as export_graphviz
from separatrix.estimators.tree.export import export_text as export_text
from separatrix.estimators.tree.export import plot_tree as plot_tree
from separatrix.estimators.tree.regressor import DecisionTreeRegressor as DecisionTreeRegressor
