"""Designs: the only rooms that know how X is stored."""

from separatrix.designs.base import Block, Design
from separatrix.designs.class_counts import category_counts, class_counts, product
from separatrix.designs.class_moments import ClassMoments, class_moments
from separatrix.designs.dense import DenseDesign
from separatrix.designs.make import as_design
from separatrix.designs.moments import Moments, moments
from separatrix.designs.sparse import SparseDesign, as_dense, compressed

__all__ = [
    "Block",
    "ClassMoments",
    "DenseDesign",
    "Design",
    "Moments",
    "SparseDesign",
    "as_dense",
    "as_design",
    "category_counts",
    "class_counts",
    "class_moments",
    "compressed",
    "moments",
    "product",
]
