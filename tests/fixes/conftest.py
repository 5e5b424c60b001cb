"""Commands run as in tests/cli."""

from tests.cli.conftest import dynamoc

__all__ = ["dynamoc"]
