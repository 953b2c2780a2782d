"""separatrix.svm"""

from benchmarks.contestant import Contestant, trained
from benchmarks.machines import coefficients, fit_classes, fit_numbers, predict_scores

SVC, SVR = fit_classes("separatrix.svm"), fit_numbers("separatrix.svm")

CONTESTANTS = {
    "svc": [Contestant("separatrix", "separatrix", SVC, answer=coefficients)],
    "svr": [Contestant("separatrix", "separatrix", SVR, answer=coefficients)],
    "svc_predict": [Contestant("separatrix", "separatrix", predict_scores, prepare=trained(SVC))],
}
