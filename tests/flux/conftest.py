from tests.cli.conftest import dynamoc

__all__ = ["dynamoc"]
