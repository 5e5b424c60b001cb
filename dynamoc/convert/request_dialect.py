"""In what the conversions of requests differ between releases."""

from __future__ import annotations


class Dialect:
    """How one release converts requests; `request/conversion` of the releases names them.

    own_annotations  whether each field that v1beta1 lacks has an annotation of its own, as in 1.0 to 1.2
    envelope         whether annotations keep all of what the other version lacks, since 1.2
    selects_nodes    whether the node selector of v1alpha1 survives, since 1.2
    keeps_claims     whether resources with nothing but claims survive, since 1.2
    optimisation     whether v1beta1 knows sla.optimizationType, since 1.2
    profiler         the name of the container that stands for the profiler, since 1.5; "" for the first one
    """

    __slots__ = ("envelope", "keeps_claims", "optimisation", "own_annotations", "profiler", "selects_nodes")

    def __init__(self, *, own_annotations: bool, envelope: bool, profiler: str = "") -> None:
        self.own_annotations = own_annotations
        self.envelope = envelope
        self.selects_nodes = self.keeps_claims = self.optimisation = envelope
        self.profiler = profiler


DIALECTS = {
    "annotations": Dialect(own_annotations=True, envelope=False),
    "both": Dialect(own_annotations=True, envelope=True),
    "envelope": Dialect(own_annotations=False, envelope=True),
    "named": Dialect(own_annotations=False, envelope=True, profiler="profiler"),
}
