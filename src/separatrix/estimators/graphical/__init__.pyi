from separatrix.estimators.graphical.boltzmann_machine import BoltzmannMachine as BoltzmannMachine
from separatrix.estimators.graphical.chow_liu import ChowLiuTree as ChowLiuTree
from separatrix.estimators.graphical.chow_liu import TreeLemma as TreeLemma
from separatrix.estimators.graphical.chow_liu_classifier import ChowLiuClassifier as ChowLiuClassifier
from separatrix.estimators.graphical.information import entropy as entropy
from separatrix.estimators.graphical.information import kl_divergence as kl_divergence
from separatrix.estimators.graphical.information import mutual_information as mutual_information
from separatrix.estimators.graphical.ising import IsingModel as IsingModel
from separatrix.estimators.graphical.markov import Graph as Graph
from separatrix.estimators.graphical.markov import Independence as Independence
from separatrix.estimators.graphical.markov import MarkovProperty as MarkovProperty
from separatrix.estimators.graphical.markov import conditional_independence as conditional_independence
from separatrix.estimators.graphical.markov import markov_property as markov_property
from separatrix.estimators.graphical.proportional_fitting import Contradiction as Contradiction
from separatrix.estimators.graphical.proportional_fitting import FittedTable as FittedTable
from separatrix.estimators.graphical.proportional_fitting import (
    iterative_proportional_fitting as iterative_proportional_fitting,
)
