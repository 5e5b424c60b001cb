"""A checked and admitted request as objects."""

from __future__ import annotations

from dynamoc.diagnostics.finding import Refusal
from dynamoc.golang.types import load, typed
from dynamoc.lower.graph_objects import account_with_binding
from dynamoc.requests.answer import answer_of, given_answer
from dynamoc.requests.enrichment import enriched
from dynamoc.requests.foresight import tell_failures
from dynamoc.requests.job import Kept, profiling_job
from dynamoc.requests.made import made_objects
from dynamoc.requests.names import ACCOUNT
from dynamoc.requests.without_effect import tell_without_effect

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.model.operator import Operator
    from dynamoc.requests.answer import GivenAnswer

    Tree = dict[str, Any]

#: stands for the UID that the API server would give the request
PLACEHOLDER_UID = "11111111-1111-4111-8111-111111111111"


def lower_request(
    value: Tree,
    written: Tree,
    operator: Operator,
    given: GivenAnswer | None = None,
    *,
    through: bool = False,
    begun: Tree | None = None,
) -> list[Tree]:
    """The objects that the operator creates for a canonical request: access, the Job, and what follows its answer.

    value    in the version that the release works with: v1alpha1 in 0.6, v1beta1 later
    written  the request as the user wrote it
    given    the profiler's answer; else it is looked for in the cluster
    through  whether the graph is wanted even if the request does not apply it
    begun    the request as it was when the operator made its Job, where it has changed since

    Raises `Refusal` where the operator admits the request and then fails it.
    """
    if operator.release.has("requests/v1beta1"):
        tell_failures(value, operator)
        tell_without_effect(value, written, operator)
    uid = value["metadata"].get("uid") or _placeholder(operator)
    job = _job(begun or value, uid, operator)
    answer = answer_of(value, operator) if given is None else given_answer(value, given, operator)
    made = [] if answer is None else made_objects(value, answer, operator, through=through)
    return _begun([*_access(value, operator), job, *made], operator)


def _begun(objects: list[Tree], operator: Operator) -> list[Tree]:
    """What an operator that takes over leaves of a request that was profiled: its Job is made once, and never again."""
    running = operator.running
    if running is None:
        return objects
    keys = ((item["kind"], item["metadata"]["namespace"], item["metadata"]["name"]) for item in objects)
    found = [running.get(*key) for key in keys]
    return [item for item in found if item is not None] or objects


def _placeholder(operator: Operator) -> str:
    operator.note(
        "request/placeholder-uid",
        f"The Job names the request's UID, which only the cluster knows; here, it is {PLACEHOLDER_UID}.",
        (),
        "Set metadata.uid to the UID of the request in the cluster.",
    )
    return PLACEHOLDER_UID


def _job(value: Tree, uid: str, operator: Operator) -> Tree:
    release = operator.release
    if not release.has("requests/v1beta1"):
        from dynamoc.requests.first_job import first_job

        return first_job(value, uid, operator)
    _check_cache(value, operator)
    if not value["spec"].get("image"):
        raise Refusal("request/no-image", "The request has no image; the operator fails it.", ("spec",))
    known = enriched(value["spec"], operator)
    spec: Tree = typed(known, "dynamo/v1beta1.DynamoGraphDeploymentRequestSpec", load(release.name))
    return profiling_job(value, spec, _kept(value, operator), uid, operator)


def _check_cache(value: Tree, operator: Operator) -> None:
    claim = (value["spec"].get("modelCache") or {}).get("pvcName")
    namespace = value["metadata"]["namespace"]
    if claim and not operator.cluster.exists("PersistentVolumeClaim", namespace, claim):
        path = ("spec", "modelCache", "pvcName")
        effect = "without it, the operator fails the request"
        operator.unknown("PersistentVolumeClaim", namespace, claim, effect, path)


def _kept(value: Tree, operator: Operator) -> Kept:
    """What annotations keep of v1alpha1."""
    annotations = value["metadata"].get("annotations") or {}
    if not any(key.startswith("nvidia.com/dgdr-") for key in annotations):
        return Kept({})
    from dynamoc.convert.request import to_v1alpha1

    alpha = to_v1alpha1(value, operator.release["request/conversion"])
    return Kept(alpha["spec"].get("profilingConfig") or {})


def _access(value: Tree, operator: Operator) -> list[Tree]:
    """The account of the Job; an operator that is bound to a namespace has it from its chart."""
    if operator.config.namespace.restricted:
        return []
    role = operator.config.rbac.dgdr_profiling_cluster_role_name
    if not role:
        raise Refusal(
            "rbac/no-cluster-role",
            f"The operator's configuration sets no ClusterRole for {ACCOUNT}; the operator fails the request.",
            (),
            "Set rbac.dgdrProfilingClusterRoleName in the operator's configuration.",
        )
    return account_with_binding(ACCOUNT, value["metadata"]["namespace"], role)
