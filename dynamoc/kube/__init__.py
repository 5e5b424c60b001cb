"""What every tool of Kubernetes knows, as pure functions: names, labels, identities, scopes."""
