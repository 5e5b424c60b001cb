"""Fields that v1alpha1 and v1beta1 both have, under one name or two, from `both-versions.txt`.

Conversions, hints and the places of findings read the same rows. Source: api/v1alpha1/*_conversion.go of release 1.4.
"""

from __future__ import annotations

from dynamoc.reference.features import read_rows

Place = tuple[str, ...]

_ROWS = read_rows("both-versions.txt")


def names(part: str) -> dict[str, str]:
    """v1alpha1's name of each field of a part, such as `graph`, to v1beta1's."""
    return {alpha: beta for each, alpha, beta in _ROWS if each == part}


def places(part: str) -> list[tuple[Place, Place]]:
    """The same as paths, in the order of the rows."""
    return [(tuple(alpha.split(".")), tuple(beta.split("."))) for each, alpha, beta in _ROWS if each == part]
