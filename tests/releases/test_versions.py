"""Which release is rendered for: patches, `latest`, `auto`, what is newer than it, and graphs of older operators."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from dynamoc.reference.releases import DEFAULT_RELEASE, ORDER, RELEASES, get_release
from tests.cli.conftest import Run
from tests.releases.compiled import IMAGE, compiled, graph, worker

ORIGIN = "nvidia.com/dynamo-operator-origin-version"
OPERATOR = "nvcr.io/nvidia/ai-dynamo/kubernetes-operator"


@pytest.mark.parametrize(
    ("name", "release", "version"),
    [
        ("1.4", "1.4", "1.4.0"),
        ("1.4.0", "1.4", "1.4.0"),
        ("1.4.2", "1.4", "1.4.2"),
        ("v1.6.1", "1.6", "1.6.1"),
        ("latest", DEFAULT_RELEASE, f"{DEFAULT_RELEASE}.0"),
    ],
)
def test_patches_are_their_release_with_another_version(name: str, release: str, version: str) -> None:
    found = get_release(name)
    assert (found.name, found.version) == (release, version)
    assert found.constants == RELEASES[release].constants
    assert RELEASES[release].version == f"{release}.0"


@pytest.mark.parametrize("name", ["9.9", "1", "", "1.4.x", "1.4.-1", "1.4.02", "1.4.2.1", "1.4.", "1.4.2-rc1"])
def test_what_is_no_version_is_unknown(name: str) -> None:
    with pytest.raises(KeyError):
        get_release(name)


@pytest.mark.parametrize("version", ["1.4.2", "1.5.1", "1.6.1"])
def test_patches_stamp_their_own_version(tmp_path: Path, version: str) -> None:
    found = compiled(tmp_path, version, graph(worker(version="1.4.0")))
    assert found.clique("w")["annotations"][ORIGIN] == version


def test_graphs_are_told_who_created_them(dynamoc: Run) -> None:
    Path("g.yaml").write_text(yaml.safe_dump(graph(worker(version="1.4.0"))))
    command = ("render", "g.yaml", "--target", "grove")
    result = dynamoc(*command, "--operator-version", "1.6", "--created-by", "1.4.2")
    assert f'{ORIGIN}: "1.4.2"' in result.out
    assert dynamoc(*command, "--created-by", "0.9").code == 2


@pytest.mark.parametrize(("release", "newer"), [("1.4", True), ("1.4.9", True), ("1.5", False), ("1.6", False)])
def test_images_may_be_newer_than_the_operator(tmp_path: Path, release: str, newer: bool) -> None:
    found = compiled(tmp_path, release, graph(worker(image=f"{IMAGE}:1.5.3")))
    assert ("release/newer-image" in found.warnings) == newer


def test_images_of_others_have_versions_of_their_own(tmp_path: Path) -> None:
    found = compiled(tmp_path, "1.4", graph(worker(image="team/vllm:9.0.0")))
    assert found.warnings == []


def test_the_release_that_knows_an_image_is_named(dynamoc: Run) -> None:
    for tag, told in (("1.6.1", "release 1.6 knows it"), ("9.9.0", "dynamoc knows no release 9.9 yet")):
        Path("g.yaml").write_text(yaml.safe_dump(graph(worker(image=f"{IMAGE}:{tag}"))))
        assert told in dynamoc("validate", "g.yaml", "--operator-version", "1.4").err


def test_the_release_that_knows_an_annotation_is_named(dynamoc: Run) -> None:
    document = graph(worker(version="1.2.0"), annotations={"nvidia.com/grove-update-strategy": "OnDelete"})
    Path("g.yaml").write_text(yaml.safe_dump(document))
    assert "release 1.3 was the first" in dynamoc("validate", "g.yaml", "--operator-version", "1.2").err
    assert "newer-annotation" not in dynamoc("validate", "g.yaml", "--operator-version", "1.3").err


def deployment(image: str, args: list[str], labels: dict[str, str]) -> dict[str, Any]:
    pod = {"containers": [{"name": "manager", "image": image, "args": args}]}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "controller-manager", "namespace": "dynamo-system", "labels": labels},
        "spec": {"template": {"spec": pod}},
    }


@pytest.mark.parametrize(
    "operator",
    [
        deployment("mirror/kubernetes-operator:x", ["--config=a", "--operator-version=1.5.1"], {}),
        deployment(
            "mirror/op:x", [], {"app.kubernetes.io/name": "dynamo-operator", "app.kubernetes.io/version": "1.5.1"}
        ),
        deployment(f"{OPERATOR}:1.5.1", [], {}),
    ],
)
def test_the_operator_in_the_cluster_tells_its_version(dynamoc: Run, operator: dict[str, Any]) -> None:
    Path("operator.json").write_text(json.dumps(operator))
    Path("g.yaml").write_text(yaml.safe_dump(graph(worker(image=f"{IMAGE}:1.4.0"))))
    result = dynamoc(
        "render", "g.yaml", "--target", "grove", "--operator-version", "auto", "--cluster", "operator.json"
    )
    assert "auto is 1.5.1, from the operator's Deployment `controller-manager`" in result.err
    assert f'{ORIGIN}: "1.5.1"' in result.out


def test_the_newest_image_tells_the_version_otherwise(dynamoc: Run) -> None:
    Path("g.yaml").write_text(yaml.safe_dump(graph(worker(version="1.3.2"), worker("x", version="1.4.1"))))
    assert (
        "auto is 1.4.1: the version of the newest Dynamo image"
        in dynamoc("validate", "g.yaml", "--operator-version", "auto").err
    )
    Path("g.yaml").write_text(yaml.safe_dump(graph(worker(version="0.7.0"))))
    assert "auto is 0.6: no known release is nearer" in dynamoc("validate", "g.yaml", "--operator-version", "auto").err
    Path("g.yaml").write_text(yaml.safe_dump(graph(worker(image="team/own:latest"))))
    result = dynamoc("validate", "g.yaml", "--operator-version", "auto")
    assert result.code == 2
    assert "set the release" in result.err


def test_the_list_tells_how_each_was_checked(dynamoc: Run) -> None:
    found = {row["name"]: row for row in json.loads(dynamoc("--version", "--verbose", "-o", "json").out)}
    assert {found[name]["exactness"] for name in ("0.6", "1.0", "1.4")} == {"recorded"}
    assert found["1.5"]["exactness"] == "recorded early"
    assert found["1.6"]["exactness"] == "source"
    assert [name for name, row in found.items() if row["default"]] == [DEFAULT_RELEASE]


@pytest.mark.parametrize(
    "command",
    [
        "validate g.yaml h.yaml",
        "render g.yaml h.yaml --layout per-input --output-dir out --jobs 2",
        "render g.yaml h.yaml --output-dir out --layout per-input",
        "check g.yaml h.yaml",
        "requires g.yaml h.yaml",
        "report -o mermaid g.yaml h.yaml",
        "diff g.yaml h.yaml",
        "upgrade g.yaml h.yaml --from 1.4",
    ],
)
def test_a_newer_release_says_once_what_it_rests_on(dynamoc: Run, command: str) -> None:
    for name in ("g", "h"):
        document = graph(worker(version="1.4.0"))
        document["metadata"]["name"] = name
        Path(f"{name}.yaml").write_text(yaml.safe_dump(document))
    release = "--to" if command.startswith("upgrade") else "--operator-version"
    for name, slug in (("1.5", "release/recorded-early"), ("1.6", "release/source-only")):
        words = (*command.split(), release, name, "--target", "grove")
        assert dynamoc(*words).err.count(f"[{slug}]") == 1
        assert slug not in dynamoc(*words, "-q").err


@pytest.mark.parametrize(("release", "told"), [("1.3", "release/source-only"), ("1.4", ""), (None, "")])
def test_what_an_older_release_rests_on_is_told_if_asked(dynamoc: Run, release: str | None, told: str) -> None:
    Path("g.yaml").write_text(yaml.safe_dump(graph(worker(version="1.3.0"))))
    command = ("validate", "g.yaml", "--target", "grove", *(("--operator-version", release) if release else ()))
    slugs = ("release/source-only", "release/recorded-early")
    assert not any(slug in dynamoc(*command).err for slug in slugs)
    assert [slug for slug in slugs if slug in dynamoc(*command, "--verbose").err] == [told] * bool(told)


@pytest.mark.parametrize(
    ("old", "hint"),
    [
        (DEFAULT_RELEASE, f"Set --to to {' or '.join(ORDER[ORDER.index(DEFAULT_RELEASE) + 1 :])}."),
        (f"{ORDER[-2]}.1", f"Set --to to {ORDER[-1]}."),
        (ORDER[-1], "dynamoc knows no newer release."),
    ],
)
def test_an_upgrade_to_what_is_not_newer_asks_for_a_release(dynamoc: Run, old: str, hint: str) -> None:
    Path("g.yaml").write_text(yaml.safe_dump(graph(worker(version="1.4.0"))))
    result = dynamoc("upgrade", "g.yaml", "--from", old)
    assert (result.code, result.out) == (2, "")
    assert hint in result.err
    assert dynamoc("upgrade", "g.yaml", "--from", old, "--to", "1.4", "--allow=refused").code == 0
