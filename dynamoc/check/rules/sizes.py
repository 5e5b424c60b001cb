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
        # Go writes six characters for one at most. The second version of marshal repeats what is shared.
        size = len(dumps(item)) if len(marshal.dumps(item, 2)) * 6 > _ANNOTATIONS else 0
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
