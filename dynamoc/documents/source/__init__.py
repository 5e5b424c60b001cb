"""Files to documents: paths, YAML and JSON text, the scalars as Kubernetes reads them, and places in the files."""
