"""Compiled loops over storages."""
