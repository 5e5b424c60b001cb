"""Roles of a component that consists of several kinds of pods, and what is handed through to Grove."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from dynamoc.api.base import Int32, NonEmpty, Part, Preserved, go, kube
from dynamoc.api.v1beta1.experimental import LABEL


class ProviderOverride(Part):
    """A fragment of an object of Grove's, laid over what the operator makes."""

    api_version: NonEmpty
    """`grove.io/v1alpha1`."""
    target: Annotated[str | None, go("omitempty")] = None
    """The kind that the fragment belongs to; follows from where it stands."""
    value: Preserved
    """The fragment: a `topologyConstraint`."""


class ComponentRole(Part):
    """One kind of pods of a component: the leader of a multinode replica, or its workers."""

    name: Annotated[str, Field(min_length=1, max_length=63, pattern=LABEL)]
    replicas: Annotated[Int32 | None, Field(ge=1)] = None
    """Pods in one replica: 1 for the leader, one less than there are nodes for workers."""
    provider_override: ProviderOverride | None = None
    pod_template: Annotated[dict[str, Any] | None, kube("core.v1.PodTemplateSpec")] = None
    """The pods of this role; no component takes one in release 1.5."""
