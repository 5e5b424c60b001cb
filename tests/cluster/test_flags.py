from pathlib import Path

import pytest

from dynamoc.cluster.chart import chart_default
from dynamoc.cluster.flags import FLAGS
from tests.cluster.configuring import as_dict, read

MINIMAL = "mpi-run-ssh-secret-name: ssh\nmpiRunSecretNamespace: ops\nplanner-cluster-role-name: p\n"


def test_flags_that_are_left_out_have_the_operators_defaults(tmp_path: Path) -> None:
    config, findings = read(MINIMAL, "0.6", tmp_path)
    assert findings == []
    assert config.mpi.ssh_secret_namespace == "ops"
    assert config.orchestrators.grove.termination_delay == "15m0s"
    assert config.infrastructure.nats_address == ""


@pytest.mark.parametrize("flag", sorted(flag for flag, (_, attribute) in FLAGS.items() if attribute))
def test_a_flag_and_its_camel_case_say_the_same(flag: str, tmp_path: Path) -> None:
    camel = FLAGS[flag][0]
    value = {"grove-termination-delay": "90m", "virtual-service-supports-https": "true"}.get(flag, "x")
    lines = [line for line in MINIMAL.splitlines() if line.split(":")[0] not in (flag, camel)]
    spellings = [read("\n".join([*lines, f"{key}: {value}"]), "0.6", tmp_path) for key in (flag, camel)]
    (one, findings), (two, _) = spellings
    assert findings == []
    assert as_dict(one) == as_dict(two) != as_dict(read(MINIMAL, "0.6", tmp_path)[0])


def test_surroundings(tmp_path: Path) -> None:
    text = f"{MINIMAL}groveDetected: true\nkaiDetected: false\nmpiSecretPresent: false\ninternalImagesDebugger: d:1\n"
    config, findings = read(text, "0.6", tmp_path)
    assert findings == []
    assert (config.orchestrators.grove.enabled, config.orchestrators.kai_scheduler.enabled) == (True, False)
    assert (config.mpi.secret_present, config.images.debugger) == (False, "d:1")


@pytest.mark.parametrize(
    ("text", "finding"),
    [
        ("natsAdr: x", "warning config/unknown-field 4"),
        ("natsAddr: 4222", "error config/wrong-type 4"),
        ("groveDetected: maybe", "error config/wrong-type 4"),
        ("groveTerminationDelay: 4", "error config/wrong-type 4"),
        ("groveTerminationDelay: 4 h", "error config/duration 4"),
        ("modelExpressURL: 10.0.0.1:80", "error config/url 4"),
        ("plannerClusterRoleName: ''", "error config/required 4"),
        ("kind: OperatorConfiguration", "error config/wrong-kind 4"),
    ],
)
def test_what_the_operator_refuses(text: str, finding: str, tmp_path: Path) -> None:
    assert finding in read(f"{MINIMAL}{text}\n", "0.6", tmp_path)[1]


def test_a_restricted_operator_needs_no_cluster_role(tmp_path: Path) -> None:
    text = "mpiRunSecretName: ssh\nmpiRunSecretNamespace: ops\n"
    assert read(text, "0.6", tmp_path)[1] == ["error config/required 1"]
    assert read(f"{text}restrictedNamespace: a\n", "0.6", tmp_path)[1] == []


def test_values_of_the_chart(tmp_path: Path) -> None:
    values = """
grove: {enabled: true}
dynamo-operator:
  etcdAddr: e:1
  dynamo: {istio: {enabled: true, gateway: g}, internalImages: {debugger: d}, groveTerminationDelay: 1h}
"""
    config, findings = read(values, "0.6", tmp_path)
    default = as_dict(chart_default("0.6"))
    assert findings == []
    assert {key: value for key, value in as_dict(config).items() if value != default[key]} == {
        "orchestrators.grove.enabled": True,
        "orchestrators.grove.termination_delay": "1h0m0s",
        "infrastructure.etcd_address": "e:1",
        "ingress.virtual_service_gateway": "g",
        "images.debugger": "d",
    }


def test_restricted_chart(tmp_path: Path) -> None:
    config, findings = read("dynamo-operator: {namespaceRestriction: {enabled: true}}\n", "0.6", tmp_path)
    assert findings == []
    assert config.namespace.restricted == "dynamo-system"
    assert config.rbac.planner_cluster_role_name == ""
    assert config.rbac.dgdr_profiling_cluster_role_name.endswith("-dynamo-system-dgdr-profiling-nodes")
