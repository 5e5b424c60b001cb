import json
from typing import Any

import pytest

from tests.schema.judge import problems
from tests.schema.others import FILE, text
from tests.schema.shared import CORPORA, corpora, needs_corpora, needs_crds

Tree = dict[str, Any]


def deployment(pod: Tree) -> Tree:
    template = {"metadata": {"labels": {"a": "b"}, "creationTimestamp": None}, "spec": pod}
    spec = {"selector": {"matchLabels": {"a": "b"}}, "template": template}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "d"}, "spec": spec}


@pytest.mark.parametrize("release", ["0.6", "1.0", "1.4"])
def test_kubernetes_kinds(release: str) -> None:
    assert problems(deployment({"containers": [{"name": "c", "resources": {}}]}), release) == []
    assert problems(deployment({"containers": [{"name": "c", "imag": "i"}]}), release) == [
        "spec.template.spec.containers[0].imag: The field `imag` does not exist in `containers[0]`:"
        " the API server would drop it."
    ]
    assert problems(deployment({"containers": [{"name": "c", "ports": [{"containerPort": "80"}]}]}), release) == [
        "spec.template.spec.containers[0].ports[0].containerPort: `containerPort` must be an integer,"
        ' but is the string "80".'
    ]
    assert problems(deployment({}), release) == ["spec.template.spec.containers: `spec` needs `containers`."]


@needs_crds
def test_the_schemas_of_others_are_those_of_the_reference() -> None:
    assert FILE.read_text() == text()


@pytest.mark.parametrize("release", ["0.6", "1.0", "1.4"])
@pytest.mark.parametrize(
    ("api_version", "kind", "wrong"),
    [
        ("scheduling.volcano.sh/v1beta1", "PodGroup", {"minMembers": 1}),
        ("inference.networking.k8s.io/v1", "InferencePool", {"selectors": {}}),
        ("scheduling.run.ai/v2", "Queue", {"resource": {}}),
    ],
)
def test_kinds_of_schedulers_and_gateways(release: str, api_version: str, kind: str, wrong: Tree) -> None:
    value = {"apiVersion": api_version, "kind": kind, "metadata": {"name": "x"}, "spec": wrong}
    assert any(f"The field `{next(iter(wrong))}` does not exist" in line for line in problems(value, release))


@pytest.mark.parametrize("release", ["0.6", "1.0", "1.4"])
def test_kinds_of_grove_and_lws(release: str) -> None:
    clique = {"apiVersion": "grove.io/v1alpha1", "kind": "PodCliqueSet", "metadata": {"name": "p"}, "spec": {}}
    assert "spec.template: `spec` needs `template`." in problems(clique, release)
    lws = {"apiVersion": "leaderworkerset.x-k8s.io/v1", "kind": "LeaderWorkerSet", "metadata": {"name": "l"}}
    assert problems(lws | {"spec": {"replica": 1}}, release)[0].startswith(
        "spec.replica: The field `replica` does not exist"
    )


def test_unknown_kinds_are_no_silent_pass() -> None:
    with pytest.raises(KeyError):
        problems({"apiVersion": "v1", "kind": "Servise"}, "1.0")
    assert problems({"apiVersion": "networking.istio.io/v1beta1", "kind": "VirtualService"}, "1.0") == []


@needs_corpora
@pytest.mark.parametrize("corpus", corpora())
def test_what_the_operator_sends_is_valid(corpus: str) -> None:
    found = set()
    for path in sorted((CORPORA / corpus / "expected").glob("*/*.json")):
        recorded = json.loads(path.read_text())
        for obj in recorded.get("objects", []) if recorded["admitted"] else []:
            found.update(f"{path.stem} {obj['kind']} {text}" for text in problems(obj, corpus[:3]))
    assert found == set()
