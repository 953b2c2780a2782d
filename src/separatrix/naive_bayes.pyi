from sklearn.naive_bayes import ComplementNB as ComplementNB

from separatrix.estimators.naive_bayes import *
