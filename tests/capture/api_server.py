"""As much of an API server as `kubectl get`, `apply` and `diff` ask for, on loopback: discovery, and objects.

Patches are merged as RFC 7386 does, whatever their type: lists are replaced.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

Tree = dict[str, Any]
Resources = dict[tuple[str, str], tuple[str, bool, list[Tree]]]
"""(group/version, plural) to (kind, whether it has namespaces, objects)"""
VERBS = ["get", "list", "create", "patch"]


@contextmanager
def serving(resources: Resources, forbidden: tuple[str, ...] = ()) -> Iterator[tuple[str, list[str]]]:
    """The address of the server, and the requests that it got, as `METHOD PATH`."""
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(f"GET {self.path}")
            path = self.path.partition("?")[0].strip("/")
            plural = path.rpartition("/")[2]
            if plural in forbidden:
                self._answer(403, _status(403, "Forbidden", f"{plural} is forbidden"))
            else:
                answer = _answer(path, resources)
                self._answer(200 if answer else 404, answer or _status(404, "NotFound", f"{path} not found"))

        def do_POST(self) -> None:
            target, created = self._written()
            if target is None:
                self._answer(404, _status(404, "NotFound", f"{self.path} not found"))
                return
            created["metadata"].setdefault("namespace", _namespace(self.path))
            if "dryRun" not in self.path:
                target.append(created)
            self._answer(201, created)

        def do_PATCH(self) -> None:
            target, patch = self._written()
            name = self.path.partition("?")[0].rpartition("/")[2]
            found = [item for item in target or () if _is_at(item, name, _namespace(self.path))]
            if not found:
                self._answer(404, _status(404, "NotFound", f"{self.path} not found"))
                return
            changed = _merged(found[0], patch)
            if "dryRun" not in self.path:
                found[0].clear()
                found[0].update(changed)
            self._answer(200, changed)

        def _written(self) -> tuple[list[Tree] | None, Tree]:
            """The objects of the resource that a request writes to, and its body."""
            asked.append(f"{self.command} {self.path}")
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            version, plural = _resource(self.path.partition("?")[0].strip("/"))
            return resources.get((version, plural), ("", False, None))[2], body

        def _answer(self, code: int, answer: Tree) -> None:
            data = json.dumps(answer).encode()
            self.send_response(code)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", asked
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _status(code: int, reason: str, message: str) -> Tree:
    body = {"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": code, "reason": reason}
    return {**body, "message": message}


def _answer(path: str, resources: Resources) -> Tree | None:
    versions = sorted({version for version, _ in resources})
    if path == "version":
        return {"major": "1", "minor": "34", "gitVersion": "v1.34.0"}
    if path == "api":
        return {"kind": "APIVersions", "versions": ["v1"]}
    if path == "apis":
        groups = [version.split("/") for version in versions if "/" in version]
        return {"kind": "APIGroupList", "apiVersion": "v1", "groups": [_group(*parts) for parts in groups]}
    if path.startswith("openapi/v3"):
        return _openapi(path, resources)
    version, rest = _version(path)
    if not rest:
        return _resource_list(version, resources)
    if rest[0] == "namespaces" and len(rest) > 2:
        return _objects(version, rest[2], rest[1], rest[3:], resources)
    return _objects(version, rest[0], None, rest[1:], resources)


def _group(name: str, version: str) -> Tree:
    entry = {"groupVersion": f"{name}/{version}", "version": version}
    return {"name": name, "versions": [entry], "preferredVersion": entry}


def _openapi(path: str, resources: Resources) -> Tree:
    """Says of each resource that the server looks for unknown fields itself; else kubectl would."""
    of = path.removeprefix("openapi/v3").strip("/")
    folders = {version: f"apis/{version}" if "/" in version else f"api/{version}" for version, _ in resources}
    if not of:
        urls = {folder: {"serverRelativeURL": f"/openapi/v3/{folder}"} for folder in folders.values()}
        return {"paths": urls}
    paths: Tree = {}
    for (version, plural), (kind, _, _) in resources.items():
        if folders[version] == of:
            group, _, bare = version.rpartition("/")
            patch = {
                "parameters": [{"name": "fieldValidation", "in": "query", "schema": {"type": "string"}}],
                "responses": {},
                "x-kubernetes-group-version-kind": {"group": group, "version": bare, "kind": kind},
            }
            paths[f"/{of}/namespaces/{{namespace}}/{plural}/{{name}}"] = {"patch": patch}
    return {"openapi": "3.0.0", "info": {"title": "test", "version": "1"}, "paths": paths}


def _resource_list(version: str, resources: Resources) -> Tree:
    found = [
        {"name": plural, "singularName": "", "namespaced": namespaced, "kind": kind, "verbs": VERBS}
        for (group, plural), (kind, namespaced, _) in resources.items()
        if group == version
    ]
    return {"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": version, "resources": found}


def _objects(version: str, plural: str, namespace: str | None, name: list[str], resources: Resources) -> Tree | None:
    if (version, plural) not in resources:
        return None
    kind, _, objects = resources[version, plural]
    found = [item for item in objects if namespace in (None, item["metadata"].get("namespace"))]
    if name:
        return next(
            ({"apiVersion": version, "kind": kind, **item} for item in found if item["metadata"]["name"] == name[0]),
            None,
        )
    items = [{"apiVersion": version, "kind": kind, **item} for item in found]
    return {"apiVersion": version, "kind": f"{kind}List", "metadata": {}, "items": items}


def _version(path: str) -> tuple[str, list[str]]:
    """The group and version of a path, and its parts behind them."""
    parts = path.split("/")
    return ("v1", parts[2:]) if parts[0] == "api" else ("/".join(parts[1:3]), parts[3:])


def _resource(path: str) -> tuple[str, str]:
    version, rest = _version(path)
    return version, rest[2] if rest[0] == "namespaces" and len(rest) > 2 else rest[0]


def _namespace(path: str) -> str | None:
    _, found, after = path.partition("/namespaces/")
    return after.partition("/")[0] if found else None


def _is_at(item: Tree, name: str, namespace: str | None) -> bool:
    return item["metadata"]["name"] == name and item["metadata"].get("namespace") == namespace


def _merged(value: Any, patch: Any) -> Any:
    if not isinstance(patch, dict):
        return patch
    merged = dict(value) if isinstance(value, dict) else {}
    for key, part in patch.items():
        if part is None:
            merged.pop(key, None)
        else:
            merged[key] = _merged(merged.get(key), part)
    return merged
