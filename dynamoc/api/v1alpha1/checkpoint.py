"""DynamoCheckpoint, and what identifies one."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from dynamoc.api.base import Int32, Int64, Part, Resource, Rule, Schema, StringMap, Time, default, go, kube
from dynamoc.api.v1alpha1.common import Condition

PodTemplateSpec = Annotated[dict[str, Any], kube("core.v1.PodTemplateSpec")]
Parallelism = Annotated[Int32 | None, Field(ge=1), default(1), go("omitempty")]


class CheckpointIdentity(Part):
    """What two workers must have in common to share a checkpoint."""

    model: str
    """The model that the worker serves."""
    backend_framework: Literal["vllm", "sglang", "trtllm"]
    """The framework that serves it."""
    dynamo_version: str | None = None
    """Version of Dynamo in the image."""
    tensor_parallel_size: Parallelism = None
    """Ranks of tensor parallelism."""
    pipeline_parallel_size: Parallelism = None
    """Ranks of pipeline parallelism."""
    dtype: str | None = None
    """Data type of the weights."""
    max_model_len: Annotated[Int32 | None, Field(ge=1), go("omitempty")] = None
    """Longest sequence the worker accepts."""
    extra_parameters: StringMap | None = None
    """Anything else that tells checkpoints apart."""


class CheckpointJob(Part):
    """The job that makes a checkpoint."""

    pod_template_spec: PodTemplateSpec
    """Its pod; `main` is checkpointed."""
    active_deadline_seconds: Annotated[Int64 | None, default(3600)] = None
    """Seconds after which the job is given up."""
    backoff_limit: Annotated[Int32 | None, default(3)] = None
    """Retries of the job."""
    ttl_seconds_after_finished: Annotated[Int32 | None, default(300)] = None
    """Seconds after which the finished job is removed."""


class CheckpointSpec(Part):
    """A checkpoint that should exist."""

    identity: CheckpointIdentity
    """What it is a checkpoint of."""
    job: CheckpointJob
    """How it is made."""


class CheckpointStatus(Part):
    """What became of a checkpoint."""

    phase: Literal["Pending", "Creating", "Ready", "Failed"] | None = None
    identity_hash: str | None = None
    location: str | None = None
    storage_type: Literal["pvc", "s3", "oci"] | None = None
    job_name: str | None = None
    created_at: Time | None = None
    message: str | None = None
    conditions: list[Condition] | None = None


class DynamoCheckpoint(Resource):
    """A checkpoint of a running worker, from which others start faster."""

    rules: ClassVar[tuple[Rule, ...]] = (
        Rule(
            "!has(oldSelf.spec.identity) || self.spec.identity == oldSelf.spec.identity",
            "spec.identity is immutable after creation",
        ),
    )
    crd: ClassVar[Schema] = {
        "short": "dckpt",
        "columns": [
            "Model=.spec.identity.model",
            "Backend=.spec.identity.backendFramework",
            "Phase=.status.phase",
            "Hash=.status.identityHash",
            "Age=.metadata.creationTimestamp",
        ],
    }

    spec: CheckpointSpec | None = None
    status: CheckpointStatus | None = None
