from sklearn.linear_model import ARDRegression as ARDRegression
from sklearn.linear_model import BayesianRidge as BayesianRidge
from sklearn.linear_model import HuberRegressor as HuberRegressor
from sklearn.linear_model import Lars as Lars
from sklearn.linear_model import LarsCV as LarsCV
from sklearn.linear_model import LassoLars as LassoLars
from sklearn.linear_model import LassoLarsCV as LassoLarsCV
from sklearn.linear_model import LassoLarsIC as LassoLarsIC
from sklearn.linear_model import MultiTaskElasticNet as MultiTaskElasticNet
from sklearn.linear_model import MultiTaskElasticNetCV as MultiTaskElasticNetCV
from sklearn.linear_model import MultiTaskLasso as MultiTaskLasso
from sklearn.linear_model import MultiTaskLassoCV as MultiTaskLassoCV
from sklearn.linear_model import OrthogonalMatchingPursuit as OrthogonalMatchingPursuit
from sklearn.linear_model import OrthogonalMatchingPursuitCV as OrthogonalMatchingPursuitCV
from sklearn.linear_model import PassiveAggressiveClassifier as PassiveAggressiveClassifier
from sklearn.linear_model import PassiveAggressiveRegressor as PassiveAggressiveRegressor
from sklearn.linear_model import RANSACRegressor as RANSACRegressor
from sklearn.linear_model import SGDOneClassSVM as SGDOneClassSVM
from sklearn.linear_model import TheilSenRegressor as TheilSenRegressor
from sklearn.linear_model import lars_path as lars_path
from sklearn.linear_model import lars_path_gram as lars_path_gram
from sklearn.linear_model import orthogonal_mp as orthogonal_mp
from sklearn.linear_model import orthogonal_mp_gram as orthogonal_mp_gram
from sklearn.linear_model import ridge_regression as ridge_regression

from separatrix.estimators.linear import *
