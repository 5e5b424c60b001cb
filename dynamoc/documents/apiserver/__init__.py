"""What a Kubernetes API server refuses in any object."""
