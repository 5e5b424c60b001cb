"""The Go types of each release: tables of its own, or those of other releases and what differs.

`dynamoc.golang.generate` writes `golang/data/gotypes-<release>.txt` for each entry.
"""

from __future__ import annotations

#: () for tables of its own, else prefixes of short names, each with the release whose types are the same; the first
#: prefix that fits counts, and what differs is in `golang/data/gotypes-extra.txt`. Source: go.mod. 0.4 and 0.5 have
#: k8s.io/api v0.33.3 and LWS v0.6.1 as 0.6, and earlier versions of Grove. 1.1 and 1.2 have k8s.io/api v0.34.3 and
#: LWS v0.6.1 as 1.0; 1.3, 1.5 and 1.6 have the versions of 1.4.
SOURCES: dict[str, tuple[tuple[str, str], ...]] = {
    "0.4": (("", "0.6"),),
    "0.5": (("", "0.6"),),
    "0.6": (),
    "1.0": (),
    "1.1": (("", "1.0"),),
    "1.2": (("dynamo/", "1.4"), ("grove/", "1.4"), ("", "1.0")),
    "1.3": (("", "1.4"),),
    "1.4": (),
    "1.5": (("", "1.4"),),
    "1.6": (("", "1.5"),),
}
