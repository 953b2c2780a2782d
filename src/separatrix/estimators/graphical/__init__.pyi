from separatrix.estimators.graphical.boltzmann_machine import BoltzmannMachine as BoltzmannMachine
from separatrix.estimators.graphical.information import entropy as entropy
from separatrix.estimators.graphical.information import kl_divergence as kl_divergence
from separatrix.estimators.graphical.information import mutual_information as mutual_information
from separatrix.estimators.graphical.ising import IsingModel as IsingModel
