"""`dynamoc upgrade`: what an operator that takes over does to graphs that are running."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from dynamoc.analysis.compare.comparison import Pattern
from dynamoc.analysis.compare.releases import FIELDS
from dynamoc.reference.features import FEATURES
from dynamoc.reference.releases import RELEASES
from tests.cli.conftest import Result, Run
from tests.compare.conftest import GRAPH, MULTINODE

ORIGIN = "nvidia.com/dynamo-operator-origin-version"


class Upgraded:
    """The JSON report on one graph."""

    def __init__(self, result: Result) -> None:
        self.code = result.code
        self.record: dict[str, Any] = json.loads(result.out)
        [self.graph] = self.record["graphs"]
        self.verdicts = {item["name"]: item["verdict"] for item in self.graph["components"]}
        self.serving = {item["name"]: item["serving"] for item in self.graph["components"]}
        self.changed = self.record["comparison"]["objects"]

    def object(self, kind: str, name: str) -> dict[str, Any]:
        [found] = [item for item in self.changed if item["kind"] == kind and item["name"].startswith(name)]
        return dict(found)

    def fields(self) -> set[str]:
        return {change["field"] for item in self.changed for change in item["changes"]}

    def reasons(self, component: str | None) -> list[tuple[str, str]]:
        [found] = [item for item in self.graph["components"] if item["name"] == component]
        return [(why["kind"], why["name"]) for why in found["why"]]


@pytest.fixture
def upgraded(dynamoc: Run) -> Any:
    def run(text: str, *options: str, old: str = "1.0", new: str = "1.4", target: str = "plain") -> Upgraded:
        Path("graph.yaml").write_text(text)
        return Upgraded(
            dynamoc("upgrade", "graph.yaml", "--from", old, "--to", new, "--target", target, "-o", "json", *options)
        )

    return run


def test_a_release_to_itself_touches_nothing(upgraded: Any) -> None:
    for release in RELEASES:
        for target in ("grove", "lws", "plain"):
            found = upgraded(GRAPH, old=release, new=release, target=target)
            assert found.changed == []
            assert set(found.verdicts.values()) == {"untouched"}


def test_workers_keep_their_generation_and_origin(upgraded: Any) -> None:
    found = upgraded(GRAPH)
    assert found.record["comparison"]["generations"] == []
    worker = found.object("Deployment", "web-worker-")
    assert worker["oldName"] is None
    assert worker["effect"] == "rolls"
    assert not any(ORIGIN in change["field"] and change["applied"] for change in worker["changes"])
    assert found.verdicts == {"Frontend": "rolls", "Worker": "rolls", None: "in-place"}
    assert found.record["summary"]["restarted"] == {"pods": 5, "gpus": 6}


def test_afresh_both_the_generation_and_the_origin_are_others(upgraded: Any) -> None:
    found = upgraded(GRAPH, "--fresh")
    assert len(found.record["comparison"]["generations"]) == 1
    assert found.record["mode"] == "fresh"


def test_workers_without_a_hash_become_a_generation(upgraded: Any) -> None:
    found = upgraded(GRAPH, old="0.6", new="1.0")
    [generation] = found.record["comparison"]["generations"]
    assert generation["old"] is None
    assert ("hash", "worker/generations") in found.reasons("Worker")


def test_an_origin_is_not_stamped_on_graphs_that_have_none(upgraded: Any) -> None:
    # Without it, workers go on with Ray.
    found = upgraded(MULTINODE, old="0.6", new="1.0", target="grove")
    worker = found.object("PodCliqueSet", "web")
    commands = [change["new"] for change in worker["changes"] if "containers[main].args" in change["field"]]
    assert "ray" in json.dumps(commands)
    assert "--nnodes" not in json.dumps(commands)


def test_old_workers_of_multinode_graphs_stay_without_grove(upgraded: Any) -> None:
    found = upgraded(MULTINODE, target="lws")
    assert found.verdicts["Worker"] == "orphaned"
    assert found.record["summary"]["stays"] == {"pods": 8, "gpus": 16}
    [worker] = [item for item in found.graph["components"] if item["name"] == "Worker"]
    assert any("until you delete DynamoComponentDeployment/web-worker-" in note for note in worker["notes"])
    # One set takes over the replicas of all.
    assert (worker["restarted"], worker["started"], worker["stopped"]) == (
        {"pods": 4, "gpus": 8},
        {"pods": 12, "gpus": 24},
        {"pods": 4, "gpus": 8},
    )
    assert (worker["running"], worker["peak"]) == ({"pods": 8, "gpus": 16}, {"pods": 16, "gpus": 32})
    assert any("nothing serves until one of the two is ready" in note for note in worker["notes"])


IMAGE = "nvcr.io/x/vllm:1.0.0"


@pytest.mark.parametrize(
    ("old", "image", "found", "slug"),
    [
        ("0.6", "vllm-runtime:0.6.0", "breaks", "check/old-runtime"),
        ("0.6", "vllm-runtime:0.7.1", "breaks", "check/no-nats"),
        ("1.0", "vllm-runtime:1.0.2", "breaks", "check/no-nats"),
        ("1.0", "vllm-runtime:1.4.0", None, ""),
        ("1.0", "mine:1.0.2", None, ""),
    ],
)
def test_a_graph_that_serves_nothing_afterwards(
    upgraded: Any, old: str, image: str, found: str | None, slug: str
) -> None:
    """What `check` says of the pods of the later release, and not of those that run."""
    result = upgraded(GRAPH.replace(IMAGE, f"nvcr.io/nvidia/ai-dynamo/{image}"), old=old)
    assert (result.verdicts["Worker"], result.serving["Worker"]) == ("rolls", found)
    [worker] = [item for item in result.graph["components"] if item["name"] == "Worker"]
    assert [mistake["slug"] for mistake in worker["mistakes"]] == [slug] * bool(slug)
    assert result.code == int(found == "breaks")
    assert bool(result.record["summary"]["outcomes"]["breaks"]) == (found == "breaks")


def test_addresses_that_the_operator_gets_keep_a_graph_alive(upgraded: Any) -> None:
    Path("values.yaml").write_text("dynamo-operator: {natsAddr: 'nats://nats:4222'}\n")
    text = GRAPH.replace(IMAGE, "nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.0.2")
    assert upgraded(text, "--to-cluster", "values.yaml").serving["Worker"] is None


def test_a_word_that_the_later_release_lacks_may_stay(upgraded: Any) -> None:
    """An API server judges what an update leaves as it is no more (asked of 1.34); a new object it refuses."""
    text = GRAPH.replace("componentType: frontend", "componentType: processor", 1)
    assert "processor" in text
    found = upgraded(text)
    assert found.graph["state"] is None
    assert found.graph["refused"] is True
    assert found.verdicts["Frontend"] == "rolls"


def test_what_grove_refuses_holds_back_the_whole_set(upgraded: Any) -> None:
    found = upgraded(MULTINODE, target="grove")
    assert {found.verdicts["Frontend"], found.verdicts["Worker"]} == {"recreates"}
    assert found.record["summary"]["restarted"] == {"pods": 10, "gpus": 16}
    assert ("feature", "grove/all-nodes-needed") in found.reasons("Worker")


def test_reasons_are_constants_features_and_configuration(upgraded: Any) -> None:
    found = upgraded(GRAPH)
    assert ("constant", "env/worker") in found.reasons("Worker")
    assert ("config", "infrastructure.natsAddress") in found.reasons("Worker")
    assert ("constant", "discovery/core-resources") in found.reasons(None)
    assert not any(kind == "constant" for kind, _ in found.reasons("Frontend"))


def test_prefill_and_decode_stay_workers_by_label(upgraded: Any) -> None:
    text = GRAPH.replace("componentType: worker", "componentType: worker\n      subComponentType: decode")
    for target in ("grove", "plain"):
        fresh, running = (upgraded(text, *options, target=target) for options in (("--fresh",), ()))
        assert any(field.endswith("labels[nvidia.com/dynamo-component-type]") for field in fresh.fields())
        assert not any(field.endswith("labels[nvidia.com/dynamo-component-type]") for field in running.fields())


def test_refusals_have_lines_and_do_not_hide_what_becomes_of_running_pods(dynamoc: Run, upgraded: Any) -> None:
    text = GRAPH.replace("vllm:1.0.0", "vllm:latest")
    found = upgraded(text)
    assert found.graph["refused"]
    assert [item["place"]["line"] for item in found.record["refusals"]] == [9, 16]
    assert found.verdicts["Worker"] == "rolls"
    assert found.code == 1
    assert upgraded(text, "--allow=refused").code == 0


def test_webhooks_that_refuse_a_graph_keep_the_operator_from_it(upgraded: Any) -> None:
    text = GRAPH.replace(
        "metadata: {name: web,", 'metadata: {name: web, annotations: {nvidia.com/grove-update-strategy: "x"},'
    )
    found = upgraded(text, target="grove")
    assert (found.graph["state"], found.changed) == ("blocked", [])
    assert upgraded(text, "--fresh", target="grove").graph["state"] == "refused"


def test_what_fails_to_reconcile_is_left_alone(upgraded: Any) -> None:
    other = GRAPH.partition("    Worker:")[2].replace("dynamo.vllm", "dynamo.sglang")
    found = upgraded(f"{GRAPH}    Other:{other}", target="grove")
    assert (found.graph["state"], found.changed) == ("stuck", [])
    assert found.record["summary"]["restarted"]["pods"] == 0


@pytest.mark.parametrize(
    ("text", "target", "words", "code"),
    [
        (GRAPH, "plain", ("rolls",), 1),
        (GRAPH, "plain", ("refused", "orphaned", "recreates"), 0),
        (GRAPH, "plain", ("never",), 0),
        # The mildest of several counts, and worse outcomes with it.
        (GRAPH, "plain", ("stuck", "rolls"), 1),
        (MULTINODE, "grove", ("rolls",), 1),
        (MULTINODE, "grove", ("lost",), 0),
        (MULTINODE, "lws", ("orphaned",), 1),
        (MULTINODE, "grove", ("recreates",), 1),
    ],
)
def test_fail_on(dynamoc: Run, text: str, target: str, words: tuple[str, ...], code: int) -> None:
    Path("graph.yaml").write_text(text)
    options = [option for word in words for option in (("--allow", "refused") if word == "never" else ("--deny", word))]
    command = ("upgrade", "graph.yaml", "--from", "1.0", "--to", "1.4", "--target", target, "--summary")
    assert dynamoc(*command).code == 0
    assert dynamoc(*command, *options).code == code


def test_what_the_earlier_release_refuses_is_an_error(dynamoc: Run) -> None:
    Path("graph.yaml").write_text(GRAPH.replace("replicas: 3", "replcias: 3"))
    result = dynamoc("upgrade", "graph.yaml", "--from", "1.0", "--to", "1.4")
    assert result.code == 2
    assert "replcias" in result.err
    assert "cannot be running" in result.out


def test_the_configuration_may_change_with_the_release(dynamoc: Run, upgraded: Any) -> None:
    needed = (
        "mpi: {sshSecretName: k, sshSecretNamespace: n}\nrbac: {plannerClusterRoleName: p, eppClusterRoleName: e}\n"
    )
    Path("new.yaml").write_text(f"infrastructure: {{natsAddress: 'nats://other:4222'}}\n{needed}")
    before = upgraded(GRAPH)
    after = upgraded(GRAPH, "--to-cluster", "new.yaml")
    path = "spec.template.spec.containers[main].env[NATS_SERVER]"
    assert path in before.fields()
    assert f"{path}.value" in after.fields()


def test_a_bad_configuration_is_an_error(dynamoc: Run) -> None:
    Path("graph.yaml").write_text(GRAPH)
    Path("new.yaml").write_text("infrastructure: 5\n")
    result = dynamoc("upgrade", "graph.yaml", "--from", "1.0", "--to-cluster", "new.yaml", "--summary")
    assert result.code == 2
    assert "new.yaml:1" in result.err


def test_wrong_usage(dynamoc: Run) -> None:
    Path("graph.yaml").write_text(GRAPH)
    assert dynamoc("upgrade", "graph.yaml").code == 2
    assert dynamoc("upgrade", "graph.yaml", "--from", "9.9").code == 2
    assert dynamoc("upgrade", "graph.yaml", "--from", "1.0", "--deny", "all").code == 2
    assert dynamoc("upgrade", "absent.yaml", "--from", "1.0").code == 2


def test_text_and_markdown_tell_the_same(dynamoc: Run) -> None:
    Path("graph.yaml").write_text(MULTINODE)
    command = ("upgrade", "graph.yaml", "--from", "1.0", "--to", "1.4", "--target", "lws")
    text, markdown = dynamoc(*command).out, dynamoc(*command, "-o", "markdown").out
    for word in ("Worker", "orphaned", "env/worker", "infrastructure.natsAddress", "6 pods, 8 GPUs restart"):
        assert word in text
        assert word in markdown
    assert "1.0 -> 1.4: 6 pods, 8 GPUs restart; 12 pods, 24 GPUs start in addition; 4 pods, 8 GPUs stop;" in text
    assert "32 GPUs are needed at once, instead of 16" in text


def test_a_manifest_that_brings_its_hash_along_keeps_it(dynamoc: Run) -> None:
    Path("graph.yaml").write_text(GRAPH)

    def names(release: str) -> set[str]:
        result = dynamoc("render", "graph.yaml", "--target", "plain", "-o", "json", "--operator-version", release)
        return {item["metadata"]["name"] for item in json.loads(result.out)["items"] if item["kind"] == "Deployment"}

    older = names("1.0")
    digest = next(name for name in older if "worker" in name).rpartition("-")[2]
    assert names("1.4") != older
    carried = f'metadata: {{name: web, annotations: {{nvidia.com/current-worker-hash: "{digest}"}}, '
    Path("graph.yaml").write_text(GRAPH.replace("metadata: {name: web, ", carried))
    assert names("1.4") == older


def test_fields_of_features_name_features_and_are_patterns() -> None:
    known = {feature.name for feature in FEATURES}
    for pattern, features in FIELDS:
        Pattern(pattern)
        assert set(features) <= known


def test_claims_of_components_go_with_their_owner(upgraded: Any) -> None:
    """Up to 0.5 a component's claim belongs to its DynamoComponentDeployment, whose name later has a hash."""
    claim = "{name: data, create: true, size: 1Gi, storageClass: s, volumeAccessMode: ReadWriteOnce, mountPoint: /d}"
    graph = f"""
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
metadata: {{name: g}}
spec: {{services: {{Worker: {{componentType: worker, replicas: 1, pvc: {claim},
  extraPodSpec: {{mainContainer: {{image: "x/vllm:1.0.0"}}}}}}}}}}
"""
    found = upgraded(graph, old="0.5", new="1.0")
    notes = [note for component in found.graph["components"] for note in component["notes"]]
    assert any("PersistentVolumeClaim/data" in note and "owner reference" in note for note in notes)


LIVE = Path(__file__).parent / "live" / "dynamo-1.0.dgd.live.yaml"


def test_an_export_is_what_its_manifest_is(upgraded: Any) -> None:
    """`kubectl get dgd -o yaml`: a List with status, and metadata that no manifest may have."""
    export = LIVE.read_text()
    assert "resourceVersion" in export
    live = upgraded(export)
    [item] = yaml.safe_load(export)["items"]
    manifest = json.loads(item["metadata"]["annotations"]["kubectl.kubernetes.io/last-applied-configuration"])
    manifest["metadata"]["annotations"] = {ORIGIN: item["metadata"]["annotations"][ORIGIN]}
    written = upgraded(yaml.safe_dump(manifest))
    # The images are of 1.0, which need the NATS that the chart of 1.4 does not install.
    assert (live.code, written.code) == (1, 1)
    assert live.verdicts == written.verdicts
    assert live.changed == written.changed
    assert live.graph["state"] is None
    assert live.verdicts["Worker"] == "rolls"
    assert live.serving["Worker"] == "breaks"


def test_an_export_without_an_origin_gets_none(upgraded: Any) -> None:
    """It was created before the operator wrote one; a manifest is taken to be created by the earlier release."""
    export = "".join(line for line in LIVE.read_text().splitlines(keepends=True) if ORIGIN not in line)
    live, release = upgraded(export), "1.0"
    assert release == live.record["from"]
    assert not any(ORIGIN in json.dumps(change) for item in live.changed for change in item["changes"])


def test_a_served_v1beta1_export_is_taken(dynamoc: Run, upgraded: Any) -> None:
    Path("alpha.yaml").write_text(GRAPH)
    text = dynamoc("convert", "alpha.yaml", "--to", "v1beta1").out
    value = yaml.safe_load(text)
    value["metadata"].update(uid="u", resourceVersion="7", generation=2, creationTimestamp="2026-01-01T00:00:00Z")
    value["metadata"]["managedFields"] = [{"manager": "kubectl"}]
    value["status"] = {"state": "successful"}
    found = upgraded(yaml.safe_dump({"apiVersion": "v1", "kind": "List", "items": [value]}), old="1.3", new="1.4")
    assert (found.code, found.graph["state"]) == (0, None)


def test_the_worst_outcome_comes_first_and_decides_the_exit_code(dynamoc: Run) -> None:
    broken = GRAPH.replace(
        "metadata: {name: web,", 'metadata: {name: bad, annotations: {nvidia.com/grove-update-strategy: "x"},'
    )
    Path("graphs.yaml").write_text(GRAPH + "---\n" + broken)
    command = ("upgrade", "graphs.yaml", "--from", "1.0", "--to", "1.4", "--target", "grove")
    result = dynamoc(*command)
    assert result.code == 1
    assert result.out.startswith("1.0 -> 1.4: 1 document gets stuck; 5 pods, 6 GPUs restart\n")
    assert result.out.index("/bad (") < result.out.index("/web (")
    assert dynamoc(*command, "--deny=stuck").code == 1
    assert dynamoc(*command, "--allow=refused").code == 0
    Path("graphs.yaml").write_text(broken)
    assert "no pods restart" not in dynamoc(*command).out
    summary = json.loads(dynamoc(*command, "-o", "json").out)["summary"]
    assert summary["outcomes"]["stuck"] == 1
    assert "1 document gets stuck" in dynamoc(*command, "-o", "markdown").out.replace("\\", "")


@pytest.mark.parametrize("target", ["plain", "grove"])
def test_a_claim_that_pods_lose_is_the_verdict(upgraded: Any, dynamoc: Run, target: str) -> None:
    claim = "{name: data, create: true, size: 1Gi, storageClass: s, volumeAccessMode: ReadWriteOnce, mountPoint: /d}"
    graph = GRAPH.replace("      replicas: 3\n", f"      replicas: 3\n      pvc: {claim}\n")
    found = upgraded(graph.replace(":1.0.0", ":1.4.0"), old="0.5", target=target)
    assert found.verdicts["Worker"] == "lost"
    assert found.record["summary"]["outcomes"]["lost"] == 1
    assert ("lost", "data") in found.reasons("Worker")
    assert not any("mounted several times" in why["text"] for c in found.graph["components"] for why in c["why"])
    text = dynamoc("upgrade", "graph.yaml", "--from", "0.5", "--to", "1.4", "--target", target).out
    assert text.startswith("0.5 -> 1.4: 1 component loses storage; ")
    assert "The claim data is no longer mounted at /d: pods start without its data." in text


def test_a_reason_is_told_once_with_its_values(dynamoc: Run) -> None:
    Path("graphs.yaml").write_text(GRAPH + "---\n" + GRAPH.replace("name: web", "name: shop"))
    out = dynamoc("upgrade", "graphs.yaml", "--from", "1.0", "--to", "1.4", "--target", "plain").out
    assert out.count("infrastructure.natsAddress") == 1
    assert "rolls: Frontend, Worker of team/web; Frontend, Worker of team/shop" in out
    assert 'pod containers[main].env[DYN_FORWARDPASS_METRIC_PORT]: none -> "20380"' in out


def test_a_model_without_a_spec_is_refused(dynamoc: Run) -> None:
    Path("model.yaml").write_text("{apiVersion: nvidia.com/v1alpha1, kind: DynamoModel, metadata: {name: m}}\n")
    result = dynamoc("upgrade", "model.yaml", "--from", "1.2", "--to", "1.4")
    assert result.code == 2
    assert "[admission/model-name]" in result.err
