"""Compile NVIDIA Dynamo graphs into the Kubernetes objects that the Dynamo operator would create."""

__version__ = "0.1.0"
