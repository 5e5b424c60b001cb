from typing import Any

import pytest

from dynamoc.admission.cluster.context import ClusterContext
from dynamoc.admission.cluster.helm_values import chart_default
from dynamoc.documents.findings.finding import Path
from tests.cluster.configuring import release

Told = list[tuple[str, str, str]]


def context(*objects: dict[str, Any], name: str = "1.0", **options: Any) -> ClusterContext:
    return ClusterContext(objects, chart_default(name), release(name), **options)  # type: ignore[arg-type]


def claim(name: str, namespace: str | None = "default") -> dict[str, Any]:
    metadata = {"name": name} | ({"namespace": namespace} if namespace else {})
    return {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": metadata}


def told(where: ClusterContext, *question: Any) -> Told:
    found: Told = []

    def report(severity: str, slug: str, message: str, path: Path, hint: str | None) -> None:
        found.append((severity, slug, message))

    where.unknown(report, *question, "nothing runs until it exists", ("spec",))
    return found


def test_objects_are_found_by_kind_namespace_and_name() -> None:
    known = context(claim("a"), claim("b", "team-a"), claim("c", None), namespace="team-b")
    assert known.get("PersistentVolumeClaim", "default", "a") == claim("a")
    assert known.get("PersistentVolumeClaim", "default", "b") is None
    assert known.get("PersistentVolumeClaim", "team-b", "c") is not None
    assert known.get("Secret", "default", "a") is None


def test_objects_without_namespaces_are_found_without_one() -> None:
    queue = {"apiVersion": "scheduling.run.ai/v2", "kind": "Queue", "metadata": {"name": "dynamo"}}
    assert context(queue).get("Queue", None, "dynamo") is not None


def test_a_kind_of_another_group_is_not_taken_for_it() -> None:
    volcano = {"apiVersion": "scheduling.volcano.sh/v1beta1", "kind": "Queue", "metadata": {"name": "dynamo"}}
    assert context(volcano).get("Queue", None, "dynamo") is None


def test_lists_are_taken_apart_and_sorted() -> None:
    known = context(claim("b"), claim("a"), claim("a", "other"))
    names = [(item["metadata"]["namespace"], item["metadata"]["name"]) for item in known.list("PersistentVolumeClaim")]
    assert names == [("default", "a"), ("default", "b"), ("other", "a")]
    assert known.list("PersistentVolumeClaim", "other") == [claim("a", "other")]


def test_what_nobody_showed_is_unknown_and_a_warning() -> None:
    known = context(claim("a"))
    assert known.exists("PersistentVolumeClaim", "default", "a") is True
    assert known.exists("PersistentVolumeClaim", "default", "b") is False
    [(severity, slug, message)] = told(known, "PersistentVolumeClaim", "default", "b")
    assert (severity, slug) == ("warning", "context/unknown-claim")
    assert "`default/b`" in message
    assert "nothing runs until it exists" in message


def test_strict_makes_it_an_error() -> None:
    assert told(context(strict=True), "Queue", None, "q")[0][:2] == ("error", "context/unknown-queue")


def test_the_first_labelled_account_serves_component_pods() -> None:
    def account(name: str, label: str, namespace: str = "default") -> dict[str, Any]:
        labels = {"nvidia.com/dynamo-component-pod": label}
        return {
            "apiVersion": "v1",
            "kind": "ServiceAccount",
            "metadata": {"name": name, "namespace": namespace, "labels": labels},
        }

    known = context(account("c", "true"), account("b", "true"), account("a", "false"), account("0", "true", "other"))
    assert known.component_service_account("default") == "b"
    assert known.component_service_account("elsewhere") is None


class TestKeyPair:
    @pytest.fixture(autouse=True)
    def _nothing_made(self, monkeypatch: pytest.MonkeyPatch) -> None:
        from dynamoc.admission.cluster import secrets

        monkeypatch.setattr(secrets, "_MADE", {})

    def report(self, severity: str, slug: str, message: str, _path: Path, _hint: str | None) -> None:
        self.told = (severity, slug, message)

    def test_is_only_named_by_default(self) -> None:
        assert context().key_pair_secrets(self.report, "ssh", ["a", "b"]) == []
        assert self.told[:2] == ("note", "context/key-pair")
        assert "`a/ssh`" in self.told[2]
        assert "`b/ssh`" in self.told[2]

    def test_is_copied_from_the_operators_namespace(self) -> None:
        source = {
            "apiVersion": "v1",
            "kind": "Secret",
            "metadata": {"name": "ssh", "namespace": "dynamo-system"},
            "type": "Opaque",
            "data": {"private.key": "a2V5"},
            "stringData": {"private.key.pub": "pub"},
        }
        [copy] = context(source).key_pair_secrets(self.report, "ssh", ["default"])
        assert copy["data"] == {"private.key": "a2V5", "private.key.pub": "cHVi"}
        assert copy["type"] == "Opaque"
        assert copy["metadata"]["namespace"] == "default"

    def test_is_made_on_request(self, monkeypatch: pytest.MonkeyPatch) -> None:
        from dynamoc.admission.cluster import secrets

        pairs = iter([(b"private", b"public")])
        monkeypatch.setattr(secrets, "_generate", lambda: next(pairs))
        one, two = context(generate_secrets=True).key_pair_secrets(self.report, "ssh", ["a", "b"])
        assert one["data"] == two["data"] == {"private.key": "cHJpdmF0ZQ==", "private.key.pub": "cHVibGlj"}

    def test_needs_ssh_keygen(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("PATH", "")
        assert context(generate_secrets=True).key_pair_secrets(self.report, "ssh", ["a"]) == []
        assert self.told[:2] == ("error", "context/key-pair")
