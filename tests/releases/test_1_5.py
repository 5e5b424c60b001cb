"""Release 1.5 beside 1.4, where no record tells: its source of September, after the recorded commit."""

from pathlib import Path
from typing import Any

import pytest

from tests.releases.compiled import IMAGE, Tree, compiled, container, env, frontend, graph, worker

PICKER_CONFIG = {"config": {"plugins": [{"type": "a"}], "schedulingProfiles": [{"name": "p", "plugins": []}]}}


@pytest.mark.parametrize(
    ("release", "version", "canaries", "failures"),
    [
        ("1.4", "1.5.0", "false", 1),
        ("1.5", "1.5.0", "true", 3),
        ("1.5", "1.4.9", "false", 1),
        ("1.5", "1.6.1", "true", 3),
    ],
)
def test_newer_runtimes_have_canaries_and_bear_failures(
    tmp_path: Path, release: str, version: str, canaries: str, failures: int
) -> None:
    main = compiled(tmp_path, release, graph(worker(version=version))).main("w")
    assert env(main)["DYN_HEALTH_CHECK_ENABLED"] == canaries
    assert main["livenessProbe"]["failureThreshold"] == failures


def test_an_unknown_runtime_is_an_old_one_and_an_override_tells(tmp_path: Path) -> None:
    image = f"{IMAGE}:latest"
    alone = {**graph(), "kind": "DynamoComponentDeployment", "spec": worker(image=image)}
    deployment = compiled(tmp_path, "1.5", alone, target="plain").of("Deployment")["g"]
    assert env(container(deployment["spec"]["template"]["spec"], "main"))["DYN_HEALTH_CHECK_ENABLED"] == "false"
    main = compiled(tmp_path, "1.5", graph(worker(image=image, runtimeVersionOverride="1.5.2"))).main("w")
    assert env(main)["DYN_HEALTH_CHECK_ENABLED"] == "true"


def test_a_probe_and_a_variable_of_the_users_win(tmp_path: Path) -> None:
    probe = {"httpGet": {"path": "/mine", "port": 1}}
    own = worker(livenessProbe=probe, env=[{"name": "DYN_HEALTH_CHECK_ENABLED", "value": "false"}])
    main = compiled(tmp_path, "1.5", graph(own)).main("w")
    assert main["livenessProbe"] == probe
    assert env(main)["DYN_HEALTH_CHECK_ENABLED"] == "false"


def test_the_native_picker_has_a_cache_and_no_configuration(tmp_path: Path) -> None:
    found = compiled(tmp_path, "1.5", graph(picker("1.5.0"), worker()))
    pod = found.clique("epp")["spec"]["podSpec"]
    main = container(pod, "main")
    assert "args" not in main
    assert env(main)["HOME"] == "/home/dynamo"
    assert main["volumeMounts"] == [{"name": "hf-cache", "mountPath": "/home/dynamo/.cache"}, *shared_memory(main)]
    assert [volume["name"] for volume in pod["volumes"]] == ["hf-cache", "shared-memory"]
    assert found.of("ConfigMap") == {}
    assert list(found.of("InferencePool")) == ["g-pool"]


def test_the_legacy_picker_keeps_its_configuration_and_loses_the_cache(tmp_path: Path) -> None:
    found = compiled(tmp_path, "1.5", graph(picker("1.4.0", eppConfig=PICKER_CONFIG), worker()))
    pod = found.clique("epp")["spec"]["podSpec"]
    assert "--config-file" in container(pod, "main")["args"]
    assert [volume["name"] for volume in pod["volumes"]] == ["epp-config", "shared-memory"]
    assert list(found.of("ConfigMap")) == ["g-epp-config"]


@pytest.mark.parametrize(
    ("version", "fields", "refused"),
    [
        ("1.5.0", {}, []),
        ("1.5.0-rc.2", {"eppConfig": PICKER_CONFIG}, ["admission/epp-config"]),
        ("1.4.0", {}, ["admission/epp-config"]),
        ("1.4.0", {"eppConfig": PICKER_CONFIG}, []),
        ("1.5.0", {"eppConfig": PICKER_CONFIG}, ["admission/epp-config"]),
        ("1.4.0", {"runtimeVersionOverride": "1.5.0"}, []),
        ("latest", {}, ["admission/runtime-version"]),
        ("1.5.0", {"replicas": 2}, ["admission/epp-replicas"]),
        ("1.5.0", {"multinode": {"nodeCount": 2}}, ["admission/multinode-type"]),
    ],
)
def test_pickers_fit_their_runtime(tmp_path: Path, version: str, fields: Tree, refused: list[str]) -> None:
    assert compiled(tmp_path, "1.5", graph(picker(version, **fields), worker())).errors == refused


@pytest.mark.parametrize(("version", "refused"), [("latest", ["admission/runtime-version"]), ("1.5.0", [])])
def test_a_picker_on_its_own_tells_its_version_too(tmp_path: Path, version: str, refused: list[str]) -> None:
    alone = {**graph(), "kind": "DynamoComponentDeployment", "spec": picker(version)}
    assert compiled(tmp_path, "1.5", alone, target="plain").errors == refused


def test_pickers_of_v1alpha1_are_judged_where_they_stand(tmp_path: Path) -> None:
    services = {"Epp": {"componentType": "epp", "extraPodSpec": {"mainContainer": {"image": f"{IMAGE}:1.4.0"}}}}
    old = {**graph(), "apiVersion": "nvidia.com/v1alpha1", "spec": {"services": services}}
    found = compiled(tmp_path, "1.5", old)
    assert found.errors == ["admission/epp-config"]
    assert [item.path[:3] for item in found.findings.items if item.severity == "error"] == [("spec", "services", "Epp")]


def test_only_workers_span_nodes(tmp_path: Path) -> None:
    spread = {**frontend(), "multinode": {"nodeCount": 2}}
    assert compiled(tmp_path, "1.5", graph(spread)).errors == ["admission/multinode-type"]
    assert compiled(tmp_path, "1.4", graph(spread)).errors == []


OVERRIDE = {
    "apiVersion": "grove.io/v1alpha1",
    "value": {"topologyConstraint": {"pack": {"required": "rack"}, "new": None}},
}
ROLES = [{"name": "leader"}, {"name": "worker"}]


def test_fragments_of_grove_are_handed_through(tmp_path: Path) -> None:
    roles = [{"name": "worker", "providerOverride": OVERRIDE}, {"name": "leader"}]
    root = {"apiVersion": "grove.io/v1alpha1", "value": {"spec": {"template": OVERRIDE["value"]}}}
    spread = worker("s", multinode={"nodeCount": 3}, roles=roles, providerOverride=OVERRIDE)
    found = compiled(tmp_path, "1.5", graph(worker(providerOverride=OVERRIDE), spread, providerOverride=root))
    constraint = {"pack": {"required": "rack"}, "new": None}
    assert found.clique("w")["topologyConstraint"] == constraint
    assert found.clique("s-wkr")["topologyConstraint"] == constraint
    assert "topologyConstraint" not in found.clique("s-ldr")
    assert found.template["podCliqueScalingGroups"][0]["topologyConstraint"] == constraint
    assert found.template["topologyConstraint"] == constraint


@pytest.mark.parametrize(
    ("fields", "refused"),
    [
        ({"roles": ROLES}, ["admission/roles"]),
        ({"roles": ROLES, "multinode": {"nodeCount": 2}}, []),
        ({"roles": ROLES[:1], "multinode": {"nodeCount": 2}}, ["admission/roles"]),
        ({"roles": [*ROLES, {"name": "third"}], "multinode": {"nodeCount": 2}}, ["admission/roles"]),
        ({"roles": [ROLES[0], {"name": "worker", "replicas": 2}], "multinode": {"nodeCount": 2}}, ["admission/roles"]),
        ({"roles": [ROLES[0], {"name": "worker", "replicas": 2}], "multinode": {"nodeCount": 3}}, []),
        (
            {
                "roles": [ROLES[0], {"name": "worker", "podTemplate": {"spec": {"containers": []}}}],
                "multinode": {"nodeCount": 2},
            },
            ["admission/role-template"],
        ),
        ({"providerOverride": {**OVERRIDE, "apiVersion": "grove.io/v2"}}, ["admission/provider-override"]),
        ({"providerOverride": {**OVERRIDE, "target": "PodCliqueSet"}}, ["admission/provider-override"]),
        ({"providerOverride": {**OVERRIDE, "value": {"replicas": 3}}}, ["admission/provider-override"] * 2),
        ({"providerOverride": {**OVERRIDE, "value": {"topologyConstraint": 3}}}, ["admission/provider-override"]),
    ],
)
def test_roles_and_fragments_are_judged(tmp_path: Path, fields: Tree, refused: list[str]) -> None:
    assert compiled(tmp_path, "1.5", graph(worker(**fields))).errors == refused


def test_listing_the_roles_makes_no_new_generation(tmp_path: Path) -> None:
    def generation(**fields: Any) -> str:
        found = compiled(tmp_path, "1.5", graph(worker(multinode={"nodeCount": 2}, **fields)))
        return str(found.clique("w-ldr")["labels"]["nvidia.com/dynamo-worker-hash"])

    assert generation() == generation(roles=ROLES) == generation(roles=ROLES[::-1])
    assert generation(roles=[ROLES[0], {"name": "worker", "providerOverride": OVERRIDE}]) != generation()
    forced = {"grove": {"forceScalingGroup": False}}
    assert generation(experimental=forced) == generation(experimental={"grove": {}})


def test_a_single_ray_head_has_an_address(tmp_path: Path) -> None:
    elastic = {"command": ["python3"], "args": ["-m", "dynamo.vllm", "--enable-elastic-ep", "-dpb", "ray"]}
    services = compiled(tmp_path, "1.5", graph(worker(**elastic))).of("Service")
    assert services["g-w-ray"]["spec"]["clusterIP"] == "None"
    assert [port["port"] for port in services["g-w-ray"]["spec"]["ports"]] == [6379, 9090]
    for fields in ({"replicas": 2}, {"multinode": {"nodeCount": 2}}):
        assert "g-w-ray" not in compiled(tmp_path, "1.5", graph(worker(**elastic, **fields))).of("Service")
    assert "g-w-ray" not in compiled(tmp_path, "1.4", graph(worker(**elastic))).of("Service")
    long = {**graph(worker(**elastic)), "metadata": {"name": "x" * 44}}
    long["spec"]["components"][0]["name"] = "y" * 14
    names = list(compiled(tmp_path, "1.5", long).of("Service"))
    assert [name for name in names if len(name) == 63 and name.startswith("x" * 44 + "-" + "y" * 13)]


def test_keys_for_tls_reach_main_and_the_sidecar(tmp_path: Path) -> None:
    config = "infrastructure: {natsTLSCAPath: /ca, tcpTLSServerName: host, tcpTLSKeyPath: ''}"
    side = worker(env=[{"name": "DYN_TCP_TLS_SERVER_NAME", "value": "mine"}], frontendSidecar="side")
    side["podTemplate"]["spec"]["containers"].append({"name": "side", "image": f"{IMAGE}:1.5.0"})
    pod = compiled(tmp_path, "1.5", graph(side), config=config).clique("w")["spec"]["podSpec"]
    main, sidecar = env(container(pod, "main")), env(container(pod, "side"))
    assert (main["NATS_TLS_CA_CERT_PATH"], main["DYN_TCP_TLS_SERVER_NAME"]) == ("/ca", "mine")
    assert (sidecar["NATS_TLS_CA_CERT_PATH"], sidecar["DYN_TCP_TLS_SERVER_NAME"]) == ("/ca", "host")
    assert "DYN_TCP_TLS_KEY_PATH" not in main
    assert "config/unknown-field" in compiled(tmp_path, "1.4", graph(side), config=config).warnings


def test_metadata_of_the_spec_comes_before_that_of_the_graph(tmp_path: Path) -> None:
    metrics = "nvidia.com/enable-metrics"

    def labelled(release: str) -> bool:
        document = graph(worker(), annotations={metrics: "false"})
        document["spec"]["annotations"] = {metrics: "true"}
        (deployment,) = compiled(tmp_path, release, document, target="plain").of("Deployment").values()
        return "nvidia.com/metrics-enabled" in deployment["spec"]["template"]["metadata"]["labels"]

    assert labelled("1.5")
    assert not labelled("1.4")


def telemetry(**values: Any) -> list[Tree]:
    return [
        {"name": f"NIXL_TELEMETRY_{name}", **({"value": value} if isinstance(value, str) else {"valueFrom": value})}
        for name, value in values.items()
    ]


SECRET = {"secretKeyRef": {"name": "s", "key": "k"}}


@pytest.mark.parametrize(
    ("values", "ports"),
    [
        ({}, [19090]),
        ({"ENABLE": "n"}, [19090]),
        ({"ENABLE": " Y "}, list(range(19090, 19098))),
        ({"ENABLE": "y", "PROMETHEUS_PORT": "20000"}, list(range(20000, 20008))),
        ({"ENABLE": "y", "EXPORTER": "other"}, [19090]),
        ({"ENABLE": SECRET}, list(range(19090, 19098))),
        ({"ENABLE": "y", "PROMETHEUS_PORT": SECRET}, None),
        ({"ENABLE": "y", "PROMETHEUS_PORT": " +20000 "}, list(range(20000, 20008))),
        ({"ENABLE": "y", "PROMETHEUS_PORT": "+9"}, list(range(9, 17))),
        ({"ENABLE": "y", "PROMETHEUS_PORT": "-1"}, None),
        ({"ENABLE": "y", "PROMETHEUS_PORT": "65530"}, None),
        ({"ENABLE": "y", "PROMETHEUS_PORT": "x"}, None),
    ],
)
def test_sglang_has_a_port_for_the_telemetry_of_each_gpu(tmp_path: Path, values: Tree, ports: list[int] | None) -> None:
    document = graph(worker(env=telemetry(**values)))
    document["spec"]["backendFramework"] = "sglang"
    found = compiled(tmp_path, "1.5", document)
    if ports is None:
        assert found.errors == ["sglang/nixl-ports"]
        return
    named = {port["name"]: port["containerPort"] for port in found.main("w")["ports"]}
    assert [number for name, number in named.items() if name.startswith("nixl")] == ports


def test_checkpoints_need_the_operator_s_switch(tmp_path: Path) -> None:
    document = graph(worker(experimental={"checkpoint": {"enabled": True}}))
    assert compiled(tmp_path, "1.5", document, config="checkpoint: {enabled: true}").errors == []
    assert compiled(tmp_path, "1.5", document).errors == ["admission/checkpoint-disabled"]


@pytest.mark.parametrize(
    ("before", "after", "refused"),
    [
        ({"multinode": {"nodeCount": 2}}, {"multinode": {"nodeCount": 3}}, ["update/multinode"]),
        ({"multinode": {"nodeCount": 2}}, {"multinode": {"nodeCount": 2}, "roles": ROLES}, []),
        ({"multinode": {"nodeCount": 2}, "roles": ROLES}, {"multinode": {"nodeCount": 2}}, []),
        (
            {"multinode": {"nodeCount": 2}},
            {"multinode": {"nodeCount": 2}, "roles": [ROLES[0], {"name": "worker", "providerOverride": OVERRIDE}]},
            ["update/roles"],
        ),
        ({}, {"type": "decode"}, ["cel/type-is-kept"]),
    ],
)
def test_updates_keep_nodes_roles_and_types(tmp_path: Path, before: Tree, after: Tree, refused: list[str]) -> None:
    old, new = (graph(worker(**fields)) for fields in (before, after))
    assert compiled(tmp_path, "1.5", new, against=old).errors == refused


def picker(version: str, **fields: Any) -> Tree:
    return {**worker("epp", version, **fields), "type": "epp"}


def shared_memory(main: Tree) -> list[Tree]:
    return [mount for mount in main["volumeMounts"] if mount["name"] == "shared-memory"]
