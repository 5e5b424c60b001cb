"""YAML as PyYAML reads it, by libyaml: ten times as fast, for tests that do not ask who can read a text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import yaml


def load(text: str) -> Any:
    return yaml.load(text, yaml.CSafeLoader)


def load_all(text: str) -> Iterator[Any]:
    return yaml.load_all(text, yaml.CSafeLoader)
