"""`dynamoc schema --report`: what dynamoc prints for programs is what its schemas say, to the last key."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from dynamoc.analysis.check import selection
from dynamoc.analysis.compare import answer as compared
from dynamoc.analysis.compare import result, verdicts
from dynamoc.analysis.requires import text as requires_text
from dynamoc.compiler.explain import answer, fate, traced
from dynamoc.documents.findings import answers
from dynamoc.documents.findings import text as findings_text
from dynamoc.interfaces.cli import schema as schemas
from dynamoc.interfaces.cli.options import OUTCOMES
from tests.cli.conftest import Run
from tests.cli.test_inputs import GRAPH
from tools import reports

ROOT = Path(__file__).parents[2]
EXAMPLES = sorted((ROOT / "examples").glob("*.yaml"))
MULTINODE = str(ROOT / "examples" / "vllm-multinode.yaml")
GROVE = ("--target", "grove", "--operator-version", "1.4")

POD = """\
apiVersion: nvidia.com/v1beta1
kind: DynamoGraphDeployment
metadata: {name: chat}
spec:
  components:
    - name: Planner
      type: planner
      podTemplate:
        spec:
          nodeSelector: {gpu: h100}
          containers:
            - name: main
              image: nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.4.0
              env: [{name: NATS_SERVER, value: "nats://nats.dynamo-system:4222"}]
"""


REPORTS = sorted(path.stem for path in schemas.REPORTS.glob("*.json"))


def schema_of(report: str) -> Any:
    return json.loads((schemas.REPORTS / f"{report}.json").read_text())


def strict(schema: Any) -> Any:
    """The schema without room for keys that it does not name."""
    if isinstance(schema, list):
        return [strict(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    found = {key: strict(value) for key, value in schema.items()}
    return {**found, "additionalProperties": False} if "properties" in found and "required" in found else found


@cache
def judge(report: str) -> jsonschema.Draft202012Validator:
    return jsonschema.Draft202012Validator(strict(schema_of(report)))


def keys(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for key, item in value.items():
            yield key
            yield from keys(item)
    elif isinstance(value, list):
        for item in value:
            yield from keys(item)


def named(schema: Any) -> Iterator[str]:
    """Keys that a schema describes."""
    if isinstance(schema, list):
        for item in schema:
            yield from named(item)
    elif isinstance(schema, dict):
        if "properties" in schema and "required" in schema:
            yield from schema["properties"]
        for item in schema.values():
            yield from named(item)


class Printed:
    """Reports that commands print, each judged, with the keys that occurred."""

    def __init__(self, dynamoc: Run, report: str) -> None:
        self._dynamoc, self._report = dynamoc, report
        self.seen: set[str] = set()

    def __call__(self, *argv: str) -> None:
        run = self._dynamoc(*argv)
        text = run.out or run.err
        assert text.startswith("{"), (argv, text[:500])
        value = json.loads(text)
        problems = [f"{error.json_path}: {error.message[:300]}" for error in judge(self._report).iter_errors(value)]
        assert not problems, (argv, problems[:5])
        self.seen.update(keys(value))

    def cover(self, *but: str) -> None:
        """Each key of the schema occurred, `but` for some."""
        missing = set(named(schema_of(self._report))) - self.seen
        assert missing == set(but)


@pytest.fixture
def sides(tmp_path: Path) -> tuple[str, str]:
    """Two versions of a directory with all that a comparison can say."""
    texts = (ROOT / "examples" / "vllm-multinode.yaml").read_text(), (ROOT / "examples" / "llama.yaml").read_text()
    for side, tag in (("old", "1.0.0"), ("new", "1.4.1")):
        folder = tmp_path / side
        folder.mkdir()
        for number, text in enumerate(texts):
            (folder / f"{number}.yaml").write_text(
                text.replace("runtime:1.0.0", f"runtime:{tag}").replace("runtime:1.4.0", f"runtime:{tag}")
            )
        wrong = GRAPH.replace("type: frontend", "typo: frontend") if side == "old" else GRAPH
        (folder / "chat.yaml").write_text(wrong)
    return str(tmp_path / "old"), str(tmp_path / "new")


@pytest.mark.parametrize("report", REPORTS)
def test_each_is_what_the_classes_of_its_answer_say(report: str) -> None:
    """`python -m tools.reports` writes them."""
    assert (schemas.REPORTS / f"{report}.json").read_text() == reports.text_of(report)


@pytest.mark.parametrize("report", REPORTS)
def test_each_is_json_schema_in_both_drafts_and_its_option_prints_it(dynamoc: Run, report: str) -> None:
    jsonschema.Draft202012Validator.check_schema(schema_of(report))
    assert json.loads(dynamoc("schema", "--report", report).out) == schema_of(report)
    older = json.loads(dynamoc("schema", "--report", report, "--draft", "7").out)
    jsonschema.Draft7Validator.check_schema(older)
    assert "$defs" not in json.dumps(older)


def test_words_and_versions_are_those_of_the_program() -> None:
    whole = {report: json.dumps(schema_of(report)) for report in REPORTS}
    fates = [fate.VALUE, fate.PART, fate.LOST, fate.REMOVED, fate.DECIDES, fate.CHECKED, fate.WITHOUT]
    words: list[tuple[str, str, Any]] = [
        ("findings", "required", findings_text.SEVERITIES),
        ("diff", "enum", result.SEVERITY),
        ("diff", "required", result.SEVERITY),
        ("diff", "enum", [result.ADDED, result.REMOVED, result.CHANGED, result.REORDERED]),
        ("upgrade", "enum", verdicts.RANKS),
        ("upgrade", "required", verdicts.RANKS),
        ("upgrade", "required", OUTCOMES),
        ("explain", "enum", traced.KINDS),
        ("explain", "enum", fates),
        ("rules", "const", answer.RULES_VERSION),
        ("findings", "const", answers.FORMAT),
        ("findings", "const", answers.VERSION),
        ("baseline", "const", selection.FORMAT),
        ("baseline", "const", selection.VERSION),
        ("diff", "const", compared.FORMAT),
        ("upgrade", "const", compared.UPGRADE_FORMAT),
        ("diff", "const", compared.VERSION),
        ("upgrade", "const", compared.VERSION),
        ("requires", "const", requires_text.FORMAT),
        ("requires", "const", requires_text.VERSION),
    ]
    for report, keyword, said in words:
        value = said if isinstance(said, str | int) else list(said)
        assert f'"{keyword}": {json.dumps(value)}' in whole[report], (report, value)


def test_a_report_has_no_kind(dynamoc: Run) -> None:
    run = dynamoc("schema", "--report", "diff", "DynamoGraphDeployment")
    assert run.code == 2
    assert "give neither KIND nor --output-dir" in run.err


def test_diff(dynamoc: Run, sides: tuple[str, str], tmp_path: Path) -> None:
    printed = Printed(dynamoc, "diff")
    for more in ((), ("--summary",), ("--standalone",), ("--ignore", "*:**.image")):
        printed("diff", *sides, *GROVE, "-o", "json", *more)
    printed("diff", *sides, "--target", "lws", "--operator-version", "1.4", "-o", "json")
    printed("diff", sides[0], MULTINODE, *GROVE, "-o", "json")
    chat, other = tmp_path / "chat.yaml", tmp_path / "other.yaml"
    chat.write_text(GRAPH)
    other.write_text(GRAPH.replace("name: Frontend", "name: Front"))
    printed("diff", str(chat), str(other), *GROVE, "-o", "json")
    export = tmp_path / "export.yaml"
    export.write_text(
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: b, uid: c, resourceVersion: '1',"
        " creationTimestamp: 2026-01-01T00:00:00Z}\n"
    )
    printed("diff", str(export), str(other), *GROVE, "-o", "json")
    printed.cover()


def test_upgrade(dynamoc: Run, sides: tuple[str, str]) -> None:
    printed = Printed(dynamoc, "upgrade")
    for more in ((), ("--summary",), ("--fresh",)):
        printed("upgrade", sides[1], "--from", "1.2", "--to", "1.4", "--target", "lws", "-o", "json", *more)
        printed("upgrade", MULTINODE, "--from", "0.6", "--to", "1.4", "--target", "grove", "-o", "json", *more)
    # Findings there have no excerpts and no fixes, and nothing fails to be compared.
    fix = ("edits", "endColumn", "endLine", "fix", "newText", "title")
    printed.cover(*fix, "fingerprint", "reason", "side")


def test_requires(dynamoc: Run, tmp_path: Path) -> None:
    printed = Printed(dynamoc, "requires")
    for path in EXAMPLES:
        for target in ("grove", "lws"):
            printed("requires", str(path), "--operator-version", "1.4", "--target", target, "-o", "json")
    node = tmp_path / "node.yaml"
    node.write_text(POD)
    printed("requires", str(node), "--operator-version", "1.4", "-o", "json", "--skip-foreign")
    printed.cover()


def test_explain(dynamoc: Run, tmp_path: Path) -> None:
    printed = Printed(dynamoc, "explain")
    secret = tmp_path / "secret.yaml"
    secret.write_text("apiVersion: v1\nkind: Secret\nmetadata: {name: token}\nstringData: {a: b}\n")
    printed("explain", str(secret), "secret", "-o", "json")
    printed("explain", MULTINODE, *GROVE, "-o", "json")
    printed("explain", MULTINODE, "pcs", *GROVE, "-o", "json")
    for line in range(1, len((ROOT / "examples" / "vllm-multinode.yaml").read_text().splitlines()) + 1):
        printed("explain", f"{MULTINODE}:{line}", *GROVE, "-o", "json")
    printed.cover()


def test_findings_of_streams_name_the_file_that_the_text_was_made_from(
    dynamoc: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = f"---\n# Source: chart/templates/chat.yaml\n{GRAPH.replace('type:', 'typo:')}"
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    printed = Printed(dynamoc, "findings")
    printed("validate", "-", "-o", "json")
    assert "source" in printed.seen


def test_findings(dynamoc: Run, sides: tuple[str, str]) -> None:
    printed = Printed(dynamoc, "findings")
    for command in ("validate", "check"):
        printed(command, sides[0], sides[1], "-o", "json")
        printed(command, *map(str, EXAMPLES), "-o", "json", "--limit", "findings=1")
    printed("render", sides[0], "--findings", "json")
    printed.cover("source")


def test_rules_and_baseline(dynamoc: Run, sides: tuple[str, str], tmp_path: Path) -> None:
    printed = Printed(dynamoc, "rules")
    printed("explain", "--list=rules", "-o", "json")
    printed("explain", "container/defaults", "-o", "json")
    printed.cover()
    path = tmp_path / "baseline.json"
    dynamoc("check", sides[0], "--baseline", str(path), "--update-baseline")
    written = json.loads(path.read_text())
    judge("baseline").validate(written)
    assert written["findings"]
