"""Snapshots of pods, as far as the operators since 1.0 make them alike: storage, Jobs, and what refers to them."""
