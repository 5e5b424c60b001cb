"""The objects: what all generations share, `early_` (up to 0.6), and `hub_` (what only v1beta1 has)."""
