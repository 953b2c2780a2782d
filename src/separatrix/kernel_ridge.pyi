from separatrix.estimators.kernel.kernel_ridge import KernelRidge as KernelRidge
from separatrix.estimators.kernel.kernel_ridge_cv import KernelRidgeCV as KernelRidgeCV
