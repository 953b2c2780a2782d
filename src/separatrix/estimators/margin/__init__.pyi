from separatrix.estimators.margin.linear_svc import LinearSVC as LinearSVC
from separatrix.estimators.margin.linear_svr import LinearSVR as LinearSVR
from separatrix.estimators.margin.support_vector_classifier import SVC as SVC
from separatrix.estimators.margin.support_vector_regressor import SVR as SVR
