"""Lists of twice the length are twice the work."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from dynamoc.admission.convert import rewrite as rewrite_rewrite
from dynamoc.admission.convert.correspondence import _Left
from dynamoc.admission.convert.plain import _place_cache
from dynamoc.admission.convert.volume_mounts import restore_origins
from dynamoc.documents.findings.finding import Findings
from dynamoc.documents.source.reader import read_text
from dynamoc.kube.merge import content
from tests.calls import calls


def restored(size: int) -> list[dict[str, Any]]:
    saved = [{"name": f"n{at}", "mountPoint": f"/m{at}"} for at in range(size)]
    cache = {"name": "n3", "mountPoint": "/m3", "useAsCompilationCache": True}
    return restore_origins([*saved, {"name": "new", "mountPoint": "/new"}, cache], saved, [])


def placed(size: int) -> list[dict[str, Any]]:
    mounts: list[dict[str, Any]] = [{"name": f"n{at}", "mountPoint": f"/m{at}"} for at in range(size)]
    _place_cache(mounts, [(f"n{at}", f"/m{at}") for at in reversed(range(size))])
    return mounts


@pytest.mark.parametrize("work", [restored, placed])
def test_mounts(work: Callable[[int], list[Any]]) -> None:
    assert calls(lambda: work(2000)) < 2.5 * calls(lambda: work(1000))


def test_mounts_are_still_right() -> None:
    found = restored(5)
    assert [mount["name"] for mount in found] == ["n0", "n1", "n2", "n3", "n4", "new"]
    assert [mount["name"] for mount in found if mount.get("useAsCompilationCache")] == ["n3"]
    assert [mount["name"] for mount in placed(3)] == ["n2", "n1", "n0"]


def test_each_element_is_taken_once_the_first_first() -> None:
    left = _Left(map(content, [{"a": 1}, {"b": 2}, {"a": 1}]))
    assert [left.take(content({"a": 1})) for _ in range(3)] == [0, 2, None]
    assert _Left(("x", "y", "x"), left.taken).take("x") is None
    assert _Left(("x", "y", "x"), left.taken).take("y") == 1


def test_a_document_is_not_read_again_with_all_lines_before_it(monkeypatch: pytest.MonkeyPatch) -> None:
    padded: list[bool] = []

    def note(data: bytes, *rest: Any, **named: Any) -> list[Any]:
        padded.append(data.startswith(b"\n"))
        return read_text(data, *rest, **named)

    monkeypatch.setattr(rewrite_rewrite, "read_text", note)
    graph = "apiVersion: nvidia.com/v1alpha1\nkind: DynamoGraphDeployment\nmetadata: {name: g%d}\nspec: {ingress: 1}\n"
    graph = graph.replace("ingress: 1", "services: {A: {componentType: worker, autoscaling: {enabled: true}}}")
    text = "---\n".join(graph % at for at in range(40))
    findings = Findings()
    done = rewrite_rewrite.rewrite(text.encode(), "g.yaml", "nvidia.com/v1beta1", findings)
    assert done.converted == 40
    assert padded
    assert not any(padded)
    lines = {item.place.line for item in findings.items if item.place and item.slug == "convert/lost"}
    assert len(lines) == 40
    assert min(lines) == 4
    assert max(lines) == 39 * 5 + 4
