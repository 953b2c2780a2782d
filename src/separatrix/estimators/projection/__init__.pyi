from separatrix.estimators.projection.pca import PCA as PCA
