from sklearn.svm import l1_min_c as l1_min_c

from separatrix.estimators.margin import *
