from sklearn.svm import LinearSVC as LinearSVC
from sklearn.svm import LinearSVR as LinearSVR
from sklearn.svm import l1_min_c as l1_min_c

from separatrix.estimators.margin import *
