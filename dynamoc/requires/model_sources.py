"""Where DynamoModels come from: what workers fetch once the operator asks them to load an adapter.

Source: internal/modelendpoint/lora.go loadLoRA, internal/webhook/validation/dynamomodel.go.
"""

from __future__ import annotations

from dynamoc.kube.lenient import mapping, text
from dynamoc.requires.needs import Named, Need

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Tree = dict[str, Any]

_NOTES = {
    "s3": "the workers read this bucket, with credentials of their own",
    "hf": "the workers download this repository of Hugging Face, with a token of their own",
    "file": "a path inside the containers of the workers",
}


def model_sources(objects: list[Tree]) -> list[Named]:
    """The sources of the DynamoModels among `objects`, in order of their addresses."""
    named: dict[str, Named] = {}
    for value in objects:
        uri = text(mapping(value, "spec", "source").get("uri"))
        if value.get("kind") == "DynamoModel" and uri:
            item = named.setdefault(_shown(uri), Named("source", _shown(uri)))
            item.note = _NOTES.get(uri.partition("://")[0])
            item.needs.append(Need(value, ("spec", "source", "uri")))
    return [named[key] for key in sorted(named)]


def _shown(uri: str) -> str:
    """The address without the credentials and the query that it may hold."""
    scheme, found, rest = uri.partition("?")[0].partition("://")
    host, slash, path = rest.partition("/")
    return f"{scheme}{found}{host.rpartition('@')[2]}{slash}{path}"
