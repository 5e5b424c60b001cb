"""Objects that are too large for some ways to apply them."""

from __future__ import annotations

import marshal

from dynamoc.check.registry import rule
from dynamoc.golang.json_text import dumps
from dynamoc.schema.problem import Problem
from dynamoc.stages.faults import Fault

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from dynamoc.check.made import Made

#: apimachinery pkg/api/validation/objectmeta.go TotalAnnotationSizeLimitB
_ANNOTATIONS = 262_144
#: etcd --max-request-bytes
_ETCD = 1_572_864
#: what is left of that where the API server has added managedFields, which repeat the keys of an object
_STORED = 1_048_576
_MOVE = "move long texts into ConfigMaps that the pods mount"


@rule("check/large-object")
def large_objects(made: Made) -> Iterator[Fault]:
    for index, item in enumerate(made.objects):
        size = len(dumps(item)) if _at_most(item) > _ANNOTATIONS else 0
        if size <= _ANNOTATIONS:
            continue
        name = ("metadata", "name")
        if size > _STORED:
            message = (
                f"It has {size:,} bytes as JSON. etcd takes at most {_ETCD:,} for an object, with the managedFields "
                "that the API server adds."
            )
            yield Fault(index, item, Problem("check/large-object", name, message, _MOVE))
            continue
        message = (
            f"It has {size:,} bytes as JSON: `kubectl apply` without --server-side cannot keep it in "
            f"an annotation, which takes {_ANNOTATIONS:,}."
        )
        yield Fault(index, item, Problem("check/large-object", name, message, "apply it with --server-side"))


def _at_most(item: dict[str, Any]) -> int:
    """No less than the bytes of an object as JSON, for a small part of the work.

    The second version of marshal repeats what is shared, and takes five bytes beside each text, which is more than
    JSON's quotes and commas. Go writes two characters for some, and six for those that are counted here.
    """
    data = marshal.dumps(item, 2)
    return 2 * len(data) + 4 * (len(data) - len(data.translate(None, _ESCAPED)))


#: `<`, `>`, `&`, and control characters without a short form; some are bytes of lengths, which makes it more
_ESCAPED = b"<>&" + bytes(code for code in range(1, 32) if code not in b"\t\n\r")
