"""The part of Go's `net/url` that decides whether the operator takes an address, and which host it reads from one."""

from __future__ import annotations

_DIGITS = frozenset("0123456789")
_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
_HEX = frozenset("0123456789abcdefABCDEF")
_HOST = _DIGITS | _LETTERS | frozenset("-_.~!$&'()*+,;=:[]<>\"")
_USER = _DIGITS | _LETTERS | frozenset("-._:~!$&'()*+,;=%@")


def parse_host(url: str) -> str:
    """The host, with its port, of `url.Parse(url)`; "" where it has none. ValueError where Go refuses the text."""
    if any(character < " " or character == "\x7f" for character in url):
        raise ValueError("invalid control character in URL")
    url, _, fragment = url.partition("#")
    _check_escapes(fragment)
    scheme, rest = _split_scheme(url)
    rest = rest.partition("?")[0]
    if not rest.startswith("/"):
        if scheme:
            return ""
        if ":" in rest.partition("/")[0]:
            raise ValueError("first path segment in URL cannot contain colon")
    host = ""
    if rest.startswith("//") and (scheme or not rest.startswith("///")):
        authority, slash, rest = rest[2:].partition("/")
        host = _authority_host(authority)
        rest = slash + rest
    _check_escapes(rest)
    return host


def registry_host(address: str) -> str | None:
    """The host that the operator compares, of an image or of a registry in a docker config; None where it finds none.

    A text without `://` gets a scheme first, so that `vllm/x:1` has the host `vllm`; `x:latest` has none, as `latest`
    is no port. Source: internal/common/url.go GetHost.
    """
    try:
        host = parse_host(address if "://" in address else f"dummy://{address}")
    except ValueError:
        return None
    return host or None


def _split_scheme(url: str) -> tuple[str, str]:
    for index, character in enumerate(url):
        if character in _LETTERS:
            continue
        if character == ":":
            if index == 0:
                raise ValueError("missing protocol scheme")
            return url[:index].lower(), url[index + 1 :]
        if index == 0 or not (character in _DIGITS or character in "+-."):
            break
    return "", url


def _authority_host(authority: str) -> str:
    user, at, host = authority.rpartition("@")
    if at and not all(character in _USER for character in user):
        raise ValueError("net/url: invalid userinfo")
    _check_escapes(user)
    if host.startswith("["):
        address, bracket, port = host.rpartition("]")
        if not bracket:
            raise ValueError("missing ']' in host")
        if not _valid_port(port):
            raise ValueError(f"invalid port {port!r} after host")
        host = address + bracket + port
    elif ":" in host:
        port = host[host.rindex(":") :]
        if not _valid_port(port):
            raise ValueError(f"invalid port {port!r} after host")
    return _unescape_host(host)


def _valid_port(port: str) -> bool:
    return not port or (port[0] == ":" and all(character in _DIGITS for character in port[1:]))


def _unescape_host(host: str) -> str:
    """Escapes are for bytes beyond ASCII only; a character that needs one must not stand in a host."""
    if "%" in host:
        _check_escapes(host)
        for index, character in enumerate(host):
            if character == "%" and host[index + 1] in _DIGITS and int(host[index + 1]) < 8:
                raise ValueError(f"invalid URL escape {host[index : index + 3]!r}")
        from urllib.parse import unquote

        host = unquote(host)
    for character in host:
        if character < "\x80" and character not in _HOST:
            raise ValueError(f"invalid character {character!r} in host name")
    return host


def _check_escapes(text: str) -> None:
    for index, character in enumerate(text):
        if character == "%" and not (len(text) > index + 2 and text[index + 1] in _HEX and text[index + 2] in _HEX):
            raise ValueError(f"invalid URL escape {text[index : index + 3]!r}")
