from separatrix.estimators.naive_bayes import *
