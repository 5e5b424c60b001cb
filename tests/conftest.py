"""What holds for all tests."""

from hypothesis import settings

# No test fails because a machine is slow: speed is for benchmarks/.
settings.register_profile("unhurried")
settings.load_profile("unhurried")
