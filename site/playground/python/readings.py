"""What dynamoc reads of files: a digest of the documents and findings of each, to compare two parsers of YAML.

`python readings.py FILE...` prints a line for each file. The playground's tests run it under Pyodide too.
"""

from __future__ import annotations

import hashlib
import json
import sys


def reading(path: str) -> str:
    """A digest of the documents of a file, of the place of each value, and of the findings."""
    from dynamoc.documents.findings.finding import Findings
    from dynamoc.documents.source.files import read_inputs

    findings = Findings()
    documents = read_inputs([path], findings)
    found = [[document.value, _places(document, document.value, ())] for document in documents]
    told = [[item.slug, item.message, str(item.place), item.hint] for item in findings.items]
    text = json.dumps([found, told], sort_keys=True).replace(path, "FILE")
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _places(document: object, value: object, path: tuple[str | int, ...]) -> list[object]:
    place = document.place(path)  # type: ignore[attr-defined]
    here: list[object] = [[place.line, place.column]]
    if isinstance(value, dict):
        return here + [_places(document, item, (*path, key)) for key, item in value.items()]
    if isinstance(value, list):
        return here + [_places(document, item, (*path, at)) for at, item in enumerate(value)]
    return here


if __name__ == "__main__":
    for each in sys.argv[1:]:
        print(reading(each), each)
