"""Lowering for operators that know only v1beta1, the hub version: everything is made from pod templates."""
