from separatrix.estimators.margin.linear_svc import LinearSVC as LinearSVC
from separatrix.estimators.margin.linear_svr import LinearSVR as LinearSVR
