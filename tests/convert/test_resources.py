"""Quantities of v1alpha1 as Kubernetes resource requirements."""

from dynamoc.admission.convert.shared_fields import to_requirements


def test_custom_wins_over_a_field_of_the_same_name_where_it_parses() -> None:
    """api/v1alpha1/shared_spec_conversion.go, resourcesToNative: quantities are parsed one by one into one list."""
    item = {"memory": "64Gi", "cpu": "4", "custom": {"memory": "1Gi", "cpu": "many"}}
    assert to_requirements({"limits": item}) == {"limits": {"memory": "1Gi", "cpu": "4"}}
