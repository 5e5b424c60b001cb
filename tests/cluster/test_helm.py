from pathlib import Path

import pytest

from dynamoc.admission.cluster.helm_values import chart_default
from tests.cluster.configuring import as_dict, read


def changed(text: str, name: str, tmp_path: Path) -> dict[str, object]:
    config, findings = read(text, name, tmp_path)
    assert findings == []
    default = as_dict(chart_default(name))
    return {key: value for key, value in as_dict(config).items() if value != default[key]}


@pytest.mark.parametrize("name", ["1.0", "1.4"])
@pytest.mark.parametrize(
    ("values", "settings"),
    [
        ("global: {grove: {enabled: true}}", {"orchestrators.grove.enabled": True}),
        ("global: {grove: {install: true}}", {"orchestrators.grove.enabled": True}),
        ("global: {kai-scheduler: {install: true}}", {"orchestrators.kai_scheduler.enabled": True}),
        ("dynamo-operator: {natsAddr: 'nats://n'}", {"infrastructure.nats_address": "nats://n"}),
        ("dynamo-operator: {modelExpressURL: 'http://m'}", {"infrastructure.model_express_url": "http://m"}),
        ("dynamo-operator: {discoveryBackend: etcd}", {"discovery.backend": "etcd"}),
        (
            "global: {etcd: {install: true}}",
            {"infrastructure.etcd_address": "dynamo-platform-etcd.dynamo-system.svc.cluster.local:2379"},
        ),
        (
            "dynamo-operator: {dynamo: {groveTerminationDelay: null}}",
            {"orchestrators.grove.termination_delay": "15m0s"},
        ),
        ("dynamo-operator: {dynamo: {mpiRun: {secretName: keys}}}", {"mpi.ssh_secret_name": "keys"}),
        (
            "dynamo-operator: {dynamo: {ingress: {enabled: true, className: nginx}, ingressHostSuffix: a.b}}",
            {
                "ingress.controller_class_name": "nginx",
                "ingress.controller_tls_secret_name": "my-tls-secret",
                "ingress.host_suffix": "a.b",
            },
        ),
        ("dynamo-operator: {dynamo: {ingress: {className: nginx}}}", {}),
        ("dynamo-operator: {dynamo: {istio: {enabled: true, gateway: g}}}", {"ingress.virtual_service_gateway": "g"}),
        ("dynamo-operator: {dynamo: {istio: {gateway: g}}}", {}),
        (
            "dynamo-operator: {fullnameOverride: dyn}",
            {
                "rbac.planner_cluster_role_name": "dyn-planner",
                "rbac.dgdr_profiling_cluster_role_name": "dyn-dgdr-profiling",
                "rbac.epp_cluster_role_name": "dyn-epp",
            },
        ),
    ],
)
def test_values_become_settings(name: str, values: str, settings: dict[str, object], tmp_path: Path) -> None:
    assert changed(values, name, tmp_path) == settings


def test_nats_of_the_chart(tmp_path: Path) -> None:
    off = "dynamo-operator: {nats: {enabled: false}}"
    assert changed(off, "1.0", tmp_path) == {"infrastructure.nats_address": ""}
    installed = changed("global: {nats: {install: true}}", "1.4", tmp_path)
    assert installed == {"infrastructure.nats_address": chart_default("1.0").infrastructure.nats_address}


def test_restricted_operator(tmp_path: Path) -> None:
    values = "dynamo-operator: {upgradeCRD: false, namespaceRestriction: {enabled: true, targetNamespace: team-a}}"
    for name in ("1.0", "1.4"):
        found = changed(values, name, tmp_path)
        assert found.pop("namespace.restricted") == "team-a"
        assert set(found.values()) == {""}


def test_checkpoints(tmp_path: Path) -> None:
    found = changed(
        "dynamo-operator: {checkpoint: {enabled: true, storage: {type: s3, s3: {uri: 's3://b'}}}}", "1.0", tmp_path
    )
    assert found == {
        "checkpoint.enabled": True,
        "checkpoint.storage.type": "s3",
        "checkpoint.storage.s3.uri": "s3://b",
    }
    claim = "storage: {type: pvc, pvc: {pvcName: c, basePath: /c, create: true, size: 1Gi}}"
    found = changed(
        f"dynamo-operator: {{checkpoint: {{enabled: true, seccomp: {{disabled: true}}, {claim}}}}}", "1.4", tmp_path
    )
    assert found == {
        "checkpoint.enabled": True,
        "checkpoint.seccomp_profile": "",
        "checkpoint.storage.type": "pvc",
        "checkpoint.storage.pvc.pvc_name": "c",
        "checkpoint.storage.pvc.base_path": "/c",
        "checkpoint.storage.pvc.create": True,
        "checkpoint.storage.pvc.size": "1Gi",
    }


def test_service_mesh(tmp_path: Path) -> None:
    found = changed(
        "dynamo-operator: {dynamo: {serviceMesh: {enabled: true, istio: {tlsMode: DISABLE}}}}", "1.4", tmp_path
    )
    assert found == {
        "service_mesh.enabled": True,
        "service_mesh.provider": "istio",
        "service_mesh.istio.tls_mode": "DISABLE",
    }


@pytest.mark.parametrize(
    ("name", "values", "finding"),
    [
        ("1.0", "global: {grove: {enable: true}}", "warning config/unknown-value 1"),
        ("1.0", "dynamo-operator: {dynamo: {groveTerminatonDelay: 1h}}", "warning config/unknown-value 1"),
        ("1.0", "grove-operator: {}\nglobal: {}", "warning config/unknown-value 1"),
        ("1.0", "dynamo-operator:\n  dynamo:\n    groveTerminationDelay: 30", "error config/duration 3"),
        ("1.0", "dynamo-operator: {discoveryBackend: consul}", "error config/unsupported 1"),
        (
            "1.0",
            "dynamo-operator: {controllerManager: {leaderElection: {id: mine}}}",
            "error config/unsupported 1",
        ),
        ("1.0", "dynamo-operator:\n  dynamo: {mpiRun: {secretName: ''}}", "error config/required 1"),
        ("1.4", "nats: {enabled: true}\nglobal: {}", "error config/removed 1"),
        ("1.4", "dynamo-operator: {nats: {enabled: true}}", "error config/removed 1"),
        (
            "1.4",
            "global: {kai-scheduler: {enabled: true}, volcano-scheduler: {enabled: true}}",
            "error config/two-schedulers 1",
        ),
        ("1.4", "dynamo-operator: {namespaceRestriction: {enabled: true}}", "error config/unsupported 1"),
        ("1.4", "dynamo-operator: {checkpoint: {enabled: true, storage: {type: pvc}}}", "error config/required 1"),
    ],
)
def test_what_helm_refuses_or_ignores(name: str, values: str, finding: str, tmp_path: Path) -> None:
    assert finding in read(values, name, tmp_path)[1]


def test_keys_of_other_charts_below_global_are_left_alone(tmp_path: Path) -> None:
    assert read("global: {imageRegistry: mirror.example.com}\n", "1.0", tmp_path)[1] == []
