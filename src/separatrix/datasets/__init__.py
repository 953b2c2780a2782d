"""Data sets by name: scikit-learn's bundled ones, Longley's, and generators with a known distribution.

scikit-learn's loaders and generators (``load_iris``, ``fetch_openml``, ``make_classification``, ...) are here under
their own names, imported when they are first asked for.
"""

from separatrix.core.registry import lazily
from separatrix.datasets import bundled as _bundled  # noqa: F401  (declares its data sets)
from separatrix.datasets.catalogue import Dataset as Dataset
from separatrix.datasets.catalogue import Truth as Truth
from separatrix.datasets.catalogue import available as available
from separatrix.datasets.catalogue import data_set as data_set
from separatrix.datasets.catalogue import load as load
from separatrix.datasets.far_cluster import far_cluster as far_cluster
from separatrix.datasets.four_sets import four_sets as four_sets
from separatrix.datasets.gaussian_classes import gaussian_classes as gaussian_classes
from separatrix.datasets.gaussian_classes import gaussian_problem as gaussian_problem
from separatrix.datasets.longley import Longley as Longley
from separatrix.datasets.longley import load_longley as load_longley
from separatrix.datasets.orange_blue import orange_blue as orange_blue
from separatrix.datasets.sine import sine as sine
from separatrix.datasets.xor import xor as xor

__all__, __getattr__, __dir__ = lazily(__name__, __file__)
