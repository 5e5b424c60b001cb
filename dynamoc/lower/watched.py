"""Namespaces that the operator takes no notice of."""

from __future__ import annotations

from dynamoc.diagnostics.finding import Refusal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dynamoc.cluster.config import OperatorConfig


def check_namespace(namespace: str, config: OperatorConfig) -> None:
    """Raises `Refusal` if no controller of the operator sees the objects of a namespace.

    Source: internal/controller_common/predicate.go EphemeralDeploymentEventFilter, the same in all releases. Operators
    that share a cluster also keep off each other's namespaces, which nothing offline tells.
    """
    restricted = config.namespace.restricted
    if restricted and namespace != restricted:
        raise Refusal(
            "namespace/restricted",
            f"The operator is restricted to the namespace {restricted} and ignores {namespace}.",
            ("metadata", "namespace"),
            f"Use the namespace {restricted}, or an operator without this restriction.",
        )
    if not restricted and "ephemeral" in namespace:
        raise Refusal(
            "namespace/ephemeral",
            f'The operator ignores namespaces with "ephemeral" in their names, such as {namespace}.',
            ("metadata", "namespace"),
            "Use a namespace with a different name.",
        )
