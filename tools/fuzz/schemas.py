"""The JSON schemas of Kubernetes as a judge of what dynamoc prints, unknown fields included."""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Iterator
from importlib.resources import files
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import best_match
from referencing import Registry, Resource

from tools.fuzz.commands import Broken

_SCHEMAS = files("kubernetes_validate") / "kubernetes-json-schema" / "v1.34.0-local-strict"


def judge(objects: list[dict[str, Any]], line: list[str], *, pods: bool) -> int:
    """How many objects have a schema, or pods that have one. Raises Broken where one of them is not valid."""
    judged = 0
    for whole in objects:
        for value in (whole, *(_pods(whole) if pods else ())):
            validator = _validator(value["apiVersion"], value["kind"])
            if validator is None:
                continue
            judged += 1
            error = best_match(validator.iter_errors(value))
            if error:
                name = f"{whole['kind']}/{whole['metadata'].get('name')}"
                raise Broken(f"{name} is not valid: {error.json_path}: {error.message[:300]}: {line}")
    return judged


def _pods(value: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Pods made of the templates of kinds whose own schema does not look into them."""
    spec = value.get("spec") or {}
    templates: list[Any] = []
    if value["kind"] == "PodCliqueSet":
        templates = [{"spec": clique["spec"].get("podSpec")} for clique in spec["template"]["cliques"]]
    elif value["kind"] == "LeaderWorkerSet":
        both = spec["leaderWorkerTemplate"]
        templates = [both.get("leaderTemplate"), both.get("workerTemplate")]
    for template in templates:
        if template:
            yield {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "pod"}, "spec": template["spec"]}


@functools.cache
def _validator(version: str, kind: str) -> Draft202012Validator | None:
    group, _, short = version.rpartition("/")
    if not re.fullmatch(r"(|apps|batch|policy|autoscaling|.*\.k8s\.io)", group) or not kind.isalpha():
        return None
    file = _SCHEMAS / f"{kind.lower()}-{group.partition('.')[0]}{'-' if group else ''}{short}.json"
    if not file.is_file():
        return None
    return Draft202012Validator(json.loads(file.read_text()), registry=_definitions())


@functools.cache
def _definitions() -> Registry[Any]:
    return Resource.from_contents(json.loads((_SCHEMAS / "_definitions.json").read_text())) @ Registry()
