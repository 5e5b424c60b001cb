"""Security context of the pod."""

from __future__ import annotations

from dynamoc.rules.registry import rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dynamoc.rules.draft import Pod


@rule("security/pod-security-context", source="internal/dynamo/graph.go applyDefaultSecurityContext")
def pod_security_context(pod: Pod) -> None:
    """Sets fsGroup 1000, so that processes that aren't root can write to mounted volumes.

    Any `securityContext` of the user, even an empty one, disables this: the user then has full control.
    """
    user = pod.component.pod_spec
    if user is None or "securityContext" not in user:
        pod.spec["securityContext"] = {"fsGroup": pod.release["fs-group"]}
