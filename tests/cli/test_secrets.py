"""No command repeats what a Secret holds, or the value of a variable that is one."""

from __future__ import annotations

import json
from base64 import b64encode
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.compare.conftest import GRAPH

PLAIN = "hunter2-of-the-input"
ENCODED = b64encode(PLAIN.encode()).decode()
APPLIED = json.dumps({"kind": "Secret", "data": {"a": ENCODED}, "stringData": {"b": PLAIN}})
HEAD = "apiVersion: v1\nmetadata: {name: token, namespace: team}\n"
WITH_ANNOTATION = HEAD.replace(
    "namespace: team}",
    f"namespace: team, annotations: {{kubectl.kubernetes.io/last-applied-configuration: {json.dumps(APPLIED)}}}}}",
)
SECRETS = {
    "plain text in data": f"kind: Secret\n{HEAD}data: {{a: {PLAIN}}}\n",
    "a tag": f"kind: !!str Secret\n{HEAD}data: {{a: {PLAIN}}}\n",
    "an anchor": f"kind: &k Secret\n{HEAD}data: {{a: {PLAIN}, b: 1}}\n",
    "a comment": f"kind: # x\n  Secret\n{HEAD}stringData: {{a: [{PLAIN}]}}\n",
    "wrong types": f"kind: Secret\n{HEAD}data: {PLAIN}\n",
    "in a List": f"kind: List\napiVersion: v1\nitems:\n- kind: Secret\n  apiVersion: v1\n  data: {{a: {PLAIN}}}\n",
    "last-applied-configuration": f"kind: Secret\n{WITH_ANNOTATION}data: {{a: {ENCODED}}}\n",
    "a broken end": f"kind: Secret\n{HEAD}data:\n  a: {PLAIN}\n  b: [\n",
    "a tab": f"kind: Secret\n{HEAD}data:\n\ta: {PLAIN}\n",
    "a key twice": f"kind: Secret\n{HEAD}stringData:\n  a: {PLAIN}\n  a: {PLAIN}\n",
}
STYLES = ("text", "json", "github", "sarif", "junit", "gitlab", "checkstyle")


def check(*outputs: str) -> None:
    for output in outputs:
        assert PLAIN not in output
        assert ENCODED not in output


@pytest.mark.parametrize("secret", SECRETS.values(), ids=SECRETS)
def test_of_the_input_and_of_the_context(dynamoc: Run, secret: str) -> None:
    Path("g.yaml").write_text(GRAPH)
    Path("s.yaml").write_text(secret)
    Path("both.yaml").write_text(GRAPH + "---\n" + secret)
    for style in STYLES:
        for words in (("g.yaml", "s.yaml"), ("both.yaml",), ("g.yaml", "--cluster", "s.yaml")):
            check(dynamoc("validate", *words, "--findings", style).err)
            check(dynamoc("render", *words, "--findings", style, "--target", "plain").err)
        check(dynamoc("convert", "both.yaml", "--to", "v1beta1", "--findings", style).err)
    result = dynamoc("validate", "both.yaml", "--output", "json")
    check(result.out, result.err)


@pytest.mark.parametrize("secret", SECRETS.values(), ids=SECRETS)
def test_of_commands_that_explain_and_compare(dynamoc: Run, secret: str) -> None:
    Path("old.yaml").write_text(GRAPH + "---\n" + secret.replace(PLAIN, "another").replace(ENCODED, "YW5vdGhlcg=="))
    Path("new.yaml").write_text(GRAPH + "---\n" + secret)
    for style in ("text", "markdown", "unified", "json"):
        result = dynamoc("diff", "old.yaml", "new.yaml", "--output", style, "--target", "plain")
        check(result.out, result.err)
    lines = range(1, (GRAPH + "---\n" + secret).count("\n") + 1)
    for style in ("text", "json"):
        found = [dynamoc("explain", "new.yaml", "secret/token", "--output", style, "--target", "plain")]
        found += [dynamoc("explain", "new.yaml", "secret/token", "data", "--output", style, "--target", "plain")]
        found += [
            dynamoc("explain", "new.yaml", f"new.yaml:{line}", "--output", style, "--target", "plain")
            for line in lines
            if line > GRAPH.count("\n")
        ]
        for command in ("requires", "upgrade"):
            more = ("--from", "1.0", "--to", "1.4") if command == "upgrade" else ()
            found.append(dynamoc(command, "new.yaml", *more, "--output", style, "--target", "plain"))
        for result in found:
            check(result.out, result.err)


@pytest.mark.parametrize(
    "name", ["HF_TOKEN", "OPENAI_API_KEY", "AWS_SECRET_ACCESS_KEY", "db-password", "MY_CREDENTIALS"]
)
@pytest.mark.parametrize(
    "entry",
    [
        "{{name: {name}, value: {plain}, vlaue: 1}}",
        "{{name: {name}, value: [{plain}]}}",
        "{{name: {name}, value: {plain}, valueFrom: {{}}}}",
    ],
)
def test_variables_that_are_secrets(dynamoc: Run, name: str, entry: str) -> None:
    env = f"envs: [{entry.format(name=name, plain=PLAIN)}]\n      replicas: 3"
    Path("g.yaml").write_text(GRAPH.replace("replicas: 3", env))
    for style in STYLES:
        result = dynamoc("validate", "g.yaml", "--findings", style, "--target", "plain")
        assert result.err
        check(result.err)


def test_other_variables_are_shown(dynamoc: Run) -> None:
    env = f"envs: [{{name: MAX_TOKENS, value: [{PLAIN}]}}]\n      replicas: 3"
    Path("g.yaml").write_text(GRAPH.replace("replicas: 3", env))
    assert PLAIN in dynamoc("validate", "g.yaml").err


WRONG = """\
apiVersion: nvidia.com/v1beta1
kind: DynamoGraphDeployment
metadata: {name: chat, namespace: team}
spec:
  components:
  - name: Worker
    type: worker
    podTemplate:
      spec:
        containers:
        - name: main
          image: nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.4.0
          env:
          - {name: DB_PASSWORD, value: 1234567890}
"""


@pytest.mark.parametrize(
    "words",
    [
        ("check", "g.yaml"),
        ("check", "g.yaml", "--fix", "--diff"),
        ("check", "g.yaml", "-o", "json"),
        ("render", "g.yaml"),
        ("report", "g.yaml"),
        ("explain", "g.yaml:14"),
        ("diff", "old.yaml", "g.yaml", "--keep-going"),
        *(("diff", "g.yaml", "g.yaml", "--keep-going", "-o", style) for style in ("text", "json", "markdown", "html")),
        *(("upgrade", "g.yaml", "--from=1.3", "--to=1.4", "-o", style) for style in ("text", "json", "html")),
    ],
    ids=" ".join,
)
def test_of_a_variable_with_a_value_that_is_refused(words: tuple[str, ...], dynamoc: Run) -> None:
    """Also where both sides of a comparison have the same error."""
    Path("g.yaml").write_text(WRONG)
    Path("old.yaml").write_text(GRAPH)
    result = dynamoc(*words)
    assert "(hidden)" in result.out + result.err
    assert "1234567890" not in result.out + result.err


def test_of_programs(tmp_path: Path) -> None:
    from dynamoc.interfaces.inputs import InputError
    from dynamoc.interfaces.library import diff, render, validate
    from dynamoc.interfaces.lsp.questions import ask

    path = tmp_path / "g.yaml"
    path.write_text(WRONG)
    question = {"what": "render", "path": str(path), "texts": {str(path): WRONG}}
    said = [ask(question)["text"], str(validate(WRONG)), str(validate(path))]
    with pytest.raises(InputError) as refused:
        render(WRONG)
    said.append(str(refused.value))
    difference = diff(WRONG, GRAPH, release="1.4")
    said += [difference.to_text(), difference.to_markdown(), json.dumps(difference.to_dict())]
    assert all("(hidden)" in text and "1234567890" not in text for text in said)


ARGUMENTS = """\
apiVersion: nvidia.com/v1beta1
kind: DynamoGraphDeployment
metadata: {name: chat, namespace: team}
spec:
  components:
  - name: Worker
    type: worker
    podTemplate:
      spec:
        containers:
        - name: main
          image: nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.4.0
          command: [sh, -c, "export A_TOKEN=hunter2-a1; exec python3 -m dynamo.vllm --hf-token 'hunter2-b2'"]
          args: [--api-key=hunter2-c3, --hf-token, hunter2-d4, --wrong]
          env:
          - {name: OPENAI_KEY, value: hunter2-e5}
          - {name: CACHE, value: "redis://user:hunter2-f6@redis/0"}
          - {name: OTHER, value: "see hf_A1hunter2g7 here", typo: 1}
"""
LAST_LINE = ARGUMENTS.count("\n")


@pytest.mark.parametrize("broken", [False, True])
@pytest.mark.parametrize(
    "words",
    [
        *(("check", "g.yaml", "--findings", style) for style in STYLES),
        ("check", "g.yaml", "--fix", "--diff"),
        ("validate", "g.yaml", "-o", "json"),
        ("report", "g.yaml"),
        ("graph", "g.yaml", "-o", "svg"),
        ("requires", "g.yaml", "-o", "json"),
        ("explain", "g.yaml", "deployment/chat-worker"),
        ("explain", "g.yaml", "-o", "json"),
        *(("explain", f"g.yaml:{line}") for line in range(12, LAST_LINE + 1)),
        *(("diff", "old.yaml", "g.yaml", "-o", style) for style in ("text", "json", "markdown", "unified", "html")),
        *(("upgrade", "g.yaml", "--from=1.3", "--to=1.4", "-o", style) for style in ("text", "json", "html")),
    ],
    ids=" ".join,
)
def test_of_arguments_urls_and_tokens(words: tuple[str, ...], broken: bool, dynamoc: Run) -> None:
    text = ARGUMENTS.replace(", typo: 1", "") if not broken else ARGUMENTS
    Path("g.yaml").write_text(text)
    Path("old.yaml").write_text(text.replace("hunter2", "hunter3").replace("--wrong", "--other"))
    result = dynamoc(*words, *(() if words[0] == "upgrade" else ("--operator-version", "1.4")))
    assert result.code in (0, 1, 2)
    assert result.out + result.err
    assert "hunter" not in result.out + result.err


@pytest.mark.parametrize("end", range(ARGUMENTS.index("command"), len(ARGUMENTS), 7))
def test_of_a_text_that_ends_too_soon(end: int, dynamoc: Run) -> None:
    Path("g.yaml").write_text(ARGUMENTS[:end] + "\n - {")
    assert "hunter" not in dynamoc("check", "g.yaml").err


def test_rendered_objects_are_as_they_are(dynamoc: Run) -> None:
    Path("g.yaml").write_text(ARGUMENTS.replace(", typo: 1", ""))
    assert dynamoc("render", "g.yaml", "--operator-version", "1.4").out.count("hunter2") == 7
