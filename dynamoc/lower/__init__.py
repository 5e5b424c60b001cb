"""From the component graph to Kubernetes objects: `grove.py`, `components.py` and the objects beside the pods."""
