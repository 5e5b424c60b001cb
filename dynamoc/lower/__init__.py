"""The objects: what all generations share, and `early/` (up to 0.6), `alpha/` (1.0 and 1.1), `hub/` (since 1.2),
`snapshots/`, `standalone/`.
"""
