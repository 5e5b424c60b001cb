"""Settings that prefill and decode must share."""

from __future__ import annotations

from dynamoc.check.registry import rule
from dynamoc.check.roles import role

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from dynamoc.check.arguments import Arguments
    from dynamoc.check.made import Made
    from dynamoc.stages.faults import Fault

    Tree = dict[str, Any]

_SGLANG = "--disaggregation-transfer-backend"
_VLLM = "--kv-transfer-config"
#: vLLM's connectors between two engines, of which each speaks a protocol of its own
_SINGLE = {"NixlConnector", "MooncakeConnector", "P2pNcclConnector", "LMCacheConnectorV1"}


@rule("check/transfer-settings")
def transfer_settings(made: Made) -> Iterator[Fault]:
    """How caches travel from prefill to decode is agreed on by both sides."""
    known: dict[str, tuple[str, str]] = {}
    for component in made.components:
        found = _setting(component.first.arguments)
        if found is None:
            continue
        flag, value = found
        other, wanted = known.setdefault(flag, (component.name, value))
        # Others wrap several connectors, of which one may be that of the other side.
        if value != wanted and (flag == _SGLANG or {value, wanted} <= _SINGLE):
            leader = component.first
            message = f"{component.name} transfers caches with {value}, but {other} with {wanted}: they cannot talk."
            where = (*leader.main[0], *leader.arguments.place(flag))
            yield leader.fault("check/transfer-settings", where, message, f"use {wanted} in both")


#: the part that vLLM's `kv_role` gives each side; `kv_both` is for either
_ROLES = {"prefill": "kv_consumer", "decode": "kv_producer"}


@rule("check/transfer-role")
def transfer_roles(made: Made) -> Iterator[Fault]:
    """Prefill makes caches and decode takes them."""
    for component in made.components:
        leader = component.first
        config = _config(leader.arguments)
        wrong = _ROLES.get(role(leader))
        if wrong is not None and config.get("kv_connector") in _SINGLE and config.get("kv_role") == wrong:
            right = "kv_producer" if wrong == "kv_consumer" else "kv_consumer"
            message = (
                f"{component.name} is a {role(leader)} worker with `kv_role: {wrong}`: no cache reaches the other side."
            )
            where = (*leader.main[0], *leader.arguments.place(_VLLM))
            yield leader.fault("check/transfer-role", where, message, f"write `{right}`, or `kv_both`")


def _setting(arguments: Arguments) -> tuple[str, str] | None:
    if arguments.engine == "sglang" and arguments.value(_SGLANG):
        return _SGLANG, str(arguments.value(_SGLANG))
    connector = _config(arguments).get("kv_connector")
    return (_VLLM, connector) if isinstance(connector, str) else None


def _config(arguments: Arguments) -> Tree:
    """What vLLM is told of its connector; nothing where it cannot be read."""
    text = arguments.value(_VLLM) if arguments.engine == "vllm" else None
    if not text:
        return {}
    from dynamoc.kube.json_data import loads

    try:
        found = loads(text)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}
