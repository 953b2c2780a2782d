from separatrix.estimators.linear.basic_linear_classifier import BasicLinearClassifier as BasicLinearClassifier
from separatrix.estimators.linear.elastic_net import (
    ElasticNet as ElasticNet,
)
from separatrix.estimators.linear.elastic_net import (
    ElasticNetCV as ElasticNetCV,
)
from separatrix.estimators.linear.elastic_net import (
    enet_path as enet_path,
)
from separatrix.estimators.linear.firth import FirthLogisticRegression as FirthLogisticRegression
from separatrix.estimators.linear.gamma import GammaRegressor as GammaRegressor
from separatrix.estimators.linear.generalized_linear import GeneralizedLinearRegressor as GeneralizedLinearRegressor
from separatrix.estimators.linear.kernel_perceptron import KernelPerceptron as KernelPerceptron
from separatrix.estimators.linear.lasso import Lasso as Lasso
from separatrix.estimators.linear.lasso import LassoCV as LassoCV
from separatrix.estimators.linear.lasso import lasso_path as lasso_path
from separatrix.estimators.linear.least_squares import LinearRegression as LinearRegression
from separatrix.estimators.linear.least_squares_classifier import LeastSquaresClassifier as LeastSquaresClassifier
from separatrix.estimators.linear.logistic import LogisticRegression as LogisticRegression
from separatrix.estimators.linear.logistic_cv import LogisticRegressionCV as LogisticRegressionCV
from separatrix.estimators.linear.perceptron import Perceptron as Perceptron
from separatrix.estimators.linear.perceptron_regressor import PerceptronRegressor as PerceptronRegressor
from separatrix.estimators.linear.poisson import PoissonRegressor as PoissonRegressor
from separatrix.estimators.linear.quantile import QuantileRegressor as QuantileRegressor
from separatrix.estimators.linear.ridge import Ridge as Ridge
from separatrix.estimators.linear.ridge_classifier import (
    RidgeClassifier as RidgeClassifier,
)
from separatrix.estimators.linear.ridge_classifier import (
    RidgeClassifierCV as RidgeClassifierCV,
)
from separatrix.estimators.linear.ridge_cv import RidgeCV as RidgeCV
from separatrix.estimators.linear.sgd_classifier import SGDClassifier as SGDClassifier
from separatrix.estimators.linear.sgd_regressor import SGDRegressor as SGDRegressor
from separatrix.estimators.linear.tweedie import TweedieRegressor as TweedieRegressor
