from sklearn.ensemble import AdaBoostRegressor as AdaBoostRegressor
from sklearn.ensemble import BaggingClassifier as BaggingClassifier
from sklearn.ensemble import BaggingRegressor as BaggingRegressor
from sklearn.ensemble import BaseEnsemble as BaseEnsemble
from sklearn.ensemble import ExtraTreesClassifier as ExtraTreesClassifier
from sklearn.ensemble import ExtraTreesRegressor as ExtraTreesRegressor
from sklearn.ensemble import GradientBoostingClassifier as GradientBoostingClassifier
from sklearn.ensemble import GradientBoostingRegressor as GradientBoostingRegressor
from sklearn.ensemble import IsolationForest as IsolationForest
from sklearn.ensemble import RandomForestClassifier as RandomForestClassifier
from sklearn.ensemble import RandomForestRegressor as RandomForestRegressor
from sklearn.ensemble import RandomTreesEmbedding as RandomTreesEmbedding
from sklearn.ensemble import StackingClassifier as StackingClassifier
from sklearn.ensemble import StackingRegressor as StackingRegressor
from sklearn.ensemble import VotingClassifier as VotingClassifier
from sklearn.ensemble import VotingRegressor as VotingRegressor

from separatrix.estimators.ensemble import *
