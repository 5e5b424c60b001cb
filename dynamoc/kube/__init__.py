"""Kubernetes and Go semantics as pure functions: quantities, names, typed JSON, merges."""
