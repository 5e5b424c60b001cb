"""`dynamoc check --fix`."""

from __future__ import annotations

import io
import json
import os
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft7Validator

from tests.cli.conftest import Run

#: the graphs are a worker that starts nothing
OPTIONS = (
    *("--operator-version", "1.4", "--target", "grove"),
    *("--allow", "check/no-frontend", "--allow", "check/no-command"),
)
TEXT = """\
apiVersion: nvidia.com/v1beta1
kind: DynamoGraphDeployment
metadata: {name: chat, namespace: ml}
spec:
  # the parts
  componnents:
    - name: Worker
      componentType: Worker  # serves
      Replicas: "1"
      podTemplate:
        spec:
          containers:
            - {name: main, image: "nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.4.0"}
"""
RIGHT = (
    TEXT.replace("componnents", "components")
    .replace("componentType: Worker", "type: worker")
    .replace('Replicas: "1"', "replicas: 1")
)
SCHEMA = Path(__file__).parents[1] / "diagnostics" / "schemas" / "sarif-2.1.0.json"


def fix(dynamoc: Run, *words: str, text: str | bytes = TEXT) -> tuple[int, str, str]:
    Path("a.yaml").write_bytes(text if isinstance(text, bytes) else text.encode())
    result = dynamoc("check", "a.yaml", "--fix", *OPTIONS, *words)
    return result.code, result.out, result.err


def test_one_remedy_after_the_other(dynamoc: Run) -> None:
    code, out, err = fix(dynamoc)
    assert (code, out, Path("a.yaml").read_text()) == (0, "", RIGHT)
    assert "fixed 5 findings in 1 file" in err
    assert "no findings" in err


def test_a_run_says_what_it_could_correct(dynamoc: Run) -> None:
    Path("a.yaml").write_text(TEXT)
    assert "1 finding has one certain remedy: --fix applies it" in dynamoc("check", "a.yaml", *OPTIONS).err
    Path("a.yaml").write_text(RIGHT.replace("vllm-runtime:1.4.0", "vllm-runtime"))
    assert "--fix" not in dynamoc("check", "a.yaml", *OPTIONS).err


def test_a_preview_changes_nothing(dynamoc: Run) -> None:
    code, out, err = fix(dynamoc, "--diff")
    assert (code, Path("a.yaml").read_text()) == (0, TEXT)
    assert "would fix 5 findings in 1 file" in err
    changed = [line for line in out.splitlines() if line[:1] in "+-" and line[:3] not in ("+++", "---")]
    assert len(changed) == 6
    assert "+++ a.yaml" in out


def test_what_is_left_decides_the_exit_code(dynamoc: Run) -> None:
    code, _, err = fix(dynamoc, text=TEXT + "      nonsense: 1\n")
    assert code == 1
    assert "a.yaml:14:7: error: The field `nonsense` does not exist" in err
    assert Path("a.yaml").read_text() == RIGHT + "      nonsense: 1\n"


def test_what_is_left_out_is_left_alone(dynamoc: Run) -> None:
    proxy = "            - {name: proxy, image: b:1, env: [{name: CUDA_VISIBLE_DEVICES, value: '0,1'}]}\n"
    text = RIGHT + "              # dynamoc: ignore check/floating-image: is not there\n" + proxy
    fix(dynamoc, "--allow", "check/useless-comment", text=text)
    assert Path("a.yaml").read_text() == text
    fix(dynamoc, "--only", "schema", text=text)
    assert Path("a.yaml").read_text() == text
    fix(dynamoc, text=text)
    assert Path("a.yaml").read_text() == RIGHT + proxy


def test_a_baseline_keeps_its_findings(dynamoc: Run) -> None:
    text = RIGHT.replace("type: worker", "type: worker  # dynamoc: ignore check/idle-gpus: x")
    Path("a.yaml").write_text(text)
    dynamoc("check", "a.yaml", *OPTIONS, "--baseline", "b.json", "--update-baseline")
    assert "nothing to fix" in fix(dynamoc, "--baseline", "b.json", text=text)[2]
    assert Path("a.yaml").read_text() == text


@pytest.mark.parametrize(
    ("text", "right"),
    [
        (b"\xef\xbb\xbf" + TEXT.encode(), b"\xef\xbb\xbf" + RIGHT.encode()),
        (TEXT.replace("\n", "\r\n").encode(), RIGHT.replace("\n", "\r\n").encode()),
        (TEXT.rstrip().encode(), RIGHT.rstrip().encode()),
        (TEXT.encode("utf-16"), TEXT.encode("utf-16")),
    ],
)
def test_bytes_of_other_systems(text: bytes, right: bytes, dynamoc: Run) -> None:
    fix(dynamoc, text=text)
    assert Path("a.yaml").read_bytes() == right


def test_mode_and_link_are_kept(dynamoc: Run) -> None:
    Path("real.yaml").write_text(TEXT)
    Path("real.yaml").chmod(0o640)
    Path("link.yaml").symlink_to("real.yaml")
    dynamoc("check", "link.yaml", "--fix", *OPTIONS)
    assert (Path("link.yaml").is_symlink(), Path("real.yaml").read_text()) == (True, RIGHT)
    assert Path("real.yaml").stat().st_mode & 0o777 == 0o640
    assert sorted(os.listdir()) == ["link.yaml", "real.yaml"]


def test_a_file_that_cannot_be_replaced_stays(dynamoc: Run) -> None:
    Path("a.yaml").write_text(TEXT)
    Path("b.yaml").hardlink_to("a.yaml")
    code, _, err = fix(dynamoc)
    assert (code, Path("a.yaml").read_text()) == (2, TEXT)
    assert "a.yaml cannot be written: the file has 2 names" in err


def test_what_is_piped_is_printed(dynamoc: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    for text, right in ((TEXT, RIGHT), (RIGHT, RIGHT)):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
        result = dynamoc("check", "-", "--fix", *OPTIONS)
        assert (result.code, result.out) == (0, right)


def test_what_is_piped_is_read_once(dynamoc: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    other = RIGHT.replace("name: chat", "name: other") + "      nonsense: 1\n"
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(other.encode())))
    Path("a.yaml").write_text(TEXT)
    result = dynamoc("check", "a.yaml", "-", "--fix", *OPTIONS)
    assert (result.code, result.out, Path("a.yaml").read_text()) == (1, other, RIGHT)
    assert "2 graphs" in result.err
    assert "`nonsense` does not exist" in result.err


def test_several_processes_correct_the_same(dynamoc: Run) -> None:
    for number in range(4):
        Path(f"{number}.yaml").write_text(TEXT.replace("name: chat", f"name: chat{number}"))
    dynamoc("check", ".", "--fix", *OPTIONS)
    for number in range(4):
        assert Path(f"{number}.yaml").read_text() == RIGHT.replace("name: chat", f"name: chat{number}")


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--diff",), "--diff needs --fix"),
        (("--fix", "--baseline", "b", "--update-baseline"), "first correct"),
        (("--fix", "--diff", "-o", "json"), "use --findings"),
    ],
)
def test_wrong_combinations(words: tuple[str, ...], says: str, dynamoc: Run) -> None:
    Path("a.yaml").write_text(TEXT)
    result = dynamoc("check", "a.yaml", *OPTIONS, *words)
    assert (result.code, result.out, Path("a.yaml").read_text()) == (2, "", TEXT)
    assert says in result.err


def test_files_beside_the_input_are_not_changed(dynamoc: Run) -> None:
    claim = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: ml}\ndata: {a: 1}\n"
    Path("context.yaml").write_text(claim)
    fix(dynamoc, "--cluster", "context.yaml")
    assert Path("context.yaml").read_text() == claim


def test_reports_carry_fixes(dynamoc: Run) -> None:
    Path("a.yaml").write_text(TEXT)
    report = json.loads(dynamoc("check", "a.yaml", *OPTIONS, "-o", "json").out)
    [found] = [each for each in report["findings"] if each["slug"] == "schema/unknown-field"]
    edit = {"file": "a.yaml", "line": 6, "column": 3, "endLine": 6, "endColumn": 14, "newText": "components"}
    assert found["fix"] == {"title": "Rename `componnents` to `components`", "edits": [edit]}
    sarif = json.loads(dynamoc("check", "a.yaml", *OPTIONS, "-o", "sarif").out)
    Draft7Validator(json.loads(SCHEMA.read_text())).validate(sarif)
    [change] = _fixes(sarif)[0]["artifactChanges"]
    region = {"startLine": 6, "startColumn": 3, "endLine": 6, "endColumn": 14}
    assert change["replacements"] == [{"deletedRegion": region, "insertedContent": {"text": "components"}}]
    assert change["artifactLocation"] == {"uri": "a.yaml"}


def test_validate_carries_them_too(dynamoc: Run) -> None:
    Path("a.yaml").write_text(TEXT)
    report = json.loads(dynamoc("validate", "a.yaml", *OPTIONS[:4], "-o", "json").out)
    assert [each["fix"]["title"] for each in report["findings"] if "fix" in each]


def _fixes(sarif: dict[str, Any]) -> list[dict[str, Any]]:
    return [fix for result in sarif["runs"][0]["results"] for fix in result.get("fixes", ())]


def test_secrets_are_in_no_fix(dynamoc: Run) -> None:
    secret = "apiVersion: v1\nkind: Secret\nmetadata: {name: a, namespace: ml}\nstringData: {token: 123454321}\n"
    variable = RIGHT.replace('1.4.0"}', '1.4.0", env: [{name: HF_TOKEN, value: 123454321}]}')
    for text in (secret, variable):
        Path("a.yaml").write_text(text)
        for style in ("json", "sarif", "text", "github", "gitlab", "junit", "checkstyle"):
            result = dynamoc("check", "a.yaml", *OPTIONS, "--findings", style)
            assert "123454321" not in result.err + result.out
        fix(dynamoc, text=text)
        assert '"123454321"' in Path("a.yaml").read_text()


@pytest.mark.parametrize("option", ["fix", "diff"])
def test_a_repository_cannot_ask_for_it(option: str, dynamoc: Run) -> None:
    Path(".git").mkdir()
    Path("dynamoc.yaml").write_text(f"{option}: true\n")
    Path("a.yaml").write_text(TEXT)
    result = dynamoc("check", "a.yaml", *OPTIONS)
    assert (result.code, Path("a.yaml").read_text()) == (2, TEXT)
    assert f"{option} is not a setting" in result.err


NAMESPACE = """\
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
metadata: {name: llm, namespace: team, annotations: {%s}}
spec:
  services:
    Worker:
      componentType: worker
      dynamoNamespace: %s
      extraPodSpec: {mainContainer: {image: "nvcr.io/x/vllm-runtime:1.0.0"}}
"""


@pytest.mark.parametrize("release", ["1.0", "1.1", "1.2", "1.4", "1.6"])
@pytest.mark.parametrize("target", ["grove", "lws", "plain"])
@pytest.mark.parametrize("annotation", ["", 'nvidia.com/enable-grove: "false"'])
@pytest.mark.parametrize("namespace", ["mine", "team-llm"])
def test_a_dynamo_namespace_is_removed_where_that_changes_nothing(
    release: str, target: str, annotation: str, namespace: str, dynamoc: Run
) -> None:
    """Since 1.2, labels of pods without Grove have it, so that they restart."""
    path = Path("a.yaml")
    words = ("a.yaml", "--operator-version", release, "--target", target)
    path.write_text(NAMESPACE % (annotation, namespace))
    before = dynamoc("render", *words).out
    dynamoc("check", *words, "--fix")
    assert dynamoc("render", *words).out == before
    is_label = namespace == "mine" and release >= "1.2" and (target != "grove" or bool(annotation))
    assert ("dynamoNamespace" in path.read_text()) == is_label
    if is_label:
        assert "`mine` appears only in labels" in dynamoc("check", *words).err
