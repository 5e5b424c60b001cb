"""What a compilation in another process found out, beside its findings."""

from __future__ import annotations

from dynamoc.diagnostics.handover import Found

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.diagnostics.finding import Findings
    from dynamoc.model.standalone import Standalone
    from dynamoc.options import Options
    from dynamoc.stages.rendering import Rendering


class Known(Found):
    """What is known before a cluster is compiled: of the options, which were of use; of no operator, what is lost."""

    def __init__(
        self, findings: Findings, options: Options, standalone: Standalone | None, *, afresh: bool = False
    ) -> None:
        super().__init__(findings, afresh=afresh)
        if afresh and standalone is not None:
            standalone.lost.clear()
        self._options = options
        self._standalone = standalone

    def news(self) -> tuple[Any, ...]:
        used, previous = list(self._options.used_results), self._options.previous
        lost = {} if self._standalone is None else {what: list(names) for what, names in self._standalone.lost.items()}
        return (*super().news(), used, previous is not None and previous.used, lost)

    def take(self, news: tuple[Any, ...]) -> None:
        *found, used, previous_used, lost = news
        super().take(tuple(found))
        self._options.used_results |= set(used)
        if self._options.previous is not None and previous_used:
            self._options.previous.used = True
        if self._standalone is not None:
            for what, names in lost.items():
                self._standalone.lost.setdefault(what, set()).update(names)


class KnownToOne(Known):
    """What is known before a document is compiled: what the operator stores, what it leaves alone, what it prints."""

    def __init__(self, state: Rendering, *, afresh: bool = False) -> None:
        super().__init__(state.findings, state.options, state.standalone, afresh=afresh)
        if afresh:
            state.cluster.not_made.clear()
            if state.trace is not None:
                state.trace.stored.clear()
                state.trace.mistakes.clear()
        self._state = state
        self._expected = state.expected

    def news(self) -> tuple[Any, ...]:
        state = self._state
        trace = state.trace
        stored = ([], []) if trace is None else (list(trace.stored.items()), list(trace.mistakes.items()))
        return (*super().news(), stored, list(state.cluster.not_made.items()), state.expected - self._expected)

    def take(self, news: tuple[Any, ...]) -> None:
        *known, stored, not_made, expected = news
        super().take(tuple(known))
        if self._state.trace is not None:
            self._state.trace.stored.update(stored[0])
            self._state.trace.mistakes.update(stored[1])
        self._state.cluster.not_made.update(not_made)
        self._state.expected += expected


def expected_of(news: tuple[Any, ...]) -> int:
    """The bytes of output that were asked for."""
    return int(news[-1])
