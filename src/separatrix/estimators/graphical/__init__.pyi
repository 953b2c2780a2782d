from separatrix.estimators.graphical.information import entropy as entropy
from separatrix.estimators.graphical.information import kl_divergence as kl_divergence
from separatrix.estimators.graphical.information import mutual_information as mutual_information
