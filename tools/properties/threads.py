"""The functions of the library give the same results in eight threads as one after another.

The threads come first, so that they also meet tables that are not loaded yet.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from threading import Barrier, Thread
from typing import Any

import dynamoc
from dynamoc import models

GOLDEN = Path(__file__).parents[2] / "golden"
THREADS = 8
#: threads take turns after so many seconds; Python's own 0.005 would let most calls end first
_TURN = 1e-5

Call = tuple[str, Callable[[], Any]]


def calls(paths: list[Path]) -> Iterator[Call]:
    """A name for each call, and the call."""
    for path, other in zip(paths, [*paths[1:], paths[0]], strict=True):
        name = "/".join(path.parts[-3:-1])
        for release, target in (("1.0", "grove"), ("1.6", "lws")):
            given: Any = {"release": release, "target": target}
            words = f"{name} {release} {target}"
            yield f"render {words}", partial(_rendered, path, given)
            yield f"validate {words}", partial(_validated, path, given)
            yield f"explain {words}", partial(_explained, path, given)
            yield f"diff {words}", partial(_compared, path, other, given)
        for version in ("v1alpha1", "v1beta1"):
            yield f"convert {name} {version}", partial(_converted, path, version)
    yield "schema", models.DynamoGraphDeployment.model_json_schema


def _finding(finding: dynamoc.Finding) -> tuple[str, ...]:
    return finding.slug, finding.severity, finding.message, str(finding.place), finding.hint or ""


def _rendered(path: Path, given: Any) -> str:
    return dynamoc.render(path, **given).to_yaml()


def _compared(path: Path, other: Path, given: Any) -> str:
    return dynamoc.diff(path, other, **given).to_markdown()


def _validated(path: Path, given: Any) -> list[tuple[str, ...]]:
    return list(map(_finding, dynamoc.validate(path, **given)))


def _explained(path: Path, given: Any) -> list[str]:
    objects = list(dynamoc.render(path, **given))
    names = [
        f"{item['kind']}/{item['metadata'].get('namespace', 'default')}/{item['metadata']['name']}" for item in objects
    ]
    answers = [repr(dynamoc.explain(path, object=name, **given)) for name in names[:3]]
    # A place is in the text as well.
    return [re.sub(r"<\S+\.Place object at \w+>", "a place", answer) for answer in answers]


def _converted(path: Path, version: Any) -> Any:
    made = dynamoc.convert(path, to=version)
    return made.to_yaml(), list(map(_finding, made.findings))


def outcome(call: Callable[[], Any]) -> Any:
    """The result; what a call raises is one as well."""
    try:
        return call()
    except Exception as problem:
        return f"{type(problem).__name__}: {problem}"


def differing(made: list[Call]) -> list[str]:
    """The calls that do not give in each of the threads what they give alone."""
    found: list[dict[str, Any]] = [{} for _ in range(THREADS)]
    start = Barrier(THREADS)

    def run(number: int) -> None:
        start.wait()
        first = number * len(made) // THREADS
        for name, call in (*made[first:], *made[:first]):
            found[number][name] = outcome(call)

    threads = [Thread(target=run, args=(number,)) for number in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    alone = {name: outcome(call) for name, call in made}
    return [name for name in alone if any(results.get(name) != alone[name] for results in found)]


def main(share: float) -> tuple[int, int]:
    paths = sorted(GOLDEN.glob("*/*/input.yaml"))
    made = list(calls(paths[:: round(1 / share)]))
    before = sys.getswitchinterval()
    sys.setswitchinterval(_TURN)
    try:
        broken = differing(made)
    finally:
        sys.setswitchinterval(before)
    for name in broken:
        print(f"another result in a thread: {name}")
    return len(made), len(broken)


if __name__ == "__main__":
    tried, broke = main(float(sys.argv[1]))
    print(f"{broke} of {tried}")
    sys.exit(1 if broke or not tried else 0)
