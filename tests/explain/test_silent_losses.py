"""What the user wrote and does not take effect as written is a warning, or says only what is the case anyway."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from dynamoc.compiler.explain.fate import PART, VALUE, WITHOUT, Fates
from dynamoc.compiler.explain.traced import leaves
from dynamoc.compiler.explain.traced_compilation import explain_documents
from dynamoc.compiler.options import Options
from dynamoc.compiler.run import compile_paths
from dynamoc.documents.findings.finding import Finding, Findings
from dynamoc.documents.source.files import read_paths
from tests.explain.corpora import SHARED, needs_corpora
from tests.explain.test_faults import BETA, GRAPH, POD, WORKER

_CASES = 12
_RELEASES = ("0.6", "1.0", "1.4")


def warnings_of(text: str, folder: Path, release: str, target: str = "grove", *, strict: bool = False) -> list[Finding]:
    file = folder / "graph.yaml"
    file.write_text(
        text.replace("    Frontend:\n", "    Frontend:\n      replicas: 1\n").replace(
            WORKER, WORKER + "      replicas: 1\n"
        )
    )
    findings = Findings()
    compile_paths([str(file)], Options(operator_version=release, target=target, strict_context=strict), findings)
    return [item for item in findings.items if item.severity != "note"]


def lost(found: list[Finding], *slugs: str) -> list[Finding]:
    return [item for item in found if item.slug in slugs]


def shown(finding: Finding) -> list[str]:
    """The lines of a finding and of what it refers to."""
    text = Path(finding.place.file).read_text() if finding.place else ""
    places = [place for place in (finding.place, *finding.related) if place is not None]
    return [text.split("\n")[place.line - 1].strip() for place in places]


@pytest.mark.parametrize("release", ["1.2", "1.4"])
@pytest.mark.parametrize("amount", ["1-2", "${CPUS}", "four", "64GB"])
def test_an_amount_that_the_conversion_drops_is_reported(amount: str, release: str, tmp_path: Path) -> None:
    written = f'      resources:\n        limits:\n          cpu: "{amount}"\n'
    (found,) = lost(warnings_of(GRAPH.replace(WORKER, WORKER + written), tmp_path, release), "resources/dropped")
    assert shown(found) == [f'cpu: "{amount}"']


def test_the_main_container_wins_from_the_conversion_on_and_loses_before(tmp_path: Path) -> None:
    text = GRAPH.replace(
        WORKER + "      componentType", WORKER + "      resources: {limits: {gpu: '8'}}\n      componentType"
    )
    text = text.replace(
        "          command:", "          resources: {limits: {nvidia.com/gpu: '4'}}\n          command:"
    )
    lines = ["resources: {limits: {gpu: '8'}}", "resources: {limits: {nvidia.com/gpu: '4'}}"]
    for release, expected in (("1.0", lines[::-1]), ("1.4", lines)):
        (found,) = lost(warnings_of(text, tmp_path, release), "resources/overridden")
        assert shown(found) == expected
    equal = text.replace("'8'", "4")
    assert lost(warnings_of(equal, tmp_path, "1.4"), "resources/overridden") == []


@pytest.mark.parametrize("release", ["0.6", "1.0", "1.4"])
def test_a_zero_that_a_merge_takes_for_nothing_is_reported(release: str, tmp_path: Path) -> None:
    text = GRAPH.replace("      extraPodSpec:\n", "      extraPodSpec:\n        terminationGracePeriodSeconds: 0\n", 1)
    found = lost(warnings_of(text, tmp_path, release), "merge/value-lost")
    if release == "0.6":
        # Here what is optional replaces the default.
        assert found == []
    else:
        assert [shown(item) for item in found] == [["terminationGracePeriodSeconds: 0"]]
    fine = text.replace("Seconds: 0", "Seconds: 1")
    assert lost(warnings_of(fine, tmp_path, release), "merge/value-lost") == []


def test_a_mount_without_a_volume_becomes_a_claim_and_says_so(tmp_path: Path) -> None:
    mount = "          volumeMounts: [{name: nowhere, mountPath: /data}]\n"
    alpha = GRAPH.replace("          command:", mount + "          command:")
    beta = BETA.replace("          command:", mount + "          command:")
    for text in (alpha, beta):
        (found,) = lost(warnings_of(text, tmp_path, "1.4"), "volumes/claim-of-mount")
        assert shown(found) == [mount.strip()]
    claim = "---\napiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: nowhere}\n"
    context = tmp_path / "claim.yaml"
    context.write_text(claim)
    file = tmp_path / "graph.yaml"
    findings = Findings()
    options = Options(operator_version="1.4", target="grove", context=[str(context)])
    compile_paths([str(file)], options, findings)
    assert lost(findings.items, "volumes/claim-of-mount") == []


@pytest.mark.parametrize("release", ["1.0", "1.4"])
def test_a_claim_that_nobody_shows_is_a_warning_and_an_error_where_the_context_is_strict(
    release: str, tmp_path: Path
) -> None:
    text = GRAPH.replace(WORKER, WORKER + "      volumeMounts:\n      - {name: models, mountPoint: /m}\n")
    (found,) = lost(warnings_of(text, tmp_path, release, strict=True), "context/unknown-claim")
    assert (found.severity, shown(found)) == ("error", ["- {name: models, mountPoint: /m}"])
    (found,) = lost(warnings_of(text, tmp_path, release), "context/unknown-claim", "volumes/undeclared-claim")
    assert (found.severity, shown(found)) == ("warning", ["- {name: models, mountPoint: /m}"])


def test_a_claim_beside_those_that_the_graph_declares_may_be_misspelt(tmp_path: Path) -> None:
    text = GRAPH.replace(WORKER, WORKER + "      volumeMounts:\n      - {name: model, mountPoint: /m}\n")
    text = text.replace("spec:\n", "spec:\n  pvcs: [{name: models, create: false}]\n", 1)
    (found,) = lost(warnings_of(text, tmp_path, "1.4"), "volumes/undeclared-claim")
    assert found.hint == "write `models`"
    fixed = text.replace("name: model,", "name: models,")
    assert lost(warnings_of(fixed, tmp_path, "1.4"), "volumes/undeclared-claim") == []


def test_requests_of_other_gpus_than_the_limit_are_ignored_up_to_1_0(tmp_path: Path) -> None:
    written = "      resources:\n        requests: {gpu: '1'}\n        limits: {gpu: '2'}\n"
    text = GRAPH.replace(WORKER, WORKER + written)
    (found,) = lost(warnings_of(text, tmp_path, "1.0"), "resources/gpu-request-ignored")
    assert shown(found) == ["requests: {gpu: '1'}", "limits: {gpu: '2'}"]
    same = text.replace("'1'", "'2'")
    assert lost(warnings_of(same, tmp_path, "1.0"), "resources/gpu-request-ignored") == []


def test_containers_that_are_called_otherwise_are_reported(tmp_path: Path) -> None:
    text = GRAPH.replace(POD, POD + "          name: vllm\n", 1)
    (found,) = lost(warnings_of(text, tmp_path, "1.4"), "container/renamed")
    assert shown(found) == ["name: vllm"]
    side = "        containers: [{name: main, image: x}]\n"
    text = GRAPH.replace("        mainContainer:\n", side + "        mainContainer:\n", 1)
    (found,) = lost(warnings_of(text, tmp_path, "1.4"), "container/dropped")
    assert shown(found)[0] == side.strip()


def test_topology_needs_grove(tmp_path: Path) -> None:
    text = BETA.replace("spec:\n", "spec:\n  topologyConstraint: {clusterTopologyName: rack, packDomain: rack}\n", 1)
    (found,) = lost(warnings_of(text, tmp_path, "1.4", "lws"), "topology/ignored")
    assert shown(found) == ["topologyConstraint: {clusterTopologyName: rack, packDomain: rack}"]
    assert lost(warnings_of(text, tmp_path, "1.4", "grove"), "topology/ignored") == []


def test_a_shell_that_the_operator_replaces_is_reported(tmp_path: Path) -> None:
    command = "          command: [/bin/bash, -c]\n          args: ['set -o pipefail; python3 -m dynamo.trtllm']\n"
    text = GRAPH.replace("          command: [python3, -m, dynamo.vllm]\n", command)
    text = text.replace(WORKER, WORKER + "      multinode: {nodeCount: 2}\n      resources: {limits: {gpu: '8'}}\n")
    found = lost(warnings_of(text, tmp_path, "1.4"), "command/other-shell")
    assert {shown(item)[0] for item in found} == {"command: [/bin/bash, -c]"}
    alone = text.replace("multinode: {nodeCount: 2}", "subComponentType: decode")
    assert lost(warnings_of(alone, tmp_path, "1.4"), "command/other-shell") == []


def test_volumes_that_replace_those_of_the_operator_are_reported(tmp_path: Path) -> None:
    epp = (
        "    Epp:\n      componentType: epp\n      replicas: 1\n      eppConfig: {configMapRef: {name: c, key: k}}\n"
        "      extraPodSpec:\n        volumes: [{name: own, emptyDir: {}}]\n        mainContainer: {image: x:1.0.0}\n"
    )
    (found,) = lost(warnings_of(GRAPH + epp, tmp_path, "1.0"), "merge/volumes-lost")
    assert shown(found)[0] == "volumes: [{name: own, emptyDir: {}}]"


def test_explain_does_not_call_a_lost_zero_decisive(tmp_path: Path) -> None:
    file = tmp_path / "graph.yaml"
    file.write_text(
        GRAPH.replace("      extraPodSpec:\n", "      extraPodSpec:\n        terminationGracePeriodSeconds: 0\n", 1)
    )
    findings = Findings()
    documents = read_paths([str(file)], findings)
    explained = explain_documents(documents, Options(operator_version="1.4", target="grove"), findings)
    path = ("spec", "services", "Frontend", "extraPodSpec", "terminationGracePeriodSeconds")
    fate = Fates(explained, documents).of(0, path)
    assert (fate.how, "stays `terminationGracePeriodSeconds: 60`" in fate.reason) == (WITHOUT, True)


# --- the recorded corpora


@pytest.mark.slow
@needs_corpora
@pytest.mark.parametrize("corpus", sorted(path.parent.name for path in SHARED.glob("*/corpus.json")))
def test_no_field_is_lost_without_a_word(corpus: str) -> None:
    """Every field without an effect has a warning, or is one of the kinds that say what is the case anyway."""
    silent = []
    for path, options in _inputs(corpus):
        findings = Findings()
        documents = read_paths([str(path)], findings)
        explained = explain_documents(documents, options, findings)
        if findings.errors:
            continue
        fates = Fates(explained, documents)
        for number, document in enumerate(documents):
            if document.value.get("kind") not in ("DynamoGraphDeployment", "DynamoComponentDeployment"):
                continue
            for field, value in leaves(document.value):
                if (
                    field[:1] == ("spec",)
                    and value not in (None, "", {}, [])
                    and _is_silent(fates, number, field, findings)
                ):
                    silent.append((path.stem, options.target, ".".join(map(str, field)), value))
    assert silent == []


def _inputs(corpus: str) -> Iterator[tuple[Path, Options]]:
    folder = SHARED / corpus
    meta = json.loads((folder / "corpus.json").read_text())
    if meta["operatorVersion"] not in _RELEASES:
        return
    config = meta.get("operatorConfig")
    inputs = sorted((folder / "inputs").glob("*.yaml"))
    for number, path in enumerate(inputs[:: max(1, len(inputs) // _CASES)]):
        target = meta["targets"][number % len(meta["targets"])]
        file = str(folder / config) if config else None
        yield path, Options(operator_version=meta["operatorVersion"], target=target, operator_config=file)


def _is_silent(fates: Fates, number: int, field: Any, findings: Findings) -> bool:
    document = fates.documents[number]
    effects = fates.effects.of(document.file, document.index, field)
    if {effect.how for effect in effects} & {VALUE, PART} or _has_warning(document, field, findings):
        return False
    return fates.of(number, field).how == WITHOUT and not _says_what_is_so(document.value, field)


def _has_warning(document: Any, field: Any, findings: Findings) -> bool:
    """A warning about the field or the block around it, or one that refers to its line."""
    around = {document.place(field[:depth]) for depth in range(3, len(field) + 1)}
    warnings = [item for item in findings.items if item.severity != "note"]
    return any(
        (len(item.path) > 1 and field[: len(item.path)] == item.path)
        or around & set(item.related)
        or item.slug == "output/conflict"
        for item in warnings
    )


def _says_what_is_so(document: Any, field: Any) -> bool:
    """Kinds of fields about which silence is right, each with its reason."""
    parent: Any = document
    for step in field[:-1]:
        parent = parent[step]
    last = field[-1]
    if "requests" in field and last == "gpu":
        # Kubernetes takes the request from the limit; another number than the limit's is a warning.
        return True
    if field == ("spec", "serviceName"):
        # A DynamoComponentDeployment is known by metadata.name; releases differ in whether labels carry this one.
        return True
    if last == "useAsCompilationCache":
        # The mount takes effect; the mark chooses a place where none is written, and only for vLLM.
        return "mountPoint" in parent
    if "ingress" in field:
        # What belongs to a switch that is off.
        return not parent.get("enabled")
    if "command" in field:
        # The backend runs the arguments by a shell of the same kind; another kind is a warning.
        return str(parent[0]).rpartition("/")[2] == "sh"
    if field[-2:] == ("grove", "forceScalingGroup"):
        # Components of several nodes, or with a scaling group for another reason, have one anyway.
        return True
    if "identity" in field and "checkpoint" in field:
        # Part of a name that hangs on the UID, which is a note.
        return True
    if "resources" in field:
        # The same amount in the other place that sets it.
        part = next(step for step in field if step in ("limits", "requests"))
        return [str(value) for path, value in leaves(document) if part in path].count(str(parent[last])) > 1
    if last == "value" and "env" in field:
        # The same variable with the same value further out.
        return [value for path, value in leaves(document) if path[-1] == "value"].count(parent[last]) > 1
    if "annotations" in field:
        # Switches and strategies that say what the target does in any case.
        return str(last).startswith("nvidia.com/")
    return False
