from pathlib import Path

import pytest

from tests.cluster.configuring import MINIMAL, as_dict, read


def test_empty_settings_make_room_for_the_operators_own_defaults(tmp_path: Path) -> None:
    config, findings = read(MINIMAL, "1.0", tmp_path)
    assert findings == []
    assert config.orchestrators.grove.enabled is None
    assert config.orchestrators.grove.termination_delay == "15m0s"
    assert config.infrastructure.nats_address == ""
    assert config.discovery.backend == "kubernetes"
    assert config.checkpoint.storage.pvc.pvc_name == "snapshot-pvc"


def test_every_setting_is_read(tmp_path: Path) -> None:
    text = """
namespace: {restricted: team-a}
orchestrators:
  grove: {enabled: true, terminationDelay: 90m}
  lws: {enabled: false}
  kaiScheduler: {enabled: true}
  volcanoScheduler: {enabled: true}
infrastructure: {natsAddress: nats, etcdAddress: etcd, modelExpressURL: "http://me", prometheusEndpoint: "http://p"}
ingress: {virtualServiceGateway: gw, controllerClassName: nginx, controllerTLSSecretName: tls, hostSuffix: example.com}
rbac: {plannerClusterRoleName: p, dgdrProfilingClusterRoleName: d, eppClusterRoleName: e}
mpi: {sshSecretName: ssh, sshSecretNamespace: ops}
checkpoint:
  enabled: true
  cleanupImage: cleaner:1
  seccomp: {profile: mine.json}
  storage:
    type: pvc
    pvc: {pvcName: snap, basePath: /snap, create: true, size: 1Ti, storageClassName: fast, accessMode: ReadWriteMany}
discovery: {backend: etcd}
gpu: {discoveryEnabled: false}
dra: {enabled: false}
serviceMesh: {enabled: true, provider: istio, istio: {tlsMode: MUTUAL, insecureSkipVerify: false, clientCertificate: c,
  privateKey: k, caCertificates: ca}}
"""
    config, findings = read(text, "1.4", tmp_path)
    untouched, _ = read(MINIMAL, "1.4", tmp_path)
    assert findings == []
    same = {name for name, value in as_dict(config).items() if value == as_dict(untouched)[name]}
    assert same == {
        "checkpoint.gms_snapshot",
        "checkpoint.ready_for_checkpoint_file_path",
        "checkpoint.storage.oci.credentials_secret_ref",
        "checkpoint.storage.oci.uri",
        "checkpoint.storage.s3.credentials_secret_ref",
        "checkpoint.storage.s3.uri",
        "images.debugger",
        "ingress.virtual_service_supports_https",
        "lpx_enabled",
        "mpi.secret_present",
        *(f"rbac.{role}_cluster_role_name" for role in ("planner", "dgdr_profiling", "epp")),
        *(f"mpi.ssh_secret_{field}" for field in ("name", "namespace")),
        *(name for name in as_dict(config) if name.startswith("tls.")),
    }
    assert config.orchestrators.grove.termination_delay == "1h30m0s"
    assert config.service_mesh.wanted


@pytest.mark.parametrize(
    ("text", "finding"),
    [
        ("orchestrators: {grove: {enable: true}}", "warning config/unknown-field 4"),
        ("orchestrator: {grove: {enabled: true}}", "warning config/unknown-field 4"),
        ("checkpoint: {cleanupImage: x}", "warning config/unknown-field 4"),
        ("ingress: nginx", "error config/wrong-type 4"),
        ("infrastructure: {natsAddress: 4222}", "error config/wrong-type 4"),
        ('orchestrators: {grove: {enabled: "yes"}}', "error config/wrong-type 4"),
        ("orchestrators: {grove: {terminationDelay: 4}}", "error config/wrong-type 4"),
        ("orchestrators: {grove: {terminationDelay: 4 hours}}", "error config/duration 4"),
        ("orchestrators: {grove: {terminationDelay: -4h}}", "error config/duration 4"),
        ("server: {webhook: {port: 70000}}", "error config/port 4"),
        ("leaderElection: {enabled: true}", "error config/required 4"),
        ("discovery: {backend: consul}", "error config/unsupported 4"),
        ("infrastructure: {modelExpressURL: 10.0.0.1:8001}", "error config/url 4"),
        ("checkpoint: {enabled: true, storage: {type: nfs}}", "error config/unsupported 4"),
        ("checkpoint: {enabled: true, storage: {type: s3}}", "error config/required 4"),
        ("namespace: {restricted: a, scope: {leaseRenewInterval: 30s}}", "error config/lease 4"),
        ("namespace: {restricted: a, scope: {leaseDuration: -1s}}", "error config/lease 4"),
        ("kind: OperatorConfig", "error config/wrong-kind 4"),
        ("apiVersion: operator.config.dynamo.nvidia.com/v1", "error config/wrong-kind 4"),
    ],
)
def test_what_the_operator_refuses_or_ignores(text: str, finding: str, tmp_path: Path) -> None:
    assert finding in read(f"{MINIMAL}{text}\n", "1.0", tmp_path)[1]


@pytest.mark.parametrize(
    "text",
    [
        "checkpoint: {enabled: false, storage: {type: nfs}}",
        "namespace: {scope: {leaseRenewInterval: 30s}}",
        "leaderElection: {enabled: false}",
        "orchestrators: {grove: {terminationDelay: 0s, enabled: null}, lws: null}",
        "infrastructure: {modelExpressURL: model-express:8001}",
        "security: {enableHTTP2: true}",
    ],
)
def test_what_the_operator_takes(text: str, tmp_path: Path) -> None:
    assert read(f"{MINIMAL}{text}\n", "1.0", tmp_path)[1] == []


def test_roles_are_required_of_an_operator_for_the_whole_cluster(tmp_path: Path) -> None:
    mpi = "mpi: {sshSecretName: ssh, sshSecretNamespace: ops}\n"
    assert read(mpi, "1.0", tmp_path)[1] == ["error config/required 1"] * 3
    assert read(f"{mpi}namespace: {{restricted: a}}\n", "1.0", tmp_path)[1] == []
    assert read("rbac: {}\nnamespace: {restricted: a}\n", "1.0", tmp_path)[1] == ["error config/required 1"] * 2


def test_release_1_4_asks_for_other_things(tmp_path: Path) -> None:
    assert read(f"{MINIMAL}checkpoint: {{enabled: true, storage: {{type: nfs}}}}\n", "1.4", tmp_path)[1] == []
    mesh = "serviceMesh: {provider: istio, istio: {tlsMode: %s}}\n"
    assert read(MINIMAL + mesh % "MUTUAL", "1.4", tmp_path)[1] == ["error config/required 4"] * 2
    assert read(MINIMAL + mesh % "STRICT", "1.4", tmp_path)[1] == ["error config/unsupported 4"]
    assert read(MINIMAL + mesh % "DISABLE", "1.4", tmp_path)[1] == []
    off = "serviceMesh: {enabled: false, provider: istio, istio: {tlsMode: STRICT}}\n"
    assert read(MINIMAL + off, "1.4", tmp_path)[1] == []
    gone = "checkpoint: {readyForCheckpointFilePath: /x}\n"
    assert read(MINIMAL + gone, "1.4", tmp_path)[1] == ["warning config/unknown-field 4"]


def test_seccomp_can_be_turned_off(tmp_path: Path) -> None:
    config, _ = read(f"{MINIMAL}checkpoint: {{seccomp: {{disabled: true, profile: x}}}}\n", "1.4", tmp_path)
    assert config.checkpoint.seccomp_profile == ""


def test_hints_name_the_field_that_was_meant(tmp_path: Path) -> None:
    from dynamoc.admission.cluster.config_files import load_config
    from dynamoc.documents.findings.finding import Findings
    from dynamoc.reference.releases import get_release

    file = tmp_path / "config.yaml"
    file.write_text(f"{MINIMAL}orchestrators: {{grove: {{enable: true}}}}\nnatsAddress: x\n")
    findings = Findings()
    load_config(str(file), get_release("1.0"), findings)
    assert [item.hint for item in findings.items] == [
        "did you mean `infrastructure.natsAddress`?",
        "did you mean `enabled`?",
    ]


@pytest.mark.parametrize("text", ["", "- a\n", "a: 1\n---\nb: 2\n", "kind: ConfigMap\ndata: {}\n", "a: [\n"])
def test_files_that_hold_no_configuration(text: str, tmp_path: Path) -> None:
    assert any(finding.startswith("error") for finding in read(text, "1.0", tmp_path)[1])


def test_missing_file() -> None:
    from dynamoc.admission.cluster.config_files import load_config
    from dynamoc.documents.findings.finding import Findings
    from dynamoc.reference.releases import get_release

    findings = Findings()
    load_config("/nowhere/config.yaml", get_release("1.0"), findings)
    assert [item.slug for item in findings.items] == ["config/cannot-read"]
