"""The pytest plug-in: golden tests of graphs, with the fixture `dynamoc_golden`.

pytest loads this module at each start of everybody's tests, so it imports nothing but pytest until a test asks.
"""

from __future__ import annotations

import os
import re
from difflib import unified_diff
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from dynamoc.interfaces.inputs import Rendering, Source

_UPDATE = "--dynamoc-update"
_DIRECTORY = "golden"


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("dynamoc", "golden tests of Dynamo graphs")
    group.addoption(
        _UPDATE, action="store_true", help="write the golden files of dynamoc_golden instead of comparing with them"
    )


@pytest.fixture
def dynamoc_golden(request: pytest.FixtureRequest) -> Golden:
    """Renders graphs and compares the objects with a file that is kept beside the test; see `Golden`."""
    return Golden(request.path, request.node.name, update=request.config.getoption(_UPDATE))


class Golden:
    """Called with sources and arguments of `dynamoc.render`, it fails where the objects are not those of the file.

    The file is `golden/MODULE/TEST.yaml` beside the test's module, or `golden/MODULE/NAME.yaml` with `name`. A second
    call in a test needs a name. Relative paths start at the test's directory.
    """

    def __init__(self, module: Path, test: str, *, update: bool) -> None:
        self._module = module
        self._test = test
        self._update = update
        self._written: set[Path] = set()

    def __call__(self, *sources: Source, name: str | None = None, **arguments: Any) -> Rendering:
        """The rendering. Raises what `dynamoc.render` raises; a difference fails the test, and says what restarts."""
        __tracebackhide__ = True
        from dynamoc.interfaces.library import render

        rendering = render(*map(self._found, sources), **arguments)
        file = self._file(name or self._test)
        if file in self._written:
            pytest.fail(f"{self._shown(file)} is compared twice in this test; give each call a name", pytrace=False)
        self._written.add(file)
        text = rendering.to_yaml()
        if self._update:
            _write(file, text)
        elif not file.exists():
            pytest.fail(f"{self._shown(file)} does not exist; write it with pytest {_UPDATE}", pytrace=False)
        elif (kept := file.read_bytes().decode()) != text:
            message = f"The objects are not those of {self._shown(file)}.\n\n{_difference(kept, text, arguments)}"
            pytest.fail(f"{message}\nIf that is what you want, run pytest {_UPDATE}.", pytrace=False)
        return rendering

    def _file(self, name: str) -> Path:
        safe = re.sub(r"[^\w.-]+", "-", name).strip("-.") or "objects"
        return self._module.parent / _DIRECTORY / self._module.stem / f"{safe}.yaml"

    def _shown(self, file: Path) -> str:
        return os.path.relpath(file)

    def _found(self, source: Source) -> Source:
        """A path of the test's directory. A text has line feeds or starts with a brace."""
        if isinstance(source, str) and ("\n" in source or source.lstrip()[:1] == "{"):
            return source
        return self._module.parent / source if isinstance(source, (str, os.PathLike)) else source


def _difference(kept: str, text: str, arguments: dict[str, Any]) -> str:
    """What restarts, where both texts are objects; else the lines that differ."""
    surroundings = {key: arguments[key] for key in ("release", "target", "cluster") if key in arguments}
    from dynamoc.interfaces.inputs import InputError
    from dynamoc.interfaces.library import diff

    try:
        difference = diff(kept, text, use_ignores=False, **surroundings) if kept and text else None
    except InputError:
        difference = None
    if difference and not any(item.severity == "error" for item in difference.findings):
        return difference.to_text()

    return "\n".join(unified_diff(kept.splitlines(), text.splitlines(), "golden", "now", lineterm="")) + "\n"


def _write(file: Path, text: str) -> None:
    """Whole or not at all, and only where it is not what stands there."""
    data = text.encode()
    if file.exists() and file.read_bytes() == data:
        return
    file.parent.mkdir(parents=True, exist_ok=True)
    draft = file.with_name(f".{file.name}.{os.getpid()}")
    draft.write_bytes(data)
    draft.replace(file)
