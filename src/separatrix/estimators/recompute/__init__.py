"""Published numbers of closed forms, recomputed from the data by code that takes no part in fitting.

Sums are taken over blocks of rows in extended precision; coefficients are held against the equations that they solve.
"""
