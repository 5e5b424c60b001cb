"""Compile NVIDIA Dynamo graphs into the Kubernetes objects that the Dynamo operator would create."""

from dynamoc.modules import use_bundle

__version__ = "0.1.0"

use_bundle(__path__[0])
