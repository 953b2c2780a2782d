"""Dense linear algebra: triangular factors, refinement, eigenvectors, sphering."""
