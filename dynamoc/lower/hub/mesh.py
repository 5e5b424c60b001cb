"""The service mesh around an endpoint picker."""

from __future__ import annotations

from dynamoc.kube.names import kube_resource_name
from dynamoc.lower.metadata import metadata
from dynamoc.tracing import builder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.cluster.config import IstioMesh
    from dynamoc.model.graph import Graph
    from dynamoc.model.operator import Operator

    Tree = dict[str, Any]

_MODES = ("DISABLE", "ISTIO_MUTUAL", "MUTUAL")


@builder("lower/hub/mesh/epp-destination-rule", source="internal/dynamo/graph.go GenerateEPPDestinationRule")
def epp_destination_rule(graph: Graph, operator: Operator) -> list[Tree]:
    """A DestinationRule that prevents the mesh from wrapping the picker's own TLS again."""
    components = graph.of_type("epp")
    if not components or not operator.capabilities.istio:
        return []
    name = kube_resource_name(f"{graph.name}-{components[0].name}")
    return [
        {
            "apiVersion": "networking.istio.io/v1beta1",
            "kind": "DestinationRule",
            "metadata": metadata(name, graph.namespace),
            "spec": {
                "host": f"{name}.{graph.namespace}.svc.cluster.local",
                "trafficPolicy": {"tls": _tls(operator.config.service_mesh.istio)},
            },
        }
    ]


def _tls(mesh: IstioMesh) -> Tree:
    mode = mesh.tls_mode if mesh.tls_mode in _MODES else "SIMPLE"
    tls: Tree = {"insecureSkipVerify": mesh.insecure_skip_verify}
    if mode != "DISABLE":
        # The first value of a protobuf enum is not printed.
        tls["mode"] = mode
    if mode == "MUTUAL":
        files = (
            ("clientCertificate", mesh.client_certificate),
            ("privateKey", mesh.private_key),
            ("caCertificates", mesh.ca_certificates),
        )
        tls.update((name, file) for name, file in files if file)
    return tls
