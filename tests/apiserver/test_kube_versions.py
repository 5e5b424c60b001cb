"""Older minors of Kubernetes: narrower formats, and fields that the API server drops."""

from typing import Any

import pytest

from dynamoc.documents.apiserver.objects import examine_object
from dynamoc.documents.apiserver.services import DROPPED, NARROWER, NEWEST, OLDEST, minor_of
from tests.webhooks.reviewing import said

Tree = dict[str, Any]

MAIN = {"name": "main", "image": "i"}


def deployment(**spec: Any) -> Tree:
    pod = {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [MAIN], **spec}}
    body = {"selector": {"matchLabels": {"a": "b"}}, "template": pod}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "it"}, "spec": body}


def clique_set(**spec: Any) -> Tree:
    body = {"template": {"cliques": [{"name": "it", "spec": {"podSpec": {"containers": [MAIN], **spec}}}]}}
    return {"apiVersion": "grove.io/v1alpha1", "kind": "PodCliqueSet", "metadata": {"name": "it"}, "spec": body}


def container(**fields: Any) -> list[Tree]:
    return [{**MAIN, **fields}]


@pytest.mark.parametrize(
    ("pod", "since", "finding"),
    [
        ({"containers": container(env=[{"name": "a b"}])}, 32, "env-name containers[0].env[0].name"),
        (
            {"containers": container(envFrom=[{"prefix": "1", "secretRef": {"name": "s"}}])},
            32,
            "env-name containers[0].envFrom[0].prefix",
        ),
        ({"dnsConfig": {"searches": ["_a.b"]}}, 33, "dns-config dnsConfig.searches[0]"),
        (
            {"containers": container(lifecycle={"preStop": {"sleep": {"seconds": 0}}})},
            33,
            "lifecycle-sleep containers[0].lifecycle.preStop.sleep.seconds",
        ),
    ],
)
def test_formats_that_became_wider(pod: Tree, since: int, finding: str) -> None:
    slug, path = finding.split()
    line = f"admission/{slug} spec.template.spec.{path}"
    for minor in range(OLDEST, NEWEST + 1):
        assert said(examine_object(deployment(**pod), minor)) == ([line] if minor < since else []), minor
    crd_line = f"admission/{slug} spec.template.cliques[0].spec.podSpec.{path}"
    assert said(examine_object(clique_set(**pod), since - 1)) == []
    assert said(examine_object(clique_set(**pod), since - 1), "warning") == [crd_line]


def test_fields_that_are_dropped() -> None:
    value = deployment(hostUsers=False, hostNetwork=True)
    assert said(examine_object(value)) == ["admission/user-namespace spec.template.spec.hostUsers"]
    dropped = examine_object(value, 32)
    assert said(dropped) == []
    assert said(dropped, "warning") == ["admission/dropped-field spec.template.spec.hostUsers"]
    assert "Kubernetes 1.32 drops `hostUsers`" in dropped[0].message


def test_claims_are_dropped_everywhere() -> None:
    value = clique_set(
        containers=container(resources={"claims": [{"name": "gpu"}]}),
        resourceClaims=[{"name": "gpu", "resourceClaimTemplateName": "gpus"}],
    )
    base = "spec.template.cliques[0].spec.podSpec"
    assert said(examine_object(value, 33), "warning") == [
        f"admission/dropped-field {base}.resourceClaims",
        f"admission/dropped-field {base}.containers[0].resources.claims",
    ]
    assert examine_object(value, 34) == []


def test_minors_of_the_table_are_known() -> None:
    assert {since for _, since in DROPPED} | {row[2] for row in NARROWER} <= set(range(OLDEST + 1, NEWEST + 1))


@pytest.mark.parametrize(
    ("version", "minor"),
    [("1.34", 34), ("v1.32.4", 32), ("1.30.1-eks-2", 30), ("1.29", None), ("1.35", 35), ("2.32", None), ("x", None)],
)
def test_versions(version: str, minor: int | None) -> None:
    assert minor_of(version) == minor


@pytest.mark.parametrize("field", ["image", "stopSignal"])
def test_what_the_newest_minor_drops(field: str) -> None:
    value = (
        deployment(volumes=[{"name": "v", "image": {"reference": "i"}}])
        if field == "image"
        else deployment(containers=container(lifecycle={"stopSignal": "SIGINT"}))
    )
    [line] = said(examine_object(value), "warning")
    assert line.startswith("admission/dropped-field")
    assert line.endswith(field)
