"""Compiled loops of trees."""
