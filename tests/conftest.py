"""What holds for all tests."""

from hypothesis import HealthCheck, settings

# No test fails because a machine is slow: speed is for benchmarks/.
settings.register_profile("unhurried", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("unhurried")
