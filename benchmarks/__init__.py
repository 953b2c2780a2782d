"""Ours and the rivals on the same data, one process after another; the metric belongs to the problem.

Nothing here imports numpy: a measured process first pins itself to its cores, and only then loads anything.
"""
