from separatrix.estimators.margin.linear_svc import LinearSVC as LinearSVC
from separatrix.estimators.margin.linear_svr import LinearSVR as LinearSVR
from separatrix.estimators.margin.nu_support_vector_classifier import NuSVC as NuSVC
from separatrix.estimators.margin.nu_support_vector_regressor import NuSVR as NuSVR
from separatrix.estimators.margin.one_class_svm import OneClassSVM as OneClassSVM
from separatrix.estimators.margin.support_vector_classifier import SVC as SVC
from separatrix.estimators.margin.support_vector_regressor import SVR as SVR
