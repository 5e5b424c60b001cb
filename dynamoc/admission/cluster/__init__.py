"""The operator's configuration, and what is known to exist in the cluster it would run in."""
