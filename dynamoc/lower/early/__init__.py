"""What releases 0.4 to 0.6 make of a graph: names without hashes, shared labels, Services for frontends only."""
