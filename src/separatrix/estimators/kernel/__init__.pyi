from separatrix.estimators.kernel.kernel_ridge import KernelRidge as KernelRidge
from separatrix.estimators.kernel.kernel_ridge_cv import KernelRidgeCV as KernelRidgeCV
from separatrix.estimators.kernel.nystroem import Nystroem as Nystroem
from separatrix.estimators.kernel.random_features import RBFSampler as RBFSampler
