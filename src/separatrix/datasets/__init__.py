"""Data sets by name: scikit-learn's bundled ones, Longley's, and generators with a known distribution."""

from separatrix.datasets import bundled as _bundled  # noqa: F401  (declares its data sets)
from separatrix.datasets.catalogue import Dataset, Truth, available, data_set, load
from separatrix.datasets.far_cluster import far_cluster
from separatrix.datasets.four_sets import four_sets
from separatrix.datasets.gaussian_classes import gaussian_classes, gaussian_problem
from separatrix.datasets.longley import Longley, load_longley
from separatrix.datasets.orange_blue import orange_blue
from separatrix.datasets.sine import sine
from separatrix.datasets.xor import xor

__all__ = [
    "Dataset",
    "Longley",
    "Truth",
    "available",
    "data_set",
    "far_cluster",
    "four_sets",
    "gaussian_classes",
    "gaussian_problem",
    "load",
    "load_longley",
    "orange_blue",
    "sine",
    "xor",
]
