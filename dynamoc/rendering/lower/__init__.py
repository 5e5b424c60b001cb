"""The objects: what all generations share, then `early_` (up to 0.6), `alpha_` (1.0 and 1.1) and `hub_` (since
1.2).
"""
