"""Proofs that classes are separated, or that they overlap."""
