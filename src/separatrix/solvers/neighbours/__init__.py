"""Nearest rows, and models fitted in a window about each query."""
