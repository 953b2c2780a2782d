from sklearn.svm import NuSVC as NuSVC
from sklearn.svm import NuSVR as NuSVR
from sklearn.svm import OneClassSVM as OneClassSVM
from sklearn.svm import l1_min_c as l1_min_c

from separatrix.estimators.margin import *
