"""The Dockerfile, as far as it can be judged without Docker. `python -m tools.supply.image` runs its steps."""

from __future__ import annotations

import json
import re

from tools.supply.image import DOCKERFILE, ROOT

LINES = [line for line in DOCKERFILE.splitlines() if line and not line.startswith("#")]


def stages() -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    name = ""
    for line in LINES:
        stage = re.fullmatch(r"FROM \S+ AS (\w+)", line)
        name = stage[1] if stage else name
        found.setdefault(name, []).append(line)
    return found


def test_images_have_versions() -> None:
    images = re.findall(r"(?:ARG PYTHON_IMAGE=|--from=)(\S+)", DOCKERFILE)
    outside = [image for image in images if image not in stages()]
    assert len(outside) == 2
    assert all(re.search(r":\d", image) for image in outside)


def test_the_last_stage_is_the_command_and_no_stage_is_root_or_a_shell() -> None:
    assert list(stages())[-1] == "dynamoc"
    for name in ("fn", "dynamoc"):
        [entry] = [line for line in stages()[name] if line.startswith("ENTRYPOINT ")]
        assert json.loads(entry.removeprefix("ENTRYPOINT "))[0] == "dynamoc"
    [user] = [line for line in stages()["base"] if line.startswith("USER ")]
    assert re.fullmatch(r"USER [1-9]\d*:[1-9]\d*", user)


def test_only_the_build_has_sources_and_tools() -> None:
    copied = [line for name in ("base", "fn", "dynamoc") for line in stages()[name] if line.startswith("COPY ")]
    assert copied == ["COPY --from=build /opt/dynamoc /opt/dynamoc"]
    assert not any(line.startswith("ADD ") for line in LINES)


def test_the_context_has_what_the_build_needs_and_nothing_else() -> None:
    ignored = (ROOT / ".dockerignore").read_text().splitlines()
    assert ignored[0] == "*"
    assert {"!pyproject.toml", "!uv.lock", "!dynamoc", "!hatch_build.py", "!README.md", "!LICENSE"} <= set(ignored)
    assert not any(name in ignored for name in ("!tests", "!golden", "!.git"))
