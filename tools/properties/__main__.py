"""Tries each property that is named, or all, on all inputs."""

from __future__ import annotations

import sys
from importlib import import_module

from tools.properties import commands

MODULES = ("threads", "lines")


def main(names: list[str]) -> int:
    broken = 0
    for name in names or (*MODULES, *commands.PROPERTIES):
        is_module = name in MODULES
        tried, broke = import_module(f"tools.properties.{name}").main(1.0) if is_module else commands.tried(name, 1.0)
        print(f"{name}: {broke} of {tried} broke the property")
        broken += broke + (not tried)
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
