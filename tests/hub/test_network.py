"""What makes components reachable: Services, Ingresses, the mesh; and who may look for whom."""

import pytest

from dynamoc.admission.cluster.config import OperatorConfig
from dynamoc.documents.findings.finding import Refusal
from tests.rules.graphs import config, render

EPP = "components: [{name: E.pp, type: epp, eppConfig: {configMapRef: {name: own, key: my.yaml}}}]"


def mesh(mode: str) -> OperatorConfig:
    made = config()
    made.service_mesh.provider = "istio"
    made.service_mesh.enabled = True
    made.service_mesh.istio.tls_mode = mode
    made.service_mesh.istio.client_certificate = "/cert"
    return made


@pytest.mark.parametrize(
    ("mode", "tls"),
    [
        ("SIMPLE", {"insecureSkipVerify": True, "mode": "SIMPLE"}),
        ("DISABLE", {"insecureSkipVerify": True}),
        ("odd", {"insecureSkipVerify": True, "mode": "SIMPLE"}),
        ("MUTUAL", {"insecureSkipVerify": True, "mode": "MUTUAL", "clientCertificate": "/cert"}),
    ],
)
def test_the_mesh_learns_how_to_reach_the_picker(mode: str, tls: dict[str, object]) -> None:
    rule = render(EPP, settings=mesh(mode)).one("DestinationRule")
    assert rule["metadata"]["name"] == "llm-e-pp"
    assert rule["spec"] == {"host": "llm-e-pp.default.svc.cluster.local", "trafficPolicy": {"tls": tls}}


def test_without_a_mesh_or_a_picker_there_is_no_rule() -> None:
    assert not render(EPP).of("DestinationRule")
    assert not render("components: [{name: Web, type: frontend}]", settings=mesh("SIMPLE")).of("DestinationRule")


def test_a_picker_s_own_config_map_is_mounted_under_the_name_that_it_reads() -> None:
    rendered = render(EPP)
    assert not rendered.of("ConfigMap")
    pod = rendered.cliques()["e.pp"]["spec"]["podSpec"]
    assert "--config-file" in pod["containers"][0]["args"]
    item = {"key": "my.yaml", "path": "epp-config-dynamo.yaml"}
    assert pod["volumes"][0] == {"name": "epp-config", "configMap": {"name": "own", "items": [item]}}


def test_a_frontend_gets_the_operator_s_ingress() -> None:
    settings = config()
    settings.ingress.controller_class_name = "nginx"
    settings.ingress.host_suffix = "example.com"
    web = "components: [{name: Web.1, type: frontend}, {name: Other}]"
    ingress = render(web, settings=settings).one("Ingress")
    assert ingress["metadata"]["name"] == "llm-web-1"
    (rule,) = ingress["spec"]["rules"]
    assert rule["host"] == "llm.example.com"
    assert rule["http"]["paths"][0]["backend"]["service"]["name"] == "llm-web-1"


def test_discovery_by_kubernetes_may_watch_pods_under_a_label_that_fits() -> None:
    settings = config()
    settings.discovery.backend = "kubernetes"
    name = "n" * 50
    rendered = render("components: [{name: Web, type: frontend}]", settings=settings, name=name)
    role = rendered.one("Role")
    assert role["rules"][0]["resources"] == ["endpoints", "pods"]
    label = role["metadata"]["labels"]["app.kubernetes.io/name"]
    assert len(label) == 63
    assert label.startswith(name)


def test_two_schedulers_are_one_too_many() -> None:
    settings = config()
    settings.orchestrators.kai_scheduler.enabled = settings.orchestrators.volcano_scheduler.enabled = True
    with pytest.raises(Refusal) as refused:
        render("components: [{name: Web, type: frontend}]", settings=settings)
    assert refused.value.slug == "scheduler/two"


def test_volcano_schedules_cliques_of_a_queue_unless_the_user_chose() -> None:
    settings = config()
    settings.orchestrators.volcano_scheduler.enabled = True
    own = "{name: Own, podTemplate: {spec: {schedulerName: mine, containers: []}}}"
    rendered = render(
        f"components: [{{name: Web, type: frontend}}, {own}]",
        settings=settings,
        annotations={"nvidia.com/volcano-queue": " gold "},
    )
    queue = rendered.one("PodCliqueSet")["metadata"]["annotations"]
    assert queue == {"scheduling.grove.io/volcano-queue": "gold"}
    schedulers = {name: clique["spec"]["podSpec"]["schedulerName"] for name, clique in rendered.cliques().items()}
    assert schedulers == {"web": "volcano", "own": "mine"}
