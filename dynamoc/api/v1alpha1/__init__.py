"""`nvidia.com/v1alpha1` as of release 1.0; other releases are written as differences to it."""
