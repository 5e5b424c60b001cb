"""Paths of the playground as addresses, in place of the module of `pygls`."""


def from_fs_path(path: str) -> str:
    return f"file://{path}"


def to_fs_path(uri: str) -> str:
    return uri.removeprefix("file://")
