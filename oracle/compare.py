#!/usr/bin/env python3
"""Compare two corpora of records, case by case: verdicts, stages, and objects field by field.

    compare.py RECORDED ANSWERED [--show CASE]

A case that only the API server refuses in the recording (stage `child`) is counted apart: the oracle has no API
server for the objects that the operator makes. So is a restless one, whose objects change with each reconciliation:
two runs of the same operator record two states. Null, {} and [] count as missing, as Go leaves them out or in at will.
Exit status 1 where anything differs.
"""

from __future__ import annotations

import argparse
import collections
import json
import pathlib
import sys
from collections.abc import Iterator
from typing import Any

ANY_TEXT = ("<generated>", "<program>")
SERVER_FIELDS = (
    "uid",
    "resourceVersion",
    "generation",
    "creationTimestamp",
    "managedFields",
    "ownerReferences",
    "finalizers",
)
NO_ANSWER: dict[str, Any] = {"admitted": False, "stage": "none", "errors": ["no answer"], "warnings": []}
Path = tuple[str | int, ...]


def normal(value: Any) -> Any:
    if isinstance(value, dict):
        kept = {key: normal(inner) for key, inner in value.items()}
        return {key: inner for key, inner in kept.items() if inner is not None and inner not in ({}, [])}
    if isinstance(value, list):
        return [normal(inner) for inner in value]
    return value


def leaves(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from leaves(inner, (*path, key))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from leaves(inner, (*path, index))
    else:
        yield path, value


def identity(obj: dict[str, Any]) -> str:
    metadata = obj.get("metadata", {})
    return "/".join(
        (obj.get("apiVersion", ""), obj.get("kind", ""), metadata.get("namespace", ""), metadata.get("name", ""))
    )


def by_identity(record: dict[str, Any]) -> dict[str, dict[Path, Any]]:
    found = {}
    for obj in record.get("objects", []):
        kept = {key: value for key, value in obj.items() if key != "status"}
        metadata = kept.get("metadata", {})
        kept["metadata"] = {key: value for key, value in metadata.items() if key not in SERVER_FIELDS}
        found[identity(obj)] = dict(leaves(normal(kept)))
    return found


def differences(recorded: dict[str, Any], answered: dict[str, Any]) -> list[str]:
    if recorded["admitted"] != answered["admitted"]:
        return [f"recorded {verdict(recorded)}, answered {verdict(answered)}"]
    wanted, have = by_identity(recorded), by_identity(answered)
    found = [f"{name}: missing" for name in wanted.keys() - have.keys()]
    found += [f"{name}: too many" for name in have.keys() - wanted.keys()]
    for name in sorted(wanted.keys() & have.keys()):
        found += fields(name, wanted[name], have[name])
    return found


def fields(name: str, wanted: dict[Path, Any], have: dict[Path, Any]) -> list[str]:
    return [
        f"{name} {'.'.join(map(str, path))}: recorded {wanted.get(path)!r}, answered {have.get(path)!r}"
        for path in sorted(wanted.keys() | have.keys(), key=str)
        if wanted.get(path) != have.get(path) and wanted.get(path) not in ANY_TEXT and have.get(path) not in ANY_TEXT
    ]


def verdict(record: dict[str, Any]) -> str:
    if record["admitted"]:
        return "admitted"
    return f"refused ({record['stage']}): {'; '.join(record['errors'])[:300]}"


def compare_target(recorded: pathlib.Path, answered: pathlib.Path, show: str | None) -> collections.Counter[str]:
    counts: collections.Counter[str] = collections.Counter()
    for path in sorted(recorded.glob("*.json")):
        want = json.loads(path.read_text())
        other = answered / path.name
        have = json.loads(other.read_text()) if other.exists() else dict(NO_ANSWER)
        counts["cases"] += 1
        if want.get("stage") == "child" and have["admitted"]:
            counts["child"] += 1
            continue
        if have.get("restless"):
            counts["restless"] += 1
            continue
        found = differences(want, have)
        counts["exact"] += not found
        if not found and not want["admitted"]:
            counts["refused"] += 1
            counts["stage"] += want["stage"] == have["stage"]
            counts["errors"] += want["errors"] == have["errors"]
        counts["warnings"] += sorted(want["warnings"]) == sorted(have["warnings"])
        for line in found if show == path.stem else found[:2]:
            print(f"{recorded.name}/{path.stem}: {line}")
    return counts


def compare_conversions(recorded: pathlib.Path, answered: pathlib.Path) -> tuple[int, int]:
    """How many inputs convert to the same documents, and of how many."""
    same = total = 0
    for path in sorted(recorded.glob("*.json")):
        other = answered / path.name
        if not other.exists():
            continue
        total += 1
        want, have = normal(json.loads(path.read_text())), normal(json.loads(other.read_text()))
        same += want == have
        if want != have:
            print(f"converted/{path.stem} differs")
    return same, total


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("recorded", type=pathlib.Path)
    parser.add_argument("answered", type=pathlib.Path)
    parser.add_argument("--show", help="print every difference of this case")
    options = parser.parse_args()
    for folder in (options.recorded, options.answered):
        if not (folder / "expected").is_dir():
            parser.error(f"no folder {folder / 'expected'}: give the folder of a corpus")
    total: collections.Counter[str] = collections.Counter()
    for target in sorted(path.name for path in (options.answered / "expected").iterdir()):
        counts = compare_target(
            options.recorded / "expected" / target, options.answered / "expected" / target, options.show
        )
        total.update(counts)
        print(summary(f"{options.recorded.name}/{target}", counts))
    print(summary("all", total))
    same, conversions = compare_conversions(options.recorded / "converted", options.answered / "converted")
    print(f"conversions: same {same} of {conversions}")
    return 0 if same == conversions and total["cases"] and total["exact"] + apart(total) == total["cases"] else 1


def apart(counts: collections.Counter[str]) -> int:
    return counts["child"] + counts["restless"]


def summary(name: str, counts: collections.Counter[str]) -> str:
    return (
        f"{name}: exact {counts['exact']} of {counts['cases'] - apart(counts)}, "
        f"left to the API server {counts['child']}, restless {counts['restless']}; "
        f"of {counts['refused']} refusals {counts['stage']} at the same stage, {counts['errors']} in the same words; "
        f"same warnings {counts['warnings']}"
    )


if __name__ == "__main__":
    sys.exit(main())
