"""Structural validation, defaults, pruning, CEL rules."""
