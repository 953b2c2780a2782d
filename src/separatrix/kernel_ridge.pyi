from separatrix.estimators.kernel.kernel_ridge import KernelRidge as KernelRidge
