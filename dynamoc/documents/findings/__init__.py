"""One finding, the collector that every stage reports to, and how findings print."""
