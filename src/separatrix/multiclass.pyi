from sklearn.multiclass import OutputCodeClassifier as OutputCodeClassifier

from separatrix.estimators.multiclass import OneVsOneClassifier as OneVsOneClassifier
from separatrix.estimators.multiclass import OneVsRestClassifier as OneVsRestClassifier
from separatrix.estimators.multiclass import from_one_of_k as from_one_of_k
from separatrix.estimators.multiclass import one_of_k as one_of_k
