from pathlib import Path

import pytest

from dynamoc.admission.cluster.config_files import flags_of
from dynamoc.admission.cluster.helm_values import chart_default
from tests.cluster.configuring import as_dict, read

MINIMAL = "mpi-run-ssh-secret-name: ssh\nmpiRunSecretNamespace: ops\nplanner-cluster-role-name: p\n"


def test_flags_that_are_left_out_have_the_operators_defaults(tmp_path: Path) -> None:
    config, findings = read(MINIMAL, "0.6", tmp_path)
    assert findings == []
    assert config.mpi.ssh_secret_namespace == "ops"
    assert config.orchestrators.grove.termination_delay == "15m0s"
    assert config.infrastructure.nats_address == ""


@pytest.mark.parametrize("flag", sorted(flag for flag, (_, attribute) in flags_of("0.6").items() if attribute))
def test_a_flag_and_its_camel_case_say_the_same(flag: str, tmp_path: Path) -> None:
    camel = flags_of("0.6")[flag][0]
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


@pytest.mark.parametrize(
    ("release", "key", "known"),
    [
        ("0.4", "enable-lws", True),
        ("0.5", "enableLWS", False),
        ("0.4", "modelExpressURL", False),
        ("0.5", "model-express-url", True),
        ("0.5", "prometheus-endpoint", False),
        ("0.5", "kaiDetected", True),
        ("0.4", "kaiDetected", False),
        ("0.5", "mpiSecretPresent", False),
    ],
)
def test_each_release_has_its_flags(release: str, key: str, known: bool, tmp_path: Path) -> None:
    value = "http://m" if "xpress" in key else "true"
    assert read(f"{key}: {value}\n", release, tmp_path)[1] == ([] if known else ["warning config/unknown-field 1"])


@pytest.mark.parametrize("release", ["0.4", "0.5"])
def test_early_operators_start_without_any_flag(release: str, tmp_path: Path) -> None:
    config, findings = read("natsAddr: nats:4222\n", release, tmp_path)
    assert findings == []
    assert config.mpi.ssh_secret_name == "mpi-run-ssh-secret"
    assert config.orchestrators.grove.termination_delay == "15m0s"


@pytest.mark.parametrize(("release", "finding"), [("0.4", []), ("0.5", ["warning config/unknown-value 1"])])
def test_lws_is_a_value_of_the_first_chart_only(release: str, finding: list[str], tmp_path: Path) -> None:
    config, findings = read("dynamo-operator: {dynamo: {enableLWS: true}}\n", release, tmp_path)
    assert findings == finding
    assert config.orchestrators.lws.enabled is (True if release == "0.4" else None)


def test_the_first_charts_name_the_addresses_of_what_they_install(tmp_path: Path) -> None:
    values = "dynamo-operator: {dynamo: {groveTerminationDelay: 1h}}\n"
    for release in ("0.4", "0.5"):
        config, findings = read(values, release, tmp_path)
        default = as_dict(chart_default(release))
        assert findings == []
        assert {key: value for key, value in as_dict(config).items() if value != default[key]} == {
            "orchestrators.grove.termination_delay": "1h0m0s"
        }
