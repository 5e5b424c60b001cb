"""Kubernetes and Go as pure functions: names, quantities, JSON, YAML, merging, and paths in trees."""
