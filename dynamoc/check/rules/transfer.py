"""Settings that prefill and decode must share."""

from __future__ import annotations

from dynamoc.check.registry import rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from dynamoc.check.arguments import Arguments
    from dynamoc.check.made import Made
    from dynamoc.stages.faults import Fault

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


def _setting(arguments: Arguments) -> tuple[str, str] | None:
    if arguments.engine == "sglang" and arguments.value(_SGLANG):
        return _SGLANG, str(arguments.value(_SGLANG))
    if arguments.engine == "vllm" and arguments.value(_VLLM):
        import json

        try:
            read = json.loads(str(arguments.value(_VLLM)))
        except ValueError:
            return None
        connector = read.get("kv_connector") if isinstance(read, dict) else None
        return (_VLLM, connector) if isinstance(connector, str) else None
    return None
