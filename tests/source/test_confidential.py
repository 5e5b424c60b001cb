"""Secrets are found however they are spelled, and files without any are not read again."""

from __future__ import annotations

from pathlib import Path

import pytest

from dynamoc.documents.findings.finding import Findings
from dynamoc.documents.source import reader as reader_reader
from dynamoc.documents.source.files import read_paths
from dynamoc.documents.source.secrets import Confidential

SECRET = "hunter2-of-the-input"


@pytest.mark.parametrize(
    "text",
    [
        f"env:\n- name: HF_TOKEN\n  value: {SECRET}\n",
        f"env:\n- value: {SECRET}\n  name: api-key\n",
        f"env:\n- name:\n    HF_TOKEN\n  value: {SECRET}\n",
        f"env: [{{name: HF_TOKEN, value: {SECRET}}}]\n",
        f"env: [{{value: {SECRET},\n  name: HF_TOKEN\n  }}]\n",
        f'env:\n- "name": "HF_TOKEN"\n  value: {SECRET}\n',
        f'env:\n- name: "HF_T\\\n    OKEN"\n  value: {SECRET}\n',
        f'env:\n- name: "HF_T\\x4fKEN"\n  value: {SECRET}\n',
        f"env:\n- ? name\n  : HF_TOKEN\n  ? value\n  : {SECRET}\n",
        f"one: &n HF_TOKEN\nenv:\n- name: *n\n  value: {SECRET}\n",
        f"one: &n name\nenv:\n- *n : HF_TOKEN\n  value: {SECRET}\n",
        f"env:\n- name: !!str HF_TOKEN\n  value: {SECRET}\n",
        f"env:\n- name: >-\n    HF_TOKEN\n  value: {SECRET}\n",
        f"env:\n- name:\tHF_TOKEN\n  value: {SECRET}\n",
        f'{{"env": [{{"name": "HF_TOKEN", "value": "{SECRET}"}}]}}\n',
        f"kind: Secret\ndata:\n  a: {SECRET}\n",
        f"kind:\n  Secret\ndata:\n  a: {SECRET}\n",
        f"{{kind: Secret, data: {{a: {SECRET}}}}}\n",
    ],
)
def test_secrets_in_every_spelling(text: str) -> None:
    hidden = Confidential("f.yaml", text)
    assert SECRET not in hidden.redacted(f"The value {SECRET} is wrong.")


@pytest.mark.parametrize(
    "text",
    [
        "envFromSecret: hf-token-secret\nreplicas: 1\n",
        "tolerations:\n- key: nvidia.com/gpu\n  operator: Exists\n",
        "secretRef:\n  name: a\nargs: [--max-tokens, '5']\n",
    ],
)
def test_a_file_that_names_secrets_and_holds_none_is_not_read_again(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader_reader, "read_text", None)
    hidden = Confidential("f.yaml", text)
    assert [hidden.hides(line) for line in range(2)] == [False, False]


GRAPH = """\
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
metadata: {{name: a}}
spec:
  services:
    Worker: {{replicas: 1, typo: x, envs: [{{name: HF_TOKEN, value: {secret}}}]}}
---
apiVersion: v1
kind: Secret
metadata: {{name: b}}
stringData: {{a: {secret}}}
"""


def test_documents_that_were_read_say_what_is_secret_as_the_text_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.yaml"
    text = GRAPH.format(secret=SECRET)
    path.write_text(text)
    findings = Findings()
    read_paths([str(path)], findings)
    again = Confidential(str(path), text)
    monkeypatch.setattr(reader_reader, "read_text", None)
    known = Confidential(str(path), text, findings.documents)
    for number in range(len(text.splitlines()) + 1):
        assert known.hides(number) == again.hides(number)
    assert known.hides(10)
    assert known.redacted(f"is {SECRET}") == again.redacted(f"is {SECRET}") == "is (hidden)"


@pytest.mark.parametrize("change", ["# other\n", "stringData: {b: another-secret}\n"])
def test_a_file_that_changed_since_it_was_read_is_read_again(tmp_path: Path, change: str) -> None:
    path = tmp_path / "a.yaml"
    path.write_text(GRAPH.format(secret="of-before"))
    findings = Findings()
    read_paths([str(path)], findings)
    now = change + GRAPH.format(secret=SECRET)
    hidden = Confidential(str(path), now, findings.documents)
    assert hidden.redacted(f"is {SECRET}") == "is (hidden)"


@pytest.mark.parametrize(
    "text", ["kind: List\napiVersion: v1\nitems: []\n", "a: &b {c: d}\n", "kind: Secret\nkind: Secret\n", "\t- a\n"]
)
def test_files_of_which_something_is_to_be_said_are_not_kept(tmp_path: Path, text: str) -> None:
    path = tmp_path / "a.yaml"
    path.write_text(text)
    findings = Findings()
    read_paths([str(path)], findings)
    assert findings.items
    assert findings.documents == {}
