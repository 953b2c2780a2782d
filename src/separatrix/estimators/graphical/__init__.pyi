from separatrix.estimators.graphical.chow_liu import ChowLiuTree as ChowLiuTree
from separatrix.estimators.graphical.chow_liu import TreeLemma as TreeLemma
from separatrix.estimators.graphical.chow_liu_classifier import ChowLiuClassifier as ChowLiuClassifier
from separatrix.estimators.graphical.information import entropy as entropy
from separatrix.estimators.graphical.information import kl_divergence as kl_divergence
from separatrix.estimators.graphical.information import mutual_information as mutual_information
