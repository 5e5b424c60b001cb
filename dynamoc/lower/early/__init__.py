"""What releases 0.4 to 0.6 make of a graph: names without hashes, labels that objects share, Services for frontends only."""
