"""Volumes and mounts of a pod template."""

from typing import Any

import pytest

from dynamoc.documents.findings.finding import Refusal
from tests.rules.graphs import Tree, env, render

MEMORY = {"name": "shared-memory", "mountPath": "/dev/shm"}


def pod(main: str = "{name: main}", spec: str = "", fields: str = "", backend: str = "vllm") -> Tree:
    text = f"""
backendFramework: {backend}
components:
- name: Worker
  type: worker
  {fields}
  podTemplate:
    spec:
      containers: [{main}]
      {spec}
"""
    found: Tree = render(text).cliques()["worker"]["spec"]["podSpec"]
    return found


def names(spec: Tree, field: str = "volumes") -> list[str]:
    return [item["name"] for item in spec[field]]


def test_a_mount_without_a_volume_is_a_claim_of_its_name() -> None:
    found = pod("{name: main, volumeMounts: [{name: models, mountPath: /models}]}")
    assert found["volumes"][0] == {"name": "models", "persistentVolumeClaim": {"claimName": "models"}}


def test_volumes_stand_as_main_mounts_them_and_unmounted_ones_behind() -> None:
    found = pod(
        "{name: main, volumeMounts: [{name: b, mountPath: /b}, {name: a, mountPath: /a}]}",
        "volumes: [{name: c, emptyDir: {}}, {name: a, emptyDir: {}}, {name: b, emptyDir: {}}]",
    )
    assert names(found) == ["b", "a", "shared-memory", "c"]


def test_mounts_of_other_containers_make_no_volumes() -> None:
    found = pod("{name: main}, {name: other, image: other:1.0.0, volumeMounts: [{name: x, mountPath: /x}]}")
    assert names(found) == ["shared-memory"]


@pytest.mark.parametrize(("field", "limit"), [("", "8Gi"), ("sharedMemorySize: 1500Mi", "1500Mi")])
def test_shared_memory_has_a_size(field: str, limit: str) -> None:
    found = pod(fields=field)
    assert found["volumes"] == [{"name": "shared-memory", "emptyDir": {"medium": "Memory", "sizeLimit": limit}}]
    assert found["containers"][0]["volumeMounts"] == [MEMORY]


def test_shared_memory_takes_the_place_of_the_user_s() -> None:
    main = "{name: main, volumeMounts: [{name: tmp, mountPath: /dev/shm}, {name: shared-memory, mountPath: /x}]}"
    found = pod(main, "volumes: [{name: shared-memory, hostPath: {path: /x}}, {name: tmp, emptyDir: {}}]")
    assert found["containers"][0]["volumeMounts"] == [MEMORY]
    assert names(found) == ["shared-memory", "tmp"]


def test_a_size_of_zero_leaves_the_user_s_own() -> None:
    main = "{name: main, volumeMounts: [{name: tmp, mountPath: /dev/shm}]}"
    found = pod(main, "volumes: [{name: tmp, emptyDir: {medium: Memory}}]", "sharedMemorySize: 0Gi")
    assert found["volumes"] == [{"name": "tmp", "emptyDir": {"medium": "Memory"}}]


def test_a_compilation_cache_goes_where_vllm_keeps_it() -> None:
    found = pod(fields="compilationCache: {pvcName: cache}")
    (main,) = found["containers"]
    assert main["volumeMounts"][0] == {"name": "cache", "mountPath": "/root/.cache/vllm"}
    assert env(main)["VLLM_CACHE_ROOT"] == "/root/.cache/vllm"
    assert found["volumes"][0] == {"name": "cache", "persistentVolumeClaim": {"claimName": "cache"}}


def test_a_cache_that_is_mounted_already_is_mounted_once() -> None:
    main = "{name: main, volumeMounts: [{name: cache, mountPath: /c}, {name: x, mountPath: /x}]}"
    found = pod(main, fields="compilationCache: {pvcName: cache, mountPath: /c}")
    assert names(found["containers"][0], "volumeMounts") == ["cache", "x", "shared-memory"]


@pytest.mark.parametrize(
    ("arguments", "slug"),
    [
        ({"backend": "sglang"}, "storage/cache-without-mount-point"),
        ({"main": "{name: main, volumeMounts: [{name: x, mountPath: /root/.cache/vllm}]}"}, "storage/cache-path-taken"),
        (
            {"main": "{name: main, volumeMounts: [{name: cache, mountPath: /root/.cache/vllm, readOnly: true}]}"},
            "storage/cache-read-only",
        ),
        ({"spec": "volumes: [{name: cache, emptyDir: {}}]"}, "storage/cache-volume"),
        (
            {"spec": "volumes: [{name: cache, persistentVolumeClaim: {claimName: other}}]"},
            "storage/cache-volume",
        ),
    ],
)
def test_a_cache_that_cannot_be_is_refused(arguments: dict[str, Any], slug: str) -> None:
    with pytest.raises(Refusal) as refused:
        pod(**arguments, fields="compilationCache: {pvcName: cache}")
    assert refused.value.slug == slug
