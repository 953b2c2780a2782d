from separatrix.solvers.descent import descend as descend
from separatrix.solvers.descent import gradient_descent as gradient_descent
from separatrix.solvers.newton_raphson import newton as newton
from separatrix.solvers.perceptron import run_perceptron as run_perceptron
from separatrix.solvers.separation.existence import separation_of as separation_of
from separatrix.solvers.stochastic import stochastic_descent as stochastic_descent
