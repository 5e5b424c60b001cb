"""What each changed line restarts: taking it back must take back its cost."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from dynamoc.analysis.compare.edits import Edits
from dynamoc.analysis.compare.trees import is_same
from dynamoc.reference.releases import DEFAULT_RELEASE
from tests.cli.conftest import Run
from tests.compare.conftest import GRAPH

GOLDEN = Path(__file__).parents[2] / "golden"
#: graphs of one document, in which the operator makes pods
INPUTS = sorted(path for path in GOLDEN.glob("*/*/input.yaml") if "\n---" not in path.read_text())
Line = dict[str, Any]

SCALARS = st.integers(0, 2) | st.sampled_from(["a", "b"]) | st.none() | st.booleans()
ELEMENTS = st.lists(st.fixed_dictionaries({"name": st.sampled_from("abcd")}, optional={"v": SCALARS}), max_size=4)
TREES = st.recursive(
    SCALARS | ELEMENTS,
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(["name", "env", "args"]), inner, max_size=3)
    ),
    max_leaves=12,
)


@settings(max_examples=300)
@given(TREES, TREES)
def test_all_edits_give_the_new_tree_and_none_the_old_one(old: object, new: object) -> None:
    edits = Edits(old, new)
    assert is_same(edits.applied(frozenset(range(len(edits.found)))), new) or old == new
    assert edits.applied(frozenset()) == old


def lines_of(dynamoc: Run, old: str, new: str, *options: str) -> list[Line]:
    found: list[Line] = report(dynamoc, old, new, *options)["lines"]
    return found


def report(dynamoc: Run, old: str, new: str, *options: str) -> dict[str, Any]:
    Path("old.yaml").write_text(old)
    Path("new.yaml").write_text(new)
    result = dynamoc("diff", "old.yaml", "new.yaml", "-o", "json", *options)
    assert result.code in (0, 1), result.err
    found: dict[str, Any] = json.loads(result.out)
    return found


def restarts(found: dict[str, Any]) -> set[tuple[str, ...]]:
    """The templates whose pods restart; names hold hashes, which differ from one state to another."""
    return {
        (item["kind"], part["component"] or item["name"], part["name"])
        for item in found["objects"]
        for part in item["pods"]
        if part["restarted"]["pods"]
    }


def of_line(line: Line) -> set[tuple[str, ...]]:
    return {
        (pods["kind"], pods["component"] or pods["name"], pods["template"])
        for pods in line["pods"]
        if pods["effect"] == "restarts"
    }


def changed(text: str, rng: random.Random) -> str | None:
    """The line with another value, None where it goes, or as it is where it has nothing to change."""
    key, colon, value = text.partition(": ")
    if not colon or key.strip(" -") in ("apiVersion", "kind", "name", "namespace", "claimName", "componentType"):
        return text
    if not key.lstrip().startswith("-") and rng.random() < 0.3:
        return None
    scalar = yaml.safe_load(value)
    if isinstance(scalar, bool):
        return f"{key}: {str(not scalar).lower()}"
    if isinstance(scalar, int):
        return f"{key}: {scalar + 1}"
    return f"{key}: {scalar}{rng.choice('0123456789')}" if isinstance(scalar, str) and scalar else text


def nulls(text: str) -> int:
    return str(yaml.safe_load(text)).count("None")


def joined(lines: list[str | None]) -> str:
    return "\n".join(line for line in lines if line is not None)


def mutated(dynamoc: Run, old: list[str], seed: str, options: tuple[str, ...]) -> list[str | None] | None:
    """The lines with up to four others that the operator takes together; None where it takes none."""
    rng = random.Random(seed)
    new: list[str | None] = list(old)
    for number in rng.sample(range(len(old)), len(old)):
        tried = list(new)
        tried[number] = changed(old[number], rng)
        # A block that loses its last line is another value of the line above.
        if tried[number] == old[number] or nulls(joined(tried)) > nulls(joined(list(old))):
            continue
        Path("new.yaml").write_text(joined(tried))
        if dynamoc("diff", "old.yaml", "new.yaml", "--allow=changes", "--summary", *options).code == 0:
            new = tried
        if sum(a != b for a, b in zip(old, new, strict=True)) == 4:
            break
    return new if new != old else None


class Pair:
    """A graph and what became of it, line by line; the new one may come first, so that lines are added."""

    def __init__(self, dynamoc: Run, old: list[str | None], new: list[str | None], options: tuple[str, ...]) -> None:
        self._run = dynamoc
        self._options = options
        self.old = old
        self.new = new
        self.written = {at for at, (a, b) in enumerate(zip(old, new, strict=True)) if a != b}

    def report(self, back: set[int]) -> dict[str, Any] | None:
        """The comparison with some lines taken back; None where that is refused."""
        lines = [self.old[at] if at in back else line for at, line in enumerate(self.new)]
        Path("old.yaml").write_text(joined(self.old))
        Path("new.yaml").write_text(joined(lines))
        result = self._run("diff", "old.yaml", "new.yaml", "-o", "json", *self._options)
        return json.loads(result.out) if result.code in (0, 1) else None

    def restarts(self, back: set[int]) -> set[tuple[str, ...]] | None:
        found = self.report(back)
        return None if found is None else restarts(found)

    def position(self, line: Line) -> int:
        """Which of the lines of the test a line of the report is."""
        side = self.old if line["side"] == "old" else self.new
        present = [at for at, text in enumerate(side) if text is not None]
        return present[line["line"] - 1]


@pytest.mark.slow
@pytest.mark.parametrize(("target", "added"), [("grove", False), ("grove", True), ("lws", False)])
@pytest.mark.parametrize("part", range(2))
def test_taking_lines_back_takes_back_their_cost(dynamoc: Run, target: str, part: int, added: bool) -> None:
    options = ("--target", target)
    judged = alone = together = free = 0
    for path in INPUTS[part::8]:
        old = yaml.safe_dump(yaml.safe_load(path.read_text()), width=10_000).splitlines()
        Path("old.yaml").write_text("\n".join(old))
        if dynamoc("validate", "old.yaml", *options).code:
            continue
        new = mutated(dynamoc, old, str(path.relative_to(GOLDEN)), options)
        if new is None:
            continue
        pair = Pair(dynamoc, new, list(old), options) if added else Pair(dynamoc, list(old), new, options)
        found = pair.report(set())
        if found is None or found["notCompared"]:
            # What can be changed in one way need not be in the other.
            continue
        judged += 1
        lines: list[Line] = found["lines"]
        assert {pair.position(line) for line in lines} == pair.written, path
        for line in lines:
            own, at = of_line(line), pair.position(line)
            if own and line["undoneAlone"]:
                alone += 1
                assert not own & (pair.restarts({at}) or set()), (path, line)
            elif own:
                together += 1
                others = {pair.position(lines[number]) for number in line["together"]}
                assert others
                assert not own & (pair.restarts({at, *others}) or set()), (path, line)
            if line["withoutRestart"]:
                free += 1
                assert not own
                assert pair.restarts(pair.written - {at}) == set(), (path, line)
    assert judged > 5
    assert alone
    assert together or target == "lws"
    assert free


def test_lines_without_a_restart_and_with_one(dynamoc: Run) -> None:
    new = GRAPH.replace("replicas: 2", "replicas: 4").replace("[--model, m]", '[--model, m, --tp, "2"]')
    scaled, argument = lines_of(dynamoc, GRAPH, new, "--target", "plain")
    assert (scaled["line"], scaled["withoutRestart"], scaled["restarted"]["pods"]) == (8, True, 0)
    assert scaled["started"] == {"pods": 2, "gpus": 0}
    assert (argument["line"], argument["withoutRestart"]) == (18, False)
    assert argument["restarted"] == {"pods": 3, "gpus": 6}
    assert argument["changes"][0]["new"] == ["--tp", "2"]
    assert argument["undoneAlone"] is True


def test_two_lines_of_one_restart_name_each_other(dynamoc: Run) -> None:
    new = GRAPH.replace("[--model, m]", "[--model, other]").replace('gpu: "2"', 'gpu: "4"')
    first, second = lines_of(dynamoc, GRAPH, new, "--target", "plain")
    assert (first["together"], second["together"]) == ([1], [0])
    assert first["undoneAlone"] is second["undoneAlone"] is False
    out = dynamoc("diff", "old.yaml", "new.yaml", "--target", "plain").out
    assert "restarts 3 pods, 6 GPUs (Worker); 6 more GPUs needed; together with line 18" in out
    assert "0 of 2 changed lines can be shipped without a restart" in out


def test_a_line_that_is_gone_is_shown_where_it_was(dynamoc: Run) -> None:
    """Its default counts: here, one replica."""
    new = GRAPH.replace("      replicas: 3\n", "")
    [line] = lines_of(dynamoc, GRAPH, new, "--target", "plain")
    assert (line["side"], line["file"], line["line"]) == ("old", "old.yaml", 12)
    assert line["stopped"] == {"pods": 2, "gpus": 4}
    assert line["withoutRestart"] is True
    assert "- old.yaml:12  - spec.services.Worker.replicas: 3\n" in dynamoc("diff", "old.yaml", "new.yaml").out


def test_lines_that_restart_only_together(dynamoc: Run) -> None:
    """A label of the graph in two variables: either alone makes another text, both together the old one."""
    env = "envs: [{name: A, value: %s}]\n      "
    old = GRAPH.replace("replicas: 2\n", "replicas: 2\n      " + (env % "x").rstrip(" "))
    moved = GRAPH.replace("spec:\n  services", "spec:\n  envs: [{name: A, value: x}]\n  services", 1)
    worker = moved.replace("replicas: 3\n", "replicas: 3\n      " + (env % "z").rstrip(" "))
    old = old.replace("replicas: 3\n", "replicas: 3\n      " + (env % "z").rstrip(" "))
    added, removed = lines_of(dynamoc, old, worker, "--target", "grove")
    assert removed["side"] == "old"
    assert not added["restarted"]["pods"]
    assert not removed["restarted"]["pods"]
    # What the graph says is what the component said: only both together leave the pods alone.
    assert removed["alone"]["pods"] == 2
    assert removed["withoutRestart"] is False
    assert "no restart with all other changes; alone, it restarts 2 pods" in dynamoc("diff", "old.yaml", "new.yaml").out


def test_a_line_that_is_refused_alone_says_so(dynamoc: Run) -> None:
    single = GRAPH.replace('      resources: {limits: {gpu: "2"}}\n', "")
    new = GRAPH.replace("      replicas: 3\n", "      replicas: 3\n      multinode: {nodeCount: 2}\n")
    options = ("--target", "lws", "--operator-version", "1.2")
    lines = lines_of(dynamoc, single, new, *options)
    refused = [line for line in lines if line["refusedAlone"]]
    assert len(refused) == 1
    assert refused[0]["changes"][0]["field"] == "spec.services.Worker.multinode"
    assert refused[0]["refusedUpdate"].startswith("`Worker` cannot change between one node and several")
    assert not refused[0]["withoutRestart"]
    out = dynamoc("diff", "old.yaml", "new.yaml", *options).out
    assert "not possible alone: A multinode component needs a limit of nvidia.com/gpu" in out
    assert "the API server refuses this change" in out


def test_an_anchor_is_one_line(dynamoc: Run) -> None:
    shared = GRAPH.replace('image: "nvcr.io/x/vllm:1.0.0"', 'image: &image "nvcr.io/x/vllm:1.0.0"')
    shared = shared.replace("image: nvcr.io/x/vllm:1.0.0", "image: *image")
    [line] = lines_of(dynamoc, shared, shared.replace("1.0.0", "1.0.1"), "--target", "plain")
    assert (line["line"], len(line["changes"])) == (9, 2)
    assert line["restarted"] == {"pods": 5, "gpus": 6}
    assert "and 1 more change" in dynamoc("diff", "old.yaml", "new.yaml").out


def test_graphs_that_come_and_go_are_lines_of_their_own(dynamoc: Run) -> None:
    other = GRAPH.replace("name: web", "name: other")
    [line] = lines_of(dynamoc, GRAPH, GRAPH + "---\n" + other, "--target", "plain")
    assert line["started"] == {"pods": 5, "gpus": 6}
    assert line["withoutRestart"] is True
    [line] = lines_of(dynamoc, GRAPH + "---\n" + other, GRAPH, "--target", "plain")
    assert (line["side"], line["stopped"]) == ("old", {"pods": 5, "gpus": 6})


def test_another_version_of_the_api_is_one_change(dynamoc: Run) -> None:
    Path("old.yaml").write_text(GRAPH)
    converted = dynamoc("convert", "old.yaml", "--to", "v1beta1").out
    [line] = lines_of(dynamoc, GRAPH, converted, "--target", "plain")
    assert line["withoutRestart"] is True
    assert "in another version of the API" in dynamoc("diff", "old.yaml", "new.yaml").out


def test_many_lines_are_taken_together(dynamoc: Run) -> None:
    def graph(value: str) -> str:
        envs = "".join(f"\n      - {{name: V{number}, value: {value}}}" for number in range(150))
        return GRAPH.replace("      replicas: 2\n", f"      replicas: 2\n      envs:{envs}\n")

    lines = lines_of(dynamoc, graph("a"), graph("b"), "--target", "plain")
    assert len(lines) == 50
    assert all(line["lastLine"] == line["line"] + 2 for line in lines)
    assert sum(len(line["changes"]) for line in lines) == 150


def test_of_many_documents_more_lines_are_taken_together(dynamoc: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dynamoc.analysis.compare.line_causes._MOST", 20)
    envs = "".join(f"\n      - {{name: V{number}, value: a}}" for number in range(12))
    graph = GRAPH.replace("      replicas: 2\n", f"      replicas: 2\n      envs:{envs}\n")
    old = "---\n".join(graph.replace("name: web", f"name: web-{number}") for number in range(3))
    lines = lines_of(dynamoc, old, old.replace("value: a", "value: b"), "--target", "plain")
    assert len(lines) == 18
    assert sum(len(line["changes"]) for line in lines) == 36
    assert all(line["restarted"]["pods"] == 2 for line in lines)


def test_documents_beside_the_graph_count(dynamoc: Run) -> None:
    """A pull secret that comes into the namespace is mounted into pods: the line is that of the Secret."""
    config = "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: c, namespace: team}\ndata: {a: %s}\n"
    [line] = lines_of(dynamoc, GRAPH + config % "x", GRAPH + config % "z", "--target", "plain")
    assert line["withoutRestart"] is True
    assert line["changes"][0]["field"] == "data.a"


def test_the_content_of_secrets_stays_secret(dynamoc: Run) -> None:
    secret = "---\napiVersion: v1\nkind: Secret\nmetadata: {name: c, namespace: team}\nstringData: {a: %s}\n"
    Path("old.yaml").write_text(GRAPH + secret % "hidden-one")
    Path("new.yaml").write_text(GRAPH + secret % "hidden-two")
    for output in ("text", "json", "markdown"):
        out = dynamoc("diff", "old.yaml", "new.yaml", "-o", output).out
        assert "stringData.a" in out
        assert "hidden-" not in out


def test_what_is_ignored_restarts_all_the_same(dynamoc: Run) -> None:
    new = GRAPH.replace("[--model, m]", "[--model, other]")
    found = report(dynamoc, GRAPH, new, "--target", "grove", "--operator-version", "1.4", "--ignore", "**.args")
    assert found["summary"]["restarted"]["pods"] == 0
    assert found["lines"][0]["restarted"] == {"pods": 3, "gpus": 6}
    assert not found["lines"][0]["withoutRestart"]


def test_a_file_that_cannot_be_read_is_no_line(dynamoc: Run) -> None:
    Path("old.yaml").write_text(GRAPH)
    Path("new.yaml").write_text(GRAPH + "  - [\n")
    out = dynamoc("diff", "old.yaml", "new.yaml", "--keep-going", "-o", "json").out
    assert json.loads(out)["lines"] == []


def test_exports_of_a_cluster_have_no_lines(dynamoc: Run) -> None:
    live = GRAPH.replace("metadata: {", "metadata: {uid: 1a, ")
    assert report(dynamoc, live, GRAPH.replace("replicas: 2", "replicas: 4"))["lines"] is None


def comment(dynamoc: Run, old: str, new: str, *options: str) -> str:
    Path("old.yaml").write_text(old)
    Path("new.yaml").write_text(new)
    return dynamoc("diff", "old.yaml", "new.yaml", "-o", "markdown", "--target", "plain", *options).out


def test_the_comment_names_file_component_change_and_cost(dynamoc: Run) -> None:
    new = GRAPH.replace("replicas: 2", "replicas: 4").replace("[--model, m]", "[--model, other]")
    text = comment(dynamoc, GRAPH, new)
    assert "| `new.yaml:8` | `Frontend` | `replicas: 2 -> 4` | no restart; 2 pods start |\n" in text
    arguments = "`extraPodSpec.mainContainer.args: - m + other`"
    assert f"| `new.yaml:18` | `Worker` | {arguments} | restarts 3 pods, 6 GPUs (Worker) |\n" in text
    assert f"\nOperator {DEFAULT_RELEASE}, target plain\n" in text
    assert "\n1 of 2 changed lines can be shipped without a restart.\n" in text
    assert " @@ spec.template.spec.containers[main].args[1]\n" in text


def test_the_comment_folds_equal_changes_of_images(dynamoc: Run) -> None:
    text = comment(dynamoc, GRAPH, GRAPH.replace("1.0.0", "1.0.1"))
    rows = [row for row in text.splitlines() if row.startswith("| `new.yaml")]
    assert rows == [
        "| `new.yaml:9`<br>`new.yaml:16` | `Frontend`, `Worker` | image `nvcr.io/x/vllm` `1.0.0` → `1.0.1` "
        "in 2 components | restarts 5 pods, 6 GPUs |"
    ]


def test_the_comment_tells_warnings_and_what_is_not_compared(dynamoc: Run) -> None:
    other = GRAPH.replace("name: web", "name: other")
    broken = other.replace("componentType: worker", "componentType: worker\n      nonsense: 1")
    text = comment(dynamoc, GRAPH, GRAPH.replace("replicas: 2", "replicas: 3") + "---\n" + broken, "--keep-going")
    assert "> **error:** `new.yaml:31:7`: " in text
    assert "`schema/unknown-field`" in text
    assert "> **Not compared:** new.yaml (DynamoGraphDeployment/other)" in text
    several = GRAPH.replace("      replicas: 3\n", "      replicas: 3\n      multinode: {nodeCount: 2}\n")
    text = comment(dynamoc, GRAPH, several, "--target", "lws")
    assert "> **warning:** `new.yaml:13:18`: \\`Worker\\` cannot change between one node and several" in text
    assert "> 1 note on stderr\n" in text


def test_the_comment_survives_hostile_values(dynamoc: Run) -> None:
    hostile = "x|y`z<script>@all"
    text = comment(dynamoc, GRAPH, GRAPH.replace("[--model, m]", f"[--model, '{hostile}']"))
    [row] = [row for row in text.splitlines() if row.startswith("| `new.yaml")]
    assert "`` extraPodSpec.mainContainer.args: - m + x\\|y`z<script>@all ``" in row


def test_the_comment_of_an_upgrade_names_files_target_and_warnings(dynamoc: Run) -> None:
    Path("new.yaml").write_text(GRAPH)
    text = dynamoc("upgrade", "new.yaml", "--from", "1.0", "--to", "1.4", "-o", "markdown").out
    assert "\nTarget plain (auto)\n" in text
    assert "| `new.yaml:2` | `DynamoGraphDeployment/web (team)` | `Worker` | rolls | 3 pods, 6 GPUs |\n" in text
    assert "> **warning:** `new.yaml:1:13`: " in text
    Path("new.yaml").write_text(GRAPH.replace("componentType: worker", "componentType: worker\n      nonsense: 1"))
    text = dynamoc("upgrade", "new.yaml", "--from", "1.0", "--to", "1.4", "-o", "markdown").out
    assert "> **Not compared:** `DynamoGraphDeployment/web (team)` The field" in text


VARIABLES = """\
        mainContainer:
          env:
            - {name: API_TOKEN, value: %s}
            - {name: DB_PASSWORD, value: hidden-same}
"""


def test_values_of_secret_variables_are_hidden_in_all_outputs(dynamoc: Run) -> None:
    """In values, in lines that come, and where a whole component comes."""
    old = GRAPH.replace("        mainContainer:\n", VARIABLES % "hidden-one")
    new = GRAPH.replace("        mainContainer:\n", VARIABLES % "hidden-two")
    more = new.replace("    Worker:\n", "    Other:\n", 1).partition("spec:\n")[2].partition("    Other:\n")[2]
    for left, right in ((old, new), (GRAPH, new), (new, GRAPH), (old, f"{new}    Other:\n{more}")):
        Path("old.yaml").write_text(left)
        Path("new.yaml").write_text(right)
        for output in ("text", "json", "markdown", "unified", "html"):
            for target in ("grove", "plain"):
                out = dynamoc("diff", "old.yaml", "new.yaml", "-o", output, "--target", target).out
                assert "(hidden)" in out
                assert "API_TOKEN" in out
                assert "hidden-" not in out


def test_a_changed_secret_differs_in_a_unified_diff(dynamoc: Run) -> None:
    secret = "---\napiVersion: v1\nkind: Secret\nmetadata: {name: c, namespace: team}\nstringData: {a: %s, b: same}\n"
    old = GRAPH.replace("        mainContainer:\n", VARIABLES % "hidden-one") + secret % "hidden-one"
    Path("old.yaml").write_text(old)
    Path("new.yaml").write_text(old.replace("hidden-one", "hidden-two"))
    rows = dynamoc("diff", "old.yaml", "new.yaml", "-o", "unified", "--target", "grove").out.splitlines()
    assert "-  a: (hidden)" in rows
    assert "+  a: (hidden, changed)" in rows
    assert "   b: (hidden)" in rows
    variables = [row[0] + row[1:].strip() for row in rows if row[0] in "+-" and "value: (hidden" in row]
    assert variables == ["-value: (hidden)", "+value: (hidden, changed)"]


DEPLOYMENT = """\
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: gateway, namespace: team}
spec:
  replicas: 3
  selector: {matchLabels: {a: b}}
  template:
    metadata: {labels: {a: b}}
    spec:
      containers:
      - {name: web, image: "x/web:1", resources: {limits: {nvidia.com/gpu: 1}}}
"""


def test_workloads_beside_the_graph_have_costs_of_their_own(dynamoc: Run) -> None:
    old = GRAPH + DEPLOYMENT
    options = ("--target", "grove", "--operator-version", "1.4")
    [image] = lines_of(dynamoc, old, old.replace("web:1", "web:2"), *options)
    assert (image["restarted"], image["withoutRestart"]) == ({"pods": 3, "gpus": 3}, False)
    assert image["alone"] == {"pods": 3, "gpus": 3}
    assert [effect["name"] for effect in image["pods"]] == ["gateway"]
    fewer = DEPLOYMENT.replace("replicas: 3", "replicas: 1")
    [scaled] = lines_of(dynamoc, DEPLOYMENT, fewer, *options)
    assert (scaled["stopped"], scaled["withoutRestart"]) == ({"pods": 2, "gpus": 2}, True)
    [gone] = lines_of(dynamoc, old, GRAPH, *options)
    assert gone["stopped"] == {"pods": 3, "gpus": 3}


def test_costs_of_a_graph_and_of_a_workload_beside_it_stay_apart(dynamoc: Run) -> None:
    old = GRAPH + DEPLOYMENT
    new = (
        old.replace("web:1", "web:2").replace("[--model, m]", "[--model, other]").replace("replicas: 2", "replicas: 4")
    )
    found = lines_of(dynamoc, old, new, "--target", "grove", "--operator-version", "1.4")
    costs = {line["changes"][0]["field"].rpartition(".")[2]: line for line in found}
    assert costs["image"]["restarted"] == costs["image"]["alone"] == {"pods": 3, "gpus": 3}
    assert costs["args"]["restarted"] == costs["args"]["alone"] == {"pods": 3, "gpus": 6}
    assert costs["replicas"]["alone"] == {"pods": 0, "gpus": 0}
    assert not any(line["together"] for line in found)


@pytest.mark.parametrize("target", ["grove", "plain"])
def test_gpus_that_restarted_pods_get_are_in_all_outputs(target: str, dynamoc: Run) -> None:
    """No pod starts for them, and the cluster must have them all the same."""
    new = GRAPH.replace('gpu: "2"', 'gpu: "4"')
    found = report(dynamoc, GRAPH, new, "--target", target)
    [line] = found["lines"]
    assert line["started"] == found["summary"]["started"] == {"pods": 0, "gpus": 6}
    for output in ("text", "markdown", "html"):
        out = dynamoc("diff", "old.yaml", "new.yaml", "--target", target, "-o", output).out
        assert out.count("6 more GPUs needed") >= 3
    back = report(dynamoc, new, GRAPH, "--target", target)
    assert back["summary"]["restarted"] == {"pods": 3, "gpus": 12}
    assert back["summary"]["started"] == {"pods": 0, "gpus": 0}


def test_lines_that_stop_pods_are_counted_among_those_without_a_restart(dynamoc: Run) -> None:
    """Nothing restarts where a graph goes, and nobody answers any more."""
    Path("old.yaml").write_text(GRAPH + "---\n" + GRAPH.replace("name: web", "name: other"))
    Path("new.yaml").write_text(GRAPH.replace("replicas: 2", "replicas: 4"))
    out = dynamoc("diff", "old.yaml", "new.yaml", "--target", "grove").out
    assert "2 of 2 changed lines can be shipped without a restart; 1 of these stops pods\n" in out


@pytest.mark.parametrize("spec", ["text", "[1]", "{template: 3, replicas: x}", "{template: {spec: {containers: [1]}}}"])
def test_a_workload_that_is_none_has_no_pods(spec: str, dynamoc: Run) -> None:
    """Whoever writes it applies it, and hears of it there."""
    head = "apiVersion: x.io/v1\nkind: %s\nmetadata: {name: a, namespace: team}\nspec: "
    for kind in ("Deployment", "StatefulSet", "Job", "LeaderWorkerSet", "PodCliqueSet"):
        for other in ("{}", "{x: 1}"):
            Path("old.yaml").write_text(head % kind + other + "\n")
            Path("new.yaml").write_text(head % kind + spec + "\n")
            assert dynamoc("diff", "old.yaml", "new.yaml").code == 1
