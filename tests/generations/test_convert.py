"""`dynamoc convert` of documents of Dynamo 0.1 to 0.3."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from tests.cli.conftest import Run
from tests.generations.conftest import IMAGE, Convert, graph

ARCHIVE = """\
service: graphs.agg:Frontend
entry_service: Frontend
services:
- name: Frontend
  config: {workers: 1, http_exposed: true, resources: {cpu: 2}}
- name: Worker
  config:
    dynamo: {enabled: true}
    workers: 3
    total_gpus: 8
    resources: {gpu: 4, memory: 20Gi, custom: {vendor/nic: 1}}
- name: Steering
  config: {dynamo: {enabled: true, component_type: planner}}
"""
COMPONENT = """\
apiVersion: nvidia.com/v1alpha1
kind: DynamoComponent
metadata: {name: frontend--abc}
spec:
  dynamoComponent: frontend:abc
  image: registry/old:1
  dockerConfigJsonSecretName: login
  imagePullSecrets: [{name: other}, {name: login}]
"""


def test_a_service_becomes_a_component(convert: Convert) -> None:
    service = """
    VllmWorker:
      replicas: 0
      envFromSecret: token
      envs: [{name: A, value: b}]
      resources: {limits: {cpu: "4", gpu: "1"}, requests: {cpu: 500m, gpu: "1"}}
      extraPodMetadata: {labels: {team: a}}
      extraPodSpec: {nodeSelector: {gpu: h100}, containers: [{name: side, image: x}]}
"""
    found = convert(graph(service, "  envs: [{name: G, value: h}]\n"), "--image", IMAGE)
    assert found.code == 0
    assert found.objects[0] == {
        "apiVersion": "nvidia.com/v1beta1",
        "kind": "DynamoGraphDeployment",
        "metadata": {"name": "chat", "namespace": "team"},
        "spec": {
            "backendFramework": "vllm",
            "env": [{"name": "G", "value": "h"}],
            "components": [found.component],
        },
    }
    assert found.component == {
        "name": "VllmWorker",
        "type": "worker",
        "replicas": 0,
        "podTemplate": {
            "metadata": {"labels": {"team": "a"}},
            "spec": {"nodeSelector": {"gpu": "h100"}, "containers": [found.main, {"name": "side", "image": "x"}]},
        },
    }
    assert found.main == {
        "name": "main",
        "image": IMAGE,
        "command": ["python3", "-m", "dynamo.vllm"],
        "env": [{"name": "A", "value": "b"}],
        "envFrom": [{"secretRef": {"name": "token"}}],
        "resources": {
            "limits": {"cpu": "4", "nvidia.com/gpu": "1"},
            "requests": {"cpu": "500m", "nvidia.com/gpu": "1"},
        },
    }


@pytest.mark.parametrize(
    ("names", "types"),
    [
        (["Frontend", "VllmWorker"], ["frontend", "worker"]),
        (["Frontend", "PrefillWorker", "VllmWorker"], ["frontend", "prefill", "decode"]),
        (["Planner", "Processor", "Router"], ["planner", None, None]),
    ],
)
def test_names_say_what_a_component_is(convert: Convert, names: list[str], types: list[str | None]) -> None:
    services = "".join(f"    {name}: {{replicas: 1}}\n" for name in names)
    found = convert(graph(services), "--image", "registry/own:1.4.0")
    assert [item.get("type") for item in found.objects[0]["spec"]["components"]] == types
    told = [message for _, message in found.about("convert/command")]
    assert len(told) == sum(name != "Frontend" for name in names)


def test_without_an_image_nothing_is_printed(convert: Convert) -> None:
    found = convert(graph("    A: {replicas: 1}\n    B: {replicas: 1}\n"), "--image", f"A={IMAGE}")
    assert (found.code, found.objects) == (1, [])
    assert found.about("generation/no-image") == [
        (8, "Nothing says which image `B` runs: its operator built one from the archive.")
    ]


@pytest.mark.parametrize("name", ["Worker", "frontend:abc"])
def test_images_are_given_by_component_or_archive(convert: Convert, name: str) -> None:
    assert convert(graph("    Worker: {replicas: 1}\n"), "--image", f"{name}={IMAGE}").main["image"] == IMAGE


def test_an_image_that_fits_nothing_is_a_warning(convert: Convert) -> None:
    found = convert(graph("    A: {replicas: 1}\n"), "--image", f"A={IMAGE}", "--image", "C=x")
    assert "generation/unused-image" in found.slugs()


def test_the_image_of_a_component_is_used_for_those_that_name_it(convert: Convert) -> None:
    found = convert(graph("    Worker: {replicas: 1}\n") + "---\n" + COMPONENT)
    assert found.code == 0
    assert [item["kind"] for item in found.objects] == ["DynamoGraphDeployment"]
    assert found.main["image"] == "registry/old:1"
    assert found.component["podTemplate"]["spec"]["imagePullSecrets"] == [{"name": "login"}, {"name": "other"}]
    assert "generation/old-image" in found.slugs()


def test_an_image_that_was_built_is_in_the_status(convert: Convert) -> None:
    status = "status: {conditions: [{type: ImageExists, status: 'True', message: 'registry/built:1'}]}\n"
    component = COMPONENT.replace("  image: registry/old:1\n", "") + status
    assert convert(graph("    Worker: {replicas: 1}\n") + "---\n" + component).main["image"] == "registry/built:1"


def test_an_archive_gives_services_resources_and_nodes(convert: Convert) -> None:
    Path("dynamo.yaml").write_text(ARCHIVE)
    text = graph("    Worker: {resources: {limits: {memory: 30Gi}}}\n    Wroker: {replicas: 2}\n")
    found = convert(text, "--graph-archive", "dynamo.yaml", "--image", IMAGE)
    frontend, steering, worker = found.objects[0]["spec"]["components"]
    assert [item["name"] for item in (frontend, steering, worker)] == ["Frontend", "Steering", "Worker"]
    assert steering["type"] == "planner"
    assert steering["podTemplate"]["spec"]["serviceAccountName"] == "planner-serviceaccount"
    assert (worker["replicas"], worker["multinode"]) == (3, {"nodeCount": 2})
    assert found.main["resources"] == {
        "limits": {"memory": "30Gi", "nvidia.com/gpu": "4", "vendor/nic": "1"},
        "requests": {"memory": "20Gi", "nvidia.com/gpu": "4", "vendor/nic": "1"},
    }
    assert found.about("generation/unknown-service") == [
        (8, "The archive has no service `Wroker`: these settings have no effect.")
    ]


@pytest.mark.parametrize("text", ["a: [", "services: {A: {}}", "- a", ""])
def test_what_is_no_archive_is_refused(convert: Convert, text: str) -> None:
    Path("dynamo.yaml").write_text(text)
    found = convert(graph("    A: {replicas: 1}\n"), "--graph-archive", "dynamo.yaml", "--image", IMAGE)
    assert (found.code, found.objects) == (1, [])


def test_an_archive_may_be_for_one_graph(convert: Convert) -> None:
    Path("dynamo.yaml").write_text(ARCHIVE)
    one = graph("    A: {replicas: 1}\n")
    text = one + "---\n" + one.replace("chat", "other").replace("abc", "def")
    found = convert(text, "--graph-archive", "chat=dynamo.yaml", "--image", IMAGE)
    assert [len(item["spec"]["components"]) for item in found.objects] == [3, 1]


def test_a_graph_whose_services_nobody_knows_is_refused(convert: Convert) -> None:
    found = convert(graph("").replace("  services:\n", ""), "--image", IMAGE)
    assert (found.code, found.slugs()[0]) == (1, "generation/no-services")


SETTINGS = (
    '{"Common": {"model": "org/m"}, "Worker": {"router": "kv", "ServiceArgs": {"workers": 4, "total_gpus": 4, '
    '"resources": {"gpu": "2"}}}}'
)


def test_settings_in_a_variable_become_replicas_resources_and_arguments(convert: Convert) -> None:
    service = f"    Worker:\n      envs: [{{name: DYN_DEPLOYMENT_CONFIG, value: '{SETTINGS}'}}]\n"
    found = convert(graph(service), "--image", IMAGE)
    assert (found.component["replicas"], found.component["multinode"]) == (4, {"nodeCount": 2})
    assert found.main["resources"]["limits"] == {"nvidia.com/gpu": "2"}
    assert found.main["args"] == ["--model", "org/m"]
    assert "env" not in found.main
    assert any("only `dynamo serve` read it (here router)" in message for _, message in found.about(
        "convert/no-successor"))  # fmt: skip
    fixed = convert(graph(service + "      replicas: 1\n"), "--image", IMAGE)
    assert fixed.component["replicas"] == 1


def test_the_first_operator_took_nothing_of_these_settings(convert: Convert) -> None:
    text = graph(f"    Worker:\n      envs: [{{name: DYN_DEPLOYMENT_CONFIG, value: '{SETTINGS}'}}]\n")
    text = text.replace("DynamoGraphDeployment", "DynamoDeployment").replace("dynamoGraph", "dynamoNim")
    found = convert(text, "--image", IMAGE)
    assert "replicas" not in found.component
    assert found.main["args"] == ["--model", "org/m"]


def test_a_claim_becomes_a_volume_and_a_claim_of_its_own(convert: Convert) -> None:
    claim = "{create: true, name: models, size: 100Gi, volumeAccessMode: ReadWriteMany, mountPoint: /m}"
    found = convert(graph(f"    Worker:\n      pvc: {claim}\n"), "--image", IMAGE)
    assert found.main["volumeMounts"] == [{"name": "models", "mountPath": "/m"}]
    assert found.component["podTemplate"]["spec"]["volumes"] == [
        {"name": "models", "persistentVolumeClaim": {"claimName": "models"}}
    ]
    assert found.objects[1] == {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": "models", "namespace": "team"},
        "spec": {
            "accessModes": ["ReadWriteMany"],
            "resources": {"requests": {"storage": "100Gi"}},
            "storageClassName": "",
        },
    }


@pytest.mark.parametrize(
    ("field", "words"),
    [
        ("externalServices: {A: {deploymentSelectorKey: name}}", "find each other"),
        ("runMode: {standalone: true}", "`runMode` is dropped"),
        ("dynamoNamespace: x", "computes the Dynamo namespace"),
        ("ingress: {enabled: true, host: x}", "`ingress` is dropped"),
        ("autoscaling: {enabled: true, maxReplicas: 3}", "HorizontalPodAutoscaler"),
        ("labels: {a: b}", "`labels` are dropped"),
        ("annotations: {a: b}", "`annotations` are dropped"),
        ("serviceName: Other", "the component is called `Worker`"),
        ("pvc: {name: x, mountPath: /m}", "is taken for `mountPoint`"),
        ("pvc: {name: x, size: 1Gi, mountPoint: /m}", "no effect without `create: true`"),
        ("pvc: {create: true, name: x, mountPoint: /m}", "it has no size and no volumeAccessMode"),
        ("livenessProbe: {httpGet: {port: 3000}}", "Nothing listens on port 3000"),
        ("componentTyp: worker", "The field `componentTyp` does not exist"),
    ],
)
def test_what_has_no_successor_is_a_finding_at_its_line(convert: Convert, field: str, words: str) -> None:
    found = convert(graph(f"    Worker:\n      {field}\n"), "--image", IMAGE)
    assert found.code == 0
    assert [item["place"]["line"] for item in found.findings if words in item["message"]] == [8]


@pytest.mark.parametrize("field", ["ingress: {enabled: false}", "autoscaling: {enabled: false}", "labels: {}"])
def test_what_says_nothing_is_not_mentioned(convert: Convert, field: str) -> None:
    found = convert(graph(f"    Frontend:\n      {field}\n"), "--image", IMAGE)
    assert found.slugs() == ["convert/port", "convert/no-successor"]


def test_a_component_deployment_stays_one(convert: Convert) -> None:
    text = (
        "apiVersion: nvidia.com/v1alpha1\nkind: DynamoNimDeployment\nmetadata: {name: test-vllmworker}\n"
        "spec:\n  dynamoNim: frontend--abc\n  dynamoTag: graphs.disagg:Frontend\n"
    )
    found = convert(text, "--image", f"frontend:abc={IMAGE}")
    assert found.objects == [
        {
            "apiVersion": "nvidia.com/v1beta1",
            "kind": "DynamoComponentDeployment",
            "metadata": {"name": "test-vllmworker"},
            "spec": {
                "name": "Frontend",
                "type": "frontend",
                "backendFramework": "vllm",
                "podTemplate": {"spec": {"containers": [{"name": "main", "image": IMAGE}]}},
            },
        }
    ]


def test_documents_beside_them_stay_or_are_converted_with_their_losses(convert: Convert) -> None:
    later = (
        "---\napiVersion: nvidia.com/v1alpha1\nkind: DynamoGraphDeployment\nmetadata: {name: later}\nspec:\n"
        "  services:\n    W:\n      ingress: {enabled: true}\n      extraPodSpec: {mainContainer: {image: x}}\n"
        "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata: {a: 'yes', b: '1e3'}\n"
    )
    found = convert(graph("    A: {replicas: 1}\n") + later, "--image", IMAGE)
    assert [item["apiVersion"] for item in found.objects] == ["nvidia.com/v1beta1", "nvidia.com/v1beta1", "v1"]
    assert found.objects[2]["data"] == {"a": "yes", "b": "1e3"}
    assert [line for line, _ in found.about("convert/lost")] == [15]


def test_the_result_renders(dynamoc: Run, convert: Convert) -> None:
    found = convert(graph("    Frontend: {replicas: 1}\n    VllmWorker: {replicas: 2}\n"), "--image", IMAGE)
    Path("new.yaml").write_text(yaml.safe_dump(found.objects[0]))
    result = dynamoc("render", "new.yaml", "--operator-version", "1.4", "--target", "plain")
    assert result.code == 0
    assert [item["kind"] for item in yaml.safe_load_all(result.out)].count("Deployment") == 2


def test_check_names_them_and_write_refuses(dynamoc: Run, convert: Convert) -> None:
    text = graph("    A: {replicas: 1}\n")
    assert convert(text, "--check").slugs() == ["convert/other-version"]
    assert convert(text, "--write", "--image", IMAGE).slugs() == ["convert/early-in-place"]
    assert Path("in.yaml").read_text() == text
    assert convert(text, "--to", "v1alpha1", "--image", IMAGE).slugs() == ["convert/early-version"]


def test_options_for_them_without_any_are_a_warning(convert: Convert) -> None:
    found = convert("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\n", "--image", IMAGE)
    assert (found.code, found.slugs()[0]) == (0, "generation/unused-option")


def test_the_same_input_gives_the_same_bytes(dynamoc: Run) -> None:
    Path("in.yaml").write_text(graph("    B: {replicas: 1}\n    A: {replicas: 1}\n"))
    first, second = (dynamoc("convert", "in.yaml", "--image", IMAGE).out for _ in range(2))
    assert first == second != ""
