from sklearn.ensemble import BaseEnsemble as BaseEnsemble
from sklearn.ensemble import IsolationForest as IsolationForest
from sklearn.ensemble import RandomTreesEmbedding as RandomTreesEmbedding
from sklearn.ensemble import StackingClassifier as StackingClassifier
from sklearn.ensemble import StackingRegressor as StackingRegressor
from sklearn.ensemble import VotingClassifier as VotingClassifier
from sklearn.ensemble import VotingRegressor as VotingRegressor

from separatrix.estimators.ensemble import *
