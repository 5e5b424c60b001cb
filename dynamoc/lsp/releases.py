"""The release of the operator that the settings choose for a file."""

from __future__ import annotations

from collections.abc import Callable

from dynamoc.cli.failure import UsageError
from dynamoc.release import DEFAULT_RELEASE, get_release


class Releases:
    """Remembers the release of each file until files change. `report` takes what is wrong with the settings."""

    def __init__(self, report: Callable[[str], None]) -> None:
        self._report = report
        self._known: dict[str, str] = {}

    def of(self, path: str) -> str:
        """The name of the release; the default one where the settings are wrong, which the diagnostics say."""
        if path not in self._known:
            try:
                self._known[path] = _release(path)
            except (UsageError, KeyError, OSError) as problem:
                self._report(f"dynamoc: the settings for {path} choose no release: {problem}")
                self._known[path] = DEFAULT_RELEASE
        return self._known[path]

    def forget(self) -> None:
        self._known.clear()


def _release(path: str) -> str:
    from dynamoc.lsp.questions import values_of

    values = values_of("check", path)
    version = values["operator_version"]
    if version == "auto":
        from dynamoc.cli.auto import operator_version

        version, _ = operator_version(values["context"], values["paths"])
    return get_release(version).name
