from separatrix.estimators.tree.conditions import Condition as Condition
from separatrix.estimators.tree.rule_list import RuleListClassifier as RuleListClassifier
from separatrix.estimators.tree.rule_sql import to_sql as to_sql
from separatrix.estimators.tree.rule_text import to_dot as to_dot
from separatrix.estimators.tree.rule_text import to_text as to_text
from separatrix.estimators.tree.rules import Rule as Rule
from separatrix.estimators.tree.rules import assess as assess
from separatrix.estimators.tree.rules import extract as extract
