"""Updates: what immutability, transition rules and the state of the old object lead to."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from dynamoc.compiler.options import Options
from dynamoc.compiler.run import compile_paths
from dynamoc.documents.emit.yaml import dump_yaml
from dynamoc.documents.findings.finding import Findings

Tree = dict[str, Any]
UPDATES = ("update/", "cel/", "admission/")
RELEASES = ("1.0", "1.1", "1.2", "1.3", "1.4")
HUBS = ("1.3", "1.4")


def alpha(**spec: Any) -> Tree:
    """A graph of v1alpha1 with one service."""
    worker = {"componentType": "worker", "extraPodSpec": {"mainContainer": {"image": "registry/vllm:1.4.0"}}}
    return {
        "apiVersion": "nvidia.com/v1alpha1",
        "kind": "DynamoGraphDeployment",
        "metadata": {"name": "chat"},
        "spec": {"backendFramework": "vllm", "services": {"worker": worker}, **spec},
    }


def beta(**spec: Any) -> Tree:
    """A graph of v1beta1 with one component."""
    template = {"spec": {"containers": [{"name": "main", "image": "registry/vllm:1.4.0"}]}}
    return {
        "apiVersion": "nvidia.com/v1beta1",
        "kind": "DynamoGraphDeployment",
        "metadata": {"name": "chat"},
        "spec": {
            "backendFramework": "vllm",
            "components": [{"name": "worker", "type": "worker", "podTemplate": template}],
            **spec,
        },
    }


def changed(value: Tree, path: tuple[Any, ...], new: Any) -> Tree:
    """A copy with another value at `path`; None takes it away."""
    value = copy.deepcopy(value)
    at = value
    for step in path[:-1]:
        at = at[step] if isinstance(at, list) else at.setdefault(step, {})
    if new is None:
        at.pop(path[-1])
    else:
        at[path[-1]] = new
    return value


def told(tmp_path: Any, release: str, old: Tree | None, new: Tree, target: str = "grove") -> list[str]:
    """The names of the errors that an update leads to."""
    findings = Findings()
    render(tmp_path, release, old, new, findings, target)
    return sorted({item.slug for item in findings.items if item.severity == "error"})


def render(
    tmp_path: Any, release: str, old: Tree | None, new: Tree, findings: Findings, target: str = "grove"
) -> list[Tree]:
    (tmp_path / "new.yaml").write_text(dump_yaml([new]))
    against = []
    if old is not None:
        (tmp_path / "old.yaml").write_text(dump_yaml([old]))
        against = [str(tmp_path / "old.yaml")]
    options = Options(operator_version=release, target=target, against=against, include_intermediate=True)
    return compile_paths([str(tmp_path / "new.yaml")], options, findings)


FRONTEND = {"componentType": "frontend", "extraPodSpec": {"mainContainer": {"image": "registry/vllm:1.4.0"}}}
WORKER, COMPONENT = ("spec", "services", "worker"), ("spec", "components", 0)


@pytest.mark.parametrize("release", RELEASES)
def test_an_update_that_changes_nothing_is_taken(tmp_path: Any, release: str) -> None:
    assert told(tmp_path, release, alpha(), alpha()) == []


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize(
    ("path", "old", "new", "slug"),
    [
        (("spec", "backendFramework"), "vllm", "sglang", "update/backend-framework"),
        (("spec", "backendFramework"), "vllm", None, "update/backend-framework"),
        ((*WORKER, "multinode"), {"nodeCount": 2}, None, "update/multinode"),
        (("spec", "services", "other"), FRONTEND, None, "update/components"),
    ],
)
def test_what_no_release_lets_change(
    tmp_path: Any, release: str, path: tuple[str, ...], old: Any, new: Any, slug: str
) -> None:
    before = changed(alpha(), path, old)
    after = changed(before, path, new)
    assert told(tmp_path, release, before, before) == told(tmp_path, release, None, before) == []
    assert slug in told(tmp_path, release, before, after)
    assert slug in told(tmp_path, release, after, before)


def test_0_6_has_no_webhooks(tmp_path: Any) -> None:
    assert told(tmp_path, "0.6", alpha(), alpha(backendFramework="sglang"), "lws") == []


@pytest.mark.parametrize("release", RELEASES)
def test_nodes_may_change_but_not_from_one_to_several(tmp_path: Any, release: str) -> None:
    two, three = (changed(alpha(), (*WORKER, "multinode"), {"nodeCount": count}) for count in (2, 3))
    assert told(tmp_path, release, two, three) == []
    assert told(tmp_path, release, alpha(), three) == ["update/multinode"]


@pytest.mark.parametrize("release", RELEASES)
def test_replicas_of_a_scaled_component_are_the_adapters(tmp_path: Any, release: str) -> None:
    old = changed(changed(alpha(), (*WORKER, "scalingAdapter"), {"enabled": True}), (*WORKER, "replicas"), 2)
    new = changed(old, (*WORKER, "replicas"), 3)
    assert told(tmp_path, release, old, old) == []
    assert told(tmp_path, release, old, new) == ["update/scaled-replicas"]
    # One whose adapter is switched off at the same time is still scaled to 1.3, and no more before.
    off = changed(new, (*WORKER, "scalingAdapter"), None)
    assert told(tmp_path, release, old, off) == (["update/scaled-replicas"] if release in HUBS else [])


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize("phase", ["Pending", "InProgress", "Completed"])
def test_a_restart_waits_for_a_rolling_update(tmp_path: Any, release: str, phase: str) -> None:
    old = {**alpha(), "status": {"rollingUpdate": {"phase": phase}}}
    refused = ["update/restart-while-rolling"] if phase != "Completed" else []
    assert told(tmp_path, release, old, alpha(restart={"id": "1"})) == refused


@pytest.mark.parametrize("release", HUBS)
def test_a_restart_is_for_graphs_that_exist(tmp_path: Any, release: str) -> None:
    new = alpha(restart={"id": "1"})
    assert told(tmp_path, release, None, new) == ["cel/restart-is-unset-at-creation"]
    assert told(tmp_path, release, alpha(), new) == []
    order = alpha(restart={"id": "1", "strategy": {"type": "Sequential", "order": ["front"]}})
    assert told(tmp_path, release, alpha(), order) == ["admission/restart-order"]


@pytest.mark.parametrize("release", HUBS)
def test_minimum_of_available_replicas_is_kept_once_it_is_set(tmp_path: Any, release: str) -> None:
    one, two = (changed(changed(beta(), (*COMPONENT, "minAvailable"), n), (*COMPONENT, "replicas"), 2) for n in (1, 2))
    none = changed(one, (*COMPONENT, "minAvailable"), None)
    assert told(tmp_path, release, one, none) == [], "on Grove, 1 is what the webhook writes"
    assert told(tmp_path, release, two, none) == ["cel/min-available-is-kept"]
    assert told(tmp_path, release, none, two) == ["cel/min-available-is-kept"]
    assert told(tmp_path, release, stored(none), two) == [], "an older operator did not write it"


def stored(value: Tree, **metadata: Any) -> Tree:
    return {**value, "metadata": {**value["metadata"], "uid": "1", "resourceVersion": "7", **metadata}}


def test_a_component_is_found_by_its_name(tmp_path: Any) -> None:
    other = {**beta()["spec"]["components"][0], "name": "other", "minAvailable": 2, "replicas": 2}
    old = beta(components=[*beta()["spec"]["components"], other])
    new = beta(components=[other, *beta()["spec"]["components"]])
    assert told(tmp_path, "1.4", old, new) == []


@pytest.mark.parametrize("release", ["1.1", "1.2", "1.3", "1.4"])
def test_topology_constraints_are_kept(tmp_path: Any, release: str) -> None:
    name = "topologyProfile" if release in ("1.1", "1.2") else "clusterTopologyName"
    made, path = (alpha, WORKER) if release in ("1.1", "1.2") else (beta, COMPONENT)
    packed = made(topologyConstraint={name: "dc", "packDomain": "rack"})
    block = changed(packed, ("spec", "topologyConstraint", "packDomain"), "block")
    narrow = changed(packed, (*path, "topologyConstraint"), {"packDomain": "rack"})
    for old, new in [(packed, block), (packed, made()), (made(), packed), (packed, narrow), (narrow, packed)]:
        assert told(tmp_path, release, old, new) == ["update/topology"]


@pytest.mark.parametrize("release", HUBS)
def test_transfer_policy_is_kept(tmp_path: Any, release: str) -> None:
    policy = {"kvTransferPolicy": {"labelKey": "zone", "domain": "rack"}}
    spelt = {"kvTransferPolicy": {"labelKey": "zone", "domain": "rack", "enforcement": "required"}}
    assert told(tmp_path, release, beta(experimental=policy), beta(experimental=spelt)) == []
    assert told(tmp_path, release, beta(experimental=policy), beta()) == ["update/transfer-policy"]
    assert told(tmp_path, release, beta(), beta(experimental=policy)) == ["update/transfer-policy"]


def test_images_without_a_version_may_stay(tmp_path: Any) -> None:
    image = (*COMPONENT, "podTemplate", "spec", "containers", 0, "image")
    latest, other = (changed(beta(), image, f"registry/{name}:latest") for name in ("vllm", "other"))
    assert told(tmp_path, "1.4", None, latest) == ["admission/runtime-version"]
    assert told(tmp_path, "1.4", latest, latest) == []
    assert told(tmp_path, "1.4", latest, other) == ["update/runtime-version"]
    assert told(tmp_path, "1.4", beta(), changed(beta(), image, None)) == ["update/no-image"]


def test_power_is_kept_with_what_it_is_reckoned_by(tmp_path: Any) -> None:
    annotation = "dynamo.nvidia.com/gpu-power-limit"
    limits = (*COMPONENT, "podTemplate", "spec", "containers", 0, "resources")
    limited = changed(beta(), (*COMPONENT, "podTemplate", "metadata"), {"annotations": {annotation: "400"}})
    limited = changed(limited, limits, {"limits": {"nvidia.com/gpu": "1"}})
    other = changed(limited, (*COMPONENT, "podTemplate", "metadata", "annotations", annotation), "500")
    assert told(tmp_path, "1.4", limited, other) == ["update/power-limit"]
    assert told(tmp_path, "1.4", limited, changed(limited, limits, {"limits": {"nvidia.com/gpu": 1}})) == []
    assert told(tmp_path, "1.4", limited, changed(limited, limits, {"limits": {"nvidia.com/gpu": "2"}})) == [
        "update/power-limit"
    ]


def test_scaling_groups_are_kept(tmp_path: Any) -> None:
    forced = changed(beta(), (*COMPONENT, "experimental"), {"grove": {"forceScalingGroup": True}})
    unforced = changed(beta(), (*COMPONENT, "experimental"), {"grove": {"forceScalingGroup": False}})
    assert told(tmp_path, "1.4", beta(), unforced) == []
    for old, new in [(beta(), forced), (forced, beta()), (forced, unforced)]:
        assert told(tmp_path, "1.4", old, new) == ["update/scaling-group"]


@pytest.mark.parametrize("release", RELEASES)
def test_models_keep_base_and_type(tmp_path: Any, release: str) -> None:
    def model(**spec: Any) -> Tree:
        return {
            "apiVersion": "nvidia.com/v1alpha1",
            "kind": "DynamoModel",
            "metadata": {"name": "llama"},
            "spec": {"modelName": "llama", "baseModelName": "llama", **spec},
        }

    assert told(tmp_path, release, model(), model(modelName="other")) == []
    assert told(tmp_path, release, model(), model(baseModelName="other")) == ["update/model"]


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize("phase", ["Pending", "Profiling", "Ready", "Deploying", "Deployed", "Failed"])
def test_requests_that_are_worked_on_keep_their_spec(tmp_path: Any, release: str, phase: str) -> None:
    def request(**spec: Any) -> Tree:
        return {
            "apiVersion": "nvidia.com/v1beta1",
            "kind": "DynamoGraphDeploymentRequest",
            "metadata": {"name": "search"},
            "spec": {"model": "llama", "backend": "vllm", "image": "planner:1.4.0", **spec},
        }

    old = {**request(), "status": {"phase": phase}}
    busy = phase in ("Profiling", "Deploying", "Deployed") or (phase == "Ready" and release == "1.4")
    assert told(tmp_path, release, old, request()) == []
    assert told(tmp_path, release, old, request(model="other")) == (["update/request-phase"] if busy else [])


def test_an_object_that_is_being_deleted_takes_anything(tmp_path: Any) -> None:
    old = stored(alpha(), deletionTimestamp="2026-01-31T12:00:00Z")
    findings = Findings()
    render(tmp_path, "1.0", old, alpha(backendFramework="sglang"), findings)
    assert [item.slug for item in findings.items if item.slug.startswith("update/")] == ["update/deleting"]


def test_a_document_that_was_read_earlier_is_in_conflict(tmp_path: Any) -> None:
    read = stored(alpha())
    assert told(tmp_path, "1.0", read, read) == []
    assert told(tmp_path, "1.0", stored(alpha(), resourceVersion="8"), read) == ["update/conflict"]
    assert told(tmp_path, "1.0", None, read) == ["admission/resource-version"]


@pytest.mark.parametrize("release", ["1.2", "1.3", "1.4"])
def test_another_version_is_the_same_object(tmp_path: Any, release: str) -> None:
    from dynamoc.admission.convert.operator import to_v1beta1

    assert told(tmp_path, release, alpha(), to_v1beta1(alpha())) == []
    other = to_v1beta1(alpha(backendFramework="sglang"))
    findings = Findings()
    render(tmp_path, release, alpha(), other, findings)
    (error,) = [item for item in findings.items if item.severity == "error"]
    assert error.slug == "update/backend-framework"
    assert error.place is not None
    assert error.place.file.endswith("new.yaml")
    (related,) = error.related
    text = (tmp_path / "old.yaml").read_text().splitlines()[related.line - 1]
    assert text.strip() == "backendFramework: vllm"


def live(manifest: Tree, last: Tree | None, **spec: Any) -> Tree:
    """An object as `kubectl get` shows it, of which kubectl applied `last`."""
    import json

    annotations = {"nvidia.com/dynamo-operator-origin-version": "0.9.0"}
    if last is not None:
        annotations["kubectl.kubernetes.io/last-applied-configuration"] = json.dumps(last)
    return {**stored(manifest, annotations=annotations), "spec": {**manifest["spec"], **spec}}


def test_the_origin_version_stays(tmp_path: Any) -> None:
    """It decides between Ray and multiprocessing."""
    many = changed(alpha(), (*WORKER, "multinode"), {"nodeCount": 2})
    main = (*WORKER, "extraPodSpec", "mainContainer")
    many = changed(many, (*main, "command"), ["python3", "-m", "dynamo.vllm"])
    many = changed(many, (*main, "args"), ["--tensor-parallel-size", "2"])
    many = changed(many, (*WORKER, "resources"), {"limits": {"gpu": "1"}})
    for last in (None, many):
        findings = Findings()
        objects = render(tmp_path, "1.0", live(many, last), many, findings)
        assert [item.slug for item in findings.items if item.slug.startswith("update/")] == ["update/kept"]
        assert "ray start" in dump_yaml(objects)
    assert "ray start" not in dump_yaml(render(tmp_path, "1.0", None, many, Findings()))
    assert "ray start" not in dump_yaml(render(tmp_path, "1.0", many, many, Findings()))


def test_replicas_of_the_adapter_stay_where_the_document_says_none(tmp_path: Any) -> None:
    scaled = changed(alpha(), (*WORKER, "scalingAdapter"), {"enabled": True})
    running = changed(scaled, (*WORKER, "replicas"), 5)
    assert told(tmp_path, "1.0", live(running, scaled), scaled) == []
    assert told(tmp_path, "1.0", live(running, None), scaled) == []
    assert told(tmp_path, "1.0", live(running, running), scaled) == ["update/scaled-replicas"]
    assert told(tmp_path, "1.0", running, scaled) == ["update/scaled-replicas"]


def test_kubectl_replaces_the_list_of_components(tmp_path: Any) -> None:
    scaled = changed(beta(), (*COMPONENT, "scalingAdapter"), {})
    running = changed(scaled, (*COMPONENT, "replicas"), 5)
    assert told(tmp_path, "1.4", live(running, scaled), scaled) == ["update/scaled-replicas"]
    assert told(tmp_path, "1.4", live(running, scaled), running) == []
    findings = Findings()
    render(tmp_path, "1.4", live(running, None), scaled, findings)
    [kept] = [item.message for item in findings.items if item.slug.startswith("update/")]
    assert "`spec.components[0].replicas`" in kept, "server-side apply knows components by name"


def test_what_was_never_applied_stays_and_what_was_goes(tmp_path: Any) -> None:
    unnamed = changed(alpha(), ("spec", "backendFramework"), None)
    assert told(tmp_path, "1.0", live(alpha(), unnamed), unnamed) == []
    assert told(tmp_path, "1.0", live(alpha(), alpha()), unnamed) == ["update/backend-framework"]
    assert told(tmp_path, "1.0", live(alpha(), None), unnamed) == ["update/backend-framework"]


def test_an_annotation_that_holds_no_document_is_told(tmp_path: Any) -> None:
    key = "kubectl.kubernetes.io/last-applied-configuration"
    assert told(tmp_path, "1.0", stored(alpha(), annotations={key: "{"}), alpha()) == ["update/last-applied"]


def test_an_old_object_of_the_wrong_shape_is_told_where_it_stands(tmp_path: Any) -> None:
    findings = Findings()
    render(tmp_path, "1.0", alpha(services=[]), alpha(), findings)
    (error,) = findings.items
    assert error.slug == "schema/type"
    assert error.place is not None
    assert error.place.file.endswith("old.yaml")


def test_two_old_objects_of_one_name(tmp_path: Any) -> None:
    (tmp_path / "both.yaml").write_text(dump_yaml([alpha(), alpha()]))
    (tmp_path / "new.yaml").write_text(dump_yaml([alpha()]))
    findings = Findings()
    against = [str(tmp_path / "both.yaml")]
    compile_paths([str(tmp_path / "new.yaml")], Options(operator_version="1.0", against=against), findings)
    assert [item.slug for item in findings.items if item.slug.startswith("update/")] == ["update/duplicate"]


def test_nothing_that_goes_together_is_told(tmp_path: Any) -> None:
    other = changed(alpha(backendFramework="sglang"), ("metadata", "name"), "other")
    findings = Findings()
    render(tmp_path, "1.0", other, alpha(), findings, "lws")
    assert [item.slug for item in findings.items if item.slug.startswith("update/")] == ["update/no-pair"]


def test_a_checkpoint_that_exists_has_its_status(tmp_path: Any) -> None:
    checkpoint = {
        "apiVersion": "nvidia.com/v1alpha1",
        "kind": "DynamoCheckpoint",
        "metadata": {"name": "warm"},
        "spec": {
            "identity": {"model": "m", "backendFramework": "vllm"},
            "job": {"podTemplateSpec": {"spec": {"containers": [{"name": "main", "image": "i"}]}}},
        },
    }
    identity = changed(checkpoint, ("spec", "identity", "model"), "other")
    assert told(tmp_path, "1.0", checkpoint, identity, "lws") == ["cel/identity-is-kept"]
    from dynamoc.admission.cluster.previous import Previous
    from dynamoc.documents.source.reader import read_text

    text = dump_yaml([{**checkpoint, "status": {"phase": "Ready"}}])
    previous = Previous(read_text(text.encode(), "old.yaml", Findings()), None, Findings())
    (known,) = previous.checkpoints([identity], None)
    assert known["status"] == {"phase": "Ready"}
    assert known["spec"]["identity"]["model"] == "other"


def test_what_was_wrong_and_stays_the_same_is_let_pass(tmp_path: Any) -> None:
    """Bounds that came after an object was stored hold for what is changed only."""
    wrong = changed(beta(), (*COMPONENT, "multinode"), {"nodeCount": 1})
    assert told(tmp_path, "1.4", None, wrong) == ["schema/range"]
    assert told(tmp_path, "1.4", beta(), wrong) == ["schema/range"]
    assert told(tmp_path, "1.4", stored(wrong), wrong) == []
    more = changed(wrong, ("spec", "env"), [{"name": "A", "value": "1"}])
    assert told(tmp_path, "1.4", stored(wrong), more) == []
    other = changed(wrong, (*COMPONENT, "multinode", "nodeCount"), 0)
    assert told(tmp_path, "1.4", stored(wrong), other) == ["schema/range"]
    assert told(tmp_path, "1.4", wrong, wrong) == ["schema/range"], "no manifest could be applied with it"


def test_rules_let_pass_what_stays_the_same(tmp_path: Any) -> None:
    init = (*COMPONENT, "podTemplate", "spec", "initContainers")
    wrong = changed(beta(), init, [{"name": "wait"}])
    assert told(tmp_path, "1.4", None, wrong) == ["cel/init-container-has-an-image"]
    assert told(tmp_path, "1.4", stored(wrong), wrong) == []
    other = changed(wrong, init, [{"name": "wait", "command": ["x"]}])
    assert told(tmp_path, "1.4", stored(wrong), other) == ["cel/init-container-has-an-image"]
