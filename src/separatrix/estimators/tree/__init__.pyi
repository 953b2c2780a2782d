from separatrix.estimators.tree.classifier import DecisionTreeClassifier as DecisionTreeClassifier
from separatrix.estimators.tree.export import export_graphviz as export_graphviz
from separatrix.estimators.tree.export import export_text as export_text
from separatrix.estimators.tree.export import plot_tree as plot_tree
from separatrix.estimators.tree.model_classifier import ModelTreeClassifier as ModelTreeClassifier
from separatrix.estimators.tree.model_regressor import ModelTreeRegressor as ModelTreeRegressor
from separatrix.estimators.tree.regressor import DecisionTreeRegressor as DecisionTreeRegressor
from separatrix.estimators.tree.rule_list import RuleListClassifier as RuleListClassifier
