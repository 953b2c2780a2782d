from separatrix.estimators.margin.support_vector_classifier import SVC as SVC
from separatrix.estimators.margin.support_vector_regressor import SVR as SVR
