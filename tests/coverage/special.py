"""Checks that need more than lines: two commands, a count, or the files of the project."""

from __future__ import annotations

import json
import re
import socket
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests import quick_yaml
from tests.cli.conftest import Run
from tests.coverage.checks import Outcome
from tests.coverage.table import Case, load_table
from tests.docs.pages import write_files
from tests.schema.judge import problems

ROOT = Path(__file__).parents[2]
INPUTS = load_table().inputs


def _line(case: Case, *options: str) -> tuple[str, ...]:
    return ("--operator-version", case.release, "--target", "plain", *options)


def export_renders_the_same(case: Case, dynamoc: Run, _outcome: Outcome | None) -> None:
    clean = quick_yaml.load(INPUTS["graph"])
    Path("clean.yaml").write_text(yaml.safe_dump(clean))
    export: dict[str, Any] = {**clean, "status": {"state": "successful"}}
    export["metadata"] = {**clean["metadata"], "uid": "u", "resourceVersion": "7", "managedFields": [{"manager": "x"}]}
    if not case.release.startswith("0."):
        export["metadata"]["annotations"] = {"nvidia.com/dynamo-operator-origin-version": f"{case.release}.0"}
    Path("export.yaml").write_text(yaml.safe_dump(export))
    alone = dynamoc("render", "export.yaml", *_line(case))
    assert alone.code == 1
    assert "--against" in alone.err
    updated = dynamoc("render", "export.yaml", "--against", "export.yaml", *_line(case))
    assert updated.out == dynamoc("render", "clean.yaml", *_line(case)).out != ""


def many_services_are_refused(case: Case, dynamoc: Run, _outcome: Outcome | None) -> None:
    graph = quick_yaml.load(INPUTS["graph"])
    worker = graph["spec"]["services"]["Worker"]
    for count, code in ((25, 0), (26, 1)):
        graph["spec"]["services"] = {f"S{number}": worker for number in range(count)}
        Path("many.yaml").write_text(json.dumps(graph))
        assert dynamoc("validate", "many.yaml", *_line(case)).code == code


def variables_are_sorted(_case: Case, _dynamoc: Run, outcome: Outcome | None) -> None:
    assert outcome is not None
    for _, main in outcome.matching("Main/*"):
        assert main["order"] == sorted(main["order"])


def same_bytes_again(case: Case, dynamoc: Run, outcome: Outcome | None) -> None:
    assert outcome is not None
    again = dynamoc("render", "in.yaml", *_line(case))
    assert again.out == outcome.out != ""


def variables_are_there_once(_case: Case, _dynamoc: Run, outcome: Outcome | None) -> None:
    assert outcome is not None
    for _, main in outcome.matching("Main/*"):
        assert len(main["order"]) == len(set(main["order"]))


def nothing_of_a_cluster(_case: Case, _dynamoc: Run, outcome: Outcome | None) -> None:
    assert outcome is not None
    for item in outcome.objects:
        assert "status" not in item
        assert not {"uid", "resourceVersion", "ownerReferences", "managedFields"} & set(item["metadata"])
        assert not [key for key in item["metadata"].get("annotations") or () if "last-applied" in key]


def objects_are_valid(case: Case, _dynamoc: Run, outcome: Outcome | None) -> None:
    assert outcome is not None
    assert outcome.objects
    assert [line for item in outcome.objects for line in problems(item, case.release)] == []


def hash_follows_the_pod(case: Case, dynamoc: Run, _outcome: Outcome | None) -> None:
    def name(**changes: Any) -> str:
        graph = quick_yaml.load(INPUTS["graph"].replace("x:1.0.0", "x:1.4.0"))
        worker = graph["spec"]["services"]["Worker"]
        worker["extraPodSpec"]["mainContainer"]["args"] = changes.pop("args", [])
        worker |= changes
        Path("hash.yaml").write_text(yaml.safe_dump(graph))
        result = dynamoc("render", "hash.yaml", *_line(case))
        found = [item for item in quick_yaml.load_all(result.out) if item["kind"] == "Deployment"]
        worker = next(item for item in found if item["metadata"]["name"] != "web-frontend")
        assert worker["metadata"]["labels"]["nvidia.com/dynamo-worker-hash"] == worker["metadata"]["name"][-8:]
        return str(worker["metadata"]["name"])

    first = name()
    assert re.fullmatch("web-worker-[0-9a-f]{8}", first)
    assert name(replicas=9) == first
    if case.release == "1.0":
        assert name(labels={"a": "b"}) == first
    assert name(args=["--other"]) != first


def claim_is_the_same_for_a_new_image(case: Case, dynamoc: Run, _outcome: Outcome | None) -> None:
    found = []
    for image in ("x:1.0.0", "x:1.0.1"):
        Path("claims.yaml").write_text(INPUTS["claims"].replace("x:1.0.0", image))
        result = dynamoc("render", "claims.yaml", *_line(case))
        found.append([text for text in result.out.split("---\n") if "kind: PersistentVolumeClaim" in text])
    assert found[0] == found[1] != []


def scaled_number_is_taken(case: Case, dynamoc: Run, _outcome: Outcome | None) -> None:
    live = quick_yaml.load(Path("in.yaml").read_text())
    live["spec"]["services"]["Worker"]["replicas"] = 8
    Path("live.yaml").write_text(yaml.safe_dump(live))
    line = ("validate", "in.yaml", "--against", "live.yaml", *_line(case))
    assert dynamoc(*line).code == 1
    assert dynamoc(*line, "--omit=replicas").code == 0


def renders_without_a_network(case: Case, dynamoc: Run, _outcome: Outcome | None) -> None:
    def refuse(*_: Any) -> None:
        raise AssertionError("a socket was opened")

    Path("in.yaml").write_text(INPUTS["graph"])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket.socket, "__init__", refuse)
        first, second = (dynamoc("render", "in.yaml", *_line(case)).out for _ in range(2))
    assert first == second != ""


def checkpoint_hash(case: Case, dynamoc: Run, _outcome: Outcome | None) -> None:
    identities = (
        "{model: org/m, backendFramework: vllm}",
        "{backendFramework: vllm, model: org/m}",
        "{model: org/m, backendFramework: vllm, tensorParallelSize: 1, pipelineParallelSize: 1}",
        "{model: org/m, backendFramework: vllm, tensorParallelSize: 2}",
    )
    Path("config.yaml").write_text(INPUTS["snapshot_config"].replace("@config", INPUTS["config"]))
    found = []
    for identity in identities:
        Path("warm.yaml").write_text(INPUTS["warm"].replace(identities[0], identity))
        result = dynamoc("render", "warm.yaml", "--operator-config", "config.yaml", *_line(case))
        found += re.findall(r'DYN_CHECKPOINT_HASH\n +value: "?([0-9a-f]{16})"?$', result.out, re.MULTILINE)[:1]
    assert found[0] == found[1] == found[2] == "8331eaf7874574cc"
    assert found[3] != found[0]


def model_label_is_the_hash(_case: Case, _dynamoc: Run, outcome: Outcome | None) -> None:
    assert outcome is not None
    service = next(item for name, item in outcome.matching("Service/dynamo-model-*"))
    digest = service["metadata"]["name"].removeprefix("dynamo-model-")
    for _, pod in outcome.matching("Pod/web-*"):
        assert pod["metadata"]["labels"]["nvidia.com/dynamo-base-model-hash"] == digest


EARLY_VARIABLES = (
    "ADD_NAMESPACE_PREFIX_TO_IMAGE_NAME",
    "API_STORE_ENDPOINT",
    "BENTO_IMAGE_BUILD_ENGINE",
    "BUILDKIT_URL",
    "DOCKER_REGISTRY_BENTO_REPOSITORY_NAME",
    "DOCKER_REGISTRY_DYNAMO_COMPONENTS_REPOSITORY_NAME",
    "DOCKER_REGISTRY_IN_CLUSTER_SERVER",
    "DOCKER_REGISTRY_SECURE",
    "DOCKER_REGISTRY_SERVER",
    "DOCKER_REGISTRY_USERNAME",
    "DYNAMO_IMAGE_BUILDER_NAMESPACE",
    "DYNAMO_IMAGE_BUILD_ENGINE",
    "DYNAMO_INGRESS_SUFFIX",
    "DYNAMO_SYSTEM_NAMESPACE",
    "ESTARGZ_ENABLED",
    "INTERNAL_IMAGES_BUILDKIT",
    "LOG_LEVEL",
    "YATAI_DEPLOYMENT_NAMESPACE",
    "YATAI_ENDPOINT",
    "YATAI_IMAGE_BUILDER_NAMESPACE",
    "YATAI_SYSTEM_NAMESPACE",
)


def early_variables_change_nothing(case: Case, dynamoc: Run, _outcome: Outcome | None) -> None:
    page = (ROOT / "docs" / "how-to" / "coming-from-old-generations.md").read_text()
    assert [name for name in (*EARLY_VARIABLES, "--natsAddr", "--etcdAddr") if f"`{name}`" not in page] == []
    Path("in.yaml").write_text(INPUTS["graph"].replace("x:1.0.0", "x:1.4.0"))
    plain = dynamoc("render", "in.yaml", *_line(case))
    with pytest.MonkeyPatch.context() as patch:
        for name in EARLY_VARIABLES:
            patch.setenv(name, "other")
        assert dynamoc("render", "in.yaml", *_line(case)).out == plain.out != ""


def settings_without_effect(case: Case, dynamoc: Run, _outcome: Outcome | None) -> None:
    Path("in.yaml").write_text(INPUTS["graph"])
    more = "leaderElection: {enabled: true, id: x}\nlogging: {level: debug}\nserver: {metrics: {port: 9999}}\n"
    more += "security: {enableHTTP2: true}\n"
    printed = []
    for text in ("", more):
        Path("config.yaml").write_text(INPUTS["config"] + text)
        result = dynamoc("render", "in.yaml", "--operator-config", "config.yaml", *_line(case))
        assert result.code == 0, result.err
        printed.append(result.out)
    assert printed[0] == printed[1]


def releases_differ(_case: Case, dynamoc: Run, _outcome: Outcome | None) -> None:
    Path("in.yaml").write_text(INPUTS["graph"])
    printed = {
        release: dynamoc("render", "in.yaml", "--operator-version", release, "--target", "plain").out
        for release in ("0.4", "0.6", "1.0")
    }
    assert len(set(printed.values())) == 3
    assert "" not in printed.values()


def streams_are_apart(case: Case, dynamoc: Run, _outcome: Outcome | None) -> None:
    Path("in.yaml").write_text(INPUTS["claims"].replace("create: true, ", ""))
    result = dynamoc("render", "in.yaml", *_line(case))
    assert result.code == 0
    assert "warning" in result.err
    assert all("kind" in item for item in quick_yaml.load_all(result.out))
    Path("bad.yaml").write_text(INPUTS["graph"].replace("vllm", "none", 1))
    refused = dynamoc("render", "bad.yaml", *_line(case))
    assert (refused.code, refused.out) == (1, "")


def files_are_stable(case: Case, dynamoc: Run, _outcome: Outcome | None) -> None:
    Path("in.yaml").write_text(INPUTS["graph"])
    found = []
    for _ in range(2):
        assert dynamoc("render", "in.yaml", "--output-dir", "out", *_line(case)).code == 0
        found.append({path.name: path.read_bytes() for path in Path("out").iterdir()})
    assert found[0] == found[1]
    assert (
        len([name for name in found[0] if name.endswith(".yaml")])
        == dynamoc("render", "in.yaml", *_line(case)).out.count("---\n") + 1
    )


def differences_in_ci(case: Case, dynamoc: Run, _outcome: Outcome | None) -> None:
    Path("old.yaml").write_text(INPUTS["graph"])
    Path("new.yaml").write_text(INPUTS["graph"].replace("replicas: 2", "replicas: 4"))
    Path("bad.yaml").write_text(INPUTS["graph"].replace("vllm", "none", 1))
    assert dynamoc("diff", "old.yaml", "old.yaml", *_line(case)).code == 0
    changed = dynamoc("diff", "old.yaml", "new.yaml", *_line(case))
    assert changed.code == 1
    assert "web-frontend" in changed.out
    assert "replicas" in changed.out
    assert dynamoc("diff", "old.yaml", "bad.yaml", *_line(case)).code == 2


def flux_example(case: Case, dynamoc: Run, _outcome: Outcome | None) -> None:
    page = ROOT / "docs" / "how-to" / "coming-from-old-generations.md"
    write_files(page, Path.cwd())
    image = "nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.4.0"
    converted = dynamoc("convert", "--to", "v1beta1", "llm-agg.yaml", "--image", image)
    assert converted.code == 0
    assert "`mountPath` is not a field of a claim" in converted.err
    Path("new.yaml").write_text(converted.out)
    result = dynamoc("render", "new.yaml", *_line(case))
    kinds = [item["metadata"]["name"] for item in quick_yaml.load_all(result.out) if item["kind"] == "Deployment"]
    assert sorted(name.split("-")[2] for name in kinds) == ["frontend", "processor", "vllmworker"]


def directory_in_stream_out(case: Case, dynamoc: Run, _outcome: Outcome | None) -> None:
    Path("app").mkdir()
    Path("app/graph.yaml").write_text(INPUTS["graph"])
    Path("app/claim.yaml").write_text("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c, namespace: team}\n")
    before = sorted(Path.cwd().rglob("*"))
    result = dynamoc("render", "app", *_line(case))
    assert result.code == 0
    assert {"ConfigMap", "Deployment"} <= {item["kind"] for item in quick_yaml.load_all(result.out)}
    assert sorted(Path.cwd().rglob("*")) == before


def image_changes_the_template(case: Case, dynamoc: Run, _outcome: Outcome | None) -> None:
    found = []
    for image in ("x:1.0.0", "x:1.0.1"):
        Path("in.yaml").write_text(INPUTS["graph"].replace("x:1.0.0", image))
        result = dynamoc("render", "in.yaml", *_line(case))
        text = re.sub(r"\bweb-worker-[0-9a-f]{8}\b", "web-worker", result.out)
        text = re.sub(r'(worker-hash|WORKER_SUFFIX\n *value): "?[0-9a-f]{8}"?', "hash", text)
        found.append(text.splitlines())
    changed = [(one, two) for one, two in zip(*found, strict=True) if one != two]
    assert len(changed) == 2
    assert all(one.strip().lstrip("- ").startswith("image:") for one, _ in changed)


def goldens_name_release_and_target(_case: Case, _dynamoc: Run, _outcome: Outcome | None) -> None:
    table = load_table()
    assert all(row["case"] for row in table.rows.values())
    cases = sorted((ROOT / "golden").glob("*/*/case.toml"))
    assert cases
    for path in cases:
        case = tomllib.loads(path.read_text())
        assert case.get("releases") or case.get("release") or case.get("commits"), path
        assert case.get("targets") or path.parts[-3] == "convert", path


def selectors_are_documented(_case: Case, _dynamoc: Run, _outcome: Outcome | None) -> None:
    text = (ROOT / "docs" / "troubleshooting.md").read_text()
    assert "-l nvidia.com/dynamo-graph-deployment-name=" in text
