"""Secrets are found however they are spelled, and files without any are not read again."""

from __future__ import annotations

import pytest

from dynamoc.source import reader
from dynamoc.source.confidential import Confidential

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
    monkeypatch.setattr(reader, "read_text", None)
    hidden = Confidential("f.yaml", text)
    assert [hidden.hides(line) for line in range(2)] == [False, False]
