"""Lowering for the operators 1.0 and 1.1, which know only v1alpha1."""
