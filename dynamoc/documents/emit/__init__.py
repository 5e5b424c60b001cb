"""Writers of objects: YAML, JSON, their order and their file names."""
