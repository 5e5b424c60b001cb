"""As much of an API server as `kubectl get` asks for, on loopback: discovery, and lists of objects."""

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
    version = "v1" if path.startswith("api/") else "/".join(path.split("/")[1:3])
    rest = path.split("/")[2 if path.startswith("api/") else 3 :]
    if not rest:
        return _resource_list(version, resources)
    if rest[0] == "namespaces" and len(rest) > 2:
        return _objects(version, rest[2], rest[1], rest[3:], resources)
    return _objects(version, rest[0], None, rest[1:], resources)


def _group(name: str, version: str) -> Tree:
    entry = {"groupVersion": f"{name}/{version}", "version": version}
    return {"name": name, "versions": [entry], "preferredVersion": entry}


def _resource_list(version: str, resources: Resources) -> Tree:
    found = [
        {"name": plural, "singularName": "", "namespaced": namespaced, "kind": kind, "verbs": ["get", "list"]}
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
