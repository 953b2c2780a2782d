from sklearn.kernel_ridge import KernelRidge as KernelRidge
