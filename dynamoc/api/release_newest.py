"""The models of the newest release, for programs that name none."""

from __future__ import annotations

from dynamoc.api.release_1_6 import v1alpha1, v1beta1

__all__ = ["v1alpha1", "v1beta1"]
