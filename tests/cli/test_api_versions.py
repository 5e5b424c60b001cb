"""`--cluster`: what the cluster serves, in the words of helm and Argo CD."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dynamoc.admission.cluster.capabilities import ApiGroups, parsed_apis
from tests.cli.conftest import Run
from tests.cli.test_inputs import GRAPH

UNSET = """\
apiVersion: operator.config.dynamo.nvidia.com/v1alpha1
kind: OperatorConfiguration
mpi: {sshSecretName: keys, sshSecretNamespace: dynamo}
rbac: {dgdrProfilingClusterRoleName: a, eppClusterRoleName: b, plannerClusterRoleName: c}
"""
#: as Argo CD's repo-server writes KUBE_API_VERSIONS, shortened
CLUSTER = (
    "admissionregistration.k8s.io/v1,apps/v1,apps/v1/Deployment,v1,v1/Pod,v1/Service,nvidia.com/v1alpha1/DynamoModel"
)
SEVERAL = GRAPH.replace("type: frontend\n", "type: worker\n      multinode: {nodeCount: 2}\n").replace(
    "{name: main,", "{name: main, command: [python3, -m, dynamo.vllm], args: [--model, x],"
)


def kinds(text: str) -> set[str]:
    return {line.removeprefix("kind: ") for line in text.splitlines() if line.startswith("kind: ")}


@pytest.mark.parametrize(
    "options",
    [
        ("--cluster", "grove.io/v1alpha1"),
        ("--cluster", "grove.io/v1alpha1/PodCliqueSet"),
        ("--cluster=v1,apps/v1, grove.io/v1alpha1,",),
        ("--cluster", "v1", "--cluster", "grove.io/v1alpha1"),
        ("--cluster", f"{CLUSTER},grove.io/v1alpha1/PodCliqueSet"),
    ],
)
def test_grove_that_the_cluster_serves_is_used(dynamoc: Run, options: tuple[str, ...]) -> None:
    Path("g.yaml").write_text(GRAPH)
    Path("config.yaml").write_text(UNSET)
    command = ("render", "g.yaml", "--operator-version", "1.4", "--operator-config", "config.yaml")
    result = dynamoc(*command, *options, "--verbose")
    assert result.code == 0
    assert "PodCliqueSet" in kinds(result.out)
    assert "because the API group grove.io is in --cluster. In a cluster without Grove" in result.err
    assert "PodCliqueSet" not in kinds(dynamoc(*command).out)


def test_the_configuration_is_stronger(dynamoc: Run) -> None:
    Path("g.yaml").write_text(GRAPH)
    result = dynamoc("render", "g.yaml", "--operator-version", "1.4", "--cluster", "grove.io/v1alpha1", "--verbose")
    assert "PodCliqueSet" not in kinds(result.out)
    assert "the Helm chart of release 1.4 turns Grove off by default" in result.err


LWS, VOLCANO = "leaderworkerset.x-k8s.io/v1", "scheduling.volcano.sh/v1beta1"


@pytest.mark.parametrize(("more", "code"), [("", 1), (LWS, 1), (VOLCANO, 1), (f"{LWS},{VOLCANO}", 0)])
def test_what_a_whole_list_lacks_is_missing(dynamoc: Run, more: str, code: int) -> None:
    Path("g.yaml").write_text(SEVERAL)
    Path("config.yaml").write_text(UNSET)
    result = dynamoc("validate", "g.yaml", "--operator-version", "1.4", "--operator-config", "config.yaml",
                     "--cluster", f"{CLUSTER},{more}")  # fmt: skip
    assert result.code == code
    assert "the cluster has no API group grove.io" in result.err or code
    # What nobody knows is assumed, with a warning.
    assert dynamoc("validate", "g.yaml", "--operator-version", "1.4", "--cluster", "batch/v1").code == 0


@pytest.mark.parametrize("text", ["PodCliqueSet", "a/b/c/d", "grove.io//x", "apps/", "grove.io/v1/"])
def test_what_is_no_api_is_refused(dynamoc: Run, text: str) -> None:
    Path("g.yaml").write_text(GRAPH)
    result = dynamoc("render", "g.yaml", "--cluster", text)
    assert result.code == 2
    assert f"The file or directory {text} does not exist." in result.err


def test_apis_as_helm_writes_them() -> None:
    listed = parsed_apis(["v1,v1/Pod", "apps/v1", "apps/v1/Deployment,grove.io, apps/v1"])
    assert listed == ["/v1", "/v1/Pod", "apps/v1", "apps/v1/Deployment", "grove.io"]


def test_versions_and_kinds_count_where_the_operator_asks_for_them() -> None:
    rule = "networking.istio.io/v1beta1/DestinationRule"
    for listed, api, served in (
        (["resource.k8s.io/v1"], "resource.k8s.io/v1", True),
        (["resource.k8s.io/v1beta1"], "resource.k8s.io/v1", None),
        (["resource.k8s.io/v1beta1", "v1"], "resource.k8s.io/v1", False),
        (["resource.k8s.io/v1beta1", "v1"], "resource.k8s.io", True),
        (["nvidia.com/v1alpha1"], "resource.k8s.io/v1", None),
        (["nvidia.com/v1alpha1"], rule, False),
        (["networking.istio.io/v1beta1"], rule, True),
        (["networking.istio.io/v1"], rule, None),
        (["networking.istio.io/v1", "v1"], rule, False),
        (["networking.istio.io/v1beta1/Gateway", "v1"], rule, False),
        ([rule], rule, True),
        (["networking.istio.io"], rule, True),
    ):
        assert ApiGroups((), parsed_apis(listed)).serves(api) is served, (listed, api)


def test_definitions_and_services_show_versions() -> None:
    rule = "networking.istio.io/v1beta1/DestinationRule"
    spec = {"group": "networking.istio.io", "names": {"kind": "DestinationRule"}, "versions": [{"name": "v1"}]}
    crd = {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "spec": spec}
    dynamo = {**crd, "spec": {"group": "nvidia.com"}}
    assert ApiGroups([crd]).serves(rule) is None
    assert ApiGroups([crd, dynamo]).serves(rule) is False
    unserved = {**crd, "spec": {**spec, "versions": [{"name": "v1beta1", "served": False}]}}
    assert ApiGroups([unserved, dynamo]).serves(rule) is False
    served = {**crd, "spec": {**spec, "versions": [{"name": "v1"}, {"name": "v1beta1"}]}}
    assert ApiGroups([served]).serves(rule)
    service = {"apiVersion": "apiregistration.k8s.io/v1", "kind": "APIService"}
    spec = {"group": "networking.istio.io", "version": "v1beta1"}
    assert ApiGroups([{**service, "spec": spec}]).serves(rule)


def test_kubernetes_serves_resource_claims_since_1_34() -> None:
    assert ApiGroups((), kube_minor=33).serves("resource.k8s.io/v1") is False
    assert ApiGroups((), kube_minor=33).serves("resource.k8s.io") is None
    assert ApiGroups((), kube_minor=34).serves("resource.k8s.io/v1") is None
    assert ApiGroups((), ["resource.k8s.io/v1"], kube_minor=33).serves("resource.k8s.io/v1")


def test_an_operator_that_lacks_an_api_exits(dynamoc: Run) -> None:
    Path("g.yaml").write_text(GRAPH)
    Path("config.yaml").write_text(UNSET + "checkpoint: {enabled: true}\n")
    command = ("validate", "g.yaml", "--operator-config", "config.yaml", "--cluster", CLUSTER)
    gone = dynamoc(*command, "--operator-version", "1.5")
    assert gone.code == 1
    assert (
        "enables checkpoint.enabled, but the cluster does not have the API nvidia.com/v1alpha1/PodSnapshot" in gone.err
    )
    assert dynamoc(*command, "--operator-version", "1.5", "--cluster", "nvidia.com/v1alpha1/PodSnapshot").code == 0
    assert dynamoc(*command, "--operator-version", "1.4").code == 0


def test_requires_knows_them_too(dynamoc: Run) -> None:
    Path("g.yaml").write_text(GRAPH)
    command = ("requires", "g.yaml", "--target", "grove", "-o", "json")
    for options, by in (
        ((), None),
        (("--cluster", "grove.io/v1alpha1"), "context"),
        (("--cluster", "grove.io/v1alpha2"), None),
    ):
        apis = json.loads(dynamoc(*command, *options).out)["apis"]
        [grove] = [item for item in apis if item["group"] == "grove.io"]
        assert grove["broughtBy"] == by
