"""Small data sets that travel with the package."""

from separatrix.datasets.longley import Longley, load_longley

__all__ = ["Longley", "load_longley"]
