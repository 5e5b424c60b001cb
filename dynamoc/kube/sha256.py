"""SHA-256 without `hashlib`, which loads OpenSSL and takes a fifth of Python's own start-up time."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_found: Any = None


def hex_digest(data: bytes) -> str:
    """The 64 hex digits of the hash."""
    global _found  # noqa: PLW0603 - a module that is not there is searched for on each import
    if _found is None:
        _found = _sha256()
    return str(_found(data).hexdigest())


def _sha256() -> Any:
    try:  # Python 3.12 and later
        from _sha2 import sha256  # type: ignore[import-not-found, unused-ignore]
    except ImportError:
        try:
            from _sha256 import sha256  # type: ignore[import-not-found, no-redef, unused-ignore]
        except ImportError:  # another Python than CPython
            from hashlib import sha256
    return sha256
