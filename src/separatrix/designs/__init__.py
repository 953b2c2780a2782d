"""Designs: the only rooms that know how X is stored."""

from separatrix.designs.base import Block, Design
from separatrix.designs.class_counts import category_counts, class_counts, product
from separatrix.designs.class_moments import ClassMoments, class_moments
from separatrix.designs.dense import DenseDesign
from separatrix.designs.make import as_design
from separatrix.designs.memory_mapped import MemoryMappedDesign
from separatrix.designs.moments import Moments, moments
from separatrix.designs.parquet import ParquetDesign
from separatrix.designs.sparse import SparseDesign, as_dense, compressed
from separatrix.designs.streamed import StreamedDesign

__all__ = [
    "Block",
    "ClassMoments",
    "DenseDesign",
    "Design",
    "MemoryMappedDesign",
    "Moments",
    "ParquetDesign",
    "SparseDesign",
    "StreamedDesign",
    "as_dense",
    "as_design",
    "category_counts",
    "class_counts",
    "class_moments",
    "compressed",
    "moments",
    "product",
]
