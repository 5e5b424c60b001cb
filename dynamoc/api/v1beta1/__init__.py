"""`nvidia.com/v1beta1`: requests as of release 1.0, everything else as of release 1.4."""
