"""The pod that is being built.

What a rule is: a function that shapes a pod, with its name and its source. `order.py` lists them by release.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass, field
from typing import TYPE_CHECKING, Any

from dynamoc.admission.graph import Component
from dynamoc.admission.operator import Operator
from dynamoc.kube.go import parse_semver
from dynamoc.kube.names import dynamo_namespace
from dynamoc.kube.tracing import RULE, Step, watched
from dynamoc.reference.releases import Release

if TYPE_CHECKING:
    from dynamoc.rendering.rules.checkpoint import CheckpointInfo, Snapshot
    from dynamoc.rendering.rules.multinode import Hosts

Tree = dict[str, Any]

Version = tuple[int, int, int]


#: the part a pod plays in a replica
LEADER, WORKER, MAIN, CHECKPOINT = "leader", "worker", "main", "checkpoint"


@dataclass(eq=False, slots=True)
class Pod:
    """Input and result of the pod rules.

    component    what the pod is made for
    owner        name of the DynamoGraphDeployment, "" for a DCD that stands alone
    namespace    Kubernetes namespace
    service      name from which host names of a multinode replica are made
    role         leader, worker, main or checkpoint
    nodes        nodes of one replica
    backend      vllm, sglang, trtllm or noop
    hosts        how the pods of a replica find each other
    checkpoint   what is known about the checkpoint to restore from, or None
    snapshot     the same since 1.4
    spec, main   the PodSpec and its container `main`; `main` is one of spec's containers at the end
    volumes      volumes that go behind the user's own
    shared_mounts   mounts of `main` that a frontend sidecar gets too
    """

    operator: Operator
    component: Component
    _: KW_ONLY
    owner: str
    namespace: str
    service: str
    role: str
    nodes: int
    backend: str
    hosts: Hosts
    checkpoint: CheckpointInfo | None = None
    snapshot: Snapshot | None = None
    spec: Tree = field(default_factory=dict, init=False)
    main: Tree = field(default_factory=dict, init=False)
    volumes: list[Tree] = field(default_factory=list, init=False)
    shared_mounts: list[Tree] = field(default_factory=list, init=False)

    @property
    def release(self) -> Release:
        return self.operator.release

    @property
    def dynamo_namespace(self) -> str:
        if self.release.has("dynamo-namespace/from-services"):
            return self.component.dynamo_namespace or ""
        return dynamo_namespace(self.component.global_dynamo_namespace, self.namespace, self.owner)

    @property
    def is_multinode(self) -> bool:
        return self.nodes > 1

    def origin_has(self, gate: str) -> bool:
        """Whether the graph was created by an operator that is new enough for `gate`."""
        least = self.release["origin-gates"].get(gate)
        if least is None:
            return False

        origin = parse_semver(self.component.steering.get("nvidia.com/dynamo-operator-origin-version", ""))
        return origin is not None and origin.at_least(least)

    def runtime_has(self, gate: str, version: Version | None) -> bool:
        """Whether a Dynamo runtime is new enough for `gate`; one of unknown version isn't."""
        least = self.release["runtime-gates"].get(gate)
        return least is not None and version is not None and version >= least

    @property
    def runtime_version(self) -> Version | None:
        return self.component.runtime_version(self.release)


@dataclass(eq=False, slots=True)
class Rule:
    """One named step.

    name    `topic/what`; its topic, and what it does
    source  file and symbol of the operator whose behaviour the rule follows
    apply   changes the pod; raises `Refusal` where the operator fails
    """

    name: str
    source: str
    apply: Callable[[Pod], None]

    @property
    def reason(self) -> str:
        """What the rule sets, why, and what the user can override: its docstring."""
        return self.apply.__doc__ or ""


#: rules by the functions that the orders of releases list
RULES: dict[Callable[[Pod], None], Rule] = {}


def rule(name: str, *, source: str) -> Callable[[Callable[[Pod], None]], Callable[[Pod], None]]:
    """Marks a function as the rule `name`."""

    def register(function: Callable[[Pod], None]) -> Callable[[Pod], None]:
        function = watched(Step(name, RULE, source, function.__doc__ or ""), function)
        RULES[function] = Rule(name, source, function)
        return function

    return register
