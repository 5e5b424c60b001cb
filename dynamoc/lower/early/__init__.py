"""What release 0.6 makes of a graph: names without hashes, labels that objects share, Services for frontends only."""
