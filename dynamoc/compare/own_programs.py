"""Programs inside of objects: those that the operator ships do the same as dynamoc's own, and are no difference."""

from __future__ import annotations

from dynamoc.kube.sha256 import hex_digest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Tree = dict[str, Any]

#: sha256 of what the operators up to 1.5 ship, and what stands for it
ORIGINALS = {
    "6e83779cce56a504feba4b2feee9ab2c8dc685056f2fd5f77cf6f45edd31ae48": "waits for the leader",
    "52cbfa4e0114f4a4220883f8f043070f0107e0276316e8b3679fbfc4cf6c5c2a": "waits for the leader's port",
    "59501a42610279c3a545a91dde3c7e9903939dc2cf7de8c572b4f97c9536cf51": "serves weights",
    "21400bafdc0c4c5e5939e9c4c76028f570e6a5ba46be4fc75b624ecd9e611e62": "keeps the job file",
}
#: what the operator fills into the copier of a request
_PLACES = (
    "dgdr-output-",
    "^ +namespace: ",
    r"^ +dgdr\.nvidia\.com/name(?:space)?: ",
    "^    (?:name|uid): ",
    r"\$HOSTNAME -n ",
)
_FILLED = rf"(?m)({'|'.join(_PLACES)})([^\s\"]+)"
_ROLES = {
    "namespace:": "namespace",
    "dgdr.nvidia.com/namespace:": "namespace",
    "$HOSTNAME -n": "namespace",
    "uid:": "uid",
}
#: where the operator of 1.0 fills in the leader
_PLACE = r'(?m)^host, port = "([^"\n]*)", ([0-9]+)$'


def with_own(value: Any) -> Any:
    """A tree with dynamoc's own programs in place of the operator's. What has none is given back as it is."""
    own = {text: _own(text) for text in _programs(value)}
    changed = {text: made for text, made in own.items() if made != text}
    return _replaced(value, changed) if changed else value


def _programs(value: Any) -> set[str]:
    """The texts of several lines in a tree."""
    found, waiting = set(), [value]
    while waiting:
        tree = waiting.pop()
        for item in tree.values() if tree.__class__ is dict else tree:
            kind = item.__class__
            if kind is dict or kind is list:
                waiting.append(item)
            elif kind is str and "\n" in item:
                found.add(item)
    return found


def _replaced(value: Any, texts: dict[str, str]) -> Any:
    """A tree with other texts. What has none of them is given back as it is."""
    if isinstance(value, str):
        return texts.get(value, value)
    if isinstance(value, dict):
        changed = {key: new for key, item in value.items() if (new := _replaced(item, texts)) is not item}
        return {**value, **changed} if changed else value
    if isinstance(value, list):
        items = [_replaced(item, texts) for item in value]
        return items if any(new is not old for new, old in zip(items, value, strict=True)) else value
    return value


def _own(text: str) -> str:
    return _own_copier(text) if "dgdr-output-" in text else _own_constant(text)


def _own_copier(text: str) -> str:
    import re

    from dynamoc.release import RELEASES
    from dynamoc.requests.copier import copier_program

    digest = hex_digest(re.sub(_FILLED, r"\1*", text).encode())
    release = next((known for known in RELEASES.values() if known.constants.get("request/copier") == digest), None)
    filled: dict[str, set[str]] = {}
    for place, value in re.findall(_FILLED, text):
        filled.setdefault(_ROLES.get(place.strip(), "name"), set()).add(value)
    if release is None or any(len(values) > 1 for values in filled.values()):
        return text
    value = {role: next(iter(values)) for role, values in filled.items()}
    return copier_program({"metadata": value}, value.get("uid", ""), release)


def _own_constant(text: str) -> str:
    place, bare = None, text
    if 'host, port = "' in text:
        import re

        place, bare = re.search(_PLACE, text), re.sub(_PLACE, 'host, port = "HOST", PORT', text)
    what = ORIGINALS.get(hex_digest(bare.encode()))
    return text if what is None else _program(what, *(place.groups() if place else ("", "")))


def _program(what: str, host: str, port: str) -> str:
    """dynamoc's own program that does what an original does."""
    from dynamoc import programs

    if what == "waits for the leader":
        return programs.WAIT_FOR_LEADER
    if what == "keeps the job file":
        return programs.KEEP_JOB_FILE
    if what == "serves weights":
        from dynamoc.rules.gms import SERVER_MODULE
        from dynamoc.rules.inter_pod_gms import SHARED_DIR

        return programs.SERVE_WEIGHTS.format(directory=SHARED_DIR, module=SERVER_MODULE)
    return programs.WAIT_FOR_PORT.format(host=host, port=port)
