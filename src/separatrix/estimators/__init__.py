"""Estimators: parameters, documentation and the problem each one states."""
