"""KRM functions, which kustomize and kpt run: their input, their configuration and their results."""
